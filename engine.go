package trimtab

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"
)

// Config sets how notes behave, whoever makes them.
type Config struct {
	Travel    string  `json:"travel" default:"auto" enum:"auto,host,clearing,tail,append" doc:"how notes reach the model. host: by the agent's own hooks; clearing: as system messages that the provider takes away by itself; tail: at the end of each request while they live; append: where they were sent they stay; auto: what suits the agent, the model and the provider"`
	Budget    float64 `json:"budget" default:"0.1" min:"0.001" max:"1" doc:"largest share of the context that notes may take; 4,000 tokens are always allowed, and what the person asked for is never held back"`
	MuteAfter int     `json:"muteAfter" default:"10" min:"1" max:"1000" doc:"notes of one kind that may go unheeded in a row before that kind falls silent until the person's next prompt; what the person asked for never does"`
	Attention int     `json:"attention" default:"3" min:"1" max:"100" doc:"notes that nobody asked for in 100 steps; beyond that only the more urgent speak: an unchecked finish, then a loop, the same report again, the goal, the todo list"`
	CacheTTL  int     `json:"cacheSeconds" default:"300" min:"1" max:"86400" doc:"seconds after which a provider forgets a cached prefix"`

	// Todos reads the todo lists that agents write; host/todotool knows those of the
	// hosts, and steer.New takes it where this is nil. An engine without it sees no
	// list: no write counts, and what agents have open is not known.
	Todos TodoTools `json:"-"`
}

// filled returns the Config with defaults in the place of zero values. The tags
// declare the same, for files; a test holds the two together.
func (c Config) filled() (Config, error) {
	c.Travel, c.Budget, c.MuteAfter, c.CacheTTL, c.Attention = cmp.Or(c.Travel, "auto"), cmp.Or(c.Budget, 0.1), cmp.Or(c.MuteAfter, 10), cmp.Or(c.CacheTTL, 300), cmp.Or(c.Attention, 3)
	switch {
	case !slices.Contains([]string{"auto", "host", "clearing", "tail", "append"}, c.Travel):
		return c, fmt.Errorf("travel: %s is not allowed; give auto or host or clearing or tail or append", c.Travel)
	case !(c.Budget >= 0.001 && c.Budget <= 1):
		return c, fmt.Errorf("budget: %v is not allowed; give a number from 0.001 to 1", c.Budget)
	case c.MuteAfter < 1 || c.MuteAfter > 1000:
		return c, fmt.Errorf("muteAfter: %d is not allowed; give a whole number from 1 to 1000", c.MuteAfter)
	case c.Attention < 1 || c.Attention > 100:
		return c, fmt.Errorf("attention: %d is not allowed; give a whole number from 1 to 100", c.Attention)
	case c.CacheTTL < 1 || c.CacheTTL > 86400:
		return c, fmt.Errorf("cacheSeconds: %d is not allowed; give a whole number from 1 to 86400", c.CacheTTL)
	}
	return c, nil
}

// Engine is a lineup of interventions. It holds no state and is safe to share.
type Engine struct {
	cfg     Config
	ttl     time.Duration
	lineup  []Steerer
	command map[string]int // the intervention that answers it
}

// New returns an engine with the interventions in the order in which their
// notes stand where they share a seat.
func New(cfg Config, lineup ...Steerer) (*Engine, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return nil, fmt.Errorf("steering: %w", err)
	}
	e := &Engine{cfg: cfg, ttl: time.Duration(cfg.CacheTTL) * time.Second, lineup: lineup, command: map[string]int{}}
	names := map[string]bool{}
	for i, iv := range lineup {
		if names[iv.Name()] {
			return nil, fmt.Errorf("lineup: two interventions are called %q", iv.Name())
		}
		names[iv.Name()] = true
		for _, c := range iv.Commands() {
			if j, taken := e.command[c.Name]; taken {
				return nil, fmt.Errorf("lineup: %s and %s both answer the command %q", lineup[j].Name(), iv.Name(), c.Name)
			}
			e.command[c.Name] = i
		}
	}
	return e, nil
}

// Commands returns every command of the lineup, in its order.
func (e *Engine) Commands() []Command {
	var all []Command
	for _, iv := range e.lineup {
		all = append(all, iv.Commands()...)
	}
	return all
}

