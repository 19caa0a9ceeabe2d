package improve_test

import (
	"fmt"
	"testing"

	"github.com/trimtab/trimtab/improve"
)

// R18: an error is named by the line that tells, not by a wrapper's, a log's or a shown one.
func TestR18_TheLineThatTellsNamesTheError(t *testing.T) {
	for name, c := range map[string]struct{ result, want string }{
		"a linter that cannot compile":  {"cmd/a.go:1: : # example.com/cli [example.com/cli.test]\ncmd/a.go:22:6: undefined: grind (typecheck)\n1 issues:", "cmd/a.go:22:6: undefined: grind (typecheck)"},
		"a package that cannot":         {"cmd/main.go:11:2: could not import example.com/cli (-: # example.com/cli\ncmd/b.go:3:1: handle redeclared in this block", "cmd/b.go:3:1: handle redeclared in this block"},
		"an import cycle":               {"package example.com/a\n\timports example.com/b\n\timports example.com/a: import cycle not allowed", "imports example.com/a: import cycle not allowed"},
		"the innermost test":            {"--- FAIL: TestMill (0.00s)\n    --- FAIL: TestMill/dry (0.00s)\n        mill_test.go:9: Grind() = 3, want 4\nFAIL\nFAIL\texample.com/mill\t0.1s", "--- FAIL: TestMill/dry (0.00s) mill_test.go:9: Grind() = 3, want 4"},
		"what a test logged before":     {"--- FAIL: TestMill (0.44s)\n    mill_test.go:3: Initial HEAD: 18ecb26\n    hooks.go:155: output: 2026/01/15 INFO started\n    mill_test.go:9: Expected a mill, got none\nFAIL", "--- FAIL: TestMill (0.44s) mill_test.go:9: Expected a mill, got none"},
		"another package without tests": {"--- FAIL: TestMill (0.03s)\ntesting: warning: no tests to run\nPASS\nok  \texample.com/b\t0.2s [no tests to run]", "--- FAIL: TestMill (0.03s)"},
		"progress that was overwritten": {"Rebasing (1/4)\rRebasing (2/4)\rerror: Unable to create 'index.lock': File exists.", "error: Unable to create 'index.lock': File exists."},
		"a line that announces":         {"The following paths are ignored by one of your .gitignore files:\n.entire\nhint: Use -f", "The following paths are ignored by one of your .gitignore files: .entire"},
		"what went well before":         {"✓ Created branch with no error\nAuto-merging a.go\nCONFLICT (content): Merge conflict in a.go", "CONFLICT (content): Merge conflict in a.go"},
		"an interpreter":                {"Traceback (most recent call last):\n  File \"a.py\", line 3\n    raise ValueError(\"no\")\nValueError: no water in the mill", "ValueError: no water in the mill"},
		"a task runner":                 {"[lint] $ golangci-lint run\nmill.go:3:1: expected declaration\n[lint] ERROR task failed", "mill.go:3:1: expected declaration"},
		"source that is shown":          {"return fmt.Errorf(\"cannot grind: %w\", err)\nt.Fatalf(\"failed\")\nmill: cannot grind", "mill: cannot grind"},
		"a host's words":                {"<tool_use_error>Agent type 'x' is none of these</tool_use_error>", "Agent type 'x' is none of these"},
	} {
		r := record("e")
		for i := range 3 {
			r.bash(fmt.Sprint("make part", i), "Exit code 1\n"+c.result, true)
		}
		got := ""
		for _, p := range r.reflect(t, nil).Patterns {
			if p.Type == improve.ErrorPatterns {
				got = p.Context.Text(improve.KeyAbout)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestR18_AnAnswerOfNoIsNoError(t *testing.T) {
	for _, command := range []string{"git config --global core.excludesfile", "cd x && grep -r y .", "git diff --exit-code", "test -f a"} {
		r := record("n")
		for range 4 {
			r.bash(command, "Exit code 1", true)
		}
		for _, p := range r.reflect(t, nil).Patterns {
			if p.Type == improve.ErrorPatterns {
				t.Errorf("%s: %+v", command, p)
			}
		}
	}
}

// A person who rejects everything has told what they do not want, and nothing of the project
// is wrong.
func TestR17_APersonWhoRejectsEverything(t *testing.T) {
	r := record("no")
	for i := range 300 {
		no := "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:\nno" + fmt.Sprint(i%7)
		r.bash(fmt.Sprint("rm -rf part", i), no, true).use("Edit", map[string]string{"file_path": fmt.Sprint("f", i), "old_string": "a", "new_string": "b"}, no, true).use(fmt.Sprint("mcp__x__tool", i), map[string]int{"n": i}, no, true)
	}
	got, abouts := r.reflect(t, nil), ""
	for _, p := range got.Patterns {
		if p.Type != improve.SaidNo && p.Type != improve.LongSession {
			t.Errorf("got %s: %v", p.Type, p.Context)
		}
		if len(p.Samples) > 3 {
			t.Errorf("%d samples of %s", len(p.Samples), p.Type)
		}
		abouts += p.Context.Text(improve.KeyAbout) + "; "
	}
	if want := "no to rm; no to a change of a file; 1800 messages; "; abouts != want {
		t.Errorf("got %s", abouts)
	}
}
