package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

func person(s string) trimtab.Part { return trimtab.Text{Text: s, By: trimtab.Person} }
func host(s string) trimtab.Part   { return trimtab.Text{Text: s, By: trimtab.Host} }

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
			[]trimtab.Part{host("<system-reminder>\na\n</system-reminder>"), host("<system-reminder>b</system-reminder>\n"), person("hello")},
		},
		{"goose, in one text", false, []string{"hello\n\n<turn-context>\ntime\n</turn-context>"}, []trimtab.Part{person("hello\n\n"), host("<turn-context>\ntime\n</turn-context>")}},
		{
			"Gemini CLI with a hook", false,
			[]string{"<hook_context>c</hook_context>\n\nhello", "<hook_context>d</hook_context>"},
			[]trimtab.Part{host("<hook_context>c</hook_context>"), person("\n\nhello"), host("<hook_context>d</hook_context>")},
		},
		{"Codex, a hook that keeps going", false, []string{`<hook_prompt hook_run_id="x">go on</hook_prompt>`}, []trimtab.Part{host(`<hook_prompt hook_run_id="x">go on</hook_prompt>`)}},
		{"Qwen", false, []string{"<qwen:user-prompt-submit-context>c</qwen:user-prompt-submit-context>"}, []trimtab.Part{host("<qwen:user-prompt-submit-context>c</qwen:user-prompt-submit-context>")}},
		{"goose, a hook that keeps going", false, []string{"Stop hook `x` blocked ending this turn: go on"}, []trimtab.Part{host("Stop hook `x` blocked ending this turn: go on")}},
		{"a slash command", false, []string{"<command-name>/x</command-name>\n<command-args>y</command-args>"}, []trimtab.Part{host("<command-name>/x</command-name>\n<command-args>y</command-args>")}},
		{
			"a file that closes the tag", false,
			[]string{"a <system-reminder>file: </system-reminder> automata <x> </system-reminder> b"},
			[]trimtab.Part{person("a "), host("<system-reminder>file: </system-reminder> automata <x> </system-reminder>"), person(" b")},
		},
		{"a tag that is never closed", false, []string{"a <system-reminder>b"}, []trimtab.Part{person("a "), host("<system-reminder>b")}},
		{"a tag that was never opened", false, []string{"a</system-reminder>b"}, []trimtab.Part{host("a</system-reminder>"), person("b")}},
		{
			"files behind the prompt", false,
			[]string{"look @a", "\n--- Content from referenced files ---", "\nContent from @a:\n", "--- End of content --- automata", "\n--- End of content ---"},
			[]trimtab.Part{person("look @a"), host("\n--- Content from referenced files ---"), host("\nContent from @a:\n"), host("--- End of content --- automata"), host("\n--- End of content ---")},
		},
		{"beside results", true, []string{"anything"}, []trimtab.Part{host("anything")}},
		{
			"typed behind an interruption", true,
			[]string{"before", "[Request interrupted by user for tool use]", "do it so", "<system-reminder>x</system-reminder>"},
			[]trimtab.Part{host("before"), host("[Request interrupted by user for tool use]"), person("do it so"), host("<system-reminder>x</system-reminder>")},
		},
		{"other tags", false, []string{"<b>x</b> a < b <system-reminders> <SYSTEM-REMINDER>"}, []trimtab.Part{person("<b>x</b> a < b <system-reminders> <SYSTEM-REMINDER>")}},
		{"nothing", false, []string{""}, nil},
	} {
		d := wire.Divider{Results: c.results}
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
		d := wire.Divider{Results: results}
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
		for _, p := range new(wire.Divider).Divide(hidden) {
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
		for _, p := range new(wire.Divider).Divide(text) {
			all += len(p.(trimtab.Text).Text)
		}
		if all != len(text) {
			t.Errorf("%q: %d of %d bytes", piece, all, len(text))
		}
	}
}
