package loop

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// SeedConfig sets the rule of the specification, by the names of its
// loopDetection. Zero values take the defaults.
type SeedConfig struct {
	Similarity float64 `json:"similarityThreshold" default:"0.7" min:"0.01" max:"1" doc:"two messages above this similarity count as a pair"`
	Window     int     `json:"windowSize" default:"10" min:"2" max:"1000" doc:"messages that are compared with each other"`
	Most       int     `json:"maxSimilarMessages" default:"3" min:"1" max:"1000" doc:"pairs from which it is a loop"`
	Repeat     bool    `json:"-"` // alarm again with every message as long as the window holds the pairs
}

// Seed is the rule of the specification: pairs of similar messages among the last
// ones. Similar is the Jaccard similarity of their first words; a message without
// words takes its place among the last ones and is like no other.
//
// A message is what the model or a person says. Tool results are no message of
// anyone, and are passed over.
type Seed struct{ cfg SeedConfig }

// NewSeed returns the rule. A value out of range is an error that names it.
func NewSeed(cfg SeedConfig) (Seed, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return Seed{}, fmt.Errorf("loopDetection: %w", err)
	}
	return Seed{cfg}, nil
}

func defaultSeed() Seed { return Seed{SeedConfig{Similarity: 0.7, Window: 10, Most: 3}} }

// SeedMemory is what the rule remembers: the words of the last messages, as
// hashes, and the pairs among them.
type SeedMemory struct {
	Seq   int    `json:"seq,omitempty"`   // messages since the window began
	Last  window `json:"last,omitzero"`   //
	Pairs []int  `json:"pairs,omitempty"` // the older message of each pair
}

// Name is "seed".
func (Seed) Name() string { return "seed" }

// See compares a message with those before it. After an alarm the window starts
// afresh, unless the rule repeats itself.
func (r Seed) See(mem SeedMemory, m trimtab.Message) (SeedMemory, *Alarm) {
	if ours(m) || m.Role == trimtab.RoleTool || onlyResults(m) {
		return mem, nil
	}
	text := said(m, true)
	e := entry{sketch: normal(text)}
	mem.Seq++
	var pairs []int
	for _, older := range mem.Pairs {
		if older > mem.Seq-r.cfg.Window {
			pairs = append(pairs, older)
		}
	}
	if len(e.hash) > 0 {
		seq := mem.Seq
		mem.Last.each(r.cfg.Window-1, func(o *entry) bool {
			if seq--; e.near(&o.sketch, r.cfg.Similarity) {
				pairs = append(pairs, seq)
			}
			return true
		})
	}
	if mem.Pairs = pairs; len(pairs) < r.cfg.Most {
		mem.Last = mem.Last.add(e, r.cfg.Window)
		return mem, nil
	}
	next := SeedMemory{}
	if r.cfg.Repeat {
		next = SeedMemory{Seq: mem.Seq, Last: mem.Last.add(e, r.cfg.Window), Pairs: pairs}
	}
	return next, &Alarm{
		By: r.Name(), Kind: SameWords, Level: Stop, Times: len(pairs),
		Why: fmt.Sprintf("%d pairs among the last %d messages say nearly the same, the newest: %q", len(pairs), min(mem.Seq, r.cfg.Window), brief(text, 60)),
	}
}

func onlyResults(m trimtab.Message) bool {
	for _, p := range m.Parts {
		if _, ok := p.(trimtab.ToolResult); !ok {
			return false
		}
	}
	return len(m.Parts) > 0
}

const normalWords = 20

// normal is the normal form of a message: lower case, punctuation off, words
// longer than 3, the first 20.
func normal(text string) sketch {
	var p pile
	n := 0
	var buf [64]byte
	for field := range strings.FieldsSeq(trimtab.Clip(text, 1<<20)) {
		word, runes := buf[:0], 0
		for _, c := range field {
			if unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) || c == '_' {
				word = utf8.AppendRune(word, unicode.ToLower(c))
				runes++
			}
		}
		if runes <= 3 {
			continue
		}
		p.take(uint32(xxhash.Sum64(word) >> 32))
		if n++; n == normalWords {
			break
		}
	}
	return p.sketch()
}
