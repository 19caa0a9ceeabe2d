package loop

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence/command"
)

// Two families in which no call repeats another: an error that is passed over and comes
// back, and look-ups most of which find nothing.

// left is an error that was passed over.
type left struct {
	Sign uint64 `json:"sign"`
	Call uint64 `json:"call"` // the newest that gave it
	Text string `json:"text"`
	N    int    `json:"n"`
	Last int    `json:"last"` // the result that gave it
}

const maxLeft, passedOver, cameBack = 12, 8, 3

// passed notes the error of a command, and tells of one that comes back for the third time,
// each time after much else was done.
func (mem ProgressMemory) passed(call pend, result string, failed bool) (ProgressMemory, *Alarm) {
	if !call.Shell || call.Act == wait {
		return mem, nil
	}
	if !failed {
		if over := func(l left) bool { return l.Call == call.Key }; slices.ContainsFunc(mem.Left, over) {
			mem.Left = slices.DeleteFunc(slices.Clone(mem.Left), over)
		}
		return mem, nil
	}
	if command.WasRefused(result) {
		return mem, nil
	}
	line, sign := firstWords(result)
	if line == "" {
		return mem, nil
	}
	mem.Left = slices.Clone(mem.Left)
	i := slices.IndexFunc(mem.Left, func(l left) bool { return l.Sign == sign })
	if i < 0 {
		mem.Left = append(mem.Left, left{Sign: sign, Text: brief(line, 80)})
		mem.Left = mem.Left[max(0, len(mem.Left)-maxLeft):]
		i = len(mem.Left) - 1
	}
	l := &mem.Left[i]
	if l.N == 0 || mem.Count-l.Last >= passedOver {
		l.N++
	}
	l.Call, l.Last = call.Key, mem.Count
	if l.N < mem.limit(cameBack) {
		return mem, nil
	}
	n := l.N
	l.N = 1
	return mem, &Alarm{Kind: SameError, Times: n, Cause: sign, Why: fmt.Sprintf("the same error came back for the %s time after it was passed over: %q", ordinal(n), l.Text)}
}

// firstWords are the first two lines of a failure that say something of it.
func firstWords(result string) (line string, sign uint64) {
	head, _ := ends(result, maxEnds)
	n := 0
	for l := range strings.SplitSeq(head, "\n") {
		if l = strings.TrimSpace(l); len(l) < 8 || generic(l) || strings.HasPrefix(l, "$ ") || strings.HasPrefix(l, "[") {
			continue
		}
		sign = mix(sign*31 + xxhash.Sum64String(unplaced(settled(l))))
		if line == "" {
			line = l
		}
		if n++; n == 2 {
			break
		}
	}
	return line, sign
}

// lookup is one of the last replies that looked something up.
type lookup struct {
	None  bool     `json:"none,omitempty"`  // it found nothing
	Terms []uint32 `json:"terms,omitempty"` // words of what was looked for
}

const (
	maxLookups = 10
	emptyOnes  = 5 // of the last look-ups, so many that found nothing are many
	aboutOne   = 4 // and so many of them have to be about one thing
	maxTerms   = 16
	minTerm    = 5 // letters of a word that says what is looked for
)

// lookedUp tells where many of the last look-ups found nothing and were about one thing.
// Several in one reply are one: who asks for ten names at once expects to find few.
func (mem ProgressMemory) lookedUp(call pend, result string, failed bool) (ProgressMemory, *Alarm) {
	none := !told(result) || vain(result)
	if call.Act != look || call.Check != "" || len(call.Terms) == 0 || failed && !none {
		return mem, nil
	}
	if mem.Looked == mem.Replies && len(mem.Lookups) > 0 {
		if last := mem.Lookups[len(mem.Lookups)-1]; last.None && !none {
			mem.Lookups = append(slices.Clone(mem.Lookups[:len(mem.Lookups)-1]), lookup{Terms: last.Terms})
		}
		return mem, nil
	}
	mem.Looked = mem.Replies
	mem.Lookups = append(slices.Clip(mem.Lookups), lookup{none, call.Terms})
	mem.Lookups = mem.Lookups[max(0, len(mem.Lookups)-maxLookups):]
	if !none {
		return mem, nil
	}
	empty := 0
	about := map[uint32]int{}
	for _, l := range mem.Lookups {
		if !l.None {
			continue
		}
		empty++
		for _, t := range l.Terms {
			about[t]++
		}
	}
	if empty < emptyOnes || !slices.ContainsFunc(call.Terms, func(t uint32) bool { return about[t] >= aboutOne }) {
		return mem, nil
	}
	n := len(mem.Lookups)
	mem.Lookups = nil
	return mem, &Alarm{Kind: Vain, Times: empty, Why: fmt.Sprintf("%d of the last %d look-ups found nothing, the newest: `%s`", empty, n, call.Name)}
}

// terms are the words of what a call looks for, in its command or its pattern.
func terms(c trimtab.ToolCall, command string) []uint32 {
	asked := command
	if asked == "" {
		asked = text(c.Input, 400, "pattern", "query", "q", "regex", "search", "name")
	}
	var out []uint32
	for w := range words(trimtab.Clip(asked, 600)) {
		if h := uint32(w.hash); w.n >= minTerm && len(out) < maxTerms && !slices.Contains(out, h) {
			out = append(out, h)
		}
	}
	return out
}
