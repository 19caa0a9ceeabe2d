package improve

import (
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/evidence"
)

// Exposure is what a session had the occasion for: whether a trouble did not come back,
// or could not, is told by it. It is bounded.
type Exposure struct {
	Tools    map[string]bool
	Commands map[string]int // those that were carried out, by CommandKey
	Failures []Failure
	Paths    map[string]bool // that calls named, from the session's folder
	Changed  bool            // code was changed
	Linted   bool            // a linter was run
}

// Failure is a command that failed.
type Failure struct {
	Command string // its CommandKey
	Check   bool   // of a check, which may fail for any reason
	Error   string // the line that tells what is wrong, redacted
}

const (
	maxExposed  = 500
	maxFailures = 200
)

// CommandKey is what a command comes to, whatever it is called with: its program and what
// it was to do, and of an interpreter the program that it runs.
func CommandKey(command string) string {
	runs := evidence.ReadLine(command).Runs
	if len(runs) == 0 {
		return ""
	}
	words := strings.Fields(runs[len(runs)-1].Command)
	if len(words) == 0 {
		return ""
	}
	program := path.Base(words[0])
	if !slices.Contains([]string{"python", "python3", "node", "deno", "bun", "ruby", "perl", "php", "sh", "bash", "npx", "uvx"}, program) {
		return Purpose(command)
	}
	for i, w := range words[1:] {
		if w == "-m" && i+2 < len(words) {
			return program + " -m " + words[i+2]
		}
		if !strings.HasPrefix(w, "-") {
			return program + " " + path.Base(w)
		}
	}
	return program
}

// expose notes a call.
func (r *Reflector) expose(p pending) {
	if !r.opt.Exposure {
		return
	}
	e := r.exposed()
	e.Tools[p.tool] = true
	switch {
	case p.runs:
		for _, run := range evidence.ReadLine(p.about).Runs {
			e.Linted = e.Linted || run.Kind == evidence.Check && strings.Contains(run.Command, "lint") || strings.Contains(run.Command, "ruff check") || strings.Contains(run.Command, "clippy")
		}
		for w := range strings.FieldsSeq(p.about) {
			if w = strings.Trim(w, `'"`); strings.ContainsAny(w, "./") && !strings.HasPrefix(w, "-") {
				r.exposePath(w)
			}
		}
	case p.file != "":
		r.exposePath(p.file)
	}
}

func (r *Reflector) exposed() *Exposure {
	if r.exposure == nil {
		r.exposure = &Exposure{Tools: map[string]bool{}, Commands: map[string]int{}, Paths: map[string]bool{}}
	}
	return r.exposure
}

func (r *Reflector) exposePath(file string) {
	if r.folder != "" {
		file = strings.TrimPrefix(file, r.folder+"/")
	}
	if e := r.exposed(); len(e.Paths) < maxExposed && len(file) < 300 {
		e.Paths[path.Clean(file)] = true
	}
}

// exposeResult notes how a command that was carried out ended; line is "" for one that
// succeeded.
func (r *Reflector) exposeResult(p pending, failed bool, line string) {
	if !r.opt.Exposure || !p.runs {
		return
	}
	e, key := r.exposed(), CommandKey(p.about)
	if _, ok := e.Commands[key]; !ok && len(e.Commands) >= maxExposed {
		return
	}
	e.Commands[key]++
	if failed && len(e.Failures) < maxFailures {
		check := slices.ContainsFunc(evidence.ReadLine(p.about).Runs, func(run evidence.Run) bool { return run.Kind == evidence.Check })
		e.Failures = append(e.Failures, Failure{Command: key, Check: check, Error: shorten(r.redact(line), maxLabel)})
	}
}

// Alike reports whether two texts say much the same: at least half of their words are in
// both.
func Alike(a, b string) bool { return similarity(wordsOf(a), wordsOf(b)) >= 0.5 }
