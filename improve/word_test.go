package improve_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

const no = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."

// TestR17_APersonsNoIsNoErrorOfTheProject: it is what it is, with the reason that was
// typed; and what was broken off, or fell with a call beside it, is nothing.
func TestR17_APersonsNoIsNoErrorOfTheProject(t *testing.T) {
	var all []improve.Result
	for i, reason := range []string{"no, I did not say commit anything", "", "don't check this in"} {
		r := record(fmt.Sprint("s", i)).person("tidy up")
		text := no + " STOP what you are doing."
		if reason != "" {
			text = no + " To tell you how to proceed, the user said:\n" + reason
		}
		r.bash(fmt.Sprintf("cd /x && git add file%d && git commit -m 'x'", i), text, true)
		for range 4 {
			r.bash("go test ./...", "[Request interrupted by user for tool use]", true)
			r.use("Read", map[string]string{"file_path": "a.go"}, "<tool_use_error>Sibling tool call errored</tool_use_error>", true)
			r.use("Edit", map[string]string{"file_path": "a.go"}, "<tool_use_error>String to replace not found in file.</tool_use_error>", true)
			r.use("ExitPlanMode", map[string]string{"plan": "x"}, no, true)
		}
		result := r.reflect(t, nil)
		if found := of(result, improve.ErrorPatterns); len(found) > 0 || len(result.Faint) != 1 {
			t.Errorf("errors: %+v, faint %+v", found, result.Faint)
		}
		all = append(all, result)
	}
	merged := slices.DeleteFunc(improve.Merge(all), func(m improve.Merged) bool { return m.Type == improve.Loop })
	if len(merged) != 1 || merged[0].Type != improve.SaidNo || merged[0].Sessions != 3 || merged[0].Context.Text("about") != "no to git commit" {
		t.Fatalf("%+v", merged)
	}
	if text := fmt.Sprint(merged[0].Samples); !strings.Contains(text, "no, I did not say commit anything") || !strings.Contains(text, "don't check this in") {
		t.Errorf("the person's reasons are lost: %s", text)
	}
}

// A command that prints the host's words of a rejection has failed all the same.
func TestR17_WhatACommandPrintsIsNobodysWord(t *testing.T) {
	r := record("s").person("go")
	for range 3 {
		r.bash("cat log", "Exit code 1\n"+no+" the user said: automata", true)
	}
	result := r.reflect(t, nil)
	if found := of(result, improve.SaidNo); len(found) > 0 || len(of(result, improve.ErrorPatterns)) != 1 {
		t.Errorf("%s", gist(result))
	}
}

