package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/atomicfile"
	"github.com/trimtab/trimtab/internal/procgroup"
)

// Options are how checks are run.
type Options struct {
	Confine func(*exec.Cmd) error // puts a command into the sandbox; required
	Limit   time.Duration         // the longest that a check may take
	Keep    string                // folder for receipts; "" keeps none
	Environ []string              // of the command; nil is this process's
	Redact  func(string) string   // takes secrets out of what a check says; nil leaves it
	Clock   func() time.Time      // nil is time.Now
}

// Checker looks at working trees and runs checks. It is safe for use by several goroutines.
type Checker struct {
	opt Options
}

// New returns a checker.
func New(opt Options) *Checker {
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	return &Checker{opt}
}

const (
	maxOutput  = 16 << 10 // bytes of the end of the output that are kept
	maxReceipt = 64 << 10
)

// Check runs a command line in a folder, and returns its receipt. One that has a receipt for
// this very state of the tree is not run again.
func (c *Checker) Check(ctx context.Context, dir, command string) trimtab.Receipt {
	tree := c.Tree(ctx, dir)
	last, known := c.load(dir, command)
	if known && tree != "" && last.Tree == tree && last.Lapsed == "" {
		return last
	}
	r := c.run(ctx, dir, command)
	if tree != "" && c.Tree(ctx, dir) == tree { // a check that writes into the tree says nothing of the next state
		r.Tree = tree
	}
	if r.Exit != 0 && r.Lapsed == "" {
		if r.Since = r.At; known && last.Exit != 0 && last.Lapsed == "" && sameFailure(last.Output, r.Output) {
			r.Since = last.Since
		}
	}
	c.store(dir, r)
	return r
}

func (c *Checker) run(ctx context.Context, dir, command string) trimtab.Receipt {
	r := trimtab.Receipt{Command: command, Exit: -1, At: c.opt.Clock().UTC()}
	shell, err := exec.LookPath("sh")
	if err != nil {
		r.Lapsed = "was not run: there is no shell here"
		return r
	}
	cmd := exec.Command(shell, "-c", command)
	cmd.Dir, cmd.Env = dir, c.opt.Environ
	if err := c.opt.Confine(cmd); err != nil {
		r.Lapsed = "was not run: " + err.Error()
		return r
	}
	out := &ending{most: maxOutput}
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = time.Second
	procgroup.Set(cmd)
	limit, cancel := context.WithTimeout(ctx, c.opt.Limit)
	defer cancel()
	if err := cmd.Start(); err != nil {
		r.Lapsed = "was not run: " + err.Error()
		return r
	}
	err = procgroup.Wait(limit, cmd, time.Second)
	procgroup.KillRest(cmd)
	if r.Output = out.String(); c.opt.Redact != nil {
		r.Output = c.opt.Redact(r.Output)
	}
	var exit *exec.ExitError
	switch {
	case limit.Err() != nil:
		r.Lapsed = fmt.Sprintf("did not end within %s", c.opt.Limit)
		if ctx.Err() != nil {
			r.Lapsed = "was broken off"
		}
	case err == nil:
		r.Exit = 0
	case errors.As(err, &exit):
		r.Exit = exit.ExitCode()
		if r.Exit == 126 || r.Exit == 127 { // the shell's word for: not there, or not to be run
			r.Lapsed = "is not there, or cannot be run here"
		}
	default:
		r.Lapsed = "was not run: " + err.Error()
	}
	return r
}

// sameFailure reports whether two outputs tell of the same failure: their lines with a word for
// it are the same, numbers aside.
func sameFailure(a, b string) bool {
	return failure(a) == failure(b)
}

func failure(output string) string {
	var out strings.Builder
	for line := range strings.Lines(output) {
		if low := strings.ToLower(line); strings.Contains(low, "fail") || strings.Contains(low, "error") {
			out.WriteString(strings.Map(func(r rune) rune {
				if '0' <= r && r <= '9' {
					return -1
				}
				return r
			}, line))
		}
	}
	return out.String()
}

// path is the file of the newest receipt of a command in a folder.
func (c *Checker) path(dir, command string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, dir+"\x00"+command)
	return filepath.Join(c.opt.Keep, fmt.Sprintf("%016x.json", h.Sum64()))
}

func (c *Checker) load(dir, command string) (r trimtab.Receipt, ok bool) {
	if c.opt.Keep == "" {
		return r, false
	}
	f, err := os.Open(c.path(dir, command))
	if err != nil {
		return r, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxReceipt))
	return r, err == nil && json.Unmarshal(text, &r) == nil && r.Command == command
}

// store keeps a receipt. One that cannot be kept costs a second run, and no more.
func (c *Checker) store(dir string, r trimtab.Receipt) {
	if c.opt.Keep == "" || os.MkdirAll(c.opt.Keep, 0o700) != nil {
		return
	}
	if text, err := json.Marshal(r); err == nil {
		_ = atomicfile.Write(c.path(dir, r.Command), text, 0o600)
	}
}

// ending keeps the end of what is written to it.
type ending struct {
	mu   sync.Mutex
	most int
	text []byte
}

func (e *ending) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.text = append(e.text, p...); len(e.text) > 2*e.most {
		e.text = append([]byte(nil), e.text[len(e.text)-e.most:]...)
	}
	return len(p), nil
}

func (e *ending) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.ToValidUTF8(string(e.text[max(0, len(e.text)-e.most):]), "")
}
