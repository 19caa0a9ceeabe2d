package evidence_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/host"
)

// J11: a line is evidence for the commands whose success its own success shows.
func TestJ11_WhatALineShows(t *testing.T) {
	for _, c := range []struct{ line, runs, files string }{
		{"go test ./...", "check go test ./...", ""},
		{"go test ./... | tail -20", "check go test ./...", ""},
		{"go test ./... 2>&1 | tee /tmp/out.log | tail -5", "check go test ./...", "/tmp/out.log"},
		{"cd /repo && CGO_ENABLED=0 time go test -count=1 ./a", "check go test -count=1 ./a", ""},
		{"timeout 60 make test", "check make test", ""},
		{"go test ./... || true", "", ""},
		{"go test ./...; echo done", "check go test ./...", ""}, // as far as the output tells
		{"go test ./... > /tmp/o.txt 2>&1; tail -3 /tmp/o.txt", "check go test ./...", "/tmp/o.txt"},
		{"go test ./... | tail -3; git status --short | head", "check go test ./...", ""},
		{"go test ./...; rm -rf out", "", "out"},
		{"go build -o /tmp/x-test .; echo done", "", ""},
		{"set -e; go vet ./...; go test ./...", "check go vet ./..., check go test ./...", ""},
		{"go build ./... && go test ./...", "check go build ./..., check go test ./...", ""},
		{"npm run lint && npm test", "check npm run lint, check npm test", ""},
		{"npm install", "", ""},
		{"bundle exec rspec spec/a_spec.rb", "check rspec spec/a_spec.rb", ""},
		{"poetry run pytest -q", "check pytest -q", ""},
		{"python3 -m pytest tests", "check python3 -m pytest tests", ""},
		{"python3 solve.py", "try python3 solve.py", ""},
		{"./run-tests.sh", "check ./run-tests.sh", ""},
		{"sh check.sh", "check sh check.sh", ""},
		{"bash -e scripts/verify.sh", "check bash -e scripts/verify.sh", ""},
		{"sh slug.sh", "try sh slug.sh", ""},
		{"bash -lc 'cd x && cargo test'", "check cargo test", ""},
		{"git commit -m 'go test'", "", ""},
		{"ls; cat a.go", "", ""},
		{"sleep 5 && curl -s localhost:8080/health", "try curl -s localhost:8080/health", ""},
		{"go test ./... &", "", ""},
		{"if go test ./...; then echo ok; fi", "", ""},
		{"cat > a.go <<'EOF'\npackage a\nEOF", "", "a.go"},
		{"sed -i 's/a/b/' internal/x.go", "", "internal/x.go"},
		{"python3 - <<'EOF'\nopen('main.py', 'w').write('x')\nEOF", "", "main.py"},
		{"tee b.go < a.go", "", "b.go"},
		{"rm foo_test.go", "", "foo_test.go"},
		{"apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a/b.go\n@@\n-x\n+y\n*** End Patch\nEOF", "", "a/b.go"},
		{"gofmt -w a.go", "", ""},
		{"this is 'not a line", "", ""},
	} {
		l := evidence.ReadLine(c.line)
		var runs []string
		for _, r := range l.Runs {
			if r.Kind == evidence.Other {
				continue
			}
			runs = append(runs, string(r.Kind)+" "+r.Command)
		}
		if got := strings.Join(runs, ", "); got != c.runs || strings.Join(l.Files, " ") != c.files {
			t.Errorf("%q\n shows %q and writes %q\n  want %q and %q", c.line, got, l.Files, c.runs, c.files)
		}
	}
}

