package improve

import (
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/host/todotool"
	"github.com/trimtab/trimtab/loop"
)

// Mark begins the first words of every session that our own workflow runs. Such
// a session is never reflected on.
const Mark = host.WorkMark

// Options are what a Reflector is told of a session.
type Options struct {
	Session string
	Parent  string // of a sub-agent: the session that started it, with which it counts as one
	// Redact takes secrets out of what is quoted. Nil quotes as it is, which is
	// for tests alone.
	Redact func(string) string
	// Literal counts as the design of the automation does: each same call, whatever came of
	// it, and each tool that was used ten times.
	Literal bool
	// Exposure has the result tell what the session had the occasion for.
	Exposure bool
	// Pieces is how many bytes of the session are kept for a reader; see Reflector.Pieces.
	Pieces int
}

// Reflector reads one session, message by message, and tells what went wrong in
// it. What it keeps is bounded, however long the session is.
type Reflector struct {
	opt    Options
	engine *trimtab.Engine // with no intervention: it keeps the agent's todo list
	todos  trimtab.Session
	loops  loop.Detector

	seen    int // messages
	metrics Metrics
	first   time.Time
	last    time.Time
	ours    bool
	opened  bool // the first words were looked at
	open    []pending
	calls   table // the same call
	tools   table // the same tool
	faults  table // the same error
	alarms  table
	rules   table // of linters
	guessed table // paths that are not there
	ends    table // turns that ended unproved, by how
	work    evidence.Record
	// The files, by their last name, that were written in the session, and whether there were
	// others that nobody named.
	wroteFiles map[string]bool
	wroteMore  bool
	judged     string // the reply with which the newest turn ended, once it was looked at
	slipped    int    // calls that the tool did not take
	people     people
	folder     string // in which the session works

	exposure *Exposure // nil where nobody asked for it, or nothing was called

	shownFolder string // the same, redacted
	overflow    tally
	newest      pending // the call whose result came last
	failed      string  // the signature of the newest error
	trouble     string  // the same in words, redacted
	wrote       int     // the step of the newest todo write
	stop        reply   // the newest reply
	kept        pieces
	ending      ending // the newest reply with words
}

// reply is what matters of how the model ended.
type reply struct {
	id       string
	calls    bool // it asked for a tool
	question bool
}

// NewReflector returns one that has seen nothing.
func NewReflector(opt Options) (*Reflector, error) {
	engine, err := trimtab.New(trimtab.Config{Todos: todotool.Tools{}})
	if err != nil {
		return nil, err
	}
	rule, err := loop.NewProgress(loop.ProgressConfig{})
	if err != nil {
		return nil, err
	}
	return &Reflector{
		opt: opt, engine: engine, loops: loop.Start(rule), wroteFiles: map[string]bool{},
		calls: newTable(maxCalls), tools: newTable(maxTools), faults: newTable(maxFaults), alarms: newTable(maxAlarms),
		rules: newTable(maxFaults), guessed: newTable(maxGuessed), ends: newTable(2), people: people{denied: newTable(maxDenied), red: newTable(maxDenied)},
	}, nil
}

// See takes a message in. It is false when the session is one that our own
// workflow ran: then there is nothing to reflect on, and no need to read on.
func (r *Reflector) See(m trimtab.Message) bool {
	if r.ours {
		return false
	}
	if m.From != "" || m.Role == trimtab.RoleSystem {
		return true
	}
	if r.isOurs(m) {
		r.ours = true
		return false
	}
	r.seen++
	if m.ID == "" {
		m.ID = trimtab.MessageID(r.seen)
	}
	r.count(m)
	if m.IsPrompt() {
		r.endTurn()
		r.keepEnd()
	}
	r.work = r.work.See(m)
	r.written()
	before := r.todos
	r.todos, _ = r.engine.Step(before, trimtab.Said{Message: m}, time.Time{})
	if m.IsPrompt() {
		r.hear(m)
	}
	if m.Role == trimtab.RoleAssistant {
		r.reply(m)
	}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.ToolCall:
			r.call(m, p)
		case trimtab.ToolResult:
			r.result(m, p)
		case trimtab.Text:
			r.refused(m, p)
		}
	}
	if alarm := r.loops.See(m); alarm != nil {
		r.alarm(m, *alarm)
	}
	return true
}

// Compacted notes that the host rewrote its history, because it had grown too
// long.
func (r *Reflector) Compacted() {
	r.overflow.n++
	if len(r.overflow.samples) < maxSamples {
		r.overflow.samples = append(r.overflow.samples, r.sample(trimtab.MessageID(r.seen), fmt.Sprintf("the host compacted its history after %d messages", r.seen)))
	}
}

