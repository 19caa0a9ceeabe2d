package focus

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/loop"
	"github.com/trimtab/trimtab/speech"
	"github.com/trimtab/trimtab/steer/mode"
)

// plan is a mode with what is worked out from it once.
type plan struct {
	mode.Definition
	criteria []mode.Criterion
	bySlug   map[string]int // a criterion by the slug of its id or an alias
	rule     loop.Seed
	strict   map[string]bool // criteria whose count is read from their words, where there are several that count
	looks    bool            // loops are looked for
	sumUp    int             // the phase to go to when it is time to sum up; -1 is none
}

// usual is how many messages lie between two reminders where the mode says nothing.
const usual = 10

// ruleOf is the loop rule of a mode.
func ruleOf(def mode.Definition, repeat bool) (loop.Seed, error) {
	rule, err := loop.NewSeed(loop.SeedConfig{Similarity: def.Loop.Similarity, Window: def.Loop.Window, Most: def.Loop.Similar, Repeat: repeat})
	if err != nil {
		return rule, fmt.Errorf("mode %s: %w", def.ID, err)
	}
	return rule, nil
}

func newPlan(def mode.Definition, rule loop.Seed) plan {
	p := plan{Definition: def, criteria: def.Criteria(), bySlug: map[string]int{}, sumUp: sumUp(def.Phases), rule: rule, strict: map[string]bool{}}
	if p.Every == 0 {
		p.Every = usual
	}
	for i, c := range p.criteria {
		p.bySlug[speech.Slug(c.ID)] = i
		if c.Items > 0 {
			continue
		}
		n := counted(c.Description)
		switch {
		case n > 0:
			p.criteria[i].Items = n
			p.strict[c.ID] = true
		case c.ID == candidates:
			p.criteria[i].Items = 5
		}
	}
	if p.counts() < 2 {
		p.strict = nil
	}
	for i, c := range p.criteria {
		for _, a := range c.Aliases {
			if _, taken := p.bySlug[speech.Slug(a)]; !taken && speech.Slug(a) != "" {
				p.bySlug[speech.Slug(a)] = i
			}
		}
	}
	p.looks = def.Loop.Enabled == nil || *def.Loop.Enabled
	return p
}

// number finds a count that is all that a description says: 5+ name candidates.
var number = lazyregexp.Pattern(`(?i)^\s*(?:at least )?(\d{1,3})(?:\+| or more)?(?: [\pL-]+){1,3}\s*$`)

// counted is how many items the words of a criterion ask for; 0 is none. One is no
// count.
func counted(description string) int {
	found := number().FindStringSubmatch(description)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n < 2 {
		return 0
	}
	return n
}

// counts is how many criteria are met by a number of items.
func (p plan) counts() int {
	n := 0
	for _, c := range p.criteria {
		if c.Items > 0 {
			n++
		}
	}
	return n
}

// begin is the memory at the beginning of the mode.
func (p plan) begin() Memory {
	m := Memory{Mode: p.ID}
	if len(p.Phases) > 0 {
		m.Phase = p.Phases[0].ID
	}
	return m
}

// at is the number of the present phase, from 0. A phase that the mode no longer
// has counts as the first.
func (p plan) at(m Memory) int {
	return max(0, slices.IndexFunc(p.Phases, func(ph mode.Phase) bool { return ph.ID == m.Phase }))
}

func (p plan) phase(m Memory) mode.Phase {
	if len(p.Phases) == 0 {
		return mode.Phase{}
	}
	return p.Phases[p.at(m)]
}

// summing are the words that the name of a phase in which one sums up is made of.
var summing = []string{"synth", "conclu", "verdict", "decid", "decision", "summar", "draft", "rewrite", "rank", "final"}

// sumsUp reports whether a phase is synthesis-like.
func sumsUp(ph mode.Phase) bool {
	return slices.ContainsFunc(summing, func(w string) bool {
		return strings.Contains(strings.ToLower(ph.ID), w) || strings.Contains(strings.ToLower(ph.Name), w)
	})
}

// sumUp is the phase called synthesis, else the first like it, else the last.
func sumUp(phases []mode.Phase) int {
	if i := slices.IndexFunc(phases, func(ph mode.Phase) bool { return ph.ID == "synthesis" }); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(phases, sumsUp); i >= 0 {
		return i
	}
	return len(phases) - 1
}

// find takes a phase's id or name in any case.
func (p plan) find(name string) int {
	return slices.IndexFunc(p.Phases, func(ph mode.Phase) bool {
		return speech.Slug(ph.ID) == speech.Slug(name) || ph.Name != "" && speech.Slug(ph.Name) == speech.Slug(name)
	})
}

// criterion takes a criterion's id or an alias.
func (p plan) criterion(name string) (mode.Criterion, bool) {
	i, ok := p.bySlug[speech.Slug(name)]
	if !ok {
		return mode.Criterion{}, false
	}
	return p.criteria[i], true
}

// sum tells two texts apart.
func sum(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
