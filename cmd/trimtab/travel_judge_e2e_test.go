//go:build e2e && unix

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// reusable is how much of the prefix must stay, steered to unsteered.
const reusable = 0.99

// verdict is what came of one agent.
type verdict struct {
	name    string
	lacks   map[string]string
	rows    map[string]row
	notes   map[string]string // by situation: the most of one kind that one request shows
	refused int
	own     int // refused with or without us
	strayed int // notes in requests that are not of the main line
	most    int // notes of one kind that are not revoked, in one request
	steps   int
	replies int
	stored  int // sessions
	mode    string
	faults  []string
}

// row is the request of a situation that fares worst.
type row struct {
	unsteered, steered fakemodel.Reuse
	at                 string // its number, steered
	requests           int
}

func (r row) ratio() float64 {
	if r.unsteered.Share() == 0 {
		return 1
	}
	return r.steered.Share() / r.unsteered.Share()
}

func judged(ctx context.Context, t *testing.T, plain, steered *trip) verdict {
	t.Helper()
	v := verdict{name: plain.c.name, lacks: plain.c.lacks, rows: map[string]row{}, notes: map[string]string{}}
	fault := func(format string, args ...any) { v.faults = append(v.faults, fmt.Sprintf(format, args...)) }

	// 1: the prefix that stays.
	alone := legs(plain)
	for _, at := range legs(steered) {
		i := slices.IndexFunc(alone, func(l leg) bool { return l.turn == at.turn })
		if i < 0 {
			fault("check 1: request %d (%s) has no like in the unsteered run", at.n, at)
			continue
		}
		got := row{unsteered: alone[i].reuse, steered: at.reuse, at: fmt.Sprintf("#%d→#%d", at.from, at.n)}
		if got.ratio() < reusable {
			fault("check 1, %s: request #%d (%s) begins with %s of #%d, unsteered %s: ratio %.3f; first difference at block %d: %s", at.situation, at.n, at, at.reuse, at.from, alone[i].reuse, got.ratio(), at.reuse.Blocks, at.differs)
		}
		had, ok := v.rows[at.situation]
		got.requests = had.requests + 1
		if ok && had.ratio() <= got.ratio() {
			had.requests++
			got = had
		}
		v.rows[at.situation] = got
	}
	for _, s := range situations {
		if _, ok := v.rows[s]; !ok && v.lacks[s] == "" {
			fault("check 1, %s: no request was compared", s)
		}
	}

	v.judgeNotes(steered, fault)

	// 4: refusals.
	own := map[string]int{}
	for _, r := range plain.model.Refused() {
		own[refusal(r, plain.parts)]++
		if plain.c.own == "" {
			fault("check 4, unsteered: request #%d was refused, which is a fault of the rules or of the agent: %s", r.N, refusal(r, plain.parts))
		}
	}
	for _, r := range steered.model.Refused() {
		what := refusal(r, steered.parts)
		if own[what] > 0 {
			own[what]--
			v.own++
			continue
		}
		v.refused++
		fault("check 4: request #%d was refused: %s", r.N, what)
	}

	v.judgeStore(ctx, t, steered, fault)
	return v
}

// judgeNotes is check 3, notes elsewhere than on the main line, and check 5, notes of
// one kind.
func (v *verdict) judgeNotes(steered *trip, fault func(string, ...any)) {
	type crowd struct {
		situation, kind string
	}
	most, where := map[crowd]int{}, map[crowd][]string{}
	var line [][]string // prefixes of the main line so far
	typed, entered := false, false
	for _, r := range steered.model.Requests() {
		turn := fakemodel.TurnOf(r, steered.parts)
		main := turn.Kind == fakemodel.MainTurn
		situation := string(turn.Kind)
		if main {
			situation = steered.c.situationOf(turn)
		}
		typed = typed || main && turn.Word == "travel-two"
		seen := visible(r)
		for kind, n := range tally(seen) {
			v.most = max(v.most, n)
			if n > 1 {
				c := crowd{situation, kind}
				most[c], where[c] = max(most[c], n), append(where[c], fmt.Sprintf("#%d", r.N))
			}
		}
		for _, note := range seen {
			entered = entered || main && note.kind == "mode entry"
			if note.kind == "reflection" && !typed {
				v.strayed++
				fault("check 3: request #%d (%s %s:%d) has a reflection before a person typed the word; the prompt of the sub-agent holds it", r.N, turn.Kind, turn.Word, turn.Step)
			}
		}
		prefix := r.Prefix()
		if main {
			line = append(line, prefix)
			continue
		}
		shared := 0
		for _, p := range line {
			shared = max(shared, fakemodel.Reused(p, prefix).Blocks)
		}
		for i, block := range prefix {
			// What the agent keeps of its hooks it may put elsewhere: Claude Code asks for a
			// compaction in front of the last of it.
			moved := strings.Contains(block, "hook additional context: ") && slices.ContainsFunc(line, func(p []string) bool { return slices.Contains(p, block) })
			if kind := kindOf(block); kind != "" && i >= shared && len(block) < noteSize && !moved {
				v.strayed++
				fault("check 3: request #%d (%s %s) has a note (%s) that is not of a prefix it shares with the main line", r.N, turn.Kind, cmp.Or(turn.Name, turn.Word), kind)
			}
		}
	}
	if !entered {
		fault("check 3: no request of the main line has the entry of the mode; nothing was steered, or it is worded otherwise than this test knows")
	}
	for _, c := range slices.SortedFunc(maps.Keys(most), func(a, b crowd) int {
		return cmp.Or(cmp.Compare(a.situation, b.situation), cmp.Compare(a.kind, b.kind))
	}) {
		v.notes[c.situation] += fmt.Sprintf("%d × %s; ", most[c], c.kind)
		fault("check 5, %s: up to %d notes of the kind %q that are not revoked, in %s", c.situation, most[c], c.kind, strings.Join(where[c], " "))
	}
}

