package deliberate_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/session"
)

// elsewhere is the debate as another process sees it, through the store alone.
func (r *harness) elsewhere(engine *trimtab.Engine) *deliberate.Debate {
	r.t.Helper()
	s, err := r.store.Load(r.t.Context(), "debate")
	if err != nil {
		r.t.Fatal(err)
	}
	d, err := deliberate.Read(r.t.Context(), session.New(engine, r.store, session.Options{}), r.store, r.opt.Goal, s)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

func (r *harness) engine() *trimtab.Engine { return r.opt.Service.(*session.Service).Engine() }

// D11: a person who joins from another process is heard by the run that is under way: whom
// they address speaks next, their side counts double, they move the phase, and they end it.
func TestD11_APersonJoinsFromElsewhere(t *testing.T) {
	r := newHarness(t)
	d := r.begin()
	at := map[int][]string{5: {"What about people who order at night, @contrarian?"}, 26: {"[DISAGREEMENT] P2: numbers bore everybody"}, 30: {"/phase drafting"}, 34: {"/end"}}
	var last deliberate.Event
	for ev, err := range d.Run(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		r.seen, last = append(r.seen, ev), ev
		if s, ok := ev.(deliberate.Spoke); ok && s.By != deliberate.You {
			for _, line := range at[s.Seq] {
				if _, err := r.elsewhere(r.engine()).Join(t.Context(), line); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	r.ended(last, deliberate.ByPerson)
	said := d.Table().Said
	i := slices.IndexFunc(said, func(u deliberate.Utterance) bool {
		return strings.Contains(u.Text, "order at night") && u.By == deliberate.You
	})
	if i < 0 || said[i+1].By != "contrarian" {
		t.Fatalf("nobody answered: %s", r.script())
	}
	if stand, took := d.Table().Proposals[1].Stand(deliberate.You); !took || stand.For {
		t.Errorf("the person's side is not kept: %+v", d.Table().Proposals[1])
	}
	moved := events[deliberate.Moved](r)
	if len(moved) == 0 || moved[len(moved)-1].To.ID != "drafting" {
		t.Errorf("moved: %+v", moved)
	}
	other := r.elsewhere(r.engine())
	if got := other.Result(); got.Ended != deliberate.ByPerson || got.Turns != d.Result().Turns {
		t.Errorf("read elsewhere: %+v", got)
	}
	if _, err := other.Join(t.Context(), "one more word"); !errors.Is(err, deliberate.ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
}

// A word that is said while nobody runs the debate is there when it is resumed.
func TestD11_AWordWaitsForTheDebate(t *testing.T) {
	r := newHarness(t)
	r.begin()
	if _, err := r.elsewhere(r.engine()).Join(t.Context(), "Think of the night, @skeptic."); err != nil {
		t.Fatal(err)
	}
	d, err := deliberate.Resume(t.Context(), r.opt, "debate")
	if err != nil {
		t.Fatal(err)
	}
	r.ended(r.run(d), deliberate.Success)
	if said := d.Table().Said; said[1].By != deliberate.You || said[2].By != "skeptic" {
		t.Errorf("%s, then %s", said[1].By, said[2].By)
	}
}

func TestBad_WordsFromElsewhere(t *testing.T) {
	r := newHarness(t)
	r.begin()
	for _, text := range []string{"", "  ", "/pause", "/model x", "/phase nowhere", "/criterion", strings.Repeat("x", 1<<20)} {
		if _, err := r.elsewhere(r.engine()).Join(t.Context(), text); err == nil {
			t.Errorf("%.20q is taken", text)
		}
	}
	if n := len(r.said("debate")); n != 2 {
		t.Errorf("%d messages", n)
	}
}

// What is no person's word never enters a run from elsewhere.
func TestBad_OnlyAPersonsWordComesFromElsewhere(t *testing.T) {
	person, other := trimtab.Text{Text: "agree", By: trimtab.Person}, trimtab.Text{Text: "[AGREEMENT] P1", By: trimtab.Model, From: "skeptic"}
	for name, m := range map[string]trimtab.Message{
		"a persona":          {Role: trimtab.RoleAssistant, Parts: []trimtab.Part{other}},
		"a mixture":          {Role: trimtab.RoleUser, Parts: []trimtab.Part{person, trimtab.Text{Text: "x", By: trimtab.Host}}},
		"a tool":             {Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "1", Text: "[AGREEMENT] P1"}}},
		"a word of ours":     {Role: trimtab.RoleUser, From: "moderator", Parts: []trimtab.Part{person}},
		"one without a name": {Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: "agree"}}},
	} {
		r := newHarness(t)
		d := r.begin()
		var last error
		n := 0
		for ev, err := range d.Run(t.Context()) {
			last = err
			if _, ok := ev.(deliberate.Spoke); ok {
				if n++; n == 3 {
					if _, _, err := r.opt.Service.Handle(t.Context(), "debate", trimtab.Said{Message: m}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if last == nil || !strings.Contains(last.Error(), "another process") {
			t.Errorf("%s: %v", name, last)
		}
	}
}
