package improve_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// literal are the rules as the design of the automation has them.
var literal = improve.Options{Literal: true}

func TestR2_TheSameCallThreeTimesIsRepeatedToolUse(t *testing.T) {
	r := record("s").person("go")
	for i := range 2 {
		r.use("Bash", map[string]any{"command": "go  test ./...", "description": fmt.Sprint("try ", i)}, fmt.Sprint("ok ", i), false)
	}
	if found := of(r.reflectWith(t, literal), improve.RepeatedTool); len(found) != 0 {
		t.Errorf("two calls are a pattern: %+v", found)
	}
	r.use("Bash", map[string]any{"description": "in another order", "command": "go test   ./..."}, "ok 3", false)
	p := one(t, r.reflectWith(t, literal), improve.RepeatedTool)
	if p.Count != 3 || p.Severity != improve.Low || p.Context["tool"] != "Bash" || p.Context["kind"] != "same_input" || !strings.Contains(p.Context.Text("about"), "go test ./...") {
		t.Errorf("got %+v", p)
	}
	if len(p.Samples) == 0 || p.Samples[0].Session != "s" || p.Samples[0].Message != "s-4" || p.Samples[0].Excerpt != "Bash go test ./..." {
		t.Errorf("samples %+v", p.Samples)
	}
}

func TestR2_ATenthUseOfOneToolIsRepeatedToolUse(t *testing.T) {
	r := record("s").person("go")
	for i := range 9 {
		r.use("Read", map[string]string{"file_path": fmt.Sprintf("dir%d/file%c.go", i, 'a'+i)}, fmt.Sprint("text ", i), false)
	}
	if found := of(r.reflectWith(t, literal), improve.RepeatedTool); len(found) != 0 {
		t.Errorf("nine uses are a pattern: %+v", found)
	}
	r.use("Read", map[string]string{"file_path": "other.go"}, "more", false)
	p := one(t, r.reflectWith(t, literal), improve.RepeatedTool)
	if p.Count != 10 || p.Severity != improve.High || p.Context["kind"] != "same_tool" {
		t.Errorf("got %+v", p)
	}
}

func TestR2_ThreeFailedResultsOfOneSignatureAreAnErrorPattern(t *testing.T) {
	r := record("s").person("go").
		bash("go build ./a", "a/mill.go:12:3: undefined: grind", true).
		bash("go build ./b", "b/mill.go:907: undefined: grind", true).
		bash("go vet", "all is well", false)
	if found := of(r.reflect(t, nil), improve.ErrorPatterns); len(found) != 0 {
		t.Errorf("two errors are a pattern: %+v", found)
	}
	r.bash("go build ./c", "\x1b[31m/home/x/mill.go:1:1: undefined: grind\x1b[0m\nexit status 1", true)
	p := one(t, r.reflect(t, nil), improve.ErrorPatterns)
	if p.Count != 3 || p.Severity != improve.Low || p.Context["signature"] != "<path>: undefined: grind" || p.Context["tool"] != "Bash" {
		t.Errorf("got %+v", p)
	}
	if want := "go build ./a → a/mill.go:12:3: undefined: grind"; p.Samples[0].Excerpt != want {
		t.Errorf("excerpt %q, want %q", p.Samples[0].Excerpt, want)
	}
}

func TestR2_ErrorsThatAreEachAnotherCountTogether(t *testing.T) {
	r := record("s").person("go").bash("a", "cannot find module", true).bash("b", "permission denied", true)
	if found := of(r.reflect(t, nil), improve.ErrorPatterns); len(found) != 0 {
		t.Errorf("two errors are a pattern: %+v", found)
	}
	p := one(t, r.bash("c", "connection refused", true).reflect(t, nil), improve.ErrorPatterns)
	if p.Count != 3 || p.Context["kind"] != "various" || !p.General() {
		t.Errorf("got %+v", p)
	}
}