// Status is one intervention's word for the status line.
type Status struct {
	By   string `json:"by"`
	Text string `json:"text"`
}

// Status returns what the interventions have to show, in lineup order.
func (e *Engine) Status(s Session) []Status {
	var all []Status
	for _, iv := range e.lineup {
		if text := iv.status(s.recall(iv.Name())); text != "" {
			all = append(all, Status{iv.Name(), text})
		}
	}
	return all
}

// Outcome is what came of a step.
type Outcome struct {
	Actions []Taken  // for the surface: replies, notices, pauses, refusals, queued work
	Changes []Change // to what the model sees
	Faults  []Fault
}

// Taken is an action and the intervention that asked for it.
type Taken struct {
	By     string
	Action Action
}

// Reply returns the answer to a command, or an error where none was given.
func (o Outcome) Reply() (Reply, error) {
	for _, t := range o.Actions {
		if r, ok := t.Action.(Reply); ok {
			return r, nil
		}
	}
	for _, f := range o.Faults {
		return Reply{}, f
	}
	return Reply{}, ErrNoReply
}

// Step takes a session through one event. It never panics and never fails: what
// goes wrong in an intervention is a Fault, and the session goes on.
func (e *Engine) Step(s Session, ev Event, now time.Time) (Session, Outcome) {
	p := &pass{Engine: e, s: s}
	now = p.clock(now)
	t := p.take(ev, now)
	t.Now, t.Event, t.Session, t.Step, t.At = now, ev, p.s.Info, p.s.Step, p.s.Last.Ref
	t.Todos.Items = p.s.Todos

	memory := make([]Memory, 0, max(len(e.lineup), len(s.memory)))
	for _, m := range s.memory { // of interventions that are not in this lineup
		if !slices.ContainsFunc(e.lineup, func(iv Steerer) bool { return iv.Name() == m.Name }) {
			memory = append(memory, m)
		}
	}
	asked, isAsked := ev.(Asked)
	owner, known := e.command[asked.Command]
	for i, iv := range e.lineup {
		m := s.recall(iv.Name())
		if _, reset := ev.(Reset); reset {
			m = Memory{Name: iv.Name()}
		}
		if !isAsked || (known && owner == i) {
			t.Notes, t.Silent = p.s.Notes, p.silent(iv.Name())
			next, acts, fault := iv.steer(t, m)
			if m = next; fault != nil {
				p.out.Faults = append(p.out.Faults, *fault)
			}
			for _, a := range acts {
				p.do(i, a)
			}
		}
		memory = append(memory, m)
	}
	if isAsked && !known {
		p.out.Actions = append(p.out.Actions, Taken{"", Reply{Failed: true, Text: fmt.Sprintf("no command %q", asked.Command)}})
	}
	p.s.memory = memory
	if call, ok := ev.(Calling); ok {
		p.seat(call.Hosted, now)
	}
	return p.s, p.out
}

// pass is one step under way.
type pass struct {
	*Engine
	s   Session
	out Outcome
}

func (p *pass) fault(format string, args ...any) {
	p.out.Faults = append(p.out.Faults, Fault{By: "engine", Text: fmt.Sprintf(format, args...)})
}

// clock keeps time from running backwards.
func (p *pass) clock(now time.Time) time.Time {
	if now.Before(p.s.Updated) {
		if back := p.s.Updated.Sub(now); back > time.Second {
			p.fault("the clock went back by %v; time stands still until it catches up", back.Round(time.Second))
		}
		now = p.s.Updated
	}
	p.s.Updated = now
	return now
}

// take notes the facts of an event before anyone is asked about it.
func (p *pass) take(ev Event, now time.Time) Turn {
	switch ev := ev.(type) {
	case Said:
		return Turn{Todos: Todos{Wrote: p.say(ev.Message, ev.Vouched)}}
	case Rewritten:
		return Turn{Gone: p.rewrite(ev)}
	case Reset:
		p.s.Notes, p.s.Folds, p.s.Heed, p.s.Open, p.s.Todos, p.s.Spoken = nil, nil, nil, nil, nil, nil
		p.s.Prompt, p.s.Last, p.s.Via, p.s.Vouched, p.s.Split, p.s.Meter.Bytes, p.s.Meter.Sent, p.s.Replied = Seat{}, Seat{}, "", false, false, 0, 0, 0
	case Calling:
		p.s.Project = cmp.Or(p.s.Project, ev.Folder)
		p.s.Travel = p.travel(ev)
		p.expire(now)
	}
	return Turn{}
}

