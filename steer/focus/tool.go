package focus

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// maxRead is the most that is read of one input or text, in bytes.
const maxRead = 256 << 10

// tools follows the calls of a message and their results: requests for research,
// checks, files that change. Only whether a call succeeded counts; what a tool
// prints can mark nothing.
func (s *step) tools(said trimtab.Message) {
	for _, part := range said.Parts {
		if c, ok := part.(trimtab.ToolCall); ok && said.Role == trimtab.RoleAssistant {
			s.call(c)
		}
	}
	s.m.Did = s.m.Did.See(said)
	if len(s.m.Did.Wrote) > 0 {
		s.changed(s.m.Did.Wrote)
	}
	for _, n := range s.m.Did.Told { // what a command line writes, it writes before its last part is done
		s.ran(n)
	}
}

func (s *step) call(c trimtab.ToolCall) {
	switch {
	case isMark(c.Name):
		var in struct{ ID, Evidence string }
		if len(c.Input) <= maxRead && json.Unmarshal(c.Input, &in) == nil && strings.TrimSpace(in.Evidence) != "" {
			s.m, _, _ = s.claim(s.m, in.ID, in.Evidence, "model", ByMark, s.at)
		}
	case researches(c):
		s.request(topicOf(c))
	}
}

// isMark reports whether a tool is the one that marks a criterion, by whatever
// server it comes.
func isMark(name string) bool {
	return name == "criterion_met" || strings.HasSuffix(name, "_criterion_met")
}

// ran notes how a command went: criteria that rest on it are met or undone.
func (s *step) ran(n evidence.Ran) {
	if n.Outcome == evidence.Unknown || n.Outcome == evidence.Empty {
		return
	}
	ok := n.Outcome == evidence.Passed
	for _, c := range s.criteria {
		if ok && evidence.Same(c.Check, n.Command) {
			s.m = s.m.mark(Mark{ID: c.ID, How: ByCheck, By: string(trimtab.Tool), At: s.at, Check: n.Command, Text: n.Command + " succeeded"})
		}
	}
	for _, k := range slices.Clone(s.m.Marks) {
		switch {
		case !evidence.Same(k.Check, n.Command):
		case !ok:
			s.undo(k.ID, n.Command+" failed")
		case k.Stale != "": // it holds again
			k.Stale, k.At = "", s.at
			s.m = s.m.mark(k)
		}
	}
}

// changed notes files that changed: what rests on them, or, where they are code, on a
// command that ran before, has to be shown again.
func (s *step) changed(files []string) {
	code := slices.IndexFunc(files, func(f string) bool { return f == "" || evidence.IsCode(f) })
	for _, k := range slices.Clone(s.m.Marks) {
		if k.Check != "" {
			if code >= 0 {
				s.undo(k.ID, cmp.Or(files[code], "files")+" changed after "+k.Check+" ran")
			}
			continue
		}
		for _, f := range k.Files {
			if slices.ContainsFunc(files, func(w string) bool { return w != "" && sameFile(w, f) }) {
				s.undo(k.ID, f+" changed afterwards")
				break
			}
		}
	}
}

// sameFile reports whether a path that was written is the file that evidence names, by its
// whole path or the end of it.
func sameFile(written, named string) bool {
	return strings.HasSuffix("/"+written, "/"+named) || strings.HasSuffix("/"+named, "/"+written)
}

// rests finds what a claim rests on: the command that it quotes, or where it speaks of tests
// or of a build, the check that ran last. never is a quoted one that did not run.
func (m Memory) rests(id, claim string) (n evidence.Ran, never string, found bool) {
	for _, q := range quotes(claim) {
		if n, found = m.Did.Find(q); found {
			return n, "", true
		}
		if l := evidence.ReadLine(q); len(l.Runs) > 0 && l.Runs[0].Kind == evidence.Check && strings.Contains(q, " ") {
			return n, q, false
		}
	}
	text := strings.Join(strings.Fields(trimtab.Clip(claim, maxRead)), " ")
	for _, r := range m.Did.Ran {
		if len(r.Command) >= 4 && len(r.Command) > len(n.Command) && strings.Contains(text, r.Command) {
			n, found = r, true
		}
	}
	if found || !ofChecks().MatchString(id+" "+claim) {
		return n, "", found
	}
	for _, r := range m.Did.Ran {
		if r.Kind == evidence.Check && r.At >= n.At {
			n, found = r, true
		}
	}
	return n, "", found
}

var ofChecks = lazyregexp.Pattern(`(?i)(?:\b|_)(?:tests?|builds?|compiles?|lint|checks?|suite)(?:[_ ]\w+){0,3}[_ ](?:pass(?:es|ed)?|green|ok|clean|succeed(?:s|ed)?|works?)\b|\b(?:pass(?:es|ed|ing)?|green)\b.{0,20}\b(?:tests?|suite|build)\b`)

// quotes are what a text has between backticks, a few of them.
func quotes(text string) []string {
	var out []string
	for i, part := range strings.Split(trimtab.Clip(text, 4*maxEvidence), "`") {
		if part = strings.TrimSpace(part); i%2 == 1 && part != "" && len(out) < 8 {
			out = append(out, part)
		}
	}
	return out
}

// filesIn returns what evidence names as files: words with an extension.
func filesIn(evidence string) []string {
	var out []string
	for f := range strings.FieldsSeq(trimtab.Clip(evidence, 4*maxEvidence)) {
		f = strings.TrimLeft(strings.TrimRight(f, "`'\"()[]{}<>,;:!?."), "`'\"([{<")
		f, _, _ = strings.Cut(f, ":") // a line number
		f = strings.TrimPrefix(strings.ReplaceAll(f, "\\", "/"), "./")
		ext := path.Ext(f)
		if f != "e.g" && f != "i.e" && len(ext) > 1 && len(ext) < 8 && len(f) > len(ext) && len(f) < 200 && hasLetter(ext) && !slices.Contains(out, f) && len(out) < maxMarkFiles {
			out = append(out, f)
		}
	}
	return out
}

func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
}
