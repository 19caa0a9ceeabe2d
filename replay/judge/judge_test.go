package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/replay/record"
)

type object = map[string]any

// recorded writes a session as one of our exports: "p" is a prompt, "c" a reply with a
// call, "f" one whose call fails, "s" one that hands the work in, "d" a reply without one.
func recorded(t *testing.T, dir, id, script string) {
	t.Helper()
	var messages []object
	add := func(role string, part object) {
		messages = append(messages, object{"id": fmt.Sprintf("m%d", len(messages)), "role": role, "at": "2026-01-01T00:00:00Z", "content": []object{part}})
	}
	for i, c := range script {
		call := fmt.Sprintf("c%d", i)
		switch c {
		case 'p':
			add("user", object{"type": "text", "text": "do it", "by": "person"})
		case 'd':
			add("assistant", object{"type": "text", "text": "It is so.", "by": "model"})
		default:
			command := map[rune]string{'c': "ls " + call, 'f': "make", 's': "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}[c]
			add("assistant", object{"type": "tool_call", "id": call, "name": "bash", "input": object{"command": command}})
			add("tool", object{"type": "tool_result", "id": call, "text": map[rune]string{'c': "file " + call, 'f': "make: *** No rule to make target 'all'.", 's': "ok"}[c], "failed": c == 'f'})
		}
	}
	put(t, filepath.Join(dir, id+".json"), object{"sessionId": id, "host": "trimtab", "createdAt": "2026-01-01T00:00:00Z", "updatedAt": "2026-01-01T00:00:00Z", "messages": messages, "modeState": object{"mode": "normal"}})
}

func put(t *testing.T, file string, v any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// guard speaks at the steps that it is given: an intervention that does not exist yet.
type guard struct {
	slot  string
	steps []int
}

func (guard) Name() string { return "guard" }

func (g guard) Steer(t trimtab.Turn, _ struct{}) (struct{}, []trimtab.Action) {
	if _, ok := t.Event.(trimtab.Said); ok && slices.Contains(g.steps, t.Step) {
		return struct{}{}, []trimtab.Action{trimtab.Inject{Slot: g.slot, Text: "stop that", Place: trimtab.AtEnd, Life: trimtab.Once, Why: "again"}}
	}
	return struct{}{}, nil
}

// stopper sends every agent on that stops, as one that asks for a check would.
type stopper struct{}

func (stopper) Name() string { return "stop" }

func (stopper) Steer(t trimtab.Turn, _ struct{}) (struct{}, []trimtab.Action) {
	if _, ok := t.Event.(trimtab.Stopping); ok {
		return struct{}{}, []trimtab.Action{trimtab.Continue{Text: "check it", Why: "nothing was run after the last change"}}
	}
	return struct{}{}, nil
}

func measured(t *testing.T, dir string, known map[string]*SessionLabels, lineup ...trimtab.Steerer) CorpusResult {
	t.Helper()
	engine, err := trimtab.New(trimtab.Config{}, lineup...)
	if err != nil {
		t.Fatal(err)
	}
	res := measuredAll(t, dir, Options{Engine: engine, Known: known, Tolerance: 2})
	if len(res.Corpora) != 1 || len(res.Warnings) > 0 {
		t.Fatalf("%+v", res)
	}
	return res.Corpora[0]
}

func measuredAll(t *testing.T, dir string, o Options) Result {
	t.Helper()
	corpora, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	o.Kinds, o.Read = ownKinds, record.Sessions
	res, err := Measure(t.Context(), corpora, o)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func row[T any](t *testing.T, rows []T, is func(T) bool) T {
	t.Helper()
	i := slices.IndexFunc(rows, is)
	if i < 0 {
		t.Fatalf("no such row in %+v", rows)
	}
	return rows[i]
}

func TestKindsThatDoNotExistYetAreMatched(t *testing.T) {
	dir := t.TempDir()
	recorded(t, filepath.Join(dir, "daily"), "a", "pccccccd"+"pcccd") // turns end with steps 7 and 11
	known := map[string]*SessionLabels{"a": {ID: "a", Steps: 11, Moments: []Moment{
		{Kind: loops, Step: 3, Last: 4}, {Kind: unproved, Step: 7}, {Kind: unproved, Step: 10, Weight: "weak"}, {Kind: sameReport, Step: 11, Weight: "weak"},
	}}}
	c := measured(t, dir, known, trimtab.Use(guard{slot: "loop", steps: []int{6, 8}}), trimtab.Use(stopper{}))
	l := c.Labelled
	found := row(t, l.Moments, func(m MomentRow) bool { return m.Kind == loops })
	if found.Clear != 1 || found.Found != 1 || found.Said != 2 || found.Right != 1 {
		t.Errorf("loops: %+v", found)
	}
	found = row(t, l.Moments, func(m MomentRow) bool { return m.Kind == unproved })
	if found.Clear != 1 || found.Found != 1 || found.Weak != 1 || found.Spoken != 0 || found.Said != 2 || found.Right != 1 {
		t.Errorf("unproved finishes: %+v", found) // the end at step 11 is not that of step 10
	}
	said := row(t, l.Said, func(s SaidRow) bool { return s.Kind == unproved })
	if said.Count != 2 || said.Verdicts[useful] != 1 || said.Verdicts[unknown] != 1 || said.Last != 0 {
		t.Errorf("continuations: %+v", said)
	}
	said = row(t, l.Said, func(s SaidRow) bool { return s.Kind == loops })
	if said.Count != 2 || said.Last != 1 || said.Behind != 0 { // the one of step 6 rides on the request that step 7 answers
		t.Errorf("notes on loops: %+v", said)
	}
	if len(l.Missed) != 0 {
		t.Errorf("missed: %+v", l.Missed)
	}
}

func TestMissedMomentsAndLengthRule(t *testing.T) {
	dir := t.TempDir()
	known := map[string]*SessionLabels{}
	for i, script := range []string{"pcccccccd", "pcccccccd", "pcd"} {
		id := fmt.Sprint("s", i)
		recorded(t, filepath.Join(dir, "daily"), id, script)
		known[id] = &SessionLabels{ID: id, Steps: strings.Count(script, "c") + 1}
	}
	known["s0"].Moments = []Moment{{Kind: loops, Step: 6}}
	l := measured(t, dir, known).Labelled
	m := row(t, l.Moments, func(m MomentRow) bool { return m.Kind == loops })
	if m.Found != 0 || m.Length.Said != 2 || m.Length.Right != 1 || m.Length.Found != 1 {
		t.Errorf("%+v", m) // the best that length can do: one of two long sessions
	}
	if len(l.Missed) != 1 || l.Missed[0].Session != "s0" || l.Missed[0].Step != 6 {
		t.Errorf("missed %+v", l.Missed)
	}
}

func TestWhatAPersonReadHolds(t *testing.T) {
	dir := t.TempDir()
	recorded(t, filepath.Join(dir, "daily"), "a", "pcccccccccccd")
	known := map[string]*SessionLabels{"a": {ID: "a", Steps: 12, Notes: []NoteLabel{
		{Step: 4, By: "guard", Slot: "loop", Verdict: annoying}, {Step: 8, By: "guard", Slot: "loop", Verdict: useful},
	}, Moments: []Moment{{Kind: loops, Step: 4}}}}
	l := measured(t, dir, known, trimtab.Use(guard{slot: "loop", steps: []int{4}})).Labelled
	if s := l.Said[0]; s.Verdicts[annoying] != 1 || l.Moments[1].Found != 0 || l.Useful != 1 || l.Kept != 0 {
		t.Errorf("a note that was read as annoying answers nothing: %+v, %+v", s, l)
	}
	l = measured(t, dir, known, trimtab.Use(guard{slot: "loop", steps: []int{9}})).Labelled
	if s := l.Said[0]; s.Verdicts[useful] != 1 || l.Kept != 1 {
		t.Errorf("a note one step off is the one that was read: %+v", s)
	}
	l = measured(t, dir, known, trimtab.Use(guard{slot: "loop", steps: []int{5}})).Labelled
	if s := l.Said[0]; s.Verdicts[useful] != 1 || l.Moments[1].Found != 1 {
		t.Errorf("a moment goes before a note near it: %+v", s)
	}
}

func TestRunsAreCountedByTheirOutcome(t *testing.T) {
	dir := t.TempDir()
	outcomes := object{}
	for id, script := range map[string]string{"loop": "pffffffffffff", "long": "pcccccccccccccccs", "right": "pcs", "wrong": "pccs", "broken": "pcs"} {
		recorded(t, filepath.Join(dir, "tb"), id, script)
		outcomes[id] = object{"resolved": id == "right" || id == "long", "submitted": strings.HasSuffix(script, "s")}
	}
	outcomes["broken"].(object)["mode"] = "parse_error"
	put(t, filepath.Join(dir, "tb.meta.json"), outcomes)
	r := measured(t, dir, nil, trimtab.Use(stopper{})).Runs
	if r.Failed != 3 || r.Solved != 2 || r.Submitted != 3 || r.Wrong != 1 || r.Held != 3 || r.HeldWrong != 1 {
		t.Errorf("%+v", r)
	}
	a := row(t, r.Alarms, func(a alarms) bool { return a.Rule == "detector: progress" })
	if a.Failed != 1 || a.Solved != 0 || a.LongerFailed != 0 || a.LongerSolved != 1 || a.Longer != 12 {
		t.Errorf("%+v", a)
	}
}

func TestOtherSessionsUnderTheSameIDAreNotLabelled(t *testing.T) {
	dir := t.TempDir()
	recorded(t, filepath.Join(dir, "daily"), "a", "pcd")
	put(t, filepath.Join(dir, "daily", "junk.json"), object{"a": 1})
	engine, err := trimtab.New(trimtab.Config{})
	if err != nil {
		t.Fatal(err)
	}
	res := measuredAll(t, dir, Options{Engine: engine, Known: map[string]*SessionLabels{"a": {ID: "a", Steps: 3}}})
	if len(res.Warnings) != 2 || res.Corpora[0].Labelled != nil || res.Corpora[0].Sessions != 1 {
		t.Errorf("%+v", res)
	}
}

func TestLabelsOfTheProject(t *testing.T) {
	known, err := ReadLabels("../../bench/judgement/labels")
	if err != nil {
		t.Fatal(err)
	}
	notes, moments := 0, 0
	for _, s := range known {
		notes += len(s.Notes)
		moments += len(s.Moments)
	}
	if len(known) < 40 || notes == 0 || moments == 0 {
		t.Errorf("%d sessions, %d notes, %d moments", len(known), notes, moments)
	}
}

func TestWrongLabelsAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"format":  `{"format": 2}`,
		"verdict": `{"format": 1, "sessions": [{"session": "a", "steps": 9, "notes": [{"step": 1, "by": "todo", "verdict": "fine"}]}]}`,
		"kind":    `{"format": 1, "sessions": [{"session": "a", "steps": 9, "moments": [{"step": 1, "kind": "boredom"}]}]}`,
		"step":    `{"format": 1, "sessions": [{"session": "a", "steps": 9, "moments": [{"step": 10, "kind": "loop"}]}]}`,
		"twice":   `{"format": 1, "sessions": [{"session": "a"}, {"session": "a"}]}`,
		"no id":   `{"format": 1, "sessions": [{}]}`,
		"json":    `{`,
	} {
		file := filepath.Join(t.TempDir(), "l.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLabels(file); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestKinds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kinds.json")
	put(t, file, []KindRow{{By: "mine", Slot: "x", Kind: loops}})
	table, err := ReadKinds(file)
	if err != nil {
		t.Fatal(err)
	}
	for want, note := range map[Kind][3]string{
		loops: {"mine", "x", ""}, "mine": {"mine", "y", ""}, sameReport: {"guard", "report", ""}, unproved: {"stop", "continue", "no check since the last change"},
		"open todo": {"stop", "continue", "2 open items on the todo list"}, "todo": {"todo", "reminder", ""},
	} {
		if got := table.Of(note[0], note[1], note[2]); got != want {
			t.Errorf("%v is %q, want %q", note, got, want)
		}
	}
}
