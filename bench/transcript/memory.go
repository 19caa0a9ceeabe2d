package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
)

// memory tells the resident memory of reading a small and a large file of each
// host, each in a process of its own.
func memory(ctx context.Context, out io.Writer, o options, dir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for i, host := range o.hosts {
		for _, size := range []int{16 << 20, o.memory} {
			path := filepath.Join(dir, host+".jsonl")
			if err := create(path, host, size, uint64(i+1)); err != nil {
				return err
			}
			c := exec.CommandContext(ctx, self, "-read", host+":"+path)
			c.Stdout, c.Stderr = out, os.Stderr
			err := c.Run()
			if err = errors.Join(err, os.Remove(path)); err != nil {
				return err
			}
		}
	}
	return nil
}

// weighed reads a file whole and brief, and tells the most memory that the process
// has had.
func weighed(out io.Writer, what string) error {
	host, path, _ := strings.Cut(what, ":")
	read := all.Reader(host)
	if read == nil {
		return fmt.Errorf("%q: give HOST:FILE", what)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	start := resident()
	var peaks [3]string
	for i, opt := range []transcript.Options{{Brief: true, Branches: true}, {Branches: true}, {}} {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		for _, err := range read(f, opt) {
			if err != nil && !errors.Is(err, trimtab.ErrDamaged) {
				return errors.Join(err, f.Close())
			}
		}
		if err := f.Close(); err != nil {
			return err
		}
		peaks[i] = resident()
	}
	fmt.Fprintf(out, "%-8s %6d MB   VmHWM at start %s, after brief %s, after whole %s, after whole by its tree %s\n", host, info.Size()>>20, start, peaks[0], peaks[1], peaks[2])
	return nil
}

// resident is the most memory that this process has had, where the system tells.
func resident() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}
