package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/tool"
)

// mostAtOnce is how many tools run at the same time.
const mostAtOnce = 8

// job is a call on its way to its result.
type job struct {
	call   trimtab.ToolCall
	tool   tool.Tool
	result trimtab.ToolResult
	fault  *trimtab.Fault
	ready  chan struct{} // closed when there is a result

	effects []tool.Effect // to be read when it is ready
	live    liveOutput
}

// use runs the calls of a reply and says their results as one message. Whatever
// happens, every call gets its result.
func (r *run) use(calls []trimtab.ToolCall, spoilt map[string]bool) error {
	jobs := make([]*job, len(calls))
	var broken error
	for i, c := range calls {
		jobs[i] = &job{call: c, ready: make(chan struct{}), live: newLiveOutput()}
		why := "not run: an error came before it"
		if broken == nil {
			why, broken = r.permit(jobs[i], spoilt[c.ID])
		}
		r.emit(Called{c})
		if why != "" {
			jobs[i].refuse(why)
		}
	}
	ctx := tool.WithSession(context.WithValue(r.ctx, sessionKey{}, r.session.Todos), r.id)
	ctx = context.WithValue(ctx, branchKey{}, r.began)
	for batch := range batches(jobs) {
		r.work(ctx, batch)
	}
	m := trimtab.Message{Role: trimtab.RoleTool}
	for _, j := range jobs {
		m.Parts = append(m.Parts, j.result)
	}
	if err := r.say(&m); err != nil {
		return errors.Join(broken, fmt.Errorf("the results could not be stored: %w; fix the store, then continue", err))
	}
	if r.ctx.Err() != nil {
		return nil // the loop sees to it
	}
	return broken
}

// permit finds the tool of a call and asks whether it may run. It returns why not.
func (r *run) permit(j *job, spoilt bool) (why string, err error) {
	t, ok := r.tools[j.call.Name]
	switch {
	case r.ctx.Err() != nil:
		return r.why(), nil // the reason says that it was cancelled
	case !ok && len(r.tools) == 0:
		return fmt.Sprintf("there is no tool %q: no tools are offered here", j.call.Name), nil
	case !ok:
		return fmt.Sprintf("there is no tool %q; there are %s", j.call.Name, strings.Join(slices.Sorted(maps.Keys(r.tools)), ", ")), nil
	case spoilt:
		return "the input was not valid JSON; make the call again with one that is", nil
	}
	j.tool = t
	out, err := r.handle(r.ctx, trimtab.Using{Call: j.call})
	switch {
	case err != nil && r.ctx.Err() != nil:
		return r.why(), nil // the error came of cancelling, and the reason says so
	case err != nil:
		return "not run: the call could not be recorded", fmt.Errorf("before tool %s: %w", j.call.Name, err)
	}
	for _, taken := range out.Actions {
		if deny, ok := taken.Action.(trimtab.Deny); ok {
			return fmt.Sprintf("denied (%s): %s", taken.By, deny.Why), nil
		}
	}
	if !r.offered[j.call.Name] {
		return fmt.Sprintf("%s is not offered at present; do without it, or say what you would do with it", j.call.Name), nil
	}
	if r.opt.Refuse != nil {
		return r.opt.Refuse(r.began, t.Tool), nil
	}
	return "", nil
}

// refuse gives a call its result without running it.
func (j *job) refuse(why string) {
	j.result = trimtab.ToolResult{ID: j.call.ID, Text: why, Failed: true}
	close(j.ready)
}

// batches yields runs of jobs that may run side by side: those that change
// nothing. One that does runs alone, after all before it.
func batches(jobs []*job) func(yield func([]*job) bool) {
	return func(yield func([]*job) bool) {
		for len(jobs) > 0 {
			n := 1
			for jobs[0].beside() && n < len(jobs) && n < mostAtOnce && jobs[n].beside() {
				n++
			}
			if !yield(jobs[:n]) {
				return
			}
			jobs = jobs[n:]
		}
	}
}

