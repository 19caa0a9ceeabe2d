//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/internal/term"
)

// writes is a reply that writes a file of one line.
func writes(name, line string) fakemodel.Reply {
	return fakemodel.Reply{Calls: []fakemodel.Call{{Name: "write", Input: json.RawMessage(fmt.Sprintf(`{"path":%q,"content":%q}`, name, line+"\n"))}}}
}

// runs is a reply that runs a command.
func runs(command string) fakemodel.Reply {
	return fakemodel.Reply{Calls: []fakemodel.Call{{Name: "bash", Input: json.RawMessage(fmt.Sprintf(`{"command":%q}`, command))}}}
}

// turn sends a prompt that needs no answer to a question, and waits for its end.
func turn(c *term.Terminal, prompt, end string) {
	c.Type(prompt + enter)
	c.Wait(end)
	c.Gone("working")
}

// file fails unless the file of the project holds this; "" is no file.
func (d *chatEnv) file(name, want string) {
	d.t.Helper()
	got, err := os.ReadFile(filepath.Join(d.dir, name))
	if string(got) != want || (want == "") != os.IsNotExist(err) {
		d.t.Errorf("%s holds %q (%v), want %q", name, got, err, want)
	}
}

// threeFiles is a chat of three turns, each of which wrote a file.
func threeFiles(t *testing.T, more ...fakemodel.Reply) (*chatEnv, *term.Terminal) {
	t.Helper()
	d := newChatEnv(t, fakemodel.Replies(append([]fakemodel.Reply{
		writes("sails.txt", "linen"),
		{Text: "The sails hang."},
		writes("stones.txt", "basalt"),
		{Text: "The stones lie."},
		writes("flour.txt", "barley"),
		{Text: "The flour is fine."},
	}, more...)...))
	c := d.sit(100, 50)
	c.Type("hang the sails" + enter)
	c.Wait("write asks", "a always in this session")
	c.Type("a")
	c.Wait("The sails hang.")
	c.Gone("working")
	turn(c, "lay the stones", "The stones lie.")
	turn(c, "grind the flour", "The flour is fine.")
	return d, c
}

// TestChat_2_RewindToAnEarlierPrompt: files and conversation go back together, and what was
// before that prompt stays.
func TestChat_2_RewindToAnEarlierPrompt(t *testing.T) {
	d, c := threeFiles(t, fakemodel.Reply{Text: "Granite, then."})
	c.Type("/rewind" + enter)
	c.Wait("to before which prompt?", "▸ grind the flour", "2 files", "3 files")
	c.Type("\x1b[B") // down
	c.Wait("▸ lay the stones")
	c.Type(enter)
	c.Wait("2 files put back", "taken back here: lay the stones", "> lay the stones", "The sails hang.")
	c.Gone("The stones lie.")
	d.file("sails.txt", "linen\n")
	d.file("stones.txt", "")
	d.file("flour.txt", "")
	c.Type(" of granite" + enter) // the prompt is in the editor, and is written on
	c.Wait("Granite, then.")
	got := strings.Join(d.got(7), "\n")
	if !strings.Contains(got, "The sails hang.") || strings.Contains(got, "The stones lie.") || strings.Contains(got, "The flour is fine.") || strings.Contains(got, "barley") {
		t.Errorf("the model sees\n%s", got)
	}
	if prompt := d.lastPrompt(7); prompt != "lay the stones of granite" {
		t.Errorf("the prompt is %q", prompt)
	}
}

// TestChat_2_DiffOfTheTurnAndTheSession: of the turn the file that it wrote, of the session all.
func TestChat_2_DiffOfTheTurnAndTheSession(t *testing.T) {
	_, c := threeFiles(t)
	shown := func(what string, linen, basalt, barley int) {
		t.Helper()
		c.Until(what, func(s *term.Screen) bool {
			count := func(word string) int { return strings.Count(s.Text(), "1 + "+word) }
			return count("linen") == linen && count("basalt") == basalt && count("barley") == barley
		})
	}
	shown("each file once, where it was written", 1, 1, 1)
	c.Type("/diff" + enter)
	c.Wait("the last turn")
	shown("the file of the turn again", 1, 1, 2)
	c.Type("/diff session" + enter)
	c.Wait("this session")
	shown("all files again", 2, 2, 3)
}