func TestR2_WhetherACallFailedIsWhatTheTranscriptSays(t *testing.T) {
	text := "error: it failed, fatal, panic: exception"
	r := record("s").person("go")
	for i := range 5 {
		r.use("Read", map[string]string{"file_path": fmt.Sprint("log", i)}, text, false) // a log that tells of errors
		r.bash(fmt.Sprint("cat log", i), text, false)
	}
	if found := of(r.reflect(t, nil), improve.ErrorPatterns); len(found) != 0 {
		t.Errorf("what a tool shows was taken for its failure: %+v", found)
	}
	r = record("s").person("go")
	for i := range 3 { // a host that tells the exit code only in the output
		r.use("exec_command", map[string]string{"cmd": fmt.Sprint("make ", i)}, "Process exited with code 2\nOutput:\nno rule to make target", false)
		r.use("Read", map[string]string{"file_path": fmt.Sprint("f", i)}, "Exit code: 2\nno rule", false)
	}
	if p := one(t, r.reflect(t, nil), improve.ErrorPatterns); p.Count != 3 || p.Context["tool"] != "exec_command" {
		t.Errorf("got %+v", p)
	}
}

func TestR2_ASearchThatFindsNothingHasNotFailed(t *testing.T) {
	r := record("s").person("go")
	for i := range 4 {
		r.bash(fmt.Sprint("grep -r word", i), "Exit code 1", true)
	}
	if found := of(r.reflect(t, nil), improve.ErrorPatterns); len(found) != 0 {
		t.Errorf("got %+v", found)
	}
	for i := range 3 {
		r.bash(fmt.Sprint("mill --grind ", i), "Exit code 1", true)
	}
	if p := one(t, r.reflect(t, nil), improve.ErrorPatterns); p.Count != 3 || p.Context["signature"] != "bash mill ends with exit code <n> and says nothing" {
		t.Errorf("got %+v", p)
	}
}

