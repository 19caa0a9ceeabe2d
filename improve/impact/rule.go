package impact

import (
	"path"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

// ByRule judges by the rule that found a pattern. The results need their Exposure: a
// session that tells none had no occasion.
func ByRule(p improve.Pattern) improve.Judge {
	r := rule{pattern: p, about: p.Context.Text(improve.KeyAbout)}
	if p.Type == improve.ErrorPatterns && !p.General() {
		for _, s := range p.Samples {
			command, text, ok := strings.Cut(s.Excerpt, " → ")
			if !ok {
				continue
			}
			if key := improve.CommandKey(strings.TrimSuffix(command, "…")); key != "" {
				r.commands = append(r.commands, key)
			}
			r.errors = append(r.errors, text)
		}
		r.errors = append(r.errors, r.about)
	}
	return r
}

type rule struct {
	pattern  improve.Pattern
	about    string
	commands []string // that failed
	errors   []string // with which they did
}

func (r rule) Judge(result improve.Result) (occasion bool, count int) {
	for _, list := range [][]improve.Pattern{result.Patterns, result.Faint} {
		for _, p := range list {
			if r.same(p) {
				count += p.Count
			}
		}
	}
	e := result.Exposure
	if e == nil {
		return false, count
	}
	switch r.pattern.Type {
	case improve.ErrorPatterns:
		if len(r.commands) > 0 {
			return r.ran(e), max(count, r.failures(e))
		}
		return r.tool(e), count
	case improve.SaidNo, improve.RepeatedTool, improve.Loop:
		return r.tool(e), count
	case improve.GuessedPath:
		return r.near(e), count
	case improve.LintRule:
		return e.Linted, count
	case improve.Unproved, improve.ReportedRed:
		return e.Changed, count
	}
	return result.Metrics.UserMessages > 0 && result.Metrics.AssistantMessages > 0, count
}

// same reports whether a pattern of a later session is this trouble: by its fingerprint,
// which is a rule's own name for most, and by its words where people's or tools' words
// are all there is.
func (r rule) same(p improve.Pattern) bool {
	if p.Fingerprint == r.pattern.Fingerprint {
		return true
	}
	if p.Type != r.pattern.Type {
		return false
	}
	switch p.Type {
	case improve.SameCorrection, improve.RepeatedTool, improve.Loop:
		return improve.Alike(p.Context.Text(improve.KeyAbout), r.about)
	}
	return false
}

// tool reports whether the tool that it is about was used; any, where it names none.
func (r rule) tool(e *improve.Exposure) bool {
	name := r.pattern.Context.Text(improve.KeyTool)
	return name == "" && len(e.Tools) > 0 || e.Tools[name]
}

// ran reports whether one of the commands was carried out.
func (r rule) ran(e *improve.Exposure) bool {
	for _, c := range r.commands {
		if e.Commands[c] > 0 {
			return true
		}
	}
	return false
}

// failures are those of the commands. One that merely runs checks may fail for any
// reason, so its words must be alike too.
func (r rule) failures(e *improve.Exposure) (n int) {
	for _, f := range e.Failures {
		for _, c := range r.commands {
			if c == f.Command && (!f.Check || r.alike(f.Error)) {
				n++
				break
			}
		}
	}
	return n
}

func (r rule) alike(text string) bool {
	for _, e := range r.errors {
		if improve.Alike(e, text) {
			return true
		}
	}
	return false
}

// near reports whether a path was asked for that could have been the guessed one: of the
// same name but for its ending, or in the same folder.
func (r rule) near(e *improve.Exposure) bool {
	stem := func(file string) string {
		base := path.Base(file)
		if cut := strings.TrimSuffix(base, path.Ext(base)); cut != "" {
			return cut
		}
		return base
	}
	dir := path.Dir(r.about)
	for file := range e.Paths {
		if stem(file) == stem(r.about) || dir != "." && path.Dir(file) == dir {
			return true
		}
	}
	return false
}
