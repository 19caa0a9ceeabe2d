package tool

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
)

// The limits of commands in the background.
const (
	maxJobs   = 8        // that run at the same time
	maxKept   = 32       // that are remembered, with those that ended
	maxJobOut = 64 << 10 // of what each wrote, from its end
	maxWait   = 60       // seconds that one look may wait
)

// Job is a command in the background.
type Job struct {
	ID      string
	Session string
	Command string
	Running bool
	Exit    int    // where it ended; -1 where it was stopped
	Output  string // the end of it
}

// State is how a job stands, in few words.
func (j Job) State() string {
	switch {
	case j.Running:
		return "running"
	case j.Exit < 0:
		return "stopped"
	}
	return fmt.Sprintf("ended with exit code %d", j.Exit)
}

// jobs are the commands in the background of a folder.
type jobs struct {
	mu   sync.Mutex
	all  []*background
	made int
	wg   sync.WaitGroup
	shut bool
	keep func(session string, running []Job) // nil where nobody asked; called with mu held
}

type background struct {
	Job
	mu    sync.Mutex
	buf   []byte // the end of what it wrote
	total int64
	seen  int64 // of the total, by the model
	told  bool  // the model knows that it ended
	stop  context.CancelFunc
	done  chan struct{}
}

// Write takes what the command writes. It never makes it wait for anybody.
func (g *background) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total += int64(len(p))
	if len(p) > maxJobOut {
		g.buf, p = g.buf[:0], p[len(p)-maxJobOut:]
	}
	g.buf = append(g.buf, p...)
	if n := len(g.buf); n > 2*maxJobOut {
		g.buf = append(g.buf[:0], g.buf[n-maxJobOut:]...)
	}
	return len(p), nil
}

// status is a copy for others to read.
func (g *background) status() Job {
	g.mu.Lock()
	defer g.mu.Unlock()
	j := g.Job
	j.Output = PlainOutput(tail(g.buf, maxJobOut))
	return j
}

func tail(b []byte, most int) string {
	return strings.ToValidUTF8(string(b[max(0, len(b)-most):]), "\uFFFD")
}

// tellState is how it stands, for the model, which knows of its end from then on.
func (g *background) tellState() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.told = g.told || !g.Running
	return g.State()
}

// fresh is what was written since the model last looked.
func (g *background) fresh() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	n, kept := g.total-g.seen, int64(min(len(g.buf), maxJobOut))
	g.seen = g.total
	if n <= kept {
		return PlainOutput(tail(g.buf, int(n)))
	}
	return fmt.Sprintf("[%d bytes before this are not kept]\n", n-kept) + PlainOutput(tail(g.buf, int(kept)))
}

// startJob starts a command that outlives its call, and ends with the folder at the latest.
func (f *Folder) startJob(session, command string, cmd *exec.Cmd) (Job, error) {
	f.jobs.mu.Lock()
	defer f.jobs.mu.Unlock()
	running := 0
	for _, g := range f.jobs.all {
		if g.status().Running {
			running++
		}
	}
	switch {
	case f.jobs.shut:
		return Job{}, errors.New("the folder is closed")
	case running >= maxJobs:
		return Job{}, fmt.Errorf("%d commands run in the background already; end one with bash_job", running)
	}
	if len(f.jobs.all) >= maxKept {
		for i, g := range f.jobs.all {
			if !g.status().Running {
				f.jobs.all = append(f.jobs.all[:i:i], f.jobs.all[i+1:]...)
				break
			}
		}
	}
	f.jobs.made++
	ctx, stop := context.WithCancel(context.Background())
	g := &background{Job: Job{ID: fmt.Sprintf("b%d", f.jobs.made), Session: session, Command: command, Running: true}, stop: stop, done: make(chan struct{})}
	f.jobs.all = append(f.jobs.all, g)
	f.jobs.kept(session)
	f.jobs.wg.Go(func() {
		defer stop()
		err := runGroup(ctx, cmd, g, endGrace)
		g.mu.Lock()
		g.Running, g.Exit = false, exitOf(cmd)
		if ctx.Err() != nil {
			g.Exit = -1
		} else if err != nil && cmd.ProcessState == nil {
			g.buf = append(g.buf, err.Error()...)
			g.total += int64(len(err.Error()))
		}
		g.mu.Unlock()
		close(g.done)
		f.jobs.mu.Lock()
		defer f.jobs.mu.Unlock()
		f.jobs.kept(session)
	})
	return g.status(), nil
}

