package frame

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

// commit closes a step of the tree: what is folded is settled, the step can be
// undone, and the model is told where it stands.
func (d Frames) commit(m, next Memory, what string) (Memory, []trimtab.Action) {
	before := m.begin()
	next.align()
	next = next.cool()
	d.settle(before, next)
	next = next.end(before, what)
	acts := d.tell(m, next, what)
	next, folds := next.refold(what)
	return next, append(acts, folds...)
}

// tell changes the frame context where another frame is active, or the goal is
// another. What is noted in a frame is in view as it is noted: telling it again
// would cost a cached prefix each time.
func (d Frames) tell(before, m Memory, why string) []trimtab.Action {
	before.Active, m.Active = before.task(), m.task()
	was, now := before.index(before.Active), m.index(m.Active)
	if before.Active == m.Active && (now < 0 || was < 0 || before.Frames[was].Goal == m.Frames[now].Goal) {
		return nil
	}
	text := d.context(m)
	if text == "" {
		return []trimtab.Action{trimtab.Retract{Slot: slotContext, Why: why}}
	}
	return []trimtab.Action{trimtab.Inject{Slot: slotContext, Text: text, Place: trimtab.AtEnd, Life: trimtab.Standing, Why: why}}
}

// task is the active frame, or the one above it where that is for an item of the agent's
// own list: of its list the agent needs no telling.
func (m Memory) task() string {
	for i := m.index(m.Active); i >= 0; i = m.index(m.Frames[i].Parent) {
		if m.Frames[i].Item == "" {
			return m.Frames[i].ID
		}
	}
	return m.Active
}

// push opens a frame, with all that follows from it.
func (d Frames) push(t trimtab.Turn, m Memory, goal, criteria, by string) (Memory, Frame, []trimtab.Action, error) {
	next, f, err := m.push(goal, criteria, by, t.Now)
	if err != nil {
		return m, Frame{}, nil, err
	}
	next, acts := d.commit(m, next, "push "+f.ID)
	next.Asked.Text = "" // what the person asked last has its frame
	next, heeded := next.heed(Push, m.Active)
	return next, f, append(d.hint(next, "a frame was pushed", heeded), acts...), nil
}

// pop ends a frame, with all that follows from it.
func (d Frames) pop(t trimtab.Turn, m Memory, status Status, summary string) (Memory, Frame, []trimtab.Action, error) {
	next, f, err := m.pop(status, summary, t.Now)
	if err != nil {
		return m, Frame{}, nil, err
	}
	next, acts := d.commit(m, next, "pop "+f.ID)
	f = next.Frames[next.index(f.ID)]
	next, heeded := next.heed(Pop, m.Active)
	acts = append(d.hint(next, "a frame was popped", heeded), acts...)
	if d.cfg.Summaries == "model" && strings.TrimSpace(summary) == "" && f.Last.Seq > 0 {
		acts = append(acts, askSummary(t, f))
	}
	return next, f, acts, nil
}

// askSummary asks whoever has a model for a better summary. The answer comes as the
// command "frame summary ID TEXT".
func askSummary(t trimtab.Turn, f Frame) trimtab.Action {
	data, err := json.Marshal(struct {
		Session string      `json:"session"`
		Frame   string      `json:"frame"`
		Goal    string      `json:"goal"`
		Status  Status      `json:"status"`
		First   trimtab.Ref `json:"firstMessage"`
		Last    trimtab.Ref `json:"lastMessage"`
		Draft   string      `json:"draft"`
	}{t.Session.ID, f.ID, f.Goal, f.Status, f.First, f.Last, f.Summary})
	if err != nil {
		return trimtab.Notify{Text: err.Error(), Warning: true}
	}
	return trimtab.Enqueue{Kind: "frame.summary", Data: data, Why: "frame " + f.ID + " was popped without a summary"}
}

// folding says what became of a finished frame's messages, and at what price.
func (d Frames) folding(m Memory, f Frame) string {
	shown, text := m.shown(f)-m.hotSize(f, f.Last), len(f.foldText())
	switch {
	case f.Parent == "" || f.Last.Seq == 0:
		return "It has no messages to fold."
	case m.torn(f.First, f.Last):
		return "Not folded: a tool call in it was never answered, and a pair is never parted."
	case f.Gone:
		return "Not folded: the host has rewritten its messages."
	case f.Folded:
		return fmt.Sprintf("Folded: %d messages of about %d tokens are now seen as %d; that pays back after %s.", f.Messages, tokens(shown), tokens(text), plural.Count(payback(shown, text, m.Tail+m.hotSize(f, f.Last)), "request"))
	case text >= shown:
		return fmt.Sprintf("Not folded: its summary (%d tokens) is no shorter than its messages (%d).", tokens(text), tokens(shown))
	}
	return fmt.Sprintf("Not folded: saving %d tokens a request pays back only after %s (frames.payback is %d).", tokens(shown-text), plural.Count(payback(shown, text, m.Tail+m.hotSize(f, f.Last)), "request"), d.cfg.Payback)
}

// pushArgs override what was gathered. All are optional.
type pushArgs struct {
	Goal     *string  `json:"potentialGoal"`
	Current  *string  `json:"currentGoal"`
	Messages *int     `json:"recentMessages" min:"0" max:"1000000000"`
	Files    []string `json:"recentFileChanges"`
	Errors   *int     `json:"errorCount" min:"0" max:"1000000000"`
	Tokens   *int     `json:"tokenCount" min:"0" max:"1000000000"`
}

