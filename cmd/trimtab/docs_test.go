package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	// code is what a document shows as code: a fenced block, or words between backquotes.
	code = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")
	// call is a call of the program: after the start of a line or of code, a prompt, a
	// shell's && or |, or an assignment, so that "the gateway of trimtab runs" is none.
	call = regexp.MustCompile("(?m)(?:^|[`$&|;(]|[A-Z_]+=\\S+)[ \t]*trimtab((?:[ \t]+[^\\s`|;&<>#)]+)*)")
	word = regexp.MustCompile(`^[a-z][a-z_-]*$`)
	flag = regexp.MustCompile(`^--([a-z][a-z-]*)(=.*)?$`)
)

// TestDocumentsNameCommandsThatExist: each command, subcommand and flag of ours that
// README.md, AGENTS.md and docs show is one that the program has.
func TestDocumentsNameCommandsThatExist(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(names) == 0 {
		t.Fatalf("found no documents: %v", err)
	}
	root := rootCommand(&app{})
	root.InitDefaultCompletionCmd("completion")
	root.InitDefaultHelpCmd()
	calls := 0
	for _, name := range append(names, filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "AGENTS.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range code.FindAllString(string(text), -1) {
			for _, found := range call.FindAllStringSubmatch(strings.Trim(part, "`"), -1) {
				calls++
				if problem := unknown(root, strings.Fields(found[1])); problem != "" {
					t.Errorf("%s: trimtab%s: %s", filepath.Base(name), found[1], problem)
				}
			}
		}
	}
	if calls < 50 {
		t.Errorf("found only %d calls of trimtab in the documents; is the pattern right?", calls)
	}
}

// unknown says what in a call the program does not have. Words that are no part of a
// command's name are its arguments, or the explanation behind it, and are not looked at.
func unknown(root *cobra.Command, args []string) string {
	c, named := root, true
	for _, arg := range args {
		if f := flag.FindStringSubmatch(arg); f != nil {
			if c.Flags().Lookup(f[1]) == nil && c.InheritedFlags().Lookup(f[1]) == nil && f[1] != "help" {
				return "no flag --" + f[1]
			}
			continue
		}
		if !named || !word.MatchString(arg) {
			if arg == "--" {
				return ""
			}
			named = false
			continue
		}
		next := subcommand(c, arg)
		switch {
		case next != nil && !next.Hidden:
			c = next
		case next != nil:
			return arg + " is not listed in the help"
		case c == root || c.HasSubCommands() && !takesWords(c):
			return "no command " + arg
		default:
			named = false
		}
	}
	return ""
}

func subcommand(c *cobra.Command, name string) *cobra.Command {
	for _, s := range c.Commands() {
		if s.Name() == name || s.HasAlias(name) {
			return s
		}
	}
	return nil
}

// takesWords reports whether a command that has commands below it takes arguments
// of its own too, as mode takes the name of a mode.
func takesWords(c *cobra.Command) bool { return strings.Contains(c.Use, " ") }

func TestUnknownFailsOnTheBug(t *testing.T) {
	root := rootCommand(&app{})
	for call, want := range map[string]string{
		"status --json":            "",
		"mode copywrite":           "",
		"-p hello":                 "",
		"frame push Fix it":        "",
		"session show k3x9":        "",
		"stat":                     "no command stat",
		"session shwo":             "no command shwo",
		"frame psh":                "no command psh",
		"push":                     "push is not listed in the help",
		"status --nosuch":          "no flag --nosuch",
		"run claude -- --any-flag": "",
	} {
		if got := unknown(root, strings.Fields(call)); got != want {
			t.Errorf("trimtab %s: %q, want %q", call, got, want)
		}
	}
}