// KeepJobs has keep told which commands of a session run in the background, whenever one
// begins or ends. What ends with the folder is not told: whoever opens the session later
// can learn what ran. It is called before the tools are used.
func (f *Folder) KeepJobs(keep func(session string, running []Job)) { f.jobs.keep = keep }

// TellJobs tells it once more.
func (f *Folder) TellJobs(session string) {
	f.jobs.mu.Lock()
	defer f.jobs.mu.Unlock()
	f.jobs.kept(session)
}

// kept tells which commands of a session run. The caller holds mu.
func (b *jobs) kept(session string) {
	if b.keep == nil || b.shut {
		return
	}
	var running []Job
	for _, g := range b.all {
		if j := g.status(); j.Session == session && j.Running {
			running = append(running, j)
		}
	}
	b.keep(session, running)
}

// EndedJobs are the commands of a session that ended without the model knowing yet. It
// does once told is called.
func (f *Folder) EndedJobs(session string) (ended []Job, told func()) {
	f.jobs.mu.Lock()
	defer f.jobs.mu.Unlock()
	var of []*background
	for _, g := range f.jobs.all {
		g.mu.Lock()
		fresh := g.Session == session && !g.Running && !g.told
		g.mu.Unlock()
		if fresh {
			of, ended = append(of, g), append(ended, g.status())
		}
	}
	return ended, func() {
		for _, g := range of {
			g.tellState()
		}
	}
}

// Jobs are the commands in the background, oldest first, with those that ended.
func (f *Folder) Jobs() []Job {
	f.jobs.mu.Lock()
	defer f.jobs.mu.Unlock()
	var out []Job
	for _, g := range f.jobs.all {
		out = append(out, g.status())
	}
	return out
}

// StopJob ends a command in the background and waits until it is gone.
func (f *Folder) StopJob(id string) error {
	g := f.job(id)
	if g == nil {
		return fmt.Errorf("there is no background command %q", trimtab.Clip(id, 40))
	}
	g.stop()
	<-g.done
	return nil
}

func (f *Folder) job(id string) *background {
	f.jobs.mu.Lock()
	defer f.jobs.mu.Unlock()
	for _, g := range f.jobs.all {
		if g.ID == id {
			return g
		}
	}
	return nil
}

// endJobs ends all commands in the background.
func (f *Folder) endJobs() {
	f.jobs.mu.Lock()
	f.jobs.shut = true
	for _, g := range f.jobs.all {
		g.stop()
	}
	f.jobs.mu.Unlock()
	f.jobs.wg.Wait()
}

const jobSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "of the command, as bash said; left out, all are listed"},
    "wait": {"type": "integer", "minimum": 0, "maximum": 60, "description": "seconds to wait for its end"},
    "stop": {"type": "boolean", "description": "true ends it"}
  },
  "additionalProperties": false
}`

type jobInput struct {
	ID   string `json:"id"`
	Wait int    `json:"wait"`
	Stop bool   `json:"stop"`
}

// BashJob returns the tool that looks after commands in the background.
func (f *Folder) BashJob() Tool { return define("bash_job", jobSchema, f.lookAtJob) }

func (f *Folder) lookAtJob(ctx context.Context, in jobInput) (string, error) {
	if in.Wait < 0 || in.Wait > maxWait {
		return "", fmt.Errorf(`"wait" goes from 0 to %d seconds`, maxWait)
	}
	if in.ID == "" {
		return f.listJobs(SessionOf(ctx)), nil
	}
	g := f.job(in.ID)
	if g == nil || g.Session != SessionOf(ctx) {
		return "", fmt.Errorf("there is no background command %q; bash_job without an id lists them", trimtab.Clip(in.ID, 40))
	}
	if in.Stop {
		g.stop()
		<-g.done
	}
	timer := time.NewTimer(time.Duration(in.Wait) * time.Second)
	defer timer.Stop()
	select {
	case <-g.done:
	case <-timer.C:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	state := g.tellState() // before what it wrote: at its end, all of that is read
	text := strings.TrimRight(g.fresh(), "\n")
	if text == "" {
		text = "[nothing new was written]"
	}
	return text + "\n[" + in.ID + " " + state + "]", nil
}

func (f *Folder) listJobs(session string) string {
	f.jobs.mu.Lock()
	defer f.jobs.mu.Unlock()
	var lines []string
	for _, g := range f.jobs.all {
		if g.Session == session {
			lines = append(lines, fmt.Sprintf("%s %s: %s", g.ID, g.tellState(), firstLine(g.Command)))
		}
	}
	if len(lines) == 0 {
		return "[no commands run in the background]"
	}
	return strings.Join(lines, "\n")
}
