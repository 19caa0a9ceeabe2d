package focus

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

const maxArgs = 16 << 10

// verb is a command below "focus". What changes the course is for a person; the
// model may look, and say what is met.
type verb struct {
	trimtab.Command
	person bool
	run    func(Focus, trimtab.Turn, Memory, []string) (Memory, []trimtab.Action, error)
}

func verbs() []verb {
	v := func(name, usage, short, example string, person bool, run func(Focus, trimtab.Turn, Memory, []string) (Memory, []trimtab.Action, error)) verb {
		return verb{trimtab.Command{Name: name, Usage: usage, Short: short, Examples: []string{example}}, person, run}
	}
	return []verb{
		v("status", "", "The phase, what is met and what is missing", "", false, Focus.doStatus),
		v("next", "", "Go on to the next phase", "", true, Focus.doNext),
		v("back", "", "Go back to the phase before", "", true, Focus.doBack),
		v("to", "PHASE", "Go to a phase", "drafting", true, Focus.doTo),
		v("met", "ID [EVIDENCE]", "Say that a criterion is met", "cta the button says what it does", true, Focus.doMet),
		v("unmet", "ID [REASON]", "Say that a criterion is not met after all", "cta it promises too much", true, Focus.doUnmet),
		v("agents", "NAME…", "Say who sits at the table, where several speak", "skeptic pragmatist analyst", true, Focus.doAgents),
		v("start", "MODE", "Begin a mode with a goal", "copywrite", true, Focus.doStart),
		v("restart", "", "Begin the mode anew", "", true, Focus.doRestart),
	}
}

// Verbs returns the commands below "focus" as data.
func Verbs() []trimtab.Command {
	var all []trimtab.Command
	for _, v := range verbs() {
		all = append(all, v.Command)
	}
	return all
}

// Commands declares "focus" with its verbs, "phase" for short, and the tool by
// which the model says that a criterion is met.
func (d Focus) Commands() []trimtab.Command {
	focus := trimtab.Command{Name: "focus", Usage: "[VERB] [ARGUMENTS]", Short: "How the session stands to its goal; move the phase, mark a criterion", Examples: []string{""}}
	for _, c := range Verbs() {
		focus.Values = append(focus.Values, c.Name)
		focus.Examples = append(focus.Examples, strings.TrimSpace(c.Name+" "+c.Examples[0]))
	}
	return []trimtab.Command{
		focus,
		{Name: "phase", Usage: "[next | back | PHASE]", Short: "Show the phase of the session, or go to another", Values: []string{"next", "back"}, Examples: []string{"", "next", "drafting"}},
		{Name: "criterion_met", Usage: "ID EVIDENCE", Short: "Say that a criterion of the session's mode is met, with the evidence", Examples: []string{"cta the section Call to action of my last reply"}},
	}
}

func (d Focus) command(t trimtab.Turn, m Memory, ev trimtab.Asked) (Memory, []trimtab.Action) {
	name, args := expand(ev)
	refuse := func(text string) (Memory, []trimtab.Action) {
		return m, []trimtab.Action{trimtab.Reply{Text: text, Failed: true}}
	}
	size := 0
	for _, a := range args {
		size += len(a)
	}
	if size > maxArgs {
		return refuse(fmt.Sprintf("%d bytes of arguments; give at most %d", size, maxArgs))
	}
	all := verbs()
	i := slices.IndexFunc(all, func(v verb) bool { return v.Name == name })
	if i < 0 {
		return refuse(fmt.Sprintf("focus takes one of: %s; not %q", strings.Join(d.Commands()[0].Values, ", "), trimtab.Clip(name, 40)))
	}
	fromPerson := ev.By == "" || ev.By == trimtab.Person
	if all[i].person && !fromPerson && ev.Command != "criterion_met" {
		return refuse("only a person may do that: " + name)
	}
	if ev.Command == "criterion_met" && !fromPerson {
		return d.modelMet(t, m, args)
	}
	next, acts, err := all[i].run(d, t, m, args)
	if err != nil {
		return refuse(err.Error())
	}
	return next, acts
}

// expand reads the commands that are short for a verb.
func expand(ev trimtab.Asked) (string, []string) {
	args := ev.Args
	switch {
	case ev.Command == "criterion_met":
		return "met", args
	case len(args) == 0:
		return "status", nil
	case ev.Command == "phase" && args[0] != "next" && args[0] != "back":
		return "to", args
	}
	return args[0], args[1:]
}

func (d Focus) need(m Memory) (plan, error) {
	p, ok := d.plan(m.At())
	if !ok {
		return p, d.none()
	}
	return p, nil
}

// none says that there is no goal, and how to have one.
func (d Focus) none() error {
	var ids []string
	for _, w := range d.modes {
		ids = append(ids, w.id)
	}
	return fmt.Errorf("this session has no goal; enter a mode that has one: %s", strings.Join(ids, ", "))
}

func (d Focus) show(m Memory, text string) []trimtab.Action {
	p, _ := d.Progress(m)
	if text == "" {
		text = p.String()
	}
	raw, err := json.Marshal(p)
	if err != nil {
		raw = nil
	}
	return []trimtab.Action{trimtab.Reply{Text: text, Data: raw}}
}

func (d Focus) doStatus(_ trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	if !d.Has(m.At()) { // to have no goal is an answer too
		return m, []trimtab.Action{trimtab.Reply{Text: d.none().Error(), Data: json.RawMessage("null")}}, nil
	}
	return m, d.show(m, ""), nil
}

