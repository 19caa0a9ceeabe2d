package evidence

import (
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
)

// Record is what is known of the work of a session.
type Record struct {
	Now     int      `json:"now,omitempty"`     // results so far
	Open    []open   `json:"open,omitempty"`    // calls that wait for their results
	Changed []Change `json:"changed,omitempty"` // code that changed since the person's last prompt, oldest first
	Last    int      `json:"last,omitempty"`    // when code changed last, whenever that was
	Ran     []Ran    `json:"ran,omitempty"`     // commands that are evidence, the newest run of each, oldest first
	Weak    []string `json:"weak,omitempty"`    // tests switched off or taken away since a check failed
	Red     int      `json:"red,omitempty"`     // when a check failed last in this turn

	// What the newest message told, code or not, evidence or not. It is not stored.
	Wrote []string `json:"-"` // files; "" where a command does not tell
	Told  []Ran    `json:"-"` // commands
}

// Change is a file that changed.
type Change struct {
	File string `json:"file"` // "" where a command does not tell
	At   int    `json:"at"`
}

// Ran is a command that was run, and how it went last.
type Ran struct {
	Command string  `json:"command"`
	Kind    Kind    `json:"kind,omitempty"`
	Dir     string  `json:"dir,omitempty"`
	Outcome Outcome `json:"outcome"`
	At      int     `json:"at"`
}

// open is a call that waits for its result.
type open struct {
	ID         string   `json:"id"`
	Command    string   `json:"command,omitempty"`
	Files      []string `json:"files,omitempty"`
	Skips      []string `json:"skips,omitempty"`
	Background bool     `json:"background,omitempty"`
}

const maxOpen, maxRan, maxChanged, maxWeak, maxID = 64, 24, 64, 8, 128

// See takes a message in.
func (r Record) See(m trimtab.Message) Record {
	r.Wrote, r.Told = nil, nil
	if m.From != "" || m.Role == trimtab.RoleSystem {
		return r
	}
	if m.IsPrompt() {
		r.Changed, r.Weak, r.Red = nil, nil, 0
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
		}
	}
	return r
}