// travel is how the notes of a request reach the model.
func (p *pass) travel(ev Calling) Travel {
	usual := Tail
	if p.cfg.Travel == "append" || p.cfg.Travel == "host" {
		usual = Append
	}
	return cmp.Or(ev.Travel, usual)
}

// say counts a message and reports whether it completed a todo write.
func (p *pass) say(m Message, vouched bool) (wrote bool) {
	s := &p.s
	s.Seq++
	id := m.ID
	if id == "" {
		id = MessageID(s.Seq)
	}
	begin := s.Meter.Bytes
	s.Meter.Bytes += m.Size()
	s.Last, s.Via = Seat{Ref: Ref{id, s.Seq}, After: true, Offset: s.Meter.Bytes}, m.Via
	if m.From != "" {
		return false // ours: no step, no prompt, no word of a person
	}
	for _, part := range m.Parts {
		if t, ok := part.(Text); ok && !utf8.ValidString(t.Text) {
			p.fault("message %s: text is not valid UTF-8", id)
			break
		}
	}
	if m.Role == RoleAssistant {
		s.Step++
		s.Replied = s.Seq
		s.Open = nil // what the model did not wait for will not come
		s.Model = cmp.Or(m.Model, s.Model)
		if m.Usage != nil {
			s.Meter.learn(*m.Usage)
		}
	}
	holds := false
	for _, part := range m.Parts {
		switch part := part.(type) {
		case ToolCall:
			if !p.isTodoWrite(part.Name) {
				part.Input = nil
			}
			s.Open = append(slices.Clip(s.Open), part)
		case ToolResult:
			holds = true
			wrote = p.answer(part) || wrote
		}
	}
	if m.IsPrompt() {
		s.Vouched = vouched
		p.prompt(Seat{Ref: Ref{id, s.Seq}, Offset: begin}, holds || len(s.Open) > 0)
		if s.Title == "" {
			s.Title = title(m.Typed())
		}
	}
	return wrote
}

// answer closes an open call and reports whether that completed a todo write.
func (p *pass) answer(r ToolResult) bool {
	i := slices.IndexFunc(p.s.Open, func(c ToolCall) bool { return c.ID == r.ID })
	if i < 0 {
		return false
	}
	call := p.s.Open[i]
	p.s.Open = slices.Concat(p.s.Open[:i], p.s.Open[i+1:])
	if r.Failed || !p.isTodoWrite(call.Name) {
		return false
	}
	p.writeTodos(call, r.Text)
	return true
}

// prompt begins a turn: notes that live for one turn end theirs.
func (p *pass) prompt(at Seat, split bool) {
	p.s.Prompt, p.s.Split = at, split
	p.s.Heed = slices.DeleteFunc(slices.Clone(p.s.Heed), func(h Heed) bool { return h.Muted })
	p.end(func(n Note) bool { return n.Life == OneTurn }, "the turn is over")
}

// rewrite lets go of seats and folds that the host's history no longer has.
// Standing notes fall due again; kept ones went with the history they were in.
func (p *pass) rewrite(ev Rewritten) (gone []Note) {
	lost := func(id string) bool {
		return id != "" && (slices.Contains(ev.Lost, id) || ev.All && id != p.s.Last.ID)
	}
	moved, kept := p.s.Meter.Bytes-ev.Size, min(ev.Kept, ev.Size)
	shift := func(at *Seat) { // what was said just now ends a history of another length
		if at.Offset > kept {
			at.Offset = min(max(kept, at.Offset-moved), ev.Size)
		}
	}
	p.s.Meter.Bytes, p.s.Meter.Sent, p.s.Meter.SentSeq, p.s.Open = ev.Size, min(p.s.Meter.Sent, kept), 0, nil
	if ev.Last.ID != "" {
		p.s.Last.Ref = ev.Last
	}
	p.s.Last.Offset = ev.Size
	shift(&p.s.Prompt)
	var notes []Note
	for _, n := range p.s.Notes {
		switch {
		case n.Seated() && lost(n.Seat.ID):
			gone = append(gone, n)
			if n.Life == Standing && !n.Stale {
				n.Seat, n.Fixed, n.Hosted = Seat{}, false, false
				notes = append(notes, n)
				continue
			}
			p.changed(Removed, n, "the host rewrote its history", 0)
		default:
			shift(&n.Seat)
			shift(&n.Target)
			if lost(n.Target.ID) {
				n.Target = Seat{}
			}
			notes = append(notes, n)
		}
	}
	slices.SortStableFunc(notes, order)
	p.s.Notes = notes
	if lost(p.s.Prompt.ID) {
		p.s.Prompt = Seat{}
	}
	p.s.Folds = slices.DeleteFunc(slices.Clone(p.s.Folds), func(f Folded) bool {
		if !lost(f.First.ID) && !lost(f.Last.ID) {
			return false
		}
		p.refold(Unfolded, f.By, f.Key, "the host rewrote its history", "", 0)
		return true
	})
	return gone
}