func (d Focus) doNext(t trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	p, err := d.need(m)
	if err == nil && p.at(m) >= len(p.Phases)-1 {
		err = fmt.Errorf("this is the last phase")
	}
	if err != nil {
		return m, nil, err
	}
	return d.goTo(p, m, p.at(m)+1)
}

func (d Focus) doBack(t trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	p, err := d.need(m)
	if err == nil && p.at(m) == 0 {
		err = fmt.Errorf("this is the first phase")
	}
	if err != nil {
		return m, nil, err
	}
	return d.goTo(p, m, p.at(m)-1)
}

func (d Focus) doTo(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	p, err := d.need(m)
	if err != nil {
		return m, nil, err
	}
	name := strings.Join(args, " ")
	to := p.find(name)
	if to < 0 {
		var ids []string
		for _, ph := range p.Phases {
			ids = append(ids, ph.ID)
		}
		return m, nil, fmt.Errorf("the mode %s has no phase %q; give one of %s", p.Name, trimtab.Clip(name, 60), strings.Join(ids, ", "))
	}
	return d.goTo(p, m, to)
}

func (d Focus) goTo(p plan, m Memory, to int) (Memory, []trimtab.Action, error) {
	m = p.byHand(m, to)
	text := p.announce(m, "The person moved the session on.")
	m.Told = sum(text)
	note := trimtab.Inject{Slot: slotPhase, Text: text, Place: trimtab.AtEnd, Life: trimtab.Kept, Why: "a person moved to " + p.Phases[to].Title()}
	return m, append([]trimtab.Action{note}, d.show(m, "Phase: "+p.where(m))...), nil
}

// markArgs reads an id and evidence, as words or as an object.
func markArgs(args []string) (id, evidence string, err error) {
	text := strings.TrimSpace(strings.Join(args, " "))
	if strings.HasPrefix(text, "{") {
		var in struct{ ID, Evidence string }
		if err := json.Unmarshal([]byte(text), &in); err != nil {
			return "", "", fmt.Errorf(`give an id and the evidence, or {"id": …, "evidence": …}`)
		}
		return in.ID, in.Evidence, nil
	}
	id, evidence, _ = strings.Cut(text, " ")
	return id, strings.TrimSpace(evidence), nil
}

func (d Focus) doMet(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	return d.met(t, m, args, ByPerson, person)
}

// modelMet is the tool: it needs evidence.
func (d Focus) modelMet(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action) {
	_, evidence, err := markArgs(args)
	if err == nil && evidence == "" {
		err = fmt.Errorf("give the evidence: where it can be seen that the criterion is met")
	}
	next, acts := m, []trimtab.Action(nil)
	if err == nil {
		next, acts, err = d.met(t, m, args, ByMark, string(trimtab.Model))
	}
	if err != nil {
		return m, []trimtab.Action{trimtab.Reply{Text: err.Error(), Failed: true}}
	}
	return next, acts
}

func (d Focus) met(t trimtab.Turn, m Memory, args []string, how How, by string) (Memory, []trimtab.Action, error) {
	p, err := d.need(m)
	if err != nil {
		return m, nil, err
	}
	id, evidence, err := markArgs(args)
	if err != nil {
		return m, nil, err
	}
	m, c, refused := p.claim(m, id, evidence, by, how, t.At)
	if refused != "" {
		return m, nil, fmt.Errorf("%s", refused)
	}
	s := &step{plan: p, m: m, at: t.At}
	s.phases()
	s.success()
	m, acts := d.apply(p, s.m, s.out)
	return m, append(acts, d.show(m, c.ID+" is met.")...), nil
}

func (d Focus) doUnmet(t trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	p, err := d.need(m)
	if err != nil {
		return m, nil, err
	}
	id, why, err := markArgs(args)
	if err != nil {
		return m, nil, err
	}
	c, ok := p.criterion(id)
	if !ok || !m.met(c.ID) {
		return m, nil, fmt.Errorf("%q is not among what is met", trimtab.Clip(id, 60))
	}
	if why == "" {
		why = "the person says so"
	}
	s := &step{plan: p, m: m, at: t.At}
	s.m.Fired = without(s.m.Fired, "undone "+c.ID) // a person is always heard
	s.undo(c.ID, why)
	s.withdraw()
	m, acts := d.apply(p, s.m, s.out)
	return m, append(acts, d.show(m, c.ID+" is not met.")...), nil
}

func (d Focus) doAgents(_ trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	if _, err := d.need(m); err != nil {
		return m, nil, err
	}
	if len(args) == 0 || len(args) > maxSpeakers {
		return m, nil, fmt.Errorf("give 1 to %d names", maxSpeakers)
	}
	m.Talk.Agents = nil
	for _, a := range args {
		m.Talk.Agents = with(m.Talk.Agents, trimtab.Clip(a, 60))
	}
	return m, d.show(m, "At the table: "+strings.Join(m.Talk.Agents, ", ")), nil
}

func (d Focus) doStart(_ trimtab.Turn, m Memory, args []string) (Memory, []trimtab.Action, error) {
	p, ok := d.plan(strings.Join(args, " "))
	if !ok {
		return m, nil, d.none()
	}
	m = p.begin()
	return m, d.show(m, "Mode: "+p.Name+". "+p.where(m)), nil
}

func (d Focus) doRestart(_ trimtab.Turn, m Memory, _ []string) (Memory, []trimtab.Action, error) {
	p, err := d.need(m)
	if err != nil {
		return m, nil, err
	}
	m = p.begin()
	return m, d.show(m, "From the beginning. "+p.where(m)), nil
}
