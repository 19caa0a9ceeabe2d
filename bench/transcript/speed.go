package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/all"
)

// way is one way of going through a file. It returns how much it found, so that
// nothing is left undone.
type way struct {
	name string
	run  func(ctx context.Context, path string) (int, error)
	best time.Duration
	got  int
	slow bool // one round is enough
}

// speed measures all ways over the file of each host.
func speed(ctx context.Context, out io.Writer, o options, dir string) error {
	if o.profile != "" {
		f, err := os.Create(o.profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Fprintf(out, "%-8s %-22s %10s %10s %10s\n", "host", "way", "MB/s", "% of scan", "found")
	for i, host := range o.hosts {
		path := filepath.Join(dir, host, "projects", "made-up", "session.jsonl")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := create(path, host, o.size, uint64(i+1)); err != nil {
			return err
		}
		ways := o.ways(host)
		if err := race(ctx, ways, path, o.rounds); err != nil {
			return fmt.Errorf("%s: %w", host, err)
		}
		tell(out, host, path, ways)
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// ways are what is compared: ours in several forms, and peers that are there.
func (o options) ways(host string) []*way {
	read := all.Reader(host)
	all := []*way{
		{name: "newline scan", run: newlines},
		{name: "bufio.Scanner", run: scanned},
		{name: "brief", run: ours(read, transcript.Options{Brief: true})},
		{name: "brief in file order", run: ours(read, transcript.Options{Brief: true, Branches: true})},
		{name: "whole", run: ours(read, transcript.Options{})},
		{name: "whole in file order", run: ours(read, transcript.Options{Branches: true})},
		{name: "encoding/json", run: decoded, slow: true},
	}
	if jq, err := exec.LookPath("jq"); err == nil {
		all = append(all, &way{name: "jq .type", slow: true, run: func(ctx context.Context, path string) (int, error) {
			return program(exec.CommandContext(ctx, jq, "-c", ".type", path))
		}})
	}
	if o.ccusage != "" && host == "claude" {
		all = append(all, &way{name: "ccusage", run: usage(o.ccusage)})
	}
	if o.only == "" {
		return all
	}
	var some []*way
	for _, w := range all {
		if w.name == "newline scan" || strings.Contains(","+o.only+",", ","+w.name+",") {
			some = append(some, w)
		}
	}
	return some
}

// race lets all ways take turns and keeps the best time of each.
func race(ctx context.Context, ways []*way, path string, rounds int) error {
	for round := range rounds {
		for _, w := range ways {
			if w.slow && round > 0 {
				continue
			}
			runtime.GC()
			got, took, err := w.time(ctx, path)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if w.got = got; w.best == 0 || took < w.best {
				w.best = took
			}
		}
	}
	return nil
}

// enough is how long a way must take to be measured: systems count what a process
// spends in ticks.
const enough = 200 * time.Millisecond

// time runs a way as often as it takes, and tells how long one run takes.
func (w *way) time(ctx context.Context, path string) (got int, took time.Duration, err error) {
	for n := 1; ; n++ {
		begin := spent()
		if got, err = w.run(ctx, path); err != nil {
			return got, 0, err
		}
		if took += spent() - begin; took >= enough || w.slow {
			return got, took / time.Duration(n), nil
		}
	}
}

func tell(out io.Writer, host, path string, ways []*way) {
	info, err := os.Stat(path)
	if err != nil {
		return
	}
	for _, w := range ways {
		fmt.Fprintf(out, "%-8s %-22s %10.0f %10.1f %10d\n", host, w.name, float64(info.Size())/1e6/w.best.Seconds(), 100*ways[0].best.Seconds()/w.best.Seconds(), w.got)
	}
}

// pieces is the size of a read, the same for all that read here.
const pieces = 256 << 10

// newlines does the least that a reader of lines can do.
func newlines(_ context.Context, path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, pieces)
	lines := 0
	for {
		n, err := f.Read(buf)
		for b := buf[:n]; ; lines++ {
			k := bytes.IndexByte(b, '\n')
			if k < 0 {
				break
			}
			b = b[k+1:]
		}
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
	}
}

// scanned splits lines as most programs do.
func scanned(_ context.Context, path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := 0
	s := bufio.NewScanner(f)
	for s.Buffer(make([]byte, pieces), 64<<20); s.Scan(); {
		lines++
	}
	return lines, s.Err()
}

// ours reads with one of our readers.
func ours(read transcript.Reader, opt transcript.Options) func(context.Context, string) (int, error) {
	return func(_ context.Context, path string) (int, error) {
		f, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		items, failed := 0, 0
		for it, err := range read(f, opt) {
			if err != nil {
				return items, err
			}
			items++
			for _, p := range it.Message.Parts {
				if r, ok := p.(trimtab.ToolResult); ok && r.Failed {
					failed++
				}
			}
		}
		if failed == 0 {
			return items, errors.New("no failed result was found")
		}
		return items, nil
	}
}

// decoded reads each line with encoding/json, as a first version would.
func decoded(_ context.Context, path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := 0
	for d := json.NewDecoder(f); ; lines++ {
		var line map[string]any
		if err := d.Decode(&line); errors.Is(err, io.EOF) {
			return lines, nil
		} else if err != nil {
			return lines, err
		}
	}
}

// program runs a peer and counts the lines that it says.
func program(c *exec.Cmd) (int, error) {
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, io.Discard
	err := c.Run()
	return bytes.Count(said.Bytes(), []byte("\n")), err
}

// usage runs ccusage over the folder that holds the file, without the network.
func usage(name string) func(context.Context, string) (int, error) {
	return func(ctx context.Context, path string) (int, error) {
		home := filepath.Dir(filepath.Dir(filepath.Dir(path)))
		c := exec.CommandContext(ctx, name, "claude", "daily", "--offline", "--json", "--single-thread")
		c.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+home, "HOME="+home)
		return program(c)
	}
}