// beside reports whether the job may run beside others. One that may have to ask
// does not: a person is asked one thing at a time, when all before it is done and
// what they are shown is how things stand.
func (j *job) beside() bool { return j.result.ID != "" || j.tool.ReadOnly && j.tool.Ask == nil }

// work runs jobs side by side and tells their results in order.
func (r *run) work(ctx context.Context, batch []*job) {
	if alone := batch[0]; len(batch) == 1 && alone.result.ID == "" {
		if why := r.consent(ctx, alone); why != "" {
			alone.refuse(why)
		}
	}
	var wg sync.WaitGroup
	for _, j := range batch {
		if j.result.ID == "" {
			wg.Go(func() { j.run(ctx, r.why) })
		}
	}
	for _, j := range batch {
		r.await(j)
		if j.fault != nil {
			r.emit(Faulted{*j.fault})
		}
		r.record(j)
		r.emit(Returned{j.call, j.result, j.effects})
	}
	wg.Wait()
}

// await waits for the result of a job and tells what it writes in the meantime.
func (r *run) await(j *job) {
	for {
		select {
		case <-j.ready:
			return
		case <-j.live.wake:
		}
		if text := j.live.take(); text != "" {
			r.emit(Output{j.call, text})
		}
		timer := time.NewTimer(outputPause)
		select {
		case <-j.ready:
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// record keeps what a job did.
func (r *run) record(j *job) {
	if r.opt.Recorder == nil || len(j.effects) == 0 {
		return
	}
	if err := r.opt.Recorder.Record(r.id, r.session.Prompt.Ref, j.call, j.effects); err != nil {
		r.emit(Faulted{trimtab.Fault{By: "record of " + j.call.Name, Text: err.Error()}})
	}
}

func (j *job) run(ctx context.Context, cancelled func() string) {
	defer close(j.ready)
	j.result = trimtab.ToolResult{ID: j.call.ID}
	text, err := j.tool.Call(tool.WithObserver(ctx, tool.Observer{
		Output: j.live.put,
		Done:   func(e tool.Effect) { j.effects = append(j.effects, e) },
	}), j.call.Input)
	j.result.Text, j.result.Failed = text, err != nil
	if err == nil {
		return
	}
	var p *tool.Panic
	switch {
	case ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		if j.result.Text = cancelled(); text != "" { // what a command wrote until then may be what matters
			j.result.Text = strings.TrimSpace(text) + "\n[" + j.result.Text + "]"
		}
	case errors.As(err, &p):
		j.fault = &trimtab.Fault{By: "tool " + p.Tool, Text: fmt.Sprintf("panic: %v", p.Value), Stack: p.Stack}
		j.result.Text = err.Error()
	default:
		j.result.Text = strings.TrimSpace(text + "\n" + err.Error())
	}
}

// why says, for the model, why the run was cut short.
func (r *run) why() string {
	if errors.Is(r.ctx.Err(), context.DeadlineExceeded) {
		return "cancelled: the time was up"
	}
	return "cancelled by the person"
}

// outputPause is the least time between two Outputs of a call, and maxLive the most that
// one of them holds.
const (
	outputPause = 50 * time.Millisecond
	maxLive     = 32 << 10
)

// liveOutput gathers what a command writes until somebody looks. It never makes the
// command wait.
type liveOutput struct {
	mu   *sync.Mutex
	buf  *[]byte
	wake chan struct{} // holds one token while there is something to take
}

func newLiveOutput() liveOutput {
	return liveOutput{&sync.Mutex{}, new([]byte), make(chan struct{}, 1)}
}

func (l liveOutput) put(chunk []byte) {
	l.mu.Lock()
	if len(chunk) > maxLive {
		chunk = chunk[len(chunk)-maxLive:]
	}
	*l.buf = append(*l.buf, chunk...)
	if n := len(*l.buf); n > 2*maxLive {
		*l.buf = append((*l.buf)[:0], (*l.buf)[n-maxLive:]...)
	}
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

func (l liveOutput) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.ToValidUTF8(string(*l.buf), "\uFFFD")
	*l.buf = (*l.buf)[:0]
	return text
}
