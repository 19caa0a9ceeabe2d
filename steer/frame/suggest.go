package frame

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// Suggestion is a push or pop that the heuristics recommended.
type Suggestion struct {
	Kind       Side      `json:"kind"`
	Frame      string    `json:"frame"`
	Goal       string    `json:"goal,omitempty"`
	Status     Status    `json:"status,omitempty"`
	Reason     string    `json:"reason"`
	Confidence int       `json:"confidence"`
	At         time.Time `json:"at"`
	State      string    `json:"state"` // pending, acted or ignored
	By         string    `json:"by"`    // the heuristic that scored highest
}

// The states of a suggestion.
const (
	pending = "pending"
	acted   = "acted"
	ignored = "ignored"
)

const maxSuggestions = 100

// String is the suggestion as the model reads it.
func (s Suggestion) String() string {
	if s.Kind == Pop {
		return fmt.Sprintf("[FLAME SUGGESTION: Consider popping current frame with status %q - Reason: %s (%d%% confidence)]", string(s.Status), s.Reason, s.Confidence)
	}
	return fmt.Sprintf("[FLAME SUGGESTION: Consider pushing a new frame for %q - Reason: %s (%d%% confidence)]", s.Goal, s.Reason, s.Confidence)
}

// Stats counts what came of suggestions.
type Stats struct {
	Total    int     `json:"totalSuggestions"`
	Push     int     `json:"pushSuggestions"`
	Pop      int     `json:"popSuggestions"`
	Acted    int     `json:"actedUpon"`
	Ignored  int     `json:"ignored"`
	AutoPush int     `json:"autoPushes"`
	AutoPop  int     `json:"autoPops"`
	By       []heard `json:"byHeuristic,omitempty"`
}

// heard is how often a heuristic's suggestions were acted on.
type heard struct {
	Name      string `json:"name"`
	Suggested int    `json:"suggested"`
	Acted     int    `json:"acted"`
}

// Rate is the share of suggestions that were acted on, in percent.
func (s Stats) Rate() int {
	if s.Total == 0 {
		return 0
	}
	return round(100*s.Acted, s.Total)
}

// weight is how much a heuristic counts when outcomes are learned from, in
// thousandths: 1000 until something is known.
func (s Stats) weight(name string) int {
	for _, h := range s.By {
		if h.Name == name {
			return 2000 * (h.Acted + 1) / (h.Suggested + 2)
		}
	}
	return 1000
}

func (s Stats) count(name string, suggested, acted int) Stats {
	s.By = slices.Clone(s.By)
	i := slices.IndexFunc(s.By, func(h heard) bool { return h.Name == name })
	if i < 0 {
		s.By = append(s.By, heard{Name: name})
		i = len(s.By) - 1
	}
	s.By[i].Suggested += suggested
	s.By[i].Acted += acted
	return s
}

// look evaluates both sides once for each request that leaves with something
// new, and suggests or acts.
func (d Frames) look(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	m, acts := d.evaluate(t, m)
	return m, append(acts, d.rootContext(t, m)...)
}

// rootContext tells the root frame where the settings want that and no frame context
// stands.
func (d Frames) rootContext(t trimtab.Turn, m Memory) []trimtab.Action {
	stands := func(n trimtab.Note) bool { return n.By == d.Name() && n.Slot == slotContext && n.Live() }
	if !*d.cfg.Root || t.Sub() || len(m.path()) != 1 || slices.ContainsFunc(t.Notes, stands) {
		return nil
	}
	return []trimtab.Action{trimtab.Inject{Slot: slotContext, Text: d.context(m), Place: trimtab.AtEnd, Life: trimtab.Standing, Why: "frames.rootContext"}}
}