// judgeStore is check 2, steps, and check 6, sessions.
func (v *verdict) judgeStore(ctx context.Context, t *testing.T, steered *trip, fault func(string, ...any)) {
	t.Helper()
	for _, r := range steered.model.Requests() {
		turn := fakemodel.TurnOf(r, steered.parts)
		answered := r.Refused == nil || steered.c.own != ""
		if turn.Kind == fakemodel.MainTurn && answered && turn.Word != "travel-five" {
			v.replies++
		}
	}
	all := stored(ctx, t, steered)
	v.stored = len(all)
	for _, s := range all {
		if s.Step >= v.steps {
			v.steps, v.mode = s.Step, s.mode
		}
		for _, note := range s.notes {
			if kindOf(note) == "" {
				fault("checks 3 and 5 do not know this note: %.80q", note)
			}
		}
	}
	if v.steps != v.replies {
		fault("check 2: %d steps in the store, %d replies of the main line", v.steps, v.replies)
	}
	if v.stored != 1 || !strings.EqualFold(v.mode, "planning") {
		var list []string
		for _, s := range all {
			list = append(list, fmt.Sprintf("%s: %d steps, mode %q", s.ID, s.Step, s.mode))
		}
		fault("check 6: %d sessions in the store, the longest in the mode %q; want 1 in planning: %s", v.stored, v.mode, strings.Join(list, "; "))
	}
}

// noteSize bounds the blocks that are nothing but a note.
const noteSize = 3000

// refusal is what was refused, and why.
func refusal(r fakemodel.Request, parts []fakemodel.Part) string {
	turn := fakemodel.TurnOf(r, parts)
	return fmt.Sprintf("%s %s:%d: %v", turn.Kind, cmp.Or(turn.Name, turn.Word), turn.Step, r.Refused)
}

// leg is a request of the main line, or its compaction, and what it has in common
// with the request of the main line before it.
type leg struct {
	turn      fakemodel.Turn
	situation string
	from, n   int
	reuse     fakemodel.Reuse
	differs   string
}

func (l leg) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s:%d", l.turn.Kind, l.turn.Word, l.turn.Step))
}

func legs(tr *trip) []leg {
	var all []leg
	var before []string
	from := 0
	for _, r := range tr.model.Requests() {
		turn := fakemodel.TurnOf(r, tr.parts)
		if turn.Kind != fakemodel.MainTurn && turn.Kind != fakemodel.CompactionTurn {
			continue
		}
		prefix := r.Prefix()
		seen := slices.ContainsFunc(all, func(l leg) bool { return l.turn == turn })
		if before != nil && !seen { // of a retry, the first
			reuse := ownReuse(before, prefix)
			all = append(all, leg{turn, tr.c.situationOf(turn), from, r.N, reuse, difference(before, prefix, reuse.Blocks)})
		}
		if turn.Kind == fakemodel.MainTurn {
			before, from = prefix, r.N
		}
	}
	return all
}

// ownReuse is how much of one request is the beginning of the next one, in bytes of
// the agent's own. Blocks that are notes do not count, neither kept nor lost: a note
// that goes from the middle costs all that stands behind it, and one at the very end
// costs nothing.
func ownReuse(before, after []string) fakemodel.Reuse {
	reuse := fakemodel.Reused(before, after)
	for i, block := range before {
		if kindOf(block) == "" || len(block) >= noteSize {
			continue
		}
		reuse.All -= len(block)
		if i < reuse.Blocks {
			reuse.Same -= len(block)
		}
	}
	return reuse
}

// difference shows the first block that is not the same.
func difference(before, after []string, at int) string {
	show := func(all []string) string {
		if at >= len(all) {
			return "nothing"
		}
		return fmt.Sprintf("%.160q", all[at])
	}
	return show(before) + " became " + show(after)
}

type storedSession struct {
	ID    string `json:"sessionId"`
	Step  int    `json:"step"`
	mode  string
	notes []string
}

// stored reads the sessions as a person would.
func stored(ctx context.Context, t *testing.T, tr *trip) []storedSession {
	t.Helper()
	ask := func(v any, args ...string) {
		out, err := exec.CommandContext(ctx, tr.trimtab, append(args, "--json", "--data", tr.data)...).Output()
		if err == nil {
			err = json.Unmarshal(out, v)
		}
		if err != nil {
			t.Errorf("trimtab %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	var all []storedSession
	ask(&all, "session", "list", "--all")
	for i := range all {
		var shown struct{ Session storedSession }
		ask(&shown, "session", "show", all[i].ID)
		all[i].Step = shown.Session.Step
		var now struct {
			Status []struct{ By, Text string }
			Notes  []struct{ Text string }
		}
		ask(&now, "status", all[i].ID)
		for _, line := range now.Status {
			if line.By == "mode" {
				all[i].mode = line.Text
			}
		}
		for _, note := range now.Notes {
			all[i].notes = append(all[i].notes, note.Text)
		}
	}
	return all
}
