package evidence

import (
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence/command"
	"github.com/trimtab/trimtab/host"
)

// Record is what is known of the work of a session.
type Record struct {
	Now     int      `json:"now,omitempty"`     // results so far
	Open    []open   `json:"open,omitempty"`    // calls that wait for their results
	Changed []Change `json:"changed,omitempty"` // code that changed since the person's last prompt, oldest first
	Last    int      `json:"last,omitempty"`    // when code changed last, whenever that was
	Ran     []Ran    `json:"ran,omitempty"`     // commands that are evidence, the newest run of each, oldest first
	Weak    []string `json:"weak,omitempty"`    // tests switched off or taken away since a check failed
	Off     bool     `json:"off,omitempty"`     // some were switched off since then
	Tests   int      `json:"tests,omitempty"`   // tests that were added since then, less those taken away
	Red     int      `json:"red,omitempty"`     // when a check failed last in this turn
	Turn    int      `json:"turn,omitempty"`    // results when the person's last prompt came
	Named   []string `json:"named,omitempty"`   // checks that this prompt names
	Scripts []string `json:"scripts,omitempty"` // scripts that were written in this session, the newest last
	Removed []Change `json:"removed,omitempty"` // tests of a suite of their own that were taken away since the last prompt
	Refused bool     `json:"refused,omitempty"` // the person did not let a check run since the last prompt

	// What the newest message told, code or not, evidence or not. It is not stored.
	Wrote []string `json:"-"` // files; "" where a command does not tell
	Told  []Ran    `json:"-"` // commands
}

// Change is a file that changed.
type Change struct {
	File string `json:"file"` // "" where a command does not tell
	At   int    `json:"at"`

	Found bool `json:"found,omitempty"` // by a look at the working tree
}

// Ran is a command that was run, and how it went last.
type Ran struct {
	Command string  `json:"command"`
	Kind    Kind    `json:"kind,omitempty"`
	Dir     string  `json:"dir,omitempty"`
	Outcome Outcome `json:"outcome"`
	At      int     `json:"at"`
	Failing int     `json:"failing,omitempty"` // when it failed, where no run since has told otherwise
	Green   int     `json:"green,omitempty"`   // when it passed last
}

// open is a call that waits for its result.
type open struct {
	ID         string   `json:"id"`
	Command    string   `json:"command,omitempty"`
	Files      []string `json:"files,omitempty"`
	Skips      []string `json:"skips,omitempty"`
	Off        bool     `json:"off,omitempty"`
	Tests      int      `json:"tests,omitempty"`
	Silent     bool     `json:"silent,omitempty"`
	Background bool     `json:"background,omitempty"`
}

const maxOpen, maxRan, maxChanged, maxWeak, maxScripts, maxID = 64, 24, 64, 8, 8, 128

// See takes a message in.
func (r Record) See(m trimtab.Message) Record {
	r.Wrote, r.Told = nil, nil
	if m.From != "" || m.Role == trimtab.RoleSystem {
		return r
	}
	if m.IsPrompt() {
		r.Changed, r.Weak, r.Tests, r.Off, r.Red, r.Removed, r.Refused = nil, nil, 0, false, 0, nil, false
		r.Turn, r.Named = r.Now, namedChecks(m.Typed())
	}
	if m.Role == trimtab.RoleAssistant {
		r.Open = nil // what the model did not wait for will not come
	}
	for _, part := range m.Parts {
		switch part := part.(type) {
		case trimtab.ToolCall:
			r = r.call(part)
		case trimtab.ToolResult:
			r = r.result(part)
		case trimtab.Opaque:
			if part.Kind == host.HiddenCalls { // a check may be among them, and an edit
				r.Changed, r.Red = nil, 0
			}
		}
	}
	return r
}

func (r Record) call(c trimtab.ToolCall) Record {
	in := ReadCall(c)
	if in.Command == "" && len(in.Files) == 0 || len(r.Open) >= maxOpen {
		return r
	}
	r.Open = append(slices.Clip(r.Open), open{ID: trimtab.Clip(c.ID, maxID), Command: in.Command, Files: in.Files, Skips: in.Skips, Off: in.Off, Tests: in.Tests, Silent: in.Silent, Background: in.Background})
	return r
}

func (r Record) result(res trimtab.ToolResult) Record {
	i := slices.IndexFunc(r.Open, func(o open) bool { return o.ID == trimtab.Clip(res.ID, maxID) })
	if i < 0 {
		return r
	}
	o := r.Open[i]
	r.Open = slices.Concat(r.Open[:i], r.Open[i+1:])
	r.Now++
	if o.Command == "" {
		switch {
		case res.Failed:
		case o.Silent:
			r.Wrote = append(r.Wrote, o.Files...)
		default:
			r = r.changed(o.Files, len(o.Files) > 0).weakened(o.Skips, o.Tests, o.Off)
		}
		return r
	}
	l := ReadLine(o.Command)
	if res.Failed && command.WasRefused(res.Text) {
		r.Refused = r.Refused || command.WasForbidden(res.Text) && slices.ContainsFunc(l.Runs, func(run Run) bool { return run.Kind == Check })
		return r
	}
	how := l.Read(res.Text, res.Failed)
	if o.Background {
		how = Unknown
	}
	if l.Writes && (how != Failed || len(l.Runs) > 0) { // what a line writes, it writes before its last part is done
		r = r.changed(l.Files, true).weakened(l.Removed, -len(l.Removed), false)
	}
	each := l.Each(res.Text, res.Failed)
	for i, run := range l.Runs {
		n := Ran{Command: run.Command, Kind: run.Kind, Dir: l.Dir, Outcome: each[i], At: r.Now}
		if o.Background {
			n.Outcome = Unknown
		}
		r.Told = append(r.Told, n)
		if run.Kind != Other && (n.Outcome != Unknown || o.Background) { // what nobody was told takes nothing back
			r = r.ran(n)
		}
	}
	return r
}