// popArgs override what was gathered. All are optional.
type popArgs struct {
	Wins      []string `json:"successSignals"`
	Failures  []string `json:"failureSignals"`
	Artifacts []string `json:"artifacts"`
	Idle      *int     `json:"noProgressTurns" min:"0" max:"1000000000"`
	Tokens    *int     `json:"tokenCount" min:"0" max:"1000000000"`
	Limit     *int     `json:"contextLimit" min:"1" max:"1000000000"`
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// facts are what the push heuristics look at, the words aside.
func (m Memory) facts() pushFacts {
	r := m.Work.Recent
	return pushFacts{Messages: r.Messages, Files: len(r.Files), Errors: r.Errors, Spent: tokens(r.Bytes), Others: m.Work.others(), Unit: m.Work.Broken != ""}
}

func (d Frames) evaluatePush(t trimtab.Turn, m Memory, args pushArgs) Evaluation {
	f := m.facts()
	f.Goal = m.candidate(t)
	if i := m.index(m.Active); i >= 0 {
		f.Current = m.Frames[i].Goal
	}
	set(&f.Goal, args.Goal)
	set(&f.Current, args.Current)
	set(&f.Messages, args.Messages)
	set(&f.Errors, args.Errors)
	set(&f.Spent, args.Tokens)
	if args.Files != nil {
		f.Files, f.Others = len(args.Files), 0
		for _, file := range args.Files {
			if len(m.Work.Files) > 0 && !slices.Contains(m.Work.Files, file) {
				f.Others++
			}
		}
	}
	e := d.settings(m).evaluate(Push, f.scores(), m.Stats)
	e.Goal = cmp.Or(trimtab.Clip(oneLine(f.Goal), maxGoal), nextPart+short(strings.TrimPrefix(cmp.Or(f.Current, "this session"), nextPart), 200))
	return e
}

// nextPart names a frame for which nobody gave a goal.
const nextPart = "the next part of: "

func (d Frames) evaluatePop(m Memory, args popArgs) Evaluation {
	w := m.Work
	var arts []string
	f := popFacts{Wins: w.Won, Failures: w.Recent.Failures, Idle: w.Recent.Idle, Used: m.used(), Of: d.limit(m)}
	if i := m.index(m.Active); i >= 0 {
		f.Goal, arts = m.Frames[i].Goal, m.Frames[i].Artifacts
	}
	for _, file := range w.Files {
		arts = list(arts, file)
	}
	wins := w.Wins
	if args.Wins != nil {
		wins, f.Wins = args.Wins, len(args.Wins)
	}
	if args.Failures != nil {
		f.Failures = len(args.Failures)
	}
	if args.Artifacts != nil {
		arts = args.Artifacts
	}
	set(&f.Idle, args.Idle)
	set(&f.Used, args.Tokens)
	set(&f.Of, args.Limit)
	f.Artifacts, f.Shown = len(arts), strings.Join(wins, " ")+" "+strings.Join(arts, " ")
	scores := f.scores()
	e := d.settings(m).evaluate(Pop, scores, m.Stats)
	for i := range scores {
		scores[i] = e.Scores[i].Score
	}
	e.Status = f.status(scores)
	return e
}

// candidate is what the next frame could be for: what the person asked since
// the active one began, else the item that the agent's own list has in progress.
func (m Memory) candidate(t trimtab.Turn) string {
	i := m.index(m.Active)
	if i >= 0 && names(m.Asked.Text) && m.Frames[i].First.Seq > 0 && m.Asked.Seq > m.Frames[i].First.Seq {
		return m.Asked.Text
	}
	for _, it := range t.Todos.Items {
		if it.Status == trimtab.InProgress {
			return it.Text
		}
	}
	return ""
}

// assents are words that answer and name no task.
var assents = []string{"sure", "yes", "yep", "yeah", "okay", "please", "thanks", "thank", "great", "perfect", "nice", "good", "cool", "right", "correct", "agreed", "continue", "proceed", "again", "done", "hello", "next"}

// names reports whether a prompt can name a frame: "Sure" and "and now?" say nothing of
// the task. Words of other alphabets are not weighed, only counted.
func names(text string) bool {
	for word := range keywords(text) {
		if !slices.Contains(assents, word) {
			return true
		}
	}
	letters := 0
	for _, r := range text {
		if r > unicode.MaxASCII && unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 6
}

// used is how full the context is: as the provider counted, else by the bytes
// that are in view.
func (m Memory) used() int {
	if m.Sent > 0 {
		return m.Sent
	}
	return tokens(max(0, m.Bytes-m.saved()))
}

// limit is the model's context in tokens.
func (d Frames) limit(m Memory) int {
	if d.cfg.Limit > 0 {
		return d.cfg.Limit
	}
	name := strings.ToLower(m.Model)
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, known := range []struct {
		begins string
		limit  int
	}{
		{"claude", 200_000},
		{"gpt-5", 400_000},
		{"gpt-4.1", 1_000_000},
		{"gpt-4o", 128_000},
		{"o3", 200_000},
		{"o4", 200_000},
		{"gemini", 1_000_000},
		{"qwen3-coder", 256_000},
		{"deepseek", 128_000},
	} {
		if strings.HasPrefix(name, known.begins) {
			return known.limit
		}
	}
	return 100_000
}