func (p *pass) refold(kind ChangeKind, by, key, why, text string, lost int) {
	p.out.Changes = append(p.out.Changes, Change{Kind: kind, By: by, Slot: key, Step: p.s.Step, Why: why, Text: text, Lost: lost})
}

// do applies what an intervention wants.
func (p *pass) do(rank int, a Action) {
	by := p.lineup[rank].Name()
	if p.unsaid(by, a) {
		return
	}
	switch a := a.(type) {
	case Inject:
		p.inject(rank, a)
	case Retract:
		p.end(func(n Note) bool { return n.By == by && n.Slot == a.Slot && n.inSlot() }, a.Why)
		if a.Heeded {
			p.heeded(by, a)
		}
	case Continue:
		if why, ok := p.attend(by, a.Urgency); !ok {
			p.changed(Withheld, Note{By: by, Slot: "continue", Text: a.Text}, why, 0)
			return
		}
		p.out.Actions = append(p.out.Actions, Taken{by, a})
	case Fold:
		p.fold(by, a)
	case Unfold:
		p.unfold(by, a)
	case nil:
		p.fault("%s asked for nothing", by)
	default:
		p.out.Actions = append(p.out.Actions, Taken{by, a})
	}
}

func (p *pass) fold(by string, f Fold) {
	first, last := f.First.Seq, f.Last.Seq
	if first < 1 || last < first || last > p.s.Seq || f.Text == "" {
		p.fault("%s: cannot fold messages %d to %d of %d", by, first, last, p.s.Seq)
		return
	}
	for _, o := range p.s.Folds {
		apart := last < o.First.Seq || o.Last.Seq < first
		around := first <= o.First.Seq && o.Last.Seq <= last
		if o.By == by && o.Key == f.Key || !apart && !around {
			p.fault("%s: fold %q (%d to %d) meets fold %q (%d to %d)", by, f.Key, first, last, o.Key, o.First.Seq, o.Last.Seq)
			return
		}
	}
	p.s.Folds = append(slices.Clip(p.s.Folds), Folded{by, f})
	p.s.Notes = slices.Clone(p.s.Notes)
	for i, n := range p.s.Notes {
		if n.Seated() && n.Life != Kept && first <= n.Seat.Seq && n.Seat.Seq <= last {
			p.s.Notes[i].Seat, p.s.Notes[i].Target, p.s.Notes[i].Fixed = Seat{}, Seat{}, false
		}
	}
	slices.SortStableFunc(p.s.Notes, order)
	p.refold(FoldedUp, by, f.Key, f.Why, f.Text, p.cut(first))
}

func (p *pass) unfold(by string, u Unfold) {
	first := 0
	rest := slices.DeleteFunc(slices.Clone(p.s.Folds), func(f Folded) bool {
		mine := f.By == by && f.Key == u.Key
		if mine {
			first = f.First.Seq
		}
		return mine
	})
	if len(rest) == len(p.s.Folds) {
		p.fault("%s: nothing is folded as %q", by, u.Key)
		return
	}
	p.s.Folds = rest
	p.refold(Unfolded, by, u.Key, u.Why, "", p.cut(first))
}

func (s Session) recall(name string) Memory {
	for _, m := range s.memory {
		if m.Name == name {
			return m
		}
	}
	return Memory{Name: name}
}