func (d Frames) evaluate(t trimtab.Turn, m Memory) (Memory, []trimtab.Action) {
	a := d.settings(m)
	if t.Sub() || a.Level == "manual" || m.Active == "" || len(m.Open) > 0 || t.At.Seq == m.Looked {
		return m, nil
	}
	m.Looked = t.At.Seq
	if t.Silent && a.Level == "auto" { // what a person does not hear of is not done either
		a.Level = "suggest"
	}
	var acts []trimtab.Action
	i := m.index(m.Active)
	seams := a.Timing == "seams"
	if i < 0 || seams && m.Seam == "" {
		return m, nil
	}
	seam := m.Seam
	m.Seam = ""
	active := m.Frames[i]
	if a.Level == "auto" && seams {
		if next, acts, moved := d.atSeam(t, m, seam); moved {
			return next, acts
		}
	}
	if active.Parent != "" {
		if pop := d.evaluatePop(m, popArgs{}); pop.Recommended {
			m, acts = d.suggest(t, m, pop)
			if a.Level == "auto" && active.Undone != Pop && a.enough(pop) {
				next, done := d.autoPop(t, m, pop)
				return next, d.shown(m, Pop, acts, done)
			}
		}
	}
	most := m.facts().most()
	if !a.evaluate(Push, most, m.Stats).Recommended { // whatever the words are
		return m, acts
	}
	key := m.weighed(t, most)
	if key == m.Weighed {
		return m, acts
	}
	m.Weighed = key
	if push := d.evaluatePush(t, m, pushArgs{}); push.Recommended {
		var more []trimtab.Action
		m, more = d.suggest(t, m, push)
		acts = append(acts, more...)
		if a.Level == "auto" && active.Undone != Push && a.enough(push) {
			next, done := d.autoPush(t, m, push)
			return next, d.shown(m, Push, acts, done)
		}
	}
	return m, acts
}

// weighed tells what an evaluation of a push depends on from what it depended on
// before: with the same scores and words it would come to the same.
func (m Memory) weighed(t trimtab.Turn, most []int) uint64 {
	goal := ""
	if i := m.index(m.Active); i >= 0 {
		goal = m.Frames[i].Goal
	}
	sum := uint64(14695981039346656037) // FNV-1a, here because hash/fnv would copy each text
	add := func(b byte) { sum = (sum ^ uint64(b)) * 1099511628211 }
	for _, text := range [...]string{m.Active, goal, m.candidate(t)} {
		for i := range len(text) {
			add(text[i])
		}
		add(0)
	}
	for _, n := range [...]int{most[0], most[1], most[2], most[3], m.Stats.Total, m.Stats.Acted, m.Stats.Ignored} {
		add(byte(n))
		add(byte(n >> 8))
	}
	return sum
}

// waiting is the suggestion of a kind that waits for the active frame, or -1.
func (m Memory) waiting(kind Side) int {
	return slices.IndexFunc(m.Suggestions, func(s Suggestion) bool {
		return s.State == pending && s.Kind == kind && s.Frame == m.Active
	})
}

// shown puts a suggestion in front of its step where auto takes the step at once: the
// model reads, on this one request, what was suggested and that it is done.
func (d Frames) shown(m Memory, kind Side, suggested, done []trimtab.Action) []trimtab.Action {
	note := func(a trimtab.Action) bool { _, ok := a.(trimtab.Inject); return ok }
	if len(done) > 0 {
		suggested = slices.DeleteFunc(suggested, note) // it would be over before it was read
	}
	acts := slices.Concat(suggested, done)
	if i := m.waiting(kind); i >= 0 && len(done) > 0 && *d.settings(m).InContext {
		acts = append(acts, trimtab.Inject{Slot: slotShown, Text: m.Suggestions[i].String(), Place: trimtab.AtEnd, Life: trimtab.Once, Why: "auto does what was suggested"})
	}
	return acts
}

