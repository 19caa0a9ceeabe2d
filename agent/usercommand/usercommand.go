// Package usercommand reads commands of a person's own from files: a prompt in Markdown
// under a name. The format is the one that other agents use: the file's name is the
// command's, a front matter may hold description and argument-hint, $ARGUMENTS stands for
// what follows the name and $1 to $9 for its words. It runs nothing and includes nothing.
//
// A project's files are hostile: whoever uses one has to have read it, which the caller
// sees to with Sum.
//
//	all := usercommand.Find(home, project)
//	cmd, args, ok := usercommand.Match(all, "/fix the parser")
//	text := cmd.Expand(args)
package usercommand

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/lazyregexp"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// The limits of what is read.
const (
	maxCommands = 200
	maxFile     = 64 << 10
	maxShort    = 120
)

// Command is a prompt under a name.
type Command struct {
	Name    string
	Short   string // one line about it
	Usage   string // its arguments; may be empty
	Body    string
	Project bool // it came with the project: somebody else may have written it
}

// Sum is by what a person's word about the text is known again: any change asks anew.
func (c Command) Sum() string {
	sum := sha256.Sum256([]byte(c.Name + "\x00" + c.Body))
	return hex.EncodeToString(sum[:])
}

var (
	nameForm = lazyregexp.Pattern(`^[a-z][a-z0-9_-]{0,39}$`)
	hole     = lazyregexp.Pattern(`\$(ARGUMENTS|[1-9])`)
)

// Expand is the prompt with its arguments. Without a place for them they follow it.
func (c Command) Expand(args string) string {
	args = strings.TrimSpace(args)
	if !hole().MatchString(c.Body) {
		return strings.TrimSpace(c.Body + "\n\n" + args)
	}
	words := strings.Fields(args)
	return hole().ReplaceAllStringFunc(c.Body, func(h string) string {
		if h == "$ARGUMENTS" {
			return args
		}
		if n := int(h[1] - '1'); n < len(words) {
			return words[n]
		}
		return ""
	})
}

// Match finds the command that a text gives.
func Match(all []Command, text string) (c Command, args string, ok bool) {
	name, is := strings.CutPrefix(text, "/")
	if !is {
		return c, "", false
	}
	name, args, _ = strings.Cut(name, " ")
	name, more, broken := strings.Cut(name, "\n")
	if broken {
		args = more + " " + args
	}
	i := slices.IndexFunc(all, func(o Command) bool { return o.Name == strings.ToLower(name) })
	if i < 0 {
		return c, "", false
	}
	return all[i], strings.TrimSpace(args), true
}

// Find reads the commands of a person and of a project, by name; the person's come before
// the project's of the same name. Files that are none are passed over.
func Find(home, project string) []Command {
	all := read(home, false)
	for _, c := range read(project, true) {
		if !slices.ContainsFunc(all, func(o Command) bool { return o.Name == c.Name }) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Command) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// read reads the files of a folder. Nothing outside of it is reached, by no link.
func read(dir string, project bool) (out []Command) {
	if dir == "" {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // there are none
	}
	defer root.Close()
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range list {
		name, md := strings.CutSuffix(strings.ToLower(e.Name()), ".md")
		if !md || !e.Type().IsRegular() || !nameForm().MatchString(name) || len(out) >= maxCommands {
			continue
		}
		file, err := root.Open(e.Name())
		if err != nil {
			continue
		}
		raw, err := io.ReadAll(io.LimitReader(file, maxFile+1))
		if _ = file.Close(); err != nil || len(raw) > maxFile || !utf8.Valid(raw) {
			continue
		}
		if c := Parse(name, string(raw)); c.Body != "" {
			c.Project = project
			out = append(out, c)
		}
	}
	return out
}

// Folder is where a project keeps its commands.
func Folder(project string) string { return filepath.Join(project, ".trimtab", "commands") }

// Parse reads the text of a file. What the eye cannot see is written out in it: the person
// who reads the command before its first use could not see it either.
func Parse(name, text string) Command {
	c := Command{Name: name}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if head, body, ok := strings.Cut(rest, "\n---"); ok {
			text = body
			if _, after, ok := strings.Cut(body, "\n"); ok {
				text = after
			}
			for line := range strings.Lines(head) {
				key, value, _ := strings.Cut(line, ":")
				value = termsafe.Line(strings.Trim(strings.TrimSpace(value), `"'`))
				switch strings.TrimSpace(key) {
				case "description":
					c.Short = trimtab.Clip(value, maxShort)
				case "argument-hint":
					c.Usage = trimtab.Clip(value, maxShort)
				}
			}
		}
	}
	c.Body = strings.TrimSpace(termsafe.Text(text))
	if c.Short == "" {
		line, _, _ := strings.Cut(strings.TrimLeft(c.Body, "# "), "\n")
		c.Short = trimtab.Clip(termsafe.Line(line), maxShort)
	}
	return c
}