// TestR17_APersonWhoReportsARedCheckIsHeard, once a session, over sessions; not one who
// speaks of what would be, or asks for a test.
func TestR17_APersonWhoReportsARedCheckIsHeard(t *testing.T) {
	for text, want := range map[string]string{
		"mise run lint fails":                                            "lint",
		"the tests are still failing":                                    "tests",
		"\"npm run test:ci\" fails":                                      "tests",
		"when running the unit tests I get failures, can you check?":     "tests",
		"fix lint errors":                                                "lint",
		"can you fix the failing tests / build":                          "tests",
		"1. lint failing\n2. update from main":                           "lint",
		"nice. but the build is broken on main":                          "build",
		"CI is red ❌":                                                    "CI",
		"integration tests don't pass":                                   "tests",
		"golangci-lint is showing errors, can you take a look?":          "lint",
		"write a test that should fail for each case":                    "",
		"if the tests fail, tell me":                                     "",
		"how did this not fail tests?":                                   "",
		"this will cause build failures for windows users of the tool":   "",
		"run the tests and the linter":                                   "",
		"the error message of the parser is not helpful":                 "",
		"add a test for the failing branch":                              "",
		"make sure that the tests pass":                                  "",
		"the lint passes now, thanks; what about the broken link there?": "",
	} {
		r := record("s").person("do it").model("Done.").person(text)
		got := ""
		for _, p := range append(r.reflect(t, nil).Faint, r.reflect(t, nil).Patterns...) {
			if p.Type == improve.ReportedRed {
				got, _, _ = strings.Cut(p.Context.Text("about"), " ")
			}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var all []improve.Result
	for i := range 3 {
		all = append(all, record(fmt.Sprint("s", i)).person("do it").model("Done.").person(fmt.Sprintf("lint fails in part %d", i)).reflect(t, nil))
	}
	if m := improve.Merge(all); len(m) != 1 || m[0].Type != improve.ReportedRed || m[0].Sessions != 3 || m[0].Severity != improve.High {
		t.Errorf("%+v", m)
	}
}

// TestR17_AnInterruptionIsToldWithWhatThePersonSaidNext, and one after which the same was
// sent again is not.
func TestR17_AnInterruptionIsToldWithWhatThePersonSaidNext(t *testing.T) {
	r := record("s").person("build the mill").model("I begin with the roof").host("[Request interrupted by user]").person("the foundation comes first").
		model("Yes").host("[Request interrupted by user]").person("the foundation comes first").model("Yes")
	p := one(t, r.reflect(t, nil), improve.Interrupted)
	if p.Count != 1 || p.Samples[0].Excerpt != "the foundation comes first" || !p.General() {
		t.Errorf("%+v", p)
	}
}

// TestR18_TroubleIsTheSameCallWithTheSameResult: not a check that passes again, nor a call
// that gives something new each time, nor a tool that is used much.
func TestR18_TroubleIsTheSameCallWithTheSameResult(t *testing.T) {
	r := record("s").person("go")
	for i := range 12 {
		r.bash("go test ./...", "ok", false)
		r.use("Read", map[string]string{"file_path": "log.txt"}, fmt.Sprint("line ", strings.Repeat("x", i)), false)
	}
	if found := of(r.reflect(t, nil), improve.RepeatedTool); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	for range 3 {
		r.bash("make deploy", "Exit code 2\ncannot reach the host", true)
	}
	p := one(t, r.reflect(t, nil), improve.RepeatedTool)
	if p.Count != 3 || p.Context.Text("about") != "Bash make deploy" || p.General() {
		t.Errorf("%+v", p)
	}
}

// TestR18_CountsNameExactlyWhatWasCounted: another file is another call.
func TestR18_CountsNameExactlyWhatWasCounted(t *testing.T) {
	r := record("s").person("go")
	for _, file := range []string{"a.go", "b.go"} {
		for range 3 {
			r.use("Read", map[string]string{"file_path": "/home/me/p/" + file}, "text of "+file, false)
		}
	}
	found := of(r.reflect(t, nil), improve.RepeatedTool)
	if len(found) != 2 || found[0].Count != 3 || found[1].Count != 3 || found[0].Fingerprint == found[1].Fingerprint {
		t.Errorf("%+v", found)
	}
}

// TestR18_ErrorsAreNamedByTheLineThatTells, not by the wrapper's, nor by code that the
// output shows.
func TestR18_ErrorsAreNamedByTheLineThatTells(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Exit code 1\n[test] $ go test ./...\n# example.org/mill\nmill.go:3: undefined: grind\nFAIL\texample.org/mill [build failed]\n[test] ERROR task failed", "mill.go:3: undefined: grind"},
		{"Exit code 1\n[test] $ go test ./...\n--- FAIL: TestMill (0.00s)\n    mill_test.go:9: got 3\nFAIL", "--- FAIL: TestMill (0.00s) mill_test.go:9: got 3"},
		{"Exit code 1\n\treturn fmt.Errorf(\"failed to grind: %w\", err)\nINFO cleanup completed failed_branches=0\nError: the mill is locked", "the mill is locked"},
		{"Exit code 1\n> mill@1.0.0 test\nnpm ERR! code ELIFECYCLE\nTypeError: grind is not a function", "TypeError: grind is not a function"},
	} {
		r := record("s").person("go")
		for i := range 3 {
			r.bash(fmt.Sprint("try ", i), c.text, true)
		}
		if p := one(t, r.reflect(t, nil), improve.ErrorPatterns); p.Context.Text("about") != c.want {
			t.Errorf("%q, want %q", p.Context.Text("about"), c.want)
		}
	}
}

// TestR18_LintRulesAndGuessedPathsAreFindings with their names, counted by session.
func TestR18_LintRulesAndGuessedPathsAreFindings(t *testing.T) {
	outputs := []string{
		"Exit code 1\n[lint] $ golangci-lint run\nmill.go:1021:14: Error return value of `grind` is not checked (errcheck)\nmill.go:9:1: Error return value of `x` is not checked (errcheck)\n[lint] ERROR task failed",
		"mill.go:3:2: Error return value is not checked (errcheck)\nmill.go:1: undefined: x (typecheck)\n1 issues:",
		"Exit code 1\nmill.go:5:14: Error return value of `grind` is not checked (errcheck)",
	}
	var all []improve.Result
	for i, text := range outputs {
		r := record(fmt.Sprint("s", i)).person("go").edit("mill.go").edit("grind.go").bash("make lint", text, strings.HasPrefix(text, "Exit"))
		folder := fmt.Sprintf("/home/u%d/mill", i)
		r.use("Read", map[string]string{"file_path": folder + "/.golangci.yml"}, "<tool_use_error>File does not exist.</tool_use_error>", true)
		r.bash("cd src/mill && ls", "Exit code 1\n(eval):cd:1: no such file or directory: src/mill", true)
		r.use("Read", map[string]string{"file_path": "/etc/of-another"}, "File does not exist.", true)
		f, err := improve.NewReflector(improve.Options{Session: r.id})
		if err != nil {
			t.Fatal(err)
		}
		f.In(folder)
		for _, m := range r.messages {
			f.See(m)
		}
		result, _ := f.Result(start)
		all = append(all, result)
	}
	got := map[string]int{}
	for _, m := range improve.Merge(all) {
		got[m.Type+" "+m.Context.Text("about")] = m.Sessions
	}
	for _, want := range []string{"lint_rule errcheck", "guessed_path .golangci.yml", "guessed_path src/mill"} {
		if got[want] != 3 {
			t.Errorf("%s: %v", want, got)
		}
	}
	if len(got) != 4 { // and the file of another, which is an error like any
		t.Errorf("%v", got)
	}
}

func TestLintersNameTheirRules(t *testing.T) {
	for line, want := range map[string]string{
		"  12:5  error  'x' is never reassigned. Use 'const' instead  prefer-const":                  "prefer-const",
		"  3:1   warning  Unexpected any. Specify a type  @typescript-eslint/no-explicit-any":        "@typescript-eslint/no-explicit-any",
		"app/mill.py:3:80: E501 Line too long (92 > 88)":                                             "E501",
		"app/mill.py:12:0: C0116: Missing function or method docstring (missing-function-docstring)": "missing-function-docstring",
		"  = note: `#[warn(clippy::needless_return)]` on by default":                                 "needless_return",
		"lib/mill.rb:3:5: C: [Correctable] Style/StringLiterals: Prefer single-quoted strings":       "Style/StringLiterals",
		"mill.go:601:7: G306: Expect WriteFile permissions to be 0600 or less (gosec)":               "gosec G306",
		"   ^-- SC2086 (info): Double quote to prevent globbing":                                     "SC2086",
	} {
		r := record("s").person("go").edit("app/mill.py").edit("lib/mill.rb").edit("mill.go")
		for range 3 {
			r.bash("lint", "Exit code 1\n"+line, true)
		}
		if p := one(t, r.reflect(t, nil), improve.LintRule); p.Context.Text("about") != want {
			t.Errorf("%q: %q, want %q", line, p.Context.Text("about"), want)
		}
	}
}

// TestR19_TurnsThatEndUnproved: red, and with changes after the last check.
func TestR19_TurnsThatEndUnproved(t *testing.T) {
	edit := func(r *tape) *tape {
		return r.use("Edit", map[string]string{"file_path": "mill.go", "old_string": "a", "new_string": "b"}, "The file mill.go has been updated.", false)
	}
	r := record("s").person("go")
	for range 3 {
		edit(r).bash("go test ./...", "ok  \texample.org/mill\t0.1s", false)
		edit(r).model("All done.").person("and the next")
	}
	edit(r).bash("go test ./...", "Exit code 1\n--- FAIL: TestMill (0.00s)\nFAIL", true).model("It should work now.")
	result := r.reflect(t, nil)
	p := one(t, result, improve.Unproved)
	if p.Count != 3 || p.Context["kind"] != improve.UncheckedEnd {
		t.Errorf("%+v", p)
	}
	red := 0
	for _, f := range result.Faint {
		if f.Type == improve.Unproved && f.Context["kind"] == improve.RedEnd {
			red += f.Count
		}
	}
	if red != 1 {
		t.Errorf("%d red ends in %+v", red, result.Faint)
	}
	// Proved, asked, and broken off are none.
	fine := record("f").person("go")
	for range 3 {
		edit(fine).bash("go test ./...", "ok  \texample.org/mill\t0.1s", false).model("Done, and the tests pass.").person("next")
		edit(fine).model("Shall I go on?").person("yes")
		edit(fine).model("I").host("[Request interrupted by user]").person("wait, another thing")
	}
	fine.bash("go test ./...", "ok  \texample.org/mill\t0.1s", false).model("Done.")
	for _, f := range append(fine.reflect(t, nil).Patterns, fine.reflect(t, nil).Faint...) {
		if f.Type == improve.Unproved {
			t.Errorf("%+v", f)
		}
	}
}

// R18: a rule is broken by who changed the file: not by an agent that is asked to mend it, nor
// by one that tries the linter on other files. What nothing uses yet is a change half done.
func TestR18_OnlyRulesThatTheSessionBrokeCount(t *testing.T) {
	found := "Exit code 1\ncmd/mill.go:12:3: Error return value is not checked (errcheck)\ncmd/mill.go:14:6: func turn is unused (unused)"
	for name, c := range map[string]struct {
		tape *tape
		want int
	}{
		"nothing was changed":     {record("s").person("fix lint errors").bash("make lint", found, true).bash("make lint", found, true).bash("make lint", found, true), 0},
		"another file":            {record("s").person("go").edit("cmd/river.go").bash("make lint", found, true).bash("make lint", found, true).bash("make lint", found, true), 0},
		"that file":               {record("s").person("go").edit("/p/cmd/mill.go").bash("make lint", found, true).bash("make lint", found, true).bash("make lint", found, true), 1},
		"that file, by a command": {record("s").person("go").bash("cat >> cmd/mill.go <<'E'\nx\nE", "", false).bash("make lint", found, true).bash("make lint", found, true).bash("make lint", found, true), 1},
	} {
		result := c.tape.reflect(t, nil)
		rules := of(result, improve.LintRule)
		if len(rules) != c.want || len(rules) == 1 && rules[0].Context.Text("about") != "errcheck" {
			t.Errorf("%s: %s", name, gist(result))
		}
		if errs := of(result, improve.ErrorPatterns); len(errs) > 0 {
			t.Errorf("%s: the linter's word is taken for an error: %s", name, gist(result))
		}
	}
}

// R19: tests that were put together are fewer, and checked all the same; what a checkout changed
// is nobody's work.
func TestR19_WhatWasCheckedIsNotCalledUnchecked(t *testing.T) {
	merged := record("s").person("go").edit("mill.go").bash("go test ./...", "--- FAIL: TestA\nFAIL", true)
	merged.use("Edit", map[string]string{"file_path": "mill_test.go", "old_string": "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {}", "new_string": "func TestA(t *testing.T) {}"}, "ok", false)
	merged.bash("go test ./...", "ok  \tmill", false).model("Done.").person("thanks")
	moved := record("s").person("go").bash("go test ./...", "ok  \tmill", false).bash("git checkout main", "Switched to branch 'main'", false).model("There.").person("thanks")
	for name, r := range map[string]*tape{"merged tests": merged, "a checkout": moved} {
		result := r.reflect(t, nil)
		for _, p := range append(result.Patterns, result.Faint...) {
			if p.Type == improve.Unproved {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// R17: a report that names the command says what to run.
func TestR17_AReportOfARedCheckNamesTheCommand(t *testing.T) {
	var all []improve.Result
	for i, said := range []string{`"mise run test:ci" fails`, "the tests are failing", "mise run test:ci is failing"} {
		all = append(all, record(fmt.Sprint("s", i)).person("go").model("Done.").person(said).reflect(t, nil))
	}
	for _, m := range improve.Merge(all) {
		if m.Type == improve.ReportedRed && m.Context.Text(improve.KeyCheck) != "mise run test:ci" {
			t.Errorf("%+v", m)
		}
	}
}

// R14: what a person names passes the redactor, too.
func TestR17_ANamedCheckIsRedacted(t *testing.T) {
	redact := func(s string) string { return strings.ReplaceAll(s, "CANARY", "[REDACTED:key]") }
	for _, p := range append(record("s").person("go").model("Done.").person("`make test KEY=CANARY` fails").reflect(t, redact).Faint, record("s").person("go").edit("a.go").bash("make lint", "a.go:1:2: CANARY is not checked (errcheck)", true).reflect(t, redact).Faint...) {
		if raw, err := json.Marshal(p); err != nil || strings.Contains(string(raw), "CANARY") {
			t.Errorf("%s %v", raw, err)
		}
	}
}