// suggest keeps a suggestion, unless one of its kind waits for this frame, or one for
// the same reason was ignored there.
func (d Frames) suggest(t trimtab.Turn, m Memory, e Evaluation) (Memory, []trimtab.Action) {
	a := d.settings(m)
	ignoredOnce := func(s Suggestion) bool {
		return s.State == ignored && s.Kind == e.Side && s.Frame == m.Active && s.By == e.primary
	}
	if m.waiting(e.Side) >= 0 || slices.ContainsFunc(m.Suggestions, ignoredOnce) && !(a.Level == "auto" && a.enough(e)) {
		return m, nil
	}
	s := Suggestion{Kind: e.Side, Frame: m.Active, Goal: e.Goal, Status: e.Status, Reason: e.Reason, Confidence: e.Confidence, At: t.Now, State: pending, By: e.primary}
	m.Suggestions = append(slices.Clip(m.Suggestions), s)
	m.Suggestions = m.Suggestions[max(0, len(m.Suggestions)-maxSuggestions):]
	m.Stats.Total++
	if e.Side == Push {
		m.Stats.Push++
	} else {
		m.Stats.Pop++
	}
	m.Stats = m.Stats.count(e.primary, 1, 0)
	acts := d.hint(m, "the heuristics recommend a "+string(e.Side), false)
	if m.Told == 0 || t.Step-m.Told >= d.settings(m).Every {
		m.Told = max(1, t.Step)
		acts = append(acts, trimtab.Notify{Text: s.String()})
	}
	return m, acts
}

// hint puts the pending suggestions for the active frame before the model, or
// takes them away where there are none.
func (d Frames) hint(m Memory, why string, heeded bool) []trimtab.Action {
	var lines []string
	for _, s := range m.Suggestions {
		if s.State == pending && s.Frame == m.Active {
			lines = append(lines, s.String())
		}
	}
	if len(lines) == 0 || !*d.settings(m).InContext {
		return []trimtab.Action{trimtab.Retract{Slot: slotSuggestion, Why: why, Heeded: heeded}}
	}
	return []trimtab.Action{trimtab.Inject{Slot: slotSuggestion, Text: strings.Join(lines, "\n"), Place: trimtab.AtEnd, Life: trimtab.Standing, Asks: true, Why: why}}
}

// expire gives up suggestions that waited too long.
func (d Frames) expire(now time.Time, m Memory) (Memory, []trimtab.Action) {
	old := func(s Suggestion) bool { return s.State == pending && now.Sub(s.At) >= pendingFor }
	if !slices.ContainsFunc(m.Suggestions, old) {
		return m, nil
	}
	m.Suggestions = slices.Clone(m.Suggestions)
	for i, s := range m.Suggestions {
		if old(s) {
			m.Suggestions[i].State = ignored
			m.Stats.Ignored++
		}
	}
	return m, d.hint(m, "a suggestion expired", false)
}

// heed marks what waited for a frame as acted upon: a push or pop of it was done.
func (m Memory) heed(kind Side, frame string) (Memory, bool) {
	waits := func(s Suggestion) bool { return s.State == pending && s.Kind == kind && s.Frame == frame }
	i := slices.IndexFunc(m.Suggestions, waits)
	if i < 0 {
		return m, false
	}
	m.Suggestions = slices.Clone(m.Suggestions)
	m.Suggestions[i].State = acted
	m.Stats.Acted++
	m.Stats = m.Stats.count(m.Suggestions[i].By, 0, 1)
	return m, true
}

func (d Frames) autoPush(t trimtab.Turn, m Memory, e Evaluation) (Memory, []trimtab.Action) {
	next, f, acts, err := d.push(t, m, e.Goal, "", "auto")
	if err != nil {
		return m, nil // at a limit of the tree: work goes on in the open frame
	}
	next.Stats.AutoPush++
	text := fmt.Sprintf("pushed frame %s for %q - Reason: %s (%d%% confidence); undo takes it back", f.ID, f.Goal, e.Reason, e.Confidence)
	return next, append(acts, trimtab.Notify{Text: text})
}

func (d Frames) autoPop(t trimtab.Turn, m Memory, e Evaluation) (Memory, []trimtab.Action) {
	next, f, acts, err := d.pop(t, m, e.Status, "")
	if err != nil {
		return m, nil
	}
	next.Stats.AutoPop++
	text := fmt.Sprintf("popped frame %s as %s - Reason: %s (%d%% confidence); undo takes it back", f.ID, f.Status, e.Reason, e.Confidence)
	return next, append(acts, trimtab.Notify{Text: text})
}
