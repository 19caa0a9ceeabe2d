package tool

import (
	"path"
	"strings"

	"github.com/trimtab/trimtab"
)

// rule is one line of an ignore file.
type rule struct {
	parts   []string // of the pattern, between slashes; "**" is any number of folders
	back    bool     // "!": what matches is taken in again
	dirOnly bool     // it ended with a slash
	rooted  bool     // it has a slash elsewhere, so it starts at the file's own folder
}

// The limits of an ignore file.
const (
	maxIgnore   = 1 << 20 // bytes
	maxRules    = 10000
	maxRuleText = 1024
)

// parseIgnore reads an ignore file, in the form that git gives it. Lines beyond
// the limits are left out.
func parseIgnore(text string) []rule {
	text = strings.TrimPrefix(trimtab.Clip(text, maxIgnore), "\uFEFF")
	var rules []rule
	for line := range strings.Lines(text) {
		if r, ok := parseRule(line); ok {
			rules = append(rules, r)
		}
		if len(rules) == maxRules {
			break
		}
	}
	return rules
}

func parseRule(line string) (r rule, ok bool) {
	line = trimBlank(strings.TrimRight(line, "\r\n"))
	if len(line) > maxRuleText || strings.HasPrefix(line, "#") {
		return r, false
	}
	if rest, yes := strings.CutPrefix(line, "!"); yes {
		r.back, line = true, rest
	}
	if rest, yes := strings.CutSuffix(line, "/"); yes {
		r.dirOnly, line = true, rest
	}
	r.rooted = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	for part := range strings.SplitSeq(line, "/") {
		if part == "**" && len(r.parts) > 0 && r.parts[len(r.parts)-1] == "**" {
			continue
		}
		part = strings.ReplaceAll(part, "[!", "[^") // git's word for "none of" and Go's
		if _, err := path.Match(part, ""); err != nil {
			return r, false // as in git, a broken pattern matches nothing
		}
		r.parts = append(r.parts, part)
	}
	if r.rooted && r.parts[len(r.parts)-1] == "**" {
		r.parts = append(r.parts, "*") // what is in the folder, not the folder
	}
	return r, true
}

// trimBlank takes away the blanks at the end that no backslash protects.
func trimBlank(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// match reports whether the rule speaks of a path, which is relative to the
// folder of its file.
func (r rule) match(rel string, dir bool) bool {
	if r.dirOnly && !dir {
		return false
	}
	if !r.rooted {
		return matchPart(r.parts[0], path.Base(rel))
	}
	return matchParts(r.parts, strings.Split(rel, "/"))
}

func matchPart(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// matchParts matches a path part by part. It goes back to the latest "**" only,
// which is enough and keeps it from trying every way.
func matchParts(pattern, name []string) bool {
	p, n := 0, 0
	star, at := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, at = p, n
			p++
		case p < len(pattern) && matchPart(pattern[p], name[n]):
			p, n = p+1, n+1
		case star >= 0:
			at++
			p, n = star+1, at
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// ignores are the rules in force in a folder: those of its own ignore files and
// of the folders above it.
type ignores struct {
	above *ignores
	base  string // the folder whose files these are
	rules []rule
}

// hides reports whether a path of the project folder is ignored. The nearest
// file's last matching line decides.
func (ig *ignores) hides(rel string, dir bool) bool {
	for ; ig != nil; ig = ig.above {
		name := rel
		if ig.base != "." {
			name = strings.TrimPrefix(rel, ig.base+"/")
		}
		for i := len(ig.rules) - 1; i >= 0; i-- {
			if ig.rules[i].match(name, dir) {
				return !ig.rules[i].back
			}
		}
	}
	return false
}
