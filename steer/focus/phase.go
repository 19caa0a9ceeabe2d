package focus

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/steer/mode"
)

// phases moves on where it is time to: at once to the phase that sums up if that is
// forced, else to the next one.
func (s *step) phases() {
	if s.force == "" && s.Most > 0 && s.m.Total >= s.Most && !s.m.Forced {
		s.m.Forced = true
		if s.once("synthesis") {
			s.force = fmt.Sprintf("%d messages, which is all that the mode %s allows", s.m.Total, s.Name)
		}
	}
	if s.force != "" {
		s.sum()
		return
	}
	here := s.plan.at(s.m)
	if here >= len(s.Phases)-1 {
		return // the last one never moves by itself
	}
	why, used := s.over(s.Phases[here])
	if why == "" {
		return
	}
	next := s.Phases[here+1]
	if lack := s.Needed - s.m.Research; lack > 0 && !used && (sumsUp(next) || here+1 == s.sumUp) {
		if s.once("needed") {
			why = fmt.Sprintf("%s needs %s first", next.Title(), plural.Count(lack, "more research request"))
			s.do(PhaseTransition, Low, InjectMessage, why, words("needed", s.told(why)))
		}
		return
	}
	s.m = s.move(s.m, here+1)
	s.do(PhaseTransition, Medium, TransitionPhase, why, s.announce(s.m, sentence(why)))
}

// over says why a phase is over, or nothing, and whether its messages are used up:
// then nothing holds it, not even research that is missing.
func (s *step) over(ph mode.Phase) (why string, used bool) {
	used = ph.Most > 0 && s.m.InPhase >= ph.Most
	if len(ph.Exit) > 0 && !s.m.Held {
		all := true
		for _, c := range ph.Exit {
			all = all && s.m.met(c.ID)
		}
		if all {
			return ph.Title() + " has what it needed: " + names(ph.Exit), used
		}
	}
	if used {
		return fmt.Sprintf("%s took its %d messages", ph.Title(), ph.Most), true
	}
	return "", false
}

// sum goes to the phase that sums up. Who is there already, or past it, stays and
// is told to finish.
func (s *step) sum() {
	if s.sumUp > s.plan.at(s.m) {
		s.m = s.move(s.m, s.sumUp)
		moving := fmt.Sprintf("⏱️ We've discussed enough. Moving to %s phase.", strings.ToLower(s.phase(s.m).Title()))
		s.do(ForceSynthesis, High, TransitionPhase, s.force, s.announce(s.m, moving+" "+sentence(s.force)))
		return
	}
	s.do(ForceSynthesis, High, InjectMessage, s.force, words("finish", s.told(s.force)))
}

// move makes another phase the present one.
func (p plan) move(m Memory, to int) Memory {
	m.Phase, m.InPhase, m.Again, m.Held, m.Fired = p.Phases[to].ID, 0, 0, false, nil
	m.Talk.Before, m.Talk.Authors = m.Talk.Count, nil
	return m
}

// byHand moves as a person wants. Where all is met there already, the phase stays
// until they, or its limit, lead on.
func (p plan) byHand(m Memory, to int) Memory {
	m = p.move(m, to)
	m.Held, m.Done = true, false
	for _, c := range p.Phases[to].Exit {
		m.Held = m.Held && m.met(c.ID)
	}
	return m
}

// where is the phase in short: Research 3/20 (2 of 5).
func (p plan) where(m Memory) string {
	if len(p.Phases) == 0 {
		return fmt.Sprintf("%s, %s", p.Name, plural.Count(m.Total, "message"))
	}
	ph := p.phase(m)
	text := fmt.Sprintf("%s %d", ph.Title(), m.InPhase)
	if ph.Most > 0 {
		text += fmt.Sprintf("/%d", ph.Most)
	}
	return text + fmt.Sprintf(" (%d of %d)", p.at(m)+1, len(p.Phases))
}

func names(list []mode.Criterion) string {
	var all []string
	for _, c := range list {
		all = append(all, c.ID)
	}
	return strings.Join(all, ", ")
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	return s + "."
}
