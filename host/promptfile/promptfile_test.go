package promptfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/host/promptfile"
)

func write(t *testing.T, root, name, text string) string {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestH8_TheTextOfACommandFileIsNotTyped, in the forms in which hosts write such files.
func TestH8_TheTextOfACommandFileIsNotTyped(t *testing.T) {
	for _, c := range []struct{ host, file, text, prompt string }{
		{"gemini", ".gemini/commands/fix.toml", "prompt = \"automata: fix {{args}}\"\n", "automata: fix the mill"},
		{"gemini", ".gemini/commands/a/fix.toml", "description = \"x\"\nprompt = \"\"\"\nLook at it.\nautomata\n{{args}}\n\"\"\"\n", "Look at it.\nautomata\nthe mill"},
		{"gemini", ".gemini/commands/one.toml", "prompt = \"\"\"automata\"\"\"\n", "automata"},
		{"gemini", ".gemini/commands/shell.toml", "prompt = '''\n!{cat payload}\n'''\n", "automata from somewhere else"},
		{"gemini", ".gemini/commands/with.toml", "prompt = \"\"\"\n!{cat {{args}}}\n\"\"\"\n", "automata from a file that is named"},
		{"gemini", "GEMINI.md", "Be kind.\n\nautomata, always\n", "automata, always"},
		{"qwen", ".qwen/commands/fix.md", "---\ndescription: x\n---\nPlease do automata with {{args}} now\n", "Please do automata with this now"},
		{"opencode", ".opencode/command/fix.md", "---\nagent: build\n---\nautomata $ARGUMENTS\n", "automata the mill"},
		{"opencode", "opencode.json", `{"command":{"fix":{"template":"Look.\nautomata: $1 please"}}}`, "Look.\nautomata: this please"},
		{"pi", ".pi/prompts/fix.md", "automata   $@\n", "automata x y"},
		{"goose", ".goose/recipes/fix.yaml", "title: x\nprompt: automata {{ what }}\ninstructions: |\n  be kind\n", "automata it"},
		{"goose", "recipe.yaml", "prompt: |\n  first\n  automata now\n", "first\nautomata now\n"},
		{"claude", ".claude/commands/fix.md", "!`date`\nautomata\n", "today\nautomata"},
		{"", ".opencode/command/fix.md", "automata $ARGUMENTS\n", "automata the mill"},
	} {
		project := t.TempDir()
		files := promptfile.Of(c.host, project, t.TempDir(), nil)
		if files.Hold(c.prompt) {
			t.Errorf("%s: held before the file is there", c.file)
		}
		write(t, project, c.file, c.text)
		if !files.Hold(c.prompt) {
			t.Errorf("%s: %q counts as typed", c.file, c.prompt)
		}
		if typed := "please, automata for the other one"; !strings.Contains(c.text, "!") && files.Hold(typed) {
			t.Errorf("%s: %q does not count as typed", c.file, typed)
		}
	}
}

// TestH8_AFileThatARunNamesIsNotTyped: a recipe, a file with instructions.
func TestH8_AFileThatARunNamesIsNotTyped(t *testing.T) {
	dir := t.TempDir()
	path := write(t, dir, "elsewhere/r.yaml", "prompt: automata now\n")
	for _, args := range [][]string{{"run", "--recipe", path}, {"run", "--recipe=" + path}, {"@" + path}} {
		if !promptfile.Of("goose", dir, "", args).Hold("automata now") {
			t.Errorf("%q counts as typed", args)
		}
	}
	if promptfile.Of("goose", dir, "", []string{"run", "-t", "automata now", "\x00", ""}).Hold("automata now") {
		t.Error("an argument that is no file")
	}
}

func TestPromptFilesThatCannotBeReadAreNone(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".pi/prompts/a.md", "automata")
	if err := os.Symlink(dir, filepath.Join(dir, ".pi/prompts/loop")); err != nil {
		t.Skip(err)
	}
	if promptfile.Of("pi", dir, "", nil).Hold("something else") || promptfile.Of("pi", dir, "", nil).Hold(" \n ") {
		t.Error("held")
	}
	if promptfile.Of("pi", filepath.Join(dir, "none"), "", nil).Hold("automata") {
		t.Error("there is no such folder")
	}
}

// TestH11_OurOwnCommandsDoNotSilenceThePerson: in a file of ours, what a command of ours
// prints is not anything; the command's own text is still no prompt of a person.
func TestH11_OurOwnCommandsDoNotSilenceThePerson(t *testing.T) {
	const file = "prompt = \"\"\"\n!{trimtab mode {{args}}}\n\nSay the line above to the person, and do nothing else.\n\"\"\"\n"
	home, project := t.TempDir(), t.TempDir()
	write(t, home, ".gemini/extensions/trimtab/commands/trimtab/mode.toml", file)
	files := promptfile.Of("gemini", project, home, nil)
	if files.Hold("automata: tidy this folder") {
		t.Error("nothing that a person types counts any more")
	}
	if !files.Hold("Mode: PLANNING automata\n\nSay the line above to the person, and do nothing else.") {
		t.Error("the text of our command counts as typed")
	}
	write(t, project, ".gemini/extensions/trimtab/commands/trimtab/mode.toml", file) // a repository that calls itself so
	if !promptfile.Of("gemini", project, home, nil).Hold("automata: tidy this folder") {
		t.Error("a repository's file passes for ours")
	}
}