func (r Record) changed(files []string, any bool) Record {
	if !any {
		return r
	}
	r.Wrote = append(r.Wrote, files...)
	if len(files) == 0 {
		r.Wrote = append(r.Wrote, "")
	}
	code := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !IsCode(f) })
	if len(files) > 0 && len(code) == 0 {
		return r
	}
	if len(files) == 0 {
		code = []string{""}
	}
	r.Last = r.Now
	r.Changed = slices.DeleteFunc(slices.Clone(r.Changed), func(c Change) bool {
		i := slices.IndexFunc(code, func(f string) bool { return sameFile(f, c.File) })
		if i >= 0 && len(c.File) > len(code[i]) {
			code[i] = c.File // the whole path tells more
		}
		return i >= 0
	})
	for _, f := range code {
		r.Changed = append(r.Changed, Change{File: f, At: r.Now})
		if isScript(f) && !slices.Contains(r.Scripts, f) {
			r.Scripts = append(slices.Clip(r.Scripts), f)
			r.Scripts = r.Scripts[max(0, len(r.Scripts)-maxScripts):]
		}
	}
	r.Changed = r.Changed[max(0, len(r.Changed)-maxChanged):]
	return r
}

// sameFile reports whether two paths are those of one file: an editor is given the whole
// path, a command the one from the folder of the project.
func sameFile(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || a != "" && !strings.HasPrefix(a, "/") && strings.HasPrefix(b, "/") && strings.HasSuffix(b, "/"+a)
}

// Found takes in the files that the working tree shows to have changed since the last prompt,
// where a command of this turn may have written them: what a person edits meanwhile is theirs.
// Nobody knows when it was, so any check of the turn counts.
func (r Record) Found(files []string) Record {
	if r.Now == r.Turn || len(r.Changed) > 0 {
		return r
	}
	for _, f := range files {
		if f = command.CleanPath(f); command.IsCode(f) && len(r.Changed) < maxChanged {
			r.Changed = append(slices.Clip(r.Changed), Change{File: f, At: r.Turn, Found: true})
		}
	}
	return r
}

// Shown takes in what came of a check that somebody else has run.
func (r Record) Shown(command string, how Outcome) Record {
	r.Now++
	return r.ran(Ran{Command: command, Kind: Check, Outcome: how, At: r.Now})
}

// FailedBefore reports whether a command failed before the last prompt, and has not passed
// since.
func (r Record) FailedBefore(command string) bool {
	return slices.ContainsFunc(r.Ran, func(n Ran) bool {
		return Same(n.Command, command) && n.Failing > 0 && n.Failing <= r.Turn
	})
}

// weakened notes tests that are fewer than they were: after a check failed, and in suites
// that the usual check does not run.
func (r Record) weakened(tests []string, more int, off bool) Record {
	if r.Red > 0 {
		r.Tests, r.Off = r.Tests+more, r.Off || off
	}
	for _, f := range tests {
		if suiteOf(f) != "" && len(r.Removed) < maxWeak {
			r.Removed = append(slices.Clip(r.Removed), Change{File: f, At: r.Now})
		}
	}
	if r.Red == 0 {
		return r
	}
	for _, f := range tests {
		if !slices.Contains(r.Weak, f) && len(r.Weak) < maxWeak {
			r.Weak = append(slices.Clip(r.Weak), f)
		}
	}
	return r
}

func (r Record) ran(n Ran) Record {
	if n.Kind == Check && n.Outcome == Failed {
		r.Red = n.At
	}
	r.Ran = slices.DeleteFunc(slices.Clone(r.Ran), func(o Ran) bool {
		if o.Command != n.Command || o.Dir != n.Dir {
			return false
		}
		if n.Outcome == Empty && o.Outcome == Passed && o.At >= r.Last {
			n.Outcome = Passed // it passed on what is there now, and is not run again for that
		}
		if n.Green = o.Green; n.Outcome == Empty || n.Outcome == Unknown {
			n.Failing = o.Failing
		}
		return true
	})
	switch n.Outcome {
	case Failed:
		n.Failing = n.At
	case Passed:
		n.Green = n.At
	}
	r.Ran = append(r.Ran, n)
	r.Ran = r.Ran[max(0, len(r.Ran)-maxRan):]
	return r
}

// Find returns the newest run of a command.
func (r Record) Find(command string) (Ran, bool) {
	for _, n := range slices.Backward(r.Ran) {
		if Same(n.Command, command) {
			return n, true
		}
	}
	return Ran{}, false
}

// Same reports whether two commands show the same. Flags that only say how often, how loudly
// or how fast make no difference.
func Same(a, b string) bool { return same(a) != "" && same(a) == same(b) }

// Holds reports whether a command succeeded and no code has changed since.
func (r Record) Holds(n Ran) bool { return n.Outcome == Passed && n.At >= r.Last }

// quiet are flags that change nothing of what a check shows.
var quiet = []string{"-v", "-vv", "-q", "-qq", "-count=1", "-race", "--verbose", "--quiet", "--silent", "-s", "--color", "--no-color", "--colors", "-x", "--watch=false", "--runInBand", "-i", "--no-cache", "--tb=short", "--tb=line", "--run"}

func same(line string) string {
	words := strings.Fields(trimtab.Clip(line, command.MaxLine))
	words = slices.DeleteFunc(words, func(w string) bool {
		return slices.Contains(quiet, w) || strings.HasPrefix(w, "-timeout") || strings.HasPrefix(w, "-parallel") || strings.HasPrefix(w, "--color=") || strings.HasPrefix(w, "-p=")
	})
	return strings.Join(words, " ")
}