// J11: every host's way to write a file is a change, and reading is none.
func TestJ11_EveryHostsChanges(t *testing.T) {
	for _, c := range []struct {
		tool, input, files string
	}{
		{"Edit", `{"file_path":"/p/a.go","old_string":"x","new_string":"y"}`, "/p/a.go"},
		{"write", `{"filePath":"a.go","content":"x"}`, "a.go"},
		{"apply_patch", `{"patchText":"*** Begin Patch\n*** Add File: n.go\n+x\n*** Update File: a.go\n@@\n-b\n+c\n*** End Patch"}`, "n.go a.go"},
		{"apply_patch", `{"input":"*** Begin Patch\n*** Delete File: a.go\n*** End Patch"}`, "a.go"},
		{"replace", `{"file_path":"a.py","old_string":"x","new_string":"y"}`, "a.py"},
		{"str_replace_based_edit_tool", `{"command":"str_replace","path":"a.py","old_str":"x","new_str":"y"}`, "a.py"},
		{"str_replace_based_edit_tool", `{"command":"view","path":"a.py"}`, ""},
		{"developer__text_editor", `{"command":"write","path":"a.py","file_text":"x"}`, "a.py"},
		{"write_file", `{"path":"a.rs","content":"x"}`, "a.rs"},
		{"NotebookEdit", `{"notebook_path":"a.ipynb","new_source":"x"}`, "a.ipynb"},
		{"edit", `{"path":"a.ts","diff":"--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\n"}`, "a.ts"},
		{"Read", `{"file_path":"a.go"}`, ""},
		{"TodoWrite", `{"todos":[]}`, ""},
	} {
		got := evidence.ReadCall(trimtab.ToolCall{Name: c.tool, Input: json.RawMessage(c.input)})
		if strings.Join(got.Files, " ") != c.files {
			t.Errorf("%s %s: writes %q, want %q", c.tool, c.input, got.Files, c.files)
		}
	}
}

// play turns a script into a record: "> prompt", "edit FILE", "$ COMMAND => OUTPUT", with
// "!" before the output where the host says that the command failed.
func play(script string) evidence.Record {
	var r evidence.Record
	for i, line := range strings.Split(strings.TrimSpace(script), "\n") {
		id := fmt.Sprint(i)
		do := func(name string, input any, result trimtab.ToolResult) {
			raw, _ := json.Marshal(input)
			result.ID = id
			r = r.See(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: name, Input: raw}}})
			r = r.See(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{result}})
		}
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "> "):
			r = r.See(trimtab.Prompt(line[2:]))
		case strings.HasPrefix(line, "edit "):
			do("Edit", map[string]string{"file_path": line[5:], "old_string": "a", "new_string": "b"}, trimtab.ToolResult{Text: "ok"})
		case strings.HasPrefix(line, "skip "):
			do("Edit", map[string]string{"file_path": line[5:], "old_string": "a", "new_string": "t.Skip()"}, trimtab.ToolResult{Text: "ok"})
		case strings.HasPrefix(line, "$ "):
			command, out, _ := strings.Cut(line[2:]+" ", " => ")
			failed := strings.HasPrefix(out, "!")
			do("Bash", map[string]string{"command": strings.ReplaceAll(command, `\n`, "\n")}, trimtab.ToolResult{Text: strings.TrimPrefix(out, "!"), Failed: failed})
		}
	}
	return r
}

