package subprocess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/internal/procgroup"
)

// Program is one run of a program.
type Program struct {
	Argv   []string // the program, by name or full path, and its arguments
	Env    []string // all of its environment, but for where temporary files go
	Stdin  string
	Time   time.Duration // at most; 0 is DefaultTime
	Output int64         // bytes on both outputs at most; 0 is DefaultOutput
	Grace  time.Duration // between being told to end and being ended; 0 is 2 s

	Stdout io.Writer // gets what it says on its standard output; nil for nobody
	Log    io.Writer // gets both outputs; nil for nobody
}

// The limits of a program that has none.
const (
	DefaultTime   = 30 * time.Minute
	DefaultOutput = 64 << 20

	defaultGrace = 2 * time.Second
	linger       = 500 * time.Millisecond // how long output is read on after the program ended
)

// Why a program did not come to an end of its own, or did not begin.
var (
	ErrMissing = errors.New("not installed")
	ErrTime    = errors.New("took too long")
	ErrOutput  = errors.New("wrote too much")
)

// End is how a program ended.
type End struct {
	Exit int    // -1: it was ended, or by a signal
	Tail string // the last lines of both outputs
	Took time.Duration
}

// Run runs a program to its end, or to one of its limits. That it ends with
// another code than 0 is no error. Whatever it started is ended, too.
func (p *Place) Run(ctx context.Context, prog Program) (End, error) {
	cmd, err := p.command(prog)
	if err != nil {
		return End{Exit: -1}, err
	}
	limit := prog.Time
	if limit <= 0 {
		limit = DefaultTime
	}
	timed, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: stopped after %s", ErrTime, limit))
	defer cancel()
	held, stop := context.WithCancelCause(timed)
	defer stop(nil)
	out := newMeter(prog, stop)
	cmd.Stdout, cmd.Stderr = out.named(prog.Stdout), out.named(nil)
	began := time.Now()
	if err := held.Err(); err != nil {
		return End{Exit: -1}, fmt.Errorf("%s: %w", prog.Argv[0], err)
	}
	// A program costs money and edits files: it must not outlive us, also where we are
	// killed. The system takes the thread that starts it for its parent.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Start(); err != nil {
		return End{Exit: -1}, fmt.Errorf("start %s: %w", prog.Argv[0], err)
	}
	unwatch := procgroup.Watch(cmd)
	err = procgroup.Wait(held, cmd, cmp.Or(max(prog.Grace, 0), defaultGrace))
	unwatch()
	procgroup.KillRest(cmd)
	sweep(p.mark())
	end := End{Exit: cmd.ProcessState.ExitCode(), Tail: out.tail(), Took: time.Since(began)}
	var exit *exec.ExitError
	switch {
	case held.Err() != nil:
		end.Exit = -1
		return end, fmt.Errorf("%s: %w", prog.Argv[0], context.Cause(held))
	case err == nil, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		return end, out.failed
	}
	return end, fmt.Errorf("run %s: %w", prog.Argv[0], err)
}

// command is the program, confined and not started.
func (p *Place) command(prog Program) (*exec.Cmd, error) {
	if len(prog.Argv) == 0 || prog.Argv[0] == "" {
		return nil, errors.New("no program to run")
	}
	path, err := Find(prog.Argv[0], prog.Env)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, prog.Argv[1:]...) // #nosec G204 -- running what the caller says is what this package is for
	cmd.Dir, cmd.WaitDelay = p.dir, linger
	cmd.Stdin = strings.NewReader(prog.Stdin)
	cmd.Env = append(slices.Clone(prog.Env), "TMPDIR="+p.Temp, "TMP="+p.Temp, "TEMP="+p.Temp, p.mark())
	if p.cache != "" { // without a sandbox, too: the home is empty each time, and so would be what is built
		cmd.Env = append(cmd.Env, sandbox.CacheEnv(p.cache)...)
	}
	if err := p.box.Confine(cmd); err != nil {
		return nil, fmt.Errorf("%s was not run, since it could not be confined: %w", prog.Argv[0], err)
	}
	procgroup.Set(cmd)
	procgroup.KillWithParent(cmd)
	return cmd, nil
}

// mark is a variable by which processes of this run are known that left its group.
func (p *Place) mark() string { return "TRIMTAB_RUN=" + p.root }

// Find returns the full path of a program on the PATH of an environment. Places
// that depend on the folder are passed over: a project could put its own git there.
func Find(name string, env []string) (string, error) {
	if filepath.IsAbs(name) {
		path, err := exec.LookPath(name)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, ErrMissing)
		}
		return path, nil
	}
	if name != filepath.Base(name) {
		return "", fmt.Errorf("%s: give the name of a program or its full path", name)
	}
	for _, pair := range slices.Backward(env) {
		list, ok := strings.CutPrefix(pair, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(list) {
			if !filepath.IsAbs(dir) {
				continue
			}
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
		break
	}
	return "", fmt.Errorf("%s: %w: it is not on the PATH", name, ErrMissing)
}

// meter counts both outputs, hands them on and keeps the end of them.
type meter struct {
	mu     sync.Mutex
	left   int64
	stop   context.CancelCauseFunc
	log    io.Writer
	last   []byte
	failed error // of the log or the reader
}

const tailSize = 8 << 10

func newMeter(prog Program, stop context.CancelCauseFunc) *meter {
	m := &meter{left: prog.Output, stop: stop, log: prog.Log}
	if m.left <= 0 {
		m.left = DefaultOutput
	}
	return m
}

// named is one of the outputs.
func (m *meter) named(to io.Writer) io.Writer { return output{m, to} }

type output struct {
	*meter
	to io.Writer
}

// Write never fails: a program that cannot write would end for another reason
// than the one that counts.
func (o output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(b)
	if o.left < 0 {
		return n, nil
	}
	if o.left -= int64(n); o.left < 0 {
		b = b[:int64(n)+o.left]
		o.stop(fmt.Errorf("%w: stopped", ErrOutput))
	}
	for _, w := range []io.Writer{o.to, o.log} {
		if w == nil {
			continue
		}
		if _, err := w.Write(b); err != nil && o.failed == nil {
			o.failed = fmt.Errorf("keep the output: %w", err)
		}
	}
	o.last = append(o.last, b...)
	if len(o.last) > 2*tailSize {
		o.last = append(o.last[:0], o.last[len(o.last)-tailSize:]...)
	}
	return n, nil
}

// tail is the last lines of the outputs.
func (m *meter) tail() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	text := m.last[max(0, len(m.last)-tailSize):]
	return strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD"))
}
