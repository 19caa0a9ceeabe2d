// Package promptfile tells what a person typed from what stands in a file that a host
// reads by itself: custom commands, prompt templates, skills, recipes, and the files with
// instructions for agents. Some hosts send the text of such a file in the shape of a
// prompt, and have no hook that says what was typed; the file itself then does.
//
// It compares lines, with the places that a host fills in left open, and reads no more
// than maxFiles files. It decides for a repository's file and a person's own alike:
// neither was typed.
//
//	files := promptfile.Of("gemini", project, home, args)
//	if files.Hold(text) { … } // not typed
package promptfile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Files are those that a host may read by itself in one run.
type Files struct {
	paths []string
	ours  []string // folders of ours among them, in the person's home
}

// What is read of them at most.
const (
	maxFiles = 512
	maxSize  = 256 << 10
	maxDepth = 4
)

// Of returns the files of a host in a project and in a home folder, and those that the
// arguments of a run name. Any host may be named: of one that is not known, the files of
// all hosts count.
func Of(name, project, home string, args []string) Files {
	var f Files
	for _, h := range host.All() {
		if _, known := host.Find(name); known && h.Name != name {
			continue
		}
		for _, path := range h.Prompts.Project {
			f.add(project, path)
		}
		for _, path := range h.Prompts.Home {
			f.add(home, path)
			if home != "" {
				f.ours = append(f.ours, filepath.Join(home, filepath.FromSlash(path), "trimtab")+string(filepath.Separator))
			}
		}
	}
	for _, path := range host.AnyPrompts {
		f.add(project, path)
	}
	for _, arg := range args {
		if _, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(arg, "-") {
			arg = value
		}
		arg = strings.TrimPrefix(arg, "@")
		if arg != "" && len(arg) < 4096 && !strings.ContainsAny(arg, "\n\x00") {
			if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
				f.paths = append(f.paths, arg)
			}
		}
	}
	return f
}

func (f *Files) add(root, path string) {
	if root != "" {
		f.paths = append(f.paths, filepath.Join(root, filepath.FromSlash(path)))
	}
}

// Hold reports whether a line of the text stands in one of the files. They are read anew
// each time: an agent may have written one since.
func (f Files) Hold(text string) bool {
	var lines []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	if len(lines) == 0 {
		return false
	}
	read, found := 0, false
	for _, root := range f.paths {
		walk(root, 0, func(path string) bool {
			read++
			found = read > maxFiles || holds(path, lines, f.own(path)) // with more files than that nobody can say
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// walk calls do for each plain file of a tree until it returns false. Links are followed
// no further than to files: hosts do so, and a loop ends at maxDepth.
func walk(path string, depth int, do func(path string) bool) bool {
	info, err := os.Stat(path)
	switch {
	case err != nil || depth > maxDepth:
		return true
	case info.Mode().IsRegular():
		return do(path)
	case !info.IsDir():
		return true
	}
	all, err := os.ReadDir(path)
	if err != nil {
		return true
	}
	for _, e := range all {
		if e.Type()&fs.ModeSymlink != 0 {
			if to, err := os.Stat(filepath.Join(path, e.Name())); err != nil || to.IsDir() {
				continue
			}
		}
		if !walk(filepath.Join(path, e.Name()), depth+1, do) {
			return false
		}
	}
	return true
}

var (
	// hole is what a host fills in: arguments, the content of a file, the output of a
	// command. The forms are those of all hosts.
	hole = lazyregexp.Pattern("[@!]\\{(?:[^{}]|\\{\\{[^}]*\\}\\})*\\}|\\{\\{[^}]*\\}\\}|\\$ARGUMENTS|\\$\\{?[0-9@*][^}\\s]*\\}?|\\$[A-Z_]+\\b|!`[^`]*`|@[\\w./~-]+")
	// included is a line whose content a command of a host takes from another file or a
	// program.
	included = lazyregexp.Pattern("^\\s*([@!]\\{(?:[^{}]|\\{\\{[^}]*\\}\\})*\\}\\s*|!`[^`]*`\\s*)+$")
	// quoted is a text in a file of settings.
	quoted = lazyregexp.Pattern(`"((?:[^"\\]|\\.)*)"|'([^']*)'`)
)

// own reports whether a file is one of ours.
func (f Files) own(path string) bool {
	return slices.ContainsFunc(f.ours, func(folder string) bool { return strings.HasPrefix(path, folder) })
}

// holds reports whether a file has a line that is one of these. What a line includes may say
// anything, but for a command of ours in a file of ours.
func holds(path string, lines []string, ours bool) bool {
	file, err := os.Open(path) // #nosec G304 -- a file that the host reads, too
	if err != nil {
		return false
	}
	defer file.Close()
	raw, err := io.ReadAll(io.LimitReader(file, maxSize))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		for _, text := range readings(line) {
			if !ours && included().MatchString(text) || patternOf(text).any(lines) {
				return true
			}
		}
	}
	return false
}

// readings are what a line of a file may stand for: itself, or texts that it quotes.
func readings(line string) []string {
	all := []string{line, strings.TrimLeft(line, "-#> \t"), strings.Trim(strings.TrimSpace(line), `"'`)}
	for _, m := range quoted().FindAllStringSubmatch(line, 64) {
		text := m[1] + m[2]
		text = strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\t`, " ", `\\`, `\`).Replace(text)
		all = append(all, strings.Split(text, "\n")...)
	}
	if _, value, ok := strings.Cut(line, ":"); ok { // YAML
		all = append(all, value)
	}
	if _, value, ok := strings.Cut(line, `"""`); ok { // TOML
		all = append(all, strings.TrimSuffix(strings.TrimSpace(value), `"""`))
	}
	if value, _, ok := strings.Cut(line, `"""`); ok {
		all = append(all, value)
	}
	return all
}

// pattern is a line of a file: words, with holes between them.
type pattern []string

func patternOf(line string) pattern {
	var p pattern
	for _, piece := range hole().Split(line, -1) {
		p = append(p, strings.Join(strings.Fields(piece), " "))
	}
	return p
}

// literal reports whether the pattern has a word of its own.
func (p pattern) literal() bool {
	for _, piece := range p {
		if strings.ContainsFunc(piece, isWordRune) {
			return true
		}
	}
	return false
}

func isWordRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r > 0x7f
}

func (p pattern) any(lines []string) bool {
	if !p.literal() {
		return false
	}
	for _, line := range lines {
		if p.matches(line) {
			return true
		}
	}
	return false
}

// matches reports whether a line is the pattern with its holes filled.
func (p pattern) matches(line string) bool {
	if len(p) == 1 {
		return line == p[0]
	}
	rest, ok := strings.CutPrefix(line, p[0])
	if !ok {
		return false
	}
	for _, piece := range p[1 : len(p)-1] {
		k := strings.Index(rest, piece)
		if k < 0 {
			return false
		}
		rest = rest[k+len(piece):]
	}
	return strings.HasSuffix(rest, p[len(p)-1])
}