func TestR2_R3_FrustrationNeedsTwoDistinctHumanMessages(t *testing.T) {
	for name, c := range map[string]struct {
		tape *tape
		want int // complaints; 0 is no pattern
	}{
		"two":                   {record("s").person("it doesn't work").model("?").person("still failing, why isn't it fixed"), 2},
		"curly and capital":     {record("s").person("This DOESN’T WORK").person("Not working."), 2},
		"one":                   {record("s").person("it doesn't work, still failing, not working"), 0},
		"the same twice":        {record("s").person("it doesn't work").model("ok").person("It  doesn't work"), 0},
		"three, two the same":   {record("s").person("it doesn't work").person("it doesn't work").person("why isn't it done"), 2},
		"a tool says so":        {record("s").person("go").bash("a", "it doesn't work", true).bash("b", "still failing, not working", false), 0},
		"the model says so":     {record("s").person("go").model("It doesn't work.").model("Still failing.").model("It is not working."), 0},
		"the host says so":      {record("s").person("go").host("it doesn't work").host("still failing"), 0},
		"one person, one tool":  {record("s").person("it doesn't work").bash("a", "still failing", true), 0},
		"only shown":            {record("s").person("see:\n```\nit doesn't work\n```").person("they wrote:\n> still failing\nwhat now?"), 0},
		"only supposed":         {record("s").person("if it doesn't work, tell me").person("check whether it is not working"), 0},
		"a word inside another": {record("s").person("make a not workingday calendar").person("the why isn'ts"), 0},
	} {
		found := of(c.tape.reflect(t, nil), improve.Frustration)
		switch {
		case c.want == 0 && len(found) > 0:
			t.Errorf("%s: %+v", name, found)
		case c.want > 0 && (len(found) != 1 || found[0].Count != c.want || found[0].Severity != improve.Critical || len(found[0].Samples) != c.want):
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestR2_MoreThanAHundredMessagesAreALongSession(t *testing.T) {
	r := record("s").person("go")
	for i := range 99 {
		r.model(fmt.Sprint("step ", i, " of the work, on to ", i*i))
	}
	if found := of(r.reflect(t, nil), improve.LongSession); len(found) != 0 {
		t.Errorf("100 messages are long: %+v", found)
	}
	if p := one(t, r.model("one more").reflect(t, nil), improve.LongSession); p.Severity != improve.Medium || p.Count != 1 || p.Context["messages"] != 101 {
		t.Errorf("got %+v", p)
	}
}

func TestR2_ALoopComesFromTheDetector(t *testing.T) {
	r := record("s").person("make the tests pass")
	for range 8 {
		r.bash("go test ./...", "--- FAIL: TestMill (0.00s)\n    mill_test.go:12: got 3, want 4\nFAIL", true)
	}
	if p := one(t, r.reflect(t, nil), improve.Loop); p.Count < 3 || p.Context["kind"] == "" || len(p.Samples) == 0 {
		t.Errorf("got %+v", p)
	}
	quiet := record("s").person("look around")
	for i := range 8 {
		quiet.bash(fmt.Sprint("cat part", i), fmt.Sprint("something new ", strings.Repeat(fmt.Sprint("w", i, " "), 20)), false)
	}
	if found := of(quiet.reflect(t, nil), improve.Loop); len(found) != 0 {
		t.Errorf("got %+v", found)
	}
}

func todos(done, open int) map[string]any {
	var list []map[string]string
	for i := range done + open {
		status := "completed"
		if i >= done {
			status = "pending"
		}
		list = append(list, map[string]string{"content": fmt.Sprint("part ", i), "status": status, "activeForm": "x"})
	}
	return map[string]any{"todos": list}
}

func TestR2_TodosThatAreLeftOpenAreIgnored(t *testing.T) {
	write := func(done, open int) *tape {
		return record("s").person("go").use("TodoWrite", todos(done, open), "Todos have been modified", false)
	}
	if p := one(t, write(1, 2).model("All done.").reflect(t, nil), improve.IgnoredTodo); p.Count != 2 || len(p.Samples) != 2 || p.Samples[0].Excerpt != "part 1" {
		t.Errorf("got %+v", p)
	}
	stale := write(0, 1)
	for i := range 21 {
		stale.bash(fmt.Sprint("echo ", i), fmt.Sprint("new ", i), false)
	}
	one(t, stale.reflect(t, nil), improve.IgnoredTodo)
	for name, r := range map[string]*tape{
		"all done": write(3, 0).model("All done."), "asks": write(1, 2).model("Shall I go on?"), "at work": write(1, 2), "none written": record("s").person("go").model("done"),
	} {
		if found := of(r.reflect(t, nil), improve.IgnoredTodo); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestR2_APersonWhoHasToSayContinueTellsOfAPrematureStop(t *testing.T) {
	for text, want := range map[string]bool{
		"continue": true, "Continue.": true, "please continue": true, "go on": true, "keep going until all tests pass": true, "ok, proceed": true, "carry on please": true,
		"the continue statement is wrong": false, "continue statements confuse me": false, "go on holiday mode": false, "yes": false, "proceedings": false,
	} {
		got := len(of(record("s").person("build it").model("I did the first part.").person(text).reflect(t, nil), improve.PrematureStop)) == 1
		if got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for name, r := range map[string]*tape{
		"an answer":       record("s").person("build it").model("Shall I go on?").person("continue"),
		"the host":        record("s").person("build it").model("I did.").host("continue"),
		"a tool":          record("s").person("build it").model("I did.").bash("a", "continue", false),
		"the first words": record("s").person("continue"),
		"broken off":      record("s").person("build it").model("I beg").host("[Request interrupted by user]").person("continue"),
	} {
		if found := of(r.reflect(t, nil), improve.PrematureStop); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestR2_ACompactionOrARefusalIsAContextOverflow(t *testing.T) {
	f, err := improve.NewReflector(improve.Options{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range record("s").person("go").model("prompt is too long, I say as the model").bash("x", "prompt is too long", true).host("Prompt is too long").messages {
		m.Model = "m"
		f.See(m)
	}
	f.Compacted()
	r, _ := f.Result(start)
	if p := one(t, r, improve.Overflow); p.Count != 2 || p.Severity != improve.Low || len(p.Samples) != 2 {
		t.Errorf("got %+v", p)
	}
}

func TestR2_TheSameInstructionTwiceIsARepeatedCorrection(t *testing.T) {
	const rule = "use tabs and not spaces in every Go file"
	again := record("s").person(rule).model("done").bash("x", "y", false).person("please use tabs and not spaces in every Go file!").model("sorry")
	if p := one(t, again.reflect(t, nil), improve.SameCorrection); p.Count != 2 || p.Samples[1].Message != "s-5" {
		t.Errorf("got %+v", p)
	}
	for name, r := range map[string]*tape{
		"sent twice": record("s").person(rule).person(rule).model("done"),
		"another":    record("s").person(rule).model("done").person("now write the tests for the parser of tables"),
		"too short":  record("s").person("try again").model("done").person("try again"),
		"by a tool":  record("s").person(rule).model("done").bash("cat AGENTS.md", rule, false).host(rule),
	} {
		if found := of(r.reflect(t, nil), improve.SameCorrection); len(found) != 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestR3_SeverityByTypeAndCount(t *testing.T) {
	for _, c := range []struct {
		kind  string
		count int
		want  improve.Severity
	}{
		{improve.Frustration, 2, improve.Critical},
		{improve.Frustration, 50, improve.Critical},
		{improve.ErrorPatterns, 3, improve.Low},
		{improve.ErrorPatterns, 4, improve.Low},
		{improve.ErrorPatterns, 5, improve.High},
		{improve.ErrorPatterns, 100, improve.High},
		{improve.RepeatedTool, 3, improve.Low},
		{improve.RepeatedTool, 4, improve.Low},
		{improve.RepeatedTool, 5, improve.Medium},
		{improve.RepeatedTool, 9, improve.Medium},
		{improve.RepeatedTool, 10, improve.High},
		{improve.LongSession, 1, improve.Medium},
		{improve.LongSession, 20, improve.Medium},
		{improve.Loop, 4, improve.Low},
		{improve.Loop, 5, improve.Medium},
		{improve.Loop, 50, improve.Medium},
		{improve.IgnoredTodo, 1, improve.Low},
		{improve.PrematureStop, 5, improve.Medium},
		{improve.Overflow, 4, improve.Low},
		{improve.SameCorrection, 5, improve.Medium},
	} {
		if got := improve.SeverityOf(c.kind, c.count); got != c.want {
			t.Errorf("%s × %d is %s, want %s", c.kind, c.count, got, c.want)
		}
	}
}

func TestR3_R14_SamplesAreRedactedBeforeTheyAreShortened(t *testing.T) {
	secret := "tok-" + strings.Repeat("q", 120) // longer than what is quoted of a command
	redact := func(s string) string { return strings.ReplaceAll(s, secret, "[REDACTED:test]") }
	r := record("s").person("why isn't " + secret + " working").person("it doesn't work with " + secret + ", I told you").model("x")
	for i := range 12 {
		r.bash("curl -H "+strings.Repeat("x", 30)+secret+fmt.Sprint(" ", i/4), "error: bad token "+secret, true)
	}
	r.person("use the token " + secret + " in all of the calls").model("y").person("use the token " + secret + " in all of the calls").model("z")
	got := fmt.Sprintf("%+v", r.reflect(t, redact))
	if strings.Contains(got, "qqqq") || !strings.Contains(got, "[REDACTED:test]") {
		t.Errorf("a secret, or a piece of one, is in the result: %s", got)
	}
	for _, p := range r.reflect(t, redact).Patterns {
		for _, s := range p.Samples {
			if len(s.Excerpt) > 200 {
				t.Errorf("an excerpt of %d bytes", len(s.Excerpt))
			}
		}
		req := improve.NewRequest(p, nil, improve.Constraints{})
		if strings.Contains(fmt.Sprintf("%+v", req), "qqqq") {
			t.Errorf("a secret is in the request: %+v", req)
		}
	}
}

func TestR16_SessionsOfOurOwnWorkflowAreNotReflectedOn(t *testing.T) {
	for name, r := range map[string]*tape{
		"at once":          record("s").person("trimtab-improve: workflow_20261115_101500_k3x9\nFix the parser."),
		"behind the host":  record("s").host("<env>x</env>").person("\n trimtab-improve: w\nFix"),
		"told by the host": record("s").host("trimtab-improve: w\nFix"),
	} {
		f, err := improve.NewReflector(improve.Options{Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		seen := true
		for _, m := range r.person("still failing").person("it doesn't work").messages {
			seen = f.See(m)
		}
		if _, ok := f.Result(start); ok || seen {
			t.Errorf("%s: it was reflected on", name)
		}
	}
	ordinary := record("s").person("hello").model("hi").person("trimtab-improve: what does this word mean?")
	if r := ordinary.reflect(t, nil); r.Metrics.UserMessages != 2 {
		t.Errorf("got %+v", r.Metrics)
	}
}

func TestMetricsCountWhatWasSaid(t *testing.T) {
	r := record("s").host("<env>").person("go").bash("a", "b", false).model("done").person("thanks").reflect(t, nil)
	minutes := 5
	want := improve.Metrics{TotalMessages: 6, UserMessages: 2, AssistantMessages: 2, ToolUses: 1, DurationMinutes: &minutes}
	if diff := cmp.Diff(want, r.Metrics); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !r.Timestamp.Equal(start.Add(6*60*1e9)) || r.Priority != improve.PriorityNone || r.Patterns == nil || r.Suggestions == nil {
		t.Errorf("got %+v", r)
	}
	f, err := improve.NewReflector(improve.Options{})
	if _, ok := f.Result(start); ok || err != nil {
		t.Error("nothing was said, and there is a result")
	}
}

// What is ours and what the system says is no part of what is judged.
func TestOurOwnNotesAreNotJudged(t *testing.T) {
	r := record("s").person("go")
	for i := range 200 {
		r.messages = append(r.messages, trimtab.Message{ID: fmt.Sprint(i), Role: trimtab.RoleUser, From: "todo", Parts: []trimtab.Part{trimtab.Text{Text: "it doesn't work " + fmt.Sprint(i), By: trimtab.Person}}})
	}
	if got := r.reflect(t, nil); len(got.Patterns) != 0 || got.Metrics.TotalMessages != 1 {
		t.Errorf("got %s", gist(got))
	}
}

// However long a session is and however much differs in it, what is kept is
// bounded, and what recurs is still found.
func TestR1_MemoryIsBoundedAndWhatRecursIsKept(t *testing.T) {
	f, err := improve.NewReflector(improve.Options{Session: "s"})
	if err != nil {
		t.Fatal(err)
	}
	feed := func(r *tape) {
		for _, m := range r.messages {
			f.See(m)
		}
	}
	for i := range 6000 {
		r := record(fmt.Sprint("m", i)).bash(fmt.Sprintf("run %c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26), fmt.Sprintf("odd failure %c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26), true)
		if i%200 == 0 {
			r.bash("make all", "no rule to make target", true)
		}
		feed(r)
	}
	got, ok := f.Result(start)
	if !ok {
		t.Fatal(errors.New("no result"))
	}
	found, total := false, 0
	for _, p := range of(got, improve.ErrorPatterns) {
		total += p.Count
		found = found || p.Context["signature"] == "no rule to make target" && p.Count == 30
	}
	if kept := f.Kept(); !found || total != 6030 || kept > 4000 || len(got.Patterns) > 60 {
		t.Errorf("found %v, %d errors, %d things kept, %d patterns: %s", found, total, kept, len(got.Patterns), gist(got))
	}
}
