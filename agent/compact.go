package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/llm"
)

// How full a context may be, in hundredths of the window. Past warnAt the person is told;
// past foldAt finished turns are folded until no more than foldTo is used. The reply
// needs space too.
const (
	warnAt = 65
	foldAt = 80
	foldTo = 50
)

// summaryTime is how long a model may take to write a summary.
const summaryTime = 90 * time.Second

// used is about how many tokens the next request has: what the provider counted beside
// the messages, and the messages as they are now.
func (r *run) used() int {
	m, bytes := r.session.Meter, 0
	for _, message := range r.session.View(r.history) {
		bytes += message.Size()
	}
	beside := max(0, m.Context-m.Tokens(m.ContextBytes))
	if r.beside > 0 { // measured in this run, where folds are known
		beside = r.beside
	}
	if beside == 0 {
		beside = m.Tokens(len(r.opt.System) + r.offerSize())
	}
	return beside + m.Tokens(bytes)
}

func (r *run) offerSize() (n int) {
	for _, t := range r.list {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// measure learns from a reply how many tokens stand beside the messages.
func (r *run) measure(m trimtab.Message, sent int) {
	if m.Usage != nil && m.Usage.Context() > 0 {
		r.beside = max(1, m.Usage.Context()-r.session.Meter.Tokens(sent))
	}
}

// compact folds finished turns where the context fills, and tells how full it is. Where
// the provider refused the request because of its length, it folds in any case.
func (r *run) compact(refused bool) (folded bool, err error) {
	window := r.opt.Window
	if window <= 0 && !refused {
		r.emit(Context{Used: r.used()})
		return false, nil
	}
	used := r.used()
	switch {
	case refused, used*100 >= window*foldAt:
		goal := used / 2
		if window > 0 {
			goal = min(window*foldTo/100, goal)
		}
		if folded, err = r.foldTurns(goal); err != nil {
			return folded, err
		}
	case used*100 >= window*warnAt && !r.warned:
		r.warned = true
		r.emit(Noticed{"context", trimtab.Notify{Text: fmt.Sprintf("the context is %d %% full; at %d %% finished turns fold into a summary by themselves, and nothing of them is lost", used*100/window, foldAt)}})
	}
	r.emit(Context{Used: r.used(), Window: window})
	return folded, nil
}

// Compact folds the finished turns of a session now, all but the newest, as a context that
// fills does. It tells what came of it as a run would.
func (a *Agent) Compact(ctx context.Context, session string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		r := &run{Agent: a, ctx: ctx, cancel: cancel, id: session, yield: yield}
		if err := r.open(trimtab.Message{}); err != nil {
			yield(nil, err)
			return
		}
		r.equip()
		var err error
		if r.session, _, err = a.service.Handle(ctx, session); err != nil { // as it stands: what is folded already
			yield(nil, err)
			return
		}
		folded, err := r.foldTurns(0)
		switch {
		case r.left:
		case err != nil:
			yield(nil, err)
		case !folded:
			yield(Noticed{"context", trimtab.Notify{Text: "there is no finished turn to fold yet; the newest stays in view"}}, nil)
		default:
			yield(Context{Used: r.used(), Window: r.opt.Window}, nil)
		}
	}
}

// foldTurns makes one frame of the oldest finished turns, as many as it takes to come
// down to goal tokens; where there are none left, of the older steps of this turn.
func (r *run) foldTurns(goal int) (bool, error) {
	spans := r.finished()
	if len(spans) == 0 {
		spans = r.olderSteps()
	}
	if len(spans) == 0 {
		return false, nil
	}
	first, last, left := spans[0][0], spans[0][1], r.used()
	for i, s := range spans {
		if i > 0 && left <= goal {
			break
		}
		last = s[1]
		for _, m := range r.history[s[0]-1 : s[1]] {
			left -= r.session.Meter.Tokens(m.Size())
		}
	}
	return r.foldRange(first, last)
}

// finished are the turns that are over and not folded, oldest first, without a gap: the
// numbers of their first and last messages.
func (r *run) finished() (spans [][2]int) {
	folded := func(seq int) bool {
		for _, f := range r.session.Folds {
			if f.First.Seq <= seq && seq <= f.Last.Seq {
				return true
			}
		}
		return false
	}
	begin := 0
	for i, m := range r.history {
		seq := i + 1
		if folded(seq) {
			if len(spans) > 0 {
				return spans
			}
			begin = 0
			continue
		}
		if m.IsPrompt() {
			if begin > 0 {
				spans = append(spans, [2]int{begin, seq - 1})
			}
			begin = seq
		}
	}
	return spans // the newest turn is under way
}

// keptSteps is how many of the newest messages of a turn stay in view.
const keptSteps = 6

// olderSteps is what the turn under way did before its newest steps: whole calls with
// their results, and never the prompt.
func (r *run) olderSteps() [][2]int {
	prompt := 0
	for i, m := range r.history {
		if m.IsPrompt() {
			prompt = i + 1
		}
	}
	first, last := prompt+1, len(r.history)-keptSteps
	for _, f := range r.session.Folds {
		if f.First.Seq > prompt && f.Last.Seq >= first {
			first = f.Last.Seq + 1
		}
	}
	for last >= first && r.history[last-1].Role != trimtab.RoleTool { // a call is not parted from its result
		last--
	}
	if last-first < 3 {
		return nil
	}
	return [][2]int{{first, last}}
}

func (r *run) foldRange(first, last int) (bool, error) {
	messages := r.history[first-1 : last]
	bytes, goal := 0, goalOf(messages)
	for _, m := range messages {
		bytes += m.Size()
	}
	r.emit(Noticed{"context", trimtab.Notify{Text: fmt.Sprintf("%d messages are being summed up, to make space", last-first+1)}})
	summary := r.summarize(goal, messages)
	args, err := json.Marshal(map[string]any{"first": first, "last": last, "goal": goal, "summary": trimtab.Clip(summary, 3900), "bytes": bytes})
	if err != nil {
		return false, err
	}
	before := r.used()
	out, err := r.handle(r.ctx, trimtab.Asked{Command: "frame", Args: []string{"turns", string(args)}, By: trimtab.Ours})
	if err != nil {
		return false, err
	}
	reply, err := out.Reply()
	if err != nil || reply.Failed {
		r.emit(Faulted{trimtab.Fault{By: "context", Text: strings.TrimSpace(fmt.Sprint("the turns could not be folded: ", reply.Text, " ", errors.Join(err)))}})
		return false, nil
	}
	var frame struct {
		ID string `json:"id"`
	}
	_ = json.Unmarshal(reply.Data, &frame) // without its name the line says less
	r.emit(Folded{Frame: frame.ID, Goal: goal, Summary: summary, Messages: last - first + 1, Before: before, After: r.used()})
	return true, nil
}

// The most that the goal of folded turns takes: of one prompt, and of all.
const maxAim, maxGoal = 240, 600

// goalOf is what the person wanted in some messages: each prompt whole where it is short,
// else its first sentence. Prompts that no longer fit are counted and not cut.
func goalOf(messages []trimtab.Message) string {
	var aims []string
	size, more := 0, 0
	for _, m := range messages {
		if !m.IsPrompt() {
			continue
		}
		aim := aimOf(m.Typed())
		switch {
		case aim == "" || slices.Contains(aims, aim):
		case len(aims) > 0 && size+len(aim) > maxGoal:
			more++
		default:
			aims = append(aims, aim)
			size += len(aim)
		}
	}
	if more > 0 {
		aims = append(aims, "and "+plural.Count(more, "further prompt"))
	}
	return cmp.Or(strings.Join(aims, "; "), "the first steps of this task")
}

// aimOf is a prompt in a line: all of it where it is short, else its first sentence, and
// of that as many whole words as fit.
func aimOf(text string) string {
	text = strings.TrimSpace(text)
	whole := strings.Join(strings.Fields(trimtab.Clip(text, maxGoal)), " ")
	if len(whole) <= maxAim && len(text) <= maxGoal {
		return strings.TrimRight(whole, ".;")
	}
	first, _, _ := strings.Cut(text, "\n")
	first = strings.Join(strings.Fields(trimtab.Clip(first, maxGoal)), " ")
	for i, r := range first {
		after := i + utf8.RuneLen(r)
		if strings.ContainsRune("。！？", r) || strings.ContainsRune(".?!", r) && after < len(first) && first[after] == ' ' {
			first = first[:after]
			break
		}
	}
	if len(first) <= maxAim {
		return strings.TrimRight(first, ".;")
	}
	first = trimtab.Clip(first, maxAim)
	if i := strings.LastIndexByte(first, ' '); i > maxAim/2 {
		first = first[:i]
	}
	return first + " …"
}

// summarize has a model write what came of some messages; without one, or where it
// fails, the ends of what was said stand for it.
func (r *run) summarize(goal string, messages []trimtab.Message) string {
	if r.opt.Summarize != nil {
		ctx, cancel := context.WithTimeout(r.ctx, summaryTime)
		defer cancel()
		if text, err := r.opt.Summarize(ctx, r.model, goal, messages); err == nil && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
	return extract(messages)
}

// extract takes from messages what was asked and what was last said to it, and the files
// that were changed.
func extract(messages []trimtab.Message) string {
	const maxAsked, maxSaid, maxFiles = 200, 400, 20
	var out, files []string
	said := ""
	flush := func() {
		if said != "" {
			out = append(out, "Answered: "+trimtab.Clip(strings.Join(strings.Fields(said), " "), maxSaid))
		}
		said = ""
	}
	for _, m := range messages {
		if m.IsPrompt() {
			flush()
			out = append(out, "Asked: "+trimtab.Clip(strings.Join(strings.Fields(m.Typed()), " "), maxAsked))
		}
		if m.Role == trimtab.RoleAssistant && m.Text() != "" {
			said = m.Text()
		}
		for _, c := range llm.Calls(m) {
			var in struct{ Path string }
			if (c.Name == "write" || c.Name == "edit") && json.Unmarshal(c.Input, &in) == nil && in.Path != "" && len(files) < maxFiles {
				files = append(files, in.Path)
			}
		}
	}
	flush()
	if len(files) > 0 {
		out = append(out, "Changed: "+strings.Join(files, ", "))
	}
	return trimtab.Clip(strings.Join(out, "\n"), 3500)
}