// J9, J11: what is unproved at the end of a turn.
func TestJ9_Unproved(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"checked after the change":       {"> fix\nedit a.go\n$ go test ./... => ok  	x", ""},
		"checked by a pipe":              {"> fix\nedit a.go\n$ go test ./... 2>&1 | tail -20 => ok  	x", ""},
		"checked before the change only": {"> fix\n$ go test ./... => ok  	x\nedit a.go", "a.go; go test ./... passed"},
		"red at the end":                 {"> fix\nedit a.go\n$ go test ./... => !FAIL", "a.go; go test ./... red"},
		"red by its output":              {"> fix\nedit a.go\n$ go test ./... | tail -5 => FAIL	x 0.1s", "a.go; go test ./... red"},
		"no check is known":              {"> fix\nedit a.vue", ""},
		"every project of it has one":    {"> fix\nedit a.go", "a.go; go test ./... "},
		"a script that was never run":    {"> fix\n$ make test => ok  	x 1.0s\nedit run.sh\n$ make test => ok  	x 1.0s", "run.sh; make test passed"},
		"cached results":                 {"> fix\n$ go test ./... => ok  	x 1.0s\nedit a.go\n$ go test ./... | tail => ok  	x (cached)", "a.go; go test ./... empty"},
		"cached after it passed":         {"> fix\nedit a.go\n$ go test ./... => ok  	x 1.0s\n$ go vet ./... && go test ./... => ok  	x (cached)", ""},
		"what came after it failed":      {"> fix\nedit a.go\n$ go vet ./... && go test ./... && cp a /b && echo done => !ok  	x 1.0s [exit status 1]", ""},
		"a build after it failed":        {"> fix\nedit a.go\n$ go test ./... && go build -o /b . => !ok  	x 1.0s [exit status 1]", "a.go; go build -o /b . red"},
		"the build passed then":          {"> fix\nedit a.go\n$ go test ./... && go build -o /b . => !ok  	x 1.0s [exit status 1]\n$ go build -o b . => b", ""},
		"one of two in a line failed":    {"> fix\nedit a.go\n$ go test ./... && npm test => !ok  	x 1.0s [exit status 1]", "a.go; npm test red"},
		"it failed before the rest":      {"> fix\nedit a.go\n$ go test ./... && cp a /b => !--- FAIL: TestX [exit status 1]", "a.go; go test ./... red"},
		"its output was shown after it":  {"> fix\nedit a.go\n$ go test ./... >/tmp/o; tail -1 /tmp/o => ok  	x 0.1s", ""},
		"shown once more, untold":        {"> fix\nedit a.go\n$ make test => \n$ make test; echo done => done", ""},
		"the tests, not the build":       {"> fix\n$ go test ./... => ok  	x 1.0s\n$ go build ./... => \nedit a.go", "a.go; go test ./... passed"},
		"the tests, not the fuzzing":     {"> fix\n$ go test ./... => ok  	x 1.0s\n$ go test -run ^$ -fuzz FuzzA . => !FAIL\nedit a.go", "a.go; go test ./... passed"},
		"the build of another program":   {"> fix\n$ npm test => 3 passed\n$ go build ./... => \nedit a.go", "a.go; go build ./... passed"},
		"one file under two names":       {"> fix\n$ go test ./... => ok  	x 1.0s\nedit /p/a.go\n$ sed -i s/a/b/ a.go => \nedit /p/b.go\nedit /p/a.go", "/p/b.go /p/a.go; go test ./... passed"},
		"known from an earlier turn":     {"> a\n$ make test => ok  	x\n> b\nedit a.go", "a.go; make test passed"},
		"documents only":                 {"> fix\n$ make test => ok  	x\nedit README.md\nedit docs/a.md", ""},
		"a document after the check":     {"> fix\nedit a.go\n$ make test => ok  	x\nedit README.md", ""},
		"nothing changed":                {"> what\n$ go test ./... => !FAIL", ""},
		"another folder":                 {"> fix\nedit /p/a.go\n$ cd /empty && go test ./... => ok  	y", "/p/a.go; go test ./... passed"},
		"emptied":                        {"> fix\n$ go test ./... => ok  	x\nedit a.go\n$ go test -run Nothing ./... => testing: warning: no tests to run", "a.go; go test ./... passed"},
		"its status went unseen":         {"> fix\n$ go test ./... => ok  	x\nedit a.go\n$ go test ./... >/tmp/o; echo done => done", "a.go; go test ./... passed"},
		"its output says that it failed": {"> fix\nedit a.go\n$ go test ./... >/tmp/o; tail -1 /tmp/o => FAIL	x 0.1s", "a.go; go test ./... red"},
		"swallowed":                      {"> fix\n$ go test ./... => ok  	x\nedit a.go\n$ go test ./... || true => ok", "a.go; go test ./... passed"},
		"a script rewrote it":            {"> fix\nedit a.py\n$ pytest => 3 passed\n$ python3 - <<'EOF'\\nopen('a.py', 'w').write('')\\nEOF => ", "a.py; pytest passed"},
		"tests switched off after red":   {"> fix\nedit a.go\n$ go test ./... => !--- FAIL: TestX\nskip a_test.go\n$ go test ./... => ok  	x", "a.go a_test.go; go test ./... weak a_test.go"},
		"tests removed after red":        {"> fix\nedit a.go\n$ go test ./... => !--- FAIL: TestX\n$ rm a_test.go => \n$ go test ./... => ok  	x", "a.go a_test.go; go test ./... weak a_test.go"},
		"the one that the prompt names":  {"> `sh check.sh` must pass\n$ cat > slug.sh <<'EOF'\\n#!/bin/sh\\nEOF => ", "slug.sh; sh check.sh "},
		"a program was tried":            {"> write it\n$ python3 solve.py => !x\nedit solve.py\n$ python3 solve.py => 42", ""},
		"a program was not tried":        {"> write it\n$ python3 solve.py => 41\nedit solve.py", "solve.py; python3 solve.py passed"},
		"formatted after the check":      {"> fix\nedit a.go\n$ go test ./... => ok  	x\n$ gofmt -w a.go => ", ""},
		"in the background":              {"> fix\n$ make test => ok  	x\nedit a.go\n$ make test & => started", "a.go; make test passed"},
		"a temporary file":               {"> fix\n$ make test => ok  	x\nedit /tmp/x.py", ""},
		"write and test in one line":     {"> fix\n$ sed -i s/a/b/ a.go && go test ./... => ok  	x", ""},
	} {
		gap, open := play(c.script).Unproved()
		got := ""
		if open {
			got = strings.Join(gap.Files, " ") + "; " + gap.Check.Command
			switch {
			case gap.Red:
				got += " red"
			case len(gap.Weak) > 0:
				got += " weak " + strings.Join(gap.Weak, " ")
			default:
				got += " " + string(gap.Check.Outcome)
			}
		}
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestRecordIsBoundedAndStored(t *testing.T) {
	var script strings.Builder
	for i := range 500 {
		fmt.Fprintf(&script, "edit f%d.go\n$ go test ./p%d => ok  	x\n", i, i)
	}
	r := play("> a\n" + script.String())
	raw, err := json.Marshal(r)
	if err != nil || len(raw) > 16<<10 {
		t.Fatalf("%d bytes, %v", len(raw), err)
	}
	var back evidence.Record
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(normal(back), normal(r)) {
		t.Errorf("a stored record differs: %v", err)
	}
}

func normal(r evidence.Record) evidence.Record {
	if len(r.Open) == 0 {
		r.Open = nil
	}
	r.Wrote, r.Told = nil, nil
	return r
}

func FuzzLine(f *testing.F) {
	f.Add("go test ./... | tail -5", "FAIL\tx")
	f.Add("cat > a <<EOF\nx", "")
	f.Fuzz(func(t *testing.T, line, out string) {
		raw, _ := json.Marshal(map[string]string{"command": line})
		var r evidence.Record
		r = r.See(trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "1", Name: "Bash", Input: raw}}})
		r = r.See(trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "1", Text: out}}})
		r.Unproved()
	})
}

// R28: where a transcript only says that commands were run, nobody knows whether one of them
// was the check.
func TestR28_HiddenCallsLeaveNothingToSay(t *testing.T) {
	edit := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "1", Name: "Edit", Input: json.RawMessage(`{"file_path":"mill.go"}`)}}}
	done := trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.ToolResult{ID: "1", Text: "Added 1 line"}}}
	hidden := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Opaque{Kind: host.HiddenCalls, By: trimtab.Model}}}
	prompt := trimtab.Message{Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: "mend it", By: trimtab.Person}}}
	r := evidence.Record{}.See(prompt).See(edit).See(done)
	if _, open := r.Unproved(); !open {
		t.Error("an edit that nothing checked is proved")
	}
	if gap, open := r.See(hidden).Unproved(); open {
		t.Errorf("hidden commands proved nothing: %+v", gap)
	}
}
