package focus

import (
	"embed"
	"strings"
	"sync"
	"text/template"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer/mode"
)

//go:embed prompt/*.md
var prompts embed.FS

var templates = sync.OnceValues(func() (*template.Template, error) {
	return template.ParseFS(prompts, "prompt/*.md")
})

// told is what the notes are made of.
type told struct {
	Mode, Goal   string
	Phase, Focus string
	N, Of        int // the phase, and how many there are
	Left         int // messages left in the phase; 0 where nothing limits it
	Why          string
	Topic        bool             // a limit on one topic, not on all
	Missing      []mode.Criterion // of the phase, or of success in the last one
	Undone       []Mark
}

func (s *step) told(why string) told { return s.plan.told(s.m, why) }

func (p plan) told(m Memory, why string) told {
	ph := p.phase(m)
	t := told{Mode: p.Name, Goal: strings.TrimPrefix(p.Goal, "REMEMBER: "), Phase: ph.Title(), Focus: ph.Focus, N: p.at(m) + 1, Of: len(p.Phases), Why: sentence(strings.TrimSuffix(why, "."))}
	if ph.Most > m.InPhase {
		t.Left = ph.Most - m.InPhase
	}
	want := ph.Exit
	if p.at(m) >= len(p.Phases)-1 {
		want = append(want[:len(want):len(want)], p.Success...)
	}
	seen := map[string]bool{}
	for _, c := range want {
		if c, ok := p.criterion(c.ID); ok && !m.met(c.ID) && !seen[c.ID] {
			seen[c.ID] = true
			t.Missing = append(t.Missing, c)
		}
	}
	for _, k := range m.Marks {
		if k.Stale != "" {
			t.Undone = append(t.Undone, k)
		}
	}
	return t
}

// announce tells of the present phase.
func (p plan) announce(m Memory, why string) string {
	t := p.told(m, "")
	t.Why = why
	return words("phase", t)
}

// words fills a prompt in. One that cannot be is silence.
func words(name string, data told) string {
	all, err := templates()
	if err != nil {
		return ""
	}
	var out strings.Builder
	if err := all.ExecuteTemplate(&out, name+".md", data); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// line makes one line of at most n bytes.
func line(s string, n int) string {
	one := strings.Join(strings.Fields(trimtab.Clip(s, 4*n)), " ")
	if short := trimtab.Clip(one, n); short != one {
		return strings.TrimSpace(short) + "…"
	}
	return one
}
