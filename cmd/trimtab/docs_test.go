package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"mvdan.cc/sh/v3/syntax"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/steer/mode"
)

// documents are the pages for readers, by their path from the top.
func documents(t *testing.T) map[string]string {
	t.Helper()
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
			if name := strings.TrimPrefix(filepath.ToSlash(file), "../../"); name != "CHANGELOG.md" { // of its time
				pages[name] = string(text)
			}
		}
	}
	if len(pages) < 10 {
		t.Fatalf("%d documents: %v", len(pages), fs.ErrNotExist)
	}
	return pages
}

// Every command line in the documents is one: blocks of shell can be read by a shell, and
// the program takes each call of it, in blocks and in the text. Examples of the commands
// themselves are held to the same, since the reference is written from them.
func TestCommandsInTheDocumentsAreThere(t *testing.T) {
	blocks, spans := 0, 0
	for name, text := range documents(t) {
		for _, b := range fences(text) {
			if b.kind != "sh" && b.kind != "console" {
				continue
			}
			if b.kind == "console" {
				b.text = typed(b.text)
			}
			if _, err := syntax.NewParser().Parse(strings.NewReader(b.text), ""); err != nil {
				t.Errorf("%s: a block of shell that no shell reads: %v\n%s", name, err, b.text)
			}
			for _, words := range calls(b.text) {
				blocks++
				if err := errors.Join(takes(rootCommand(&app{}), words), fits(rootCommand(newApp()), words)); err != nil {
					t.Errorf("%s: trimtab %s: %v", name, strings.Join(words, " "), err)
				}
			}
		}
		for _, span := range inText(text) {
			for _, words := range calls(span) {
				spans++
				if err := takes(rootCommand(&app{}), words); err != nil {
					t.Errorf("%s: `%s`: %v", name, span, err)
				}
			}
		}
	}
	if blocks < 200 || spans < 100 {
		t.Errorf("only %d command lines in blocks and %d in the text were found", blocks, spans)
	}
}

// Every make target and script that the documents name is there.
func TestTargetsAndScriptsInTheDocumentsAreThere(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, text := range documents(t) {
		lines := inText(text)
		for _, b := range fences(text) {
			if b.kind == "sh" {
				lines = append(lines, strings.Split(b.text, "\n")...)
			}
		}
		for _, line := range lines {
			if m := target.FindStringSubmatch(line); m != nil {
				seen++
				if !strings.Contains(string(makefile), "\n"+m[1]+":") {
					t.Errorf("%s: `%s`: the Makefile has no target %s", name, line, m[1])
				}
			}
			if m := ownScript.FindString(line); m != "" {
				seen++
				if _, err := os.Stat(filepath.Join("../..", strings.TrimSpace(m))); err != nil {
					t.Errorf("%s: `%s`: %v", name, line, err)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d were found", seen)
	}
}

var (
	target    = regexp.MustCompile(`^make ([a-z0-9]+)`)
	ownScript = regexp.MustCompile(`(^|\s)script/[\w.]+`)
)

func TestALineThatIsNoCommandIsFound(t *testing.T) {
	for _, line := range []string{"trimtab improve preview", "trimtab replay --against", "trimtab trial x --repeat many"} {
		if c := calls(line); len(c) != 1 || fits(rootCommand(newApp()), c[0]) == nil {
			t.Errorf("%s passes", line)
		}
	}
	for _, line := range []string{"trimtab revect --since 7d", "trimtab reflect --sense 7d", "trimtab session shew x"} {
		if c := calls(line); len(c) != 1 || takes(rootCommand(&app{}), c[0]) == nil {
			t.Errorf("%s passes", line)
		}
	}
}

// Every example of settings in the documents is taken by the program whole, and every
// setting that is named in the text is one.
func TestSettingsInTheDocumentsAreThere(t *testing.T) {
	blocks, spans := 0, 0
	for name, text := range documents(t) {
		for _, b := range fences(text) {
			if b.kind != "json" && b.kind != "jsonc" {
				continue
			}
			blocks++
			if err := example(b.text); err != nil {
				t.Errorf("%s: %v\n%s", name, err, b.text)
			}
		}
		for _, span := range inText(text) {
			spans++
			if err := settingNamed(span); err != nil {
				t.Errorf("%s: `%s`: %v", name, span, err)
			}
		}
	}
	if blocks < 5 || spans < 1000 {
		t.Errorf("only %d examples of JSON and %d words in code were found", blocks, spans)
	}
}

func TestASettingThatIsNoneIsFound(t *testing.T) {
	for _, text := range []string{`{"steering": {"budgit": 0.1}}`, `{"steering": {"budget": 3}}`, `{"steering": {}, "sterring": {}}`, `{"id": "x", "phases": 3}`, `{"fish": 1}`, `{`} {
		if example(text) == nil {
			t.Errorf("%s passes", text)
		}
	}
	for _, span := range []string{"steering.budgit", "gateway.upstream", `verify.mood: "run"`} {
		if settingNamed(span) == nil {
			t.Errorf("%s passes", span)
		}
	}
	for _, span := range []string{"steering.budget", "gateway.upstreams", `verify.mode: "run"`, "models.named", "mcp.servers", "store.url", "improve.checks.test", "settings.json", "trimtab.db"} {
		if err := settingNamed(span); err != nil {
			t.Errorf("%s: %v", span, err)
		}
	}
}

// example reports what is wrong with JSON that a document shows: settings, a mode, or one
// of the other files that documents describe.
func example(text string) error {
	plain, line, err := config.Standardize([]byte(text))
	if err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(plain, &top); err != nil {
		return err
	}
	known := topSettings()
	switch {
	case slices.ContainsFunc(slices.Collect(maps.Keys(top)), func(key string) bool { return known[key] }):
		layer := config.Layer{Name: "user", File: "example", Data: []byte(text), Managed: top["locked"] != nil}
		if _, report := config.Load[Settings](config.Sources{Layers: []config.Layer{layer}}); len(report.Problems) > 0 {
			return report.Problems[0]
		}
	case top["id"] != nil:
		if _, problems := mode.Parse("example.json", plain); len(problems) > 0 {
			return problems[0]
		}
	case top["corpus"] != nil && top["sessions"] != nil: // labels
	default:
		return errors.New("neither settings nor a mode nor labels")
	}
	return nil
}

var allKeys = sync.OnceValue(config.Keys[Settings])

// topSettings are the first words of the settings' keys.
var topSettings = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"$schema": true}
	for _, k := range allKeys() {
		first, _, _ := strings.Cut(k.Path, ".")
		all[first] = true
	}
	return all
})