func (r Record) call(c trimtab.ToolCall) Record {
	in := ReadCall(c)
	if in.Command == "" && len(in.Files) == 0 || len(r.Open) >= maxOpen {
		return r
	}
	r.Open = append(slices.Clip(r.Open), open{ID: trimtab.Clip(c.ID, maxID), Command: in.Command, Files: in.Files, Skips: in.Skips, Background: in.Background})
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
		if !res.Failed {
			r = r.changed(o.Files, len(o.Files) > 0).weakened(o.Skips)
		}
		return r
	}
	l := ReadLine(o.Command)
	how := l.read(res)
	if o.Background {
		how = Unknown
	}
	if l.Writes && (how != Failed || len(l.Runs) > 0) { // what a line writes, it writes before its last part is done
		r = r.changed(l.Files, true).weakened(l.Removed)
	}
	for _, run := range l.Runs {
		n := Ran{Command: run.Command, Kind: run.Kind, Dir: l.Dir, Outcome: how, At: r.Now}
		r.Told = append(r.Told, n)
		if run.Kind != Other {
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
	r.Changed = slices.DeleteFunc(slices.Clone(r.Changed), func(c Change) bool { return slices.Contains(code, c.File) })
	for _, f := range code {
		r.Changed = append(r.Changed, Change{f, r.Now})
	}
	r.Changed = r.Changed[max(0, len(r.Changed)-maxChanged):]
	return r
}

// weakened notes tests that are fewer than they were when a check failed.
func (r Record) weakened(tests []string) Record {
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
	r.Ran = slices.DeleteFunc(slices.Clone(r.Ran), func(o Ran) bool { return o.Command == n.Command && o.Dir == n.Dir })
	r.Ran = append(r.Ran, n)
	r.Ran = r.Ran[max(0, len(r.Ran)-maxRan):]
	return r
}

// Gap is work of this turn that nothing has shown to be right.
type Gap struct {
	Files []string // that changed and were not run since, the newest last
	Check Ran      // the command that would show it; its last outcome may be older than the change
	Red   bool     // it failed when it ran last, after the change
	Weak  []string // tests that were switched off or taken away after it had failed
}

// Unproved tells what changed since the person's last prompt and was not shown to be right
// since: no check has passed after the change, and nothing that was changed was run; or the
// last check failed. It is not ok where all is shown, and where nobody knows how to.
func (r Record) Unproved() (Gap, bool) {
	var g Gap
	if len(r.Changed) == 0 {
		return g, false
	}
	since := r.Changed[len(r.Changed)-1].At
	for _, c := range r.Changed {
		if c.File != "" {
			g.Files = append(g.Files, c.File)
		}
	}
	newest := func(kind Kind, which func(Ran) bool) (best Ran) {
		for _, n := range r.Ran {
			if n.Kind == kind && n.Outcome != Unknown && n.Outcome != Empty && which(n) && n.At > best.At {
				best = n
			}
		}
		return best
	}
	after := func(n Ran) bool { return n.At >= since && r.covers(n) }
	check := newest(Check, after)
	switch {
	case check.Outcome == Failed:
		g.Check, g.Red = check, true
		return g, true
	case check.Outcome == Passed && len(r.Weak) > 0:
		g.Check, g.Weak = check, r.Weak
		return g, true
	case check.Outcome == Passed && !r.untried(since):
		return g, false
	}
	if try := newest(Try, after); try.Outcome == Passed {
		return g, false
	}
	g.Check = r.known()
	return g, g.Check.Command != ""
}

// known is the command that would show whether the work is right: one that was run before,
// the script itself that was written, or what every project of the language has.
func (r Record) known() Ran {
	for _, told := range []bool{true, false} { // one that said something goes first
		for _, kind := range []Kind{Check, Try} {
			for _, n := range slices.Backward(r.Ran) {
				if n.Kind == kind && (n.Outcome == Passed || n.Outcome == Failed) == told {
					return n
				}
			}
		}
	}
	for _, c := range slices.Backward(r.Changed) {
		switch path.Ext(c.File) {
		case ".sh", ".bash", ".py", ".rb", ".pl":
			if !IsTest(c.File) || path.Ext(c.File) == ".sh" {
				return Ran{Command: path.Base(c.File), Kind: Try}
			}
		case ".go":
			return Ran{Command: "go test ./...", Kind: Check}
		case ".rs":
			return Ran{Command: "cargo test", Kind: Check}
		}
	}
	return Ran{}
}

// untried reports whether all that changed is a script that nothing has run since: tests of
// something else say nothing of it.
func (r Record) untried(since int) bool {
	for _, c := range r.Changed {
		if ext := path.Ext(c.File); ext != ".sh" && ext != ".bash" {
			return false
		}
		base := path.Base(c.File)
		if slices.ContainsFunc(r.Ran, func(n Ran) bool { return n.At >= since && strings.Contains(n.Command, base) }) {
			return false
		}
	}
	return true
}

// covers reports whether a run is about what changed: not in a folder that has nothing to
// do with it.
func (r Record) covers(n Ran) bool {
	if !strings.HasPrefix(n.Dir, "/") {
		return true
	}
	absolute := false
	for _, c := range r.Changed {
		if strings.HasPrefix(c.File, "/") {
			absolute = true
			if strings.HasPrefix(c.File, n.Dir+"/") {
				return true
			}
		}
	}
	return !absolute
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

func same(command string) string {
	words := strings.Fields(trimtab.Clip(command, maxCommand))
	words = slices.DeleteFunc(words, func(w string) bool {
		return slices.Contains(quiet, w) || strings.HasPrefix(w, "-timeout") || strings.HasPrefix(w, "-parallel") || strings.HasPrefix(w, "--color=") || strings.HasPrefix(w, "-p=")
	})
	return strings.Join(words, " ")
}
