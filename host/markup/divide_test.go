package markup_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host/markup"
)

func person(s string) trimtab.Part { return trimtab.Text{Text: s, By: trimtab.Person} }
func hosts(s string) trimtab.Part  { return trimtab.Text{Text: s, By: trimtab.Host} }

func TestHostsWordsAreDividedFromAPersons(t *testing.T) {
	for _, c := range []struct {
		name    string
		results bool
		texts   []string
		want    []trimtab.Part
	}{
		{"typed", false, []string{"hello"}, []trimtab.Part{person("hello")}},
		{
			"the first turn of Claude Code", false,
			[]string{"<system-reminder>\na\n</system-reminder>", "<system-reminder>b</system-reminder>\n", "hello"},
			[]trimtab.Part{hosts("<system-reminder>\na\n</system-reminder>"), hosts("<system-reminder>b</system-reminder>\n"), person("hello")},
		},
		{"goose, in one text", false, []string{"hello\n\n<turn-context>\ntime\n</turn-context>"}, []trimtab.Part{person("hello\n\n"), hosts("<turn-context>\ntime\n</turn-context>")}},
		{
			"Gemini CLI with a hook", false,
			[]string{"<hook_context>c</hook_context>\n\nhello", "<hook_context>d</hook_context>"},
			[]trimtab.Part{hosts("<hook_context>c</hook_context>"), person("\n\nhello"), hosts("<hook_context>d</hook_context>")},
		},
		{"Codex, a hook that keeps going", false, []string{`<hook_prompt hook_run_id="x">go on</hook_prompt>`}, []trimtab.Part{hosts(`<hook_prompt hook_run_id="x">go on</hook_prompt>`)}},
		{"Qwen", false, []string{"<qwen:user-prompt-submit-context>c</qwen:user-prompt-submit-context>"}, []trimtab.Part{hosts("<qwen:user-prompt-submit-context>c</qwen:user-prompt-submit-context>")}},
		{"goose, a hook that keeps going", false, []string{"Stop hook `x` blocked ending this turn: go on"}, []trimtab.Part{hosts("Stop hook `x` blocked ending this turn: go on")}},
		{"a slash command", false, []string{"<command-name>/x</command-name>\n<command-args>y</command-args>"}, []trimtab.Part{hosts("<command-name>/x</command-name>\n<command-args>y</command-args>")}},
		{
			"a file that closes the tag", false,
			[]string{"a <system-reminder>file: </system-reminder> automata <x> </system-reminder> b"},
			[]trimtab.Part{person("a "), hosts("<system-reminder>file: </system-reminder> automata <x> </system-reminder>"), person(" b")},
		},
		{"a tag that is never closed", false, []string{"a <system-reminder>b"}, []trimtab.Part{person("a "), hosts("<system-reminder>b")}},
		{"a tag that was never opened", false, []string{"a</system-reminder>b"}, []trimtab.Part{hosts("a</system-reminder>"), person("b")}},
		{
			"files behind the prompt", false,
			[]string{"look @a", "\n--- Content from referenced files ---", "\nContent from @a:\n", "--- End of content --- automata", "\n--- End of content ---"},
			[]trimtab.Part{person("look @a"), hosts("\n--- Content from referenced files ---"), hosts("\nContent from @a:\n"), hosts("--- End of content --- automata"), hosts("\n--- End of content ---")},
		},
		{"beside results", true, []string{"anything"}, []trimtab.Part{hosts("anything")}},
		{
			"typed behind an interruption", true,
			[]string{"before", "[Request interrupted by user for tool use]", "do it so", "<system-reminder>x</system-reminder>"},
			[]trimtab.Part{hosts("before"), hosts("[Request interrupted by user for tool use]"), person("do it so"), hosts("<system-reminder>x</system-reminder>")},
		},
		{
			"an interruption that a tool's output or a file speaks of", true,
			[]string{"the log: [Request interrupted by user for tool use]", "automata"},
			[]trimtab.Part{hosts("the log: [Request interrupted by user for tool use]"), hosts("automata")},
		},
		{
			"typed in mid-turn", true,
			[]string{"The user sent a new message while you were working:\nautomata\n\nThis is how Claude Code surfaces messages the user sends"},
			[]trimtab.Part{hosts("The user sent a new message while you were working:\n"), person("automata"), hosts("\n\nThis is how Claude Code surfaces messages the user sends")},
		},
		{"mid-turn without an end", true, []string{"The user sent a new message while you were working:\nautomata"}, []trimtab.Part{hosts("The user sent a new message while you were working:\nautomata")}},
		{
			"a command that says so", false,
			[]string{"<command-message>x</command-message>", "The user sent a new message while you were working:\nautomata\n\nThis is how Claude Code surfaces messages"},
			[]trimtab.Part{hosts("<command-message>x</command-message>"), hosts("The user sent a new message while you were working:\nautomata\n\nThis is how Claude Code surfaces messages")},
		},
		{"a command of the repository", false, []string{"<command-name>/x</command-name>", "automata", "more"}, []trimtab.Part{hosts("<command-name>/x</command-name>"), hosts("automata"), hosts("more")}},
		{
			"a command of the host", false,
			[]string{"<command-name>/model</command-name>", "<local-command-stdout>set</local-command-stdout>", "automata"},
			[]trimtab.Part{hosts("<command-name>/model</command-name>"), hosts("<local-command-stdout>set</local-command-stdout>"), person("automata")},
		},
		{"other tags", false, []string{"<b>x</b> a < b <system-reminders> <SYSTEM-REMINDER>"}, []trimtab.Part{person("<b>x</b> a < b <system-reminders> <SYSTEM-REMINDER>")}},
		{"nothing", false, []string{""}, nil},
	} {
		d := markup.Divider{Results: c.results}
		var got []trimtab.Part
		for _, text := range c.texts {
			got = append(got, d.Divide(text)...)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
	}
}

// FuzzDivide checks that dividing loses nothing and that what stands between a
// host's tags is never a person's.
func FuzzDivide(f *testing.F) {
	f.Add("a <system-reminder>b</system-reminder> c", "x", false)
	f.Add("</hook_context> automata <hook_context", "<", true)
	f.Add(strings.Repeat("<bash-x ", 1000), "[Request interrupted by user]", true)
	f.Fuzz(func(t *testing.T, a, b string, results bool) {
		d := markup.Divider{Results: results}
		for _, text := range []string{a, b, a} {
			all, typed := "", ""
			for _, p := range d.Divide(text) {
				part := p.(trimtab.Text)
				all += part.Text
				if part.By == trimtab.Person {
					typed += part.Text
				}
			}
			if all != text {
				t.Fatalf("%q became %q", text, all)
			}
			if strings.Contains(typed, "<system-reminder>") {
				t.Fatalf("typed: %q", typed)
			}
		}
		hidden := "<system-reminder>" + a + "canary" + b + "</system-reminder>"
		for _, p := range new(markup.Divider).Divide(hidden) {
			if part := p.(trimtab.Text); part.By == trimtab.Person && strings.Contains(part.Text, "canary") {
				t.Fatalf("a person's: %q of %q", part.Text, hidden)
			}
		}
	})
}

func TestLongTextsWithManyTagsAreDividedInOnePass(t *testing.T) {
	for _, piece := range []string{"<bash-x ", "<system-reminder>", "</system-reminder>", "<<<<", "<a ", "\n--- Content"} {
		text := strings.Repeat(piece, 4<<20/len(piece)) // a second pass for each would take minutes
		all := 0
		for _, p := range new(markup.Divider).Divide(text) {
			all += len(p.(trimtab.Text).Text)
		}
		if all != len(text) {
			t.Errorf("%q: %d of %d bytes", piece, all, len(text))
		}
	}
}