// dotted is the form of a setting: a Go name behind a dot has a capital.
var dotted = regexp.MustCompile(`^[a-z]\w*(\.[a-z]\w*)+`)

// foreign are words of others in that form.
var foreign = []string{"chat.message"} // a hook of opencode

// settingNamed reports a word in code that has the form of a setting and is none.
func settingNamed(span string) error {
	name := dotted.FindString(span)
	first, _, _ := strings.Cut(name, ".")
	if name == "" || !topSettings()[first] || slices.Contains(foreign, name) || slices.Contains([]string{".go", ".md", ".json", ".toml", ".yaml", ".db"}, filepath.Ext(name)) {
		return nil
	}
	for _, k := range allKeys() {
		if k.Path == name || strings.HasPrefix(k.Path, name+".") || strings.HasPrefix(name, k.Path+".") && k.Type.Kind() == reflect.Map {
			return nil
		}
	}
	return fmt.Errorf("there is no setting %s", name)
}

// fence is a block of a page.
type fence struct{ kind, text string }

func fences(page string) (all []fence) {
	in := false
	for line := range strings.Lines(page) {
		kind, ok := strings.CutPrefix(strings.TrimSpace(line), "```")
		switch {
		case ok && !in:
			all = append(all, fence{kind: kind})
			in = true
		case ok:
			in = false
		case in:
			all[len(all)-1].text += line
		}
	}
	return all
}

// typed are the lines of a block with a prompt before them; the others are answers.
func typed(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok {
			b.WriteString(command + "\n")
		}
	}
	return b.String()
}

var code = regexp.MustCompile("`([^`\n]+)`")

// inText are the words in code outside of blocks, but for those that stand for several.
func inText(page string) (all []string) {
	in := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			in = !in
			continue
		}
		if in {
			continue
		}
		for _, m := range code.FindAllStringSubmatch(line, -1) {
			if !strings.ContainsAny(m[1], "|…[{") {
				all = append(all, m[1])
			}
		}
	}
	return all
}

// calls are the calls of trimtab in a text of shell, without the program's name. What is
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

// fits reports whether a call has as many arguments as its command wants, and flags with
// values that can be read.
func fits(root *cobra.Command, words []string) error {
	c, rest, err := root.Find(words)
	if err != nil || c.DisableFlagParsing || strings.Contains(strings.Join(rest, " "), "…") {
		return err
	}
	if err := c.ParseFlags(rest); err != nil {
		return err
	}
	return c.ValidateArgs(c.Flags().Args())
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
