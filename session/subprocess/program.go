package subprocess

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/procgroup"
	"github.com/trimtab/trimtab/steer/external"
)

var (
	errResting = errors.New("it failed and is not started again yet")
	errClosed  = errors.New("closed")
	errTooLong = fmt.Errorf("its answer has more than %d bytes", maxAnswer)
	errUnasked = errors.New("it said something that it was not asked for; one line answers one event")
	errTooSlow = errors.New("it did not answer in time")
	errEnded   = errors.New("it ended")
)

// program is one command of the settings, and its process while it runs.
type program struct {
	external.Program
	name string
	free chan struct{} // holds a token while nobody asks: one event at a time

	running *process // only who has the token may touch what follows
	closed  bool
	pause   time.Duration
	resting time.Time // until when it is not started again
}

func newProgram(name string, p external.Program) *program {
	one := &program{Program: p, name: name, free: make(chan struct{}, 1), pause: firstPause}
	one.free <- struct{}{}
	return one
}

// ask returns the line with which the program answers a line. Waiting for others
// who ask counts as waiting for the program, but is no failure of it.
func (p *program) ask(ctx context.Context, now func() time.Time, line []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.Timeout)*time.Millisecond)
	defer cancel()
	select {
	case <-p.free:
	case <-ctx.Done():
		return nil, errTooSlow
	}
	defer func() { p.free <- struct{}{} }()
	switch {
	case p.closed:
		return nil, errClosed
	case p.running == nil && now().Before(p.resting):
		return nil, errResting
	}
	answer, err := p.exchange(ctx, line)
	if err == nil {
		p.pause = firstPause
		return answer, nil
	}
	if p.running != nil {
		p.running.end()
		if said := p.running.words.String(); said != "" {
			err = fmt.Errorf("%w; it said: %s", err, said)
		}
		p.running = nil
	}
	p.resting = now().Add(p.pause)
	p.pause = min(2*p.pause, longestPause)
	return nil, err
}

func (p *program) exchange(ctx context.Context, line []byte) ([]byte, error) {
	if p.running == nil {
		started, err := start(p.Command, p.Args)
		if err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
		p.running = started
	}
	type result struct {
		line []byte
		err  error
	}
	done := make(chan result, 1)
	go func(r *process) { // ends when the process does, at the latest
		answer, err := r.exchange(line)
		done <- result{answer, err}
	}(p.running)
	select {
	case r := <-done:
		return r.line, r.err
	case <-ctx.Done():
		p.running.end() // whereupon the goroutine ends
		<-done
		return nil, errTooSlow
	}
}

func (p *program) close() {
	<-p.free
	defer func() { p.free <- struct{}{} }()
	p.closed = true
	if p.running != nil {
		p.running.end()
		p.running = nil
	}
}

// process is a program that runs.
type process struct {
	cmd   *exec.Cmd
	in    *os.File
	out   *os.File
	lines *bufio.Reader // of out
	words *head         // of its standard error
	ended chan struct{} // closed when it has ended, and all that it started
	once  sync.Once
}

// inherited are the variables that a program gets. No key is among them.
var inherited = []string{"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TMPDIR", "TMP", "TEMP", "SystemRoot", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA"}

func start(command string, args []string) (*process, error) {
	cmd := exec.Command(command, args...)
	cmd.Env = []string{}
	for _, key := range inherited {
		if value, ok := os.LookupEnv(key); ok {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
	}
	procgroup.Set(cmd)
	procgroup.KillWithParent(cmd)
	pipes, err := newPipes()
	if err != nil {
		return nil, err
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes[0], pipes[3], pipes[5]
	p := &process{cmd: cmd, in: pipes[1], out: pipes[2], lines: bufio.NewReaderSize(pipes[2], maxAnswer), words: &head{file: pipes[4]}, ended: make(chan struct{})}
	begun := make(chan error, 1)
	go func() {
		defer close(p.ended)
		// On Linux a child is killed when the thread ends that started it, so this
		// one stays with it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		begun <- err
		if err == nil {
			_ = cmd.Wait() // that it ended is what counts, not how
			procgroup.KillRest(cmd)
		}
	}()
	err = <-begun
	for _, theirs := range []int{0, 3, 5} {
		_ = pipes[theirs].Close()
	}
	if err != nil {
		for _, ours := range []int{1, 2, 4} {
			_ = pipes[ours].Close()
		}
		return nil, err
	}
	p.words.wg.Go(p.words.read)
	return p, nil
}

// newPipes returns the ends of three pipes, that for reading before that for
// writing: for the input, the output and the errors of a program.
func newPipes() (ends [6]*os.File, err error) {
	for i := 0; i < len(ends); i += 2 {
		if ends[i], ends[i+1], err = os.Pipe(); err != nil {
			for _, f := range ends[:i] {
				_ = f.Close()
			}
			return ends, err
		}
	}
	return ends, nil
}

func (p *process) exchange(line []byte) ([]byte, error) {
	if p.lines.Buffered() > 0 {
		return nil, errUnasked
	}
	if _, err := p.in.Write(line); err != nil {
		return nil, errEnded // or closed its input, which comes to the same
	}
	answer, err := p.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, errTooLong
	case err != nil:
		return nil, errEnded
	case p.lines.Buffered() > 0:
		return nil, errUnasked
	}
	return append([]byte(nil), answer...), nil
}

// end kills the process and what it started, and waits for its end.
func (p *process) end() {
	p.once.Do(func() {
		select {
		case <-p.ended:
		default:
			procgroup.Kill(p.cmd)
		}
		<-p.ended
		_ = p.in.Close()
		_ = p.out.Close()
		p.words.close()
	})
}

// head keeps the beginning of what a program writes on its standard error: what
// comes first says best why it failed.
type head struct {
	file *os.File
	wg   sync.WaitGroup
	mu   sync.Mutex
	kept []byte
}

func (h *head) read() { _, _ = io.Copy(h, h.file) }

// close ends the reading, even where somebody still holds the other end.
func (h *head) close() {
	if h.file.SetReadDeadline(time.Now().Add(50*time.Millisecond)) != nil { // for what is in the pipe
		_ = h.file.Close()
	}
	h.wg.Wait()
	_ = h.file.Close()
}

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if left := 512 - len(h.kept); left > 0 {
		h.kept = append(h.kept, b[:min(left, len(b))]...)
	}
	return len(b), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return trimtab.Clip(strings.Join(strings.Fields(strings.ToValidUTF8(string(h.kept), "?")), " "), 200)
}
