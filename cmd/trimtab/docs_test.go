package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"
)

// Every command line of trimtab in the documents is one that the program takes: its
// command and its flags are there. Examples of the commands themselves are held to the same.
func TestCommandsInTheDocumentsAreThere(t *testing.T) {
	pages := map[string]string{}
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			pages[strings.TrimPrefix(file, "../../")] = string(text)
		}
	}
	if len(pages) < 10 {
		t.Fatalf("%d documents: %v", len(pages), fs.ErrNotExist)
	}
	seen := 0
	for name, text := range pages {
		if name == "CHANGELOG.md" { // of its time
			continue
		}
		for _, line := range codeLines(text) {
			for _, words := range calls(line) {
				seen++
				if err := takes(rootCommand(&app{}), words); err != nil {
					t.Errorf("%s: %s: %v", name, line, err)
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d command lines were found", seen)
	}
}

func TestALineThatIsNoCommandIsFound(t *testing.T) {
	for _, line := range []string{"trimtab revect --since 7d", "trimtab reflect --sense 7d", "trimtab session shew x"} {
		if c := calls(line); len(c) != 1 || takes(rootCommand(&app{}), c[0]) == nil {
			t.Errorf("%s passes", line)
		}
	}
}

// codeLines are the lines of a page's fenced blocks in which a shell is shown.
func codeLines(page string) (lines []string) {
	in, shell := false, false
	for line := range strings.Lines(page) {
		if fence, ok := strings.CutPrefix(strings.TrimSpace(line), "```"); ok {
			in, shell = !in, fence == "sh" || fence == "console"
			continue
		}
		if in && shell {
			lines = append(lines, strings.TrimPrefix(strings.TrimSpace(line), "$ "))
		}
	}
	return lines
}

// calls are the calls of trimtab in a line of shell, without the program's name. What is
// no shell, as a line that stands for many, has none.
func calls(line string) (all [][]string) {
	line = strings.ReplaceAll(line, "go run ./cmd/trimtab", "trimtab")
	f, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil
	}
	syntax.Walk(f, func(n syntax.Node) bool {
		c, ok := n.(*syntax.CallExpr)
		if !ok || len(c.Args) == 0 || c.Args[0].Lit() != "trimtab" {
			return true
		}
		words := []string{}
		for _, a := range c.Args[1:] {
			var b strings.Builder
			for _, p := range a.Parts {
				switch p := p.(type) {
				case *syntax.Lit:
					b.WriteString(p.Value)
				case *syntax.SglQuoted:
					b.WriteString(p.Value)
				default:
					b.WriteString("x")
				}
			}
			words = append(words, b.String())
		}
		all = append(all, words)
		return true
	})
	return all
}

// takes reports what of a call the program does not know: a command or a flag. Values
// are not looked at.
func takes(root *cobra.Command, words []string) error {
	c, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if c.HasSubCommands() && c != root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		if c.Use == c.Name() || c.Use == c.Name()+" COMMAND" { // it takes a command and nothing else
			return fmt.Errorf("no command %s", rest[0])
		}
	}
	for _, w := range rest {
		name, _, _ := strings.Cut(w, "=")
		switch {
		case w == "--":
			return nil
		case c.DisableFlagParsing || strings.ContainsAny(name, "|…["):
			return nil
		case strings.HasPrefix(name, "--"):
			if name != "--help" && c.Flag(name[2:]) == nil && c.InheritedFlags().Lookup(name[2:]) == nil {
				return &pflag.NotExistError{}
			}
		case c.Name() == "run" && c.Parent() == root && !strings.HasPrefix(w, "-"):
			return nil // what follows is the agent's
		}
	}
	return nil
}