// TestChat_3_AContextThatFillsFoldsByItself: the person is warned, then finished turns become a
// line that opens, and the model sees their summary in their place.
func TestChat_3_AContextThatFillsFoldsByItself(t *testing.T) {
	const window = 60_000
	long := func(tokens int) string {
		var b strings.Builder
		for i := 0; b.Len() < 4*tokens; i++ {
			fmt.Fprintf(&b, "Sack %d of the mill weighs %d pounds. ", i, i*i%97)
		}
		return b.String()
	}
	told := func(text string) fakemodel.Reply { return fakemodel.Reply{Text: text, Piece: 4000} }
	main := fakemodel.Replies(told(long(20_000)+"\n\nPart one ends."), told(long(20_000)+"\n\nPart two ends."),
		told("Part three ends."), told(long(10_000)+"\n\nPart four ends."), told("Part five ends."))
	d := newChatEnv(t, func(r fakemodel.Request) fakemodel.Reply {
		if strings.Contains(r.Transcript(), "The record:") {
			return told("All sacks were weighed.")
		}
		return main(r)
	})
	config := filepath.Join(d.home, "trimtab.json")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"models":{"prices":{"claude-mill-1":"input=1 output=1 window=%d"}}}`, window), 0o600); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "TRIMTAB_CONFIG="+config)
	c := d.sit(100, 30, "--model", "anthropic/claude-mill-1")
	turn(c, "weigh the wheat", "Part one ends.")
	turn(c, "weigh the rye", "Part two ends.")
	turn(c, "go on", "Part three ends.")
	c.Wait("% full; at 80 % finished turns fold")
	turn(c, "weigh the oats", "Part four ends.")
	turn(c, "and the sum?", "Part five ends.")
	c.Wait("folded 4 messages (weigh the wheat; weigh the rye)", "Ctrl+T shows the")
	c.Type("\x14")
	c.Wait("All sacks were weighed.")
	all := d.model.Main()
	got := all[len(all)-1].Transcript()
	if strings.Contains(got, "Part one ends.") || strings.Contains(got, "Part two ends.") || !strings.Contains(got, "All sacks were weighed.") || !strings.Contains(got, "Part four ends.") {
		t.Errorf("the model sees\n%.3000s", got)
	}
}

// TestChat_4_ARefusalSaysWhy, and the model reads it.
func TestChat_4_ARefusalSaysWhy(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(runs("touch ground"), fakemodel.Reply{Text: "By hand, then."}))
	c := d.sit(100, 30)
	c.Type("grind" + enter)
	c.Wait("bash asks", "r no, and say why")
	c.Type("r")
	c.Wait("what to do instead?")
	c.Type("not today: grind by hand")
	c.Wait("> not today: grind by hand")
	c.Type(enter)
	c.Wait("By hand, then.")
	if got := strings.Join(d.got(2), "\n"); !strings.Contains(got, "not today: grind by hand") {
		t.Errorf("the model was not told why:\n%s", got)
	}
	d.file("ground", "")
	d.model.NoneRefused(t)
}

// TestChat_4_ARuleOutlivesTheChat: kept for the project it holds there and nowhere else, kept
// for the person everywhere. A question that should not be asked would hold the chat for ever.
func TestChat_4_ARuleOutlivesTheChat(t *testing.T) {
	for _, of := range []struct {
		key, label string
		elsewhere  bool // it is asked again in another folder
	}{{"p", "p in this project", true}, {"u", "u everywhere", false}} {
		t.Run(of.label, func(t *testing.T) {
			d := newChatEnv(t, fakemodel.Replies(
				runs("touch ground"), fakemodel.Reply{Text: "Ground once."},
				runs("touch ground"), fakemodel.Reply{Text: "Ground again."},
				runs("touch ground"), fakemodel.Reply{Text: "Ground elsewhere."}))
			leave := func(c *term.Terminal) {
				t.Helper()
				c.Type("/quit" + enter)
				if err := c.End(); err != nil {
					t.Fatal(err)
				}
			}
			c := d.sit(100, 30)
			c.Type("grind" + enter)
			c.Wait("bash asks", "always allows: bash: touch ground", of.label)
			c.Type(of.key)
			c.Wait("Ground once.")
			c.Gone("working")
			leave(c)

			c = d.sit(100, 30)
			turn(c, "grind again", "Ground again.")
			leave(c)

			d.dir = filepath.Join(d.home, "pond")
			if err := os.Mkdir(d.dir, 0o700); err != nil {
				t.Fatal(err)
			}
			c = d.sit(100, 30)
			c.Type("grind here" + enter)
			if of.elsewhere {
				c.Wait("bash asks")
				c.Type("y")
			}
			c.Wait("Ground elsewhere.")
			if _, err := os.Stat(filepath.Join(d.dir, "ground")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestChat_5_TheBellRings when it asks and when it is done, for a person who looks elsewhere.
func TestChat_5_TheBellRings(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(runs("touch ground"), fakemodel.Reply{Text: "It is ground."}))
	c := d.sit(100, 30)
	c.Until("the terminal is asked to tell who has the keys", func(s *term.Screen) bool { return s.Mode(1004) })
	c.Type("\x1b[O") // another window has the keys
	c.Type("grind" + enter)
	c.Wait("bash asks")
	rung := 0
	c.Until("a bell with the question", func(s *term.Screen) bool { rung = s.Bells(); return rung > 0 })
	c.Type("y")
	c.Wait("It is ground.")
	c.Until("a bell at the end", func(s *term.Screen) bool { return s.Bells() > rung })
}

// TestChat_6_AShellCommandOfThePerson runs without a question, and the model reads of it with
// the next prompt.
func TestChat_6_AShellCommandOfThePerson(t *testing.T) {
	d := newChatEnv(t, says("Forty-two sacks."))
	c := d.sit(100, 30)
	c.Type("!echo $((6*7)) sacks > count.txt; cat count.txt" + enter)
	c.Wait("!echo", " 42 sacks")
	c.Gone("working")
	d.file("count.txt", "42 sacks\n")
	if n := len(d.model.Main()); n != 0 {
		t.Errorf("%d requests", n)
	}
	c.Type("how many?" + enter)
	c.Wait("Forty-two sacks.")
	if got := strings.Join(d.got(1), "\n"); !strings.Contains(got, "The person ran a command themselves: echo") || !strings.Contains(got, "42 sacks") {
		t.Errorf("the model was told\n%s", got)
	}
}

// TestChat_6_AKeyIsEnteredOnATerminal: it goes to the keyring, or the chat says what to do where
// there is none; it is never on the screen and in no file.
func TestChat_6_AKeyIsEnteredOnATerminal(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the keychain is the one of whoever runs the tests")
	}
	d := newChatEnv(t, says("Here I am."))
	c := d.sit(100, 30)
	c.Type("/login" + enter)
	c.Wait("filter the providers", "openai")
	c.Type("openai" + enter)
	c.Wait("the key of openai, as OPENAI_API_KEY")
	c.Type("sk-canary-typed")
	c.Wait("> " + strings.Repeat("•", len("sk-canary-typed")))
	c.Type(enter)
	c.Wait("login: the system's keyring does not take it", "set OPENAI_API_KEY in the environment instead")
	turn(c, "still there?", "Here I am.")
	d.stored("Here I am.", 1)
	c.Type("/quit" + enter)
	if err := c.End(); err != nil {
		t.Error(err)
	}
	if strings.Contains(c.Raw(), "canary") {
		t.Error("the key was on the screen")
	}
	err := filepath.WalkDir(d.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		raw, err := os.ReadFile(path)
		if strings.Contains(string(raw), "canary") {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestChat_6_TheModelLastChosenIsRemembered by the next chat.
func TestChat_6_TheModelLastChosenIsRemembered(t *testing.T) {
	d := newChatEnv(t, says("I am another.", "I am the same."))
	c := d.sit(100, 30)
	c.Type("/model anthropic/claude-mill-1" + enter)
	c.Until("the model in the footer", func(s *term.Screen) bool { return strings.Contains(s.Row(29), "claude-mill-1") })
	turn(c, "who are you?", "I am another.")
	c.Type("/quit" + enter)
	if err := c.End(); err != nil {
		t.Fatal(err)
	}
	c = d.sit(100, 30)
	c.Type("and you?" + enter)
	c.Wait("I am the same.")
	d.got(2)
	for i, r := range d.model.Main() {
		if r.Model != "claude-mill-1" {
			t.Errorf("request %d asks %s", i+1, r.Model)
		}
	}
}

// TestChat_1_ANameWithABlankIsCompleted, in quotes, and reaches the model as it was written.
func TestChat_1_ANameWithABlankIsCompleted(t *testing.T) {
	d := newChatEnv(t, says("It is about wind."))
	if err := os.WriteFile(filepath.Join(d.dir, "my mill.txt"), []byte("wind\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := d.sit(100, 30)
	c.Type("what is @mym")
	c.Wait(`▸ @"my mill.txt"`)
	c.Type("\t")
	c.Wait(`> what is @"my mill.txt"`)
	c.Gone("▸")
	c.Type("about?" + enter)
	c.Wait("It is about wind.")
	if got := d.lastPrompt(1); got != `what is @"my mill.txt" about?` {
		t.Errorf("the prompt is %q", got)
	}
}

// TestChat_6_PlainOnATerminal: a line at a time, with the same commands.
func TestChat_6_PlainOnATerminal(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(
		writes("pond.txt", "water"), fakemodel.Reply{Text: "There is a pond."},
		runs("touch ground"), fakemodel.Reply{Text: "By hand, then."}))
	c := term.Start(t, d.command("--plain"), 100, 50)
	c.Wait("/help lists the commands", "\n>")
	c.Type("/mode planning" + enter)
	c.Wait("Mode: PLANNING")
	c.Type("/mode normal" + enter)
	c.Wait("Mode: NORMAL")
	c.Type("dig a pond" + enter)
	c.Wait("write asks: pond.txt", "+water", "y once, a always in this session, p in this project, u everywhere")
	c.Type("y" + enter)
	c.Wait("changed: pond.txt", "There is a pond.")
	c.Type("/diff" + enter)
	c.Until("the diff again", func(s *term.Screen) bool { return strings.Count(s.Text(), "+water") == 2 })
	c.Type("/undo" + enter)
	c.Wait("taken back: 4 messages, 1 file put back")
	d.file("pond.txt", "")
	c.Type("/redo" + enter)
	c.Wait("brought back: 4 messages, 1 file put back")
	d.file("pond.txt", "water\n")
	c.Type("grind" + enter)
	c.Wait("bash asks: touch ground")
	c.Type("n not today" + enter)
	c.Wait("By hand, then.")
	if got := strings.Join(d.got(4), "\n"); !strings.Contains(got, "not today") {
		t.Errorf("the model was not told why:\n%s", got)
	}
	d.file("ground", "")
	c.Type("/statsu" + enter)
	c.Wait("did you mean /status?")
	c.Type(ctrlD)
	if err := c.End(); err != nil {
		t.Error(err)
	}
	c.Wait("saved as")
	if raw := c.Raw(); strings.Contains(raw, "\x1b[?1049h") {
		t.Error("it took the whole screen")
	}
}

// TestChat_6_PlainHasThePersonsOwnCommands: !shell, and prompts from files, of which one of the
// project is shown first.
func TestChat_6_PlainHasThePersonsOwnCommands(t *testing.T) {
	d := newChatEnv(t, says("Mended.", "Mended again."))
	dir := filepath.Join(d.dir, ".trimtab", "commands")
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "mend.md"), []byte("Mend the $1 with care."), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := term.Start(t, d.command("--plain"), 100, 50)
	c.Wait("/help lists the commands", "\n>")
	c.Type("!echo $((6*7)) sacks" + enter)
	c.Wait("\n42 sacks")
	c.Type("/mend sail" + enter)
	c.Wait("comes with this project", "| Mend the $1 with care.")
	c.Type("n" + enter)
	c.Wait("/mend was not used")
	if n := len(d.model.Main()); n != 0 {
		t.Errorf("%d requests", n)
	}
	c.Type("/mend sail" + enter)
	c.Until("the question again", func(s *term.Screen) bool { return strings.Count(s.Text(), "y use it") == 2 })
	c.Type("y" + enter)
	c.Wait("Mended.")
	if got := strings.Join(d.got(1), "\n"); !strings.Contains(got, "Mend the sail with care.") || !strings.Contains(got, "The person ran a command themselves: echo") || !strings.Contains(got, "42 sacks") {
		t.Errorf("the model was told\n%s", got)
	}
	c.Type("/mend quern" + enter)
	c.Wait("Mended again.")
	if got := strings.Join(d.got(2), "\n"); strings.Count(got, "42 sacks") != 1 {
		t.Errorf("the command is told twice, or no more:\n%s", got)
	}
}