// isOurs looks at the first words that were not the model's.
func (r *Reflector) isOurs(m trimtab.Message) bool {
	if r.opened {
		return false
	}
	if m.Role == trimtab.RoleAssistant {
		r.opened = true
		return false
	}
	for _, p := range m.Parts {
		t, ok := p.(trimtab.Text)
		if !ok {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(trimtab.Clip(t.Text, 200)), Mark) {
			return true
		}
		r.opened = r.opened || t.By == trimtab.Person // what hosts say before it does not count
	}
	return false
}

func (r *Reflector) count(m trimtab.Message) {
	r.metrics.TotalMessages++
	switch {
	case m.IsPrompt():
		r.metrics.UserMessages++
	case m.Role == trimtab.RoleAssistant:
		r.metrics.AssistantMessages++
	}
	if !m.At.IsZero() {
		if r.first.IsZero() || m.At.Before(r.first) {
			r.first = m.At
		}
		if m.At.After(r.last) {
			r.last = m.At
		}
	}
}

func (r *Reflector) reply(m trimtab.Message) {
	r.stop = reply{id: m.ID}
	text := ""
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.ToolCall:
			r.stop.calls = true
			if host.IsTodoTool(p.Name) {
				r.wrote = r.todos.Step
			}
		case trimtab.Text:
			text = p.Text
		}
	}
	if r.opt.Pieces > 0 && text != "" {
		r.ending = ending{m, r.seen}
	}
	r.stop.question = strings.HasSuffix(strings.TrimRight(text, " \n\t*_`"), "?")
}

// alarm counts a loop that the detector found. What it is about is told from the
// call itself and not from the alarm's words, which are shortened: half a secret
// is not known as one.
func (r *Reflector) alarm(m trimtab.Message, a loop.Alarm) {
	if r.newest.refused { // a person who says no eight times is no agent that goes in circles
		return
	}
	sign, about := "", ""
	switch a.Kind {
	case loop.SameCall, loop.Cycle:
		sign, about = r.newest.tool+" "+Fold(r.newest.about), r.newest.tool+" "+shorten(r.redact(r.newest.about), maxExcerpt)
	case loop.SameError:
		sign, about = r.failed, r.trouble
	case loop.Failures:
		sign, about = r.newest.tool, r.newest.tool
	case loop.Streak, loop.Rephrase:
		sign, about = r.newest.tool+" "+Purpose(r.newest.about), r.newest.tool+" "+shorten(r.near(r.redact(r.newest.about)), maxExcerpt)
	case loop.SameReport:
		sign, about = Fold(r.people.words), shorten(r.redact(r.people.words), maxExcerpt)
	case loop.SameWords, loop.Monologue, loop.Chant:
	}
	sign = string(a.Kind) + ": " + sign
	row := r.alarms.at(sign, r.seen)
	if row == nil {
		return
	}
	row.n += a.Times - 1
	row.sign, row.detail, row.label = sign, string(a.Kind), about
	r.quote(row, m.ID, strings.TrimSuffix(fmt.Sprintf("%s, %d times: %s", loopKind(string(a.Kind)), a.Times, about), ": "))
}

// refused notes a text of the host or the provider that says that the context was
// too long, or that the person broke the reply off.
func (r *Reflector) refused(m trimtab.Message, t trimtab.Text) {
	if t.By == trimtab.Host && m.Role == trimtab.RoleUser && strings.HasPrefix(t.Text, "[Request interrupted") {
		r.interrupted()
	}
	if t.By == trimtab.Person || t.By == trimtab.Tool || len(t.Text) > 400 || t.By == trimtab.Model && m.Model != "" && m.Model != "<synthetic>" {
		return
	}
	low := strings.ToLower(t.Text)
	for _, phrase := range []string{"prompt is too long", "context length exceeded", "maximum context length", "context window exceeded", "exceeds the context window", "input is too long"} {
		if strings.Contains(low, phrase) {
			r.overflow.n++
			r.quote(&r.overflow, m.ID, t.Text)
			return
		}
	}
}

// quote adds a sample below the limit of samples.
func (r *Reflector) quote(row *tally, id, text string) {
	if len(row.samples) < maxSamples {
		row.samples = append(row.samples, r.sample(id, text))
	}
}

// sample redacts before it shortens: half a secret is not known as one.
func (r *Reflector) sample(id, text string) Sample {
	// Readers hand out short strings that share memory: an id as it comes would keep 4 KB of it.
	return Sample{Session: r.opt.Session, Message: strings.Clone(id), Excerpt: strings.Clone(shorten(r.redact(text), maxExcerpt))}
}

func (r *Reflector) redact(text string) string {
	text = trimtab.Clip(text, maxWindow)
	if r.opt.Redact == nil {
		return text
	}
	return r.opt.Redact(text)
}

// shorten makes one line of at most n bytes.
func shorten(text string, n int) string {
	line := plainLine(text)
	if short := trimtab.Clip(line, n); short != line {
		return strings.TrimSpace(short) + "…"
	}
	return line
}
