//go:build unix

package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/fakemodel"
	"github.com/trimtab/trimtab/internal/term"
)

// The keys that are not letters, as terminals send them.
const (
	enter    = "\r"
	escape   = "\x1b"
	shiftTab = "\x1b[Z"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	ctrlN    = "\x0e"
	ctrlO    = "\x0f"
)

// chatEnv is what a person needs to chat: a home, a project folder, and a model to talk to.
type chatEnv struct {
	t     *testing.T
	home  string
	dir   string
	model *fakemodel.Server
	env   []string
}

func newChatEnv(t *testing.T, script fakemodel.Script) *chatEnv {
	t.Helper()
	d := &chatEnv{t: t, home: t.TempDir()}
	d.dir = filepath.Join(d.home, "mill")
	d.model = fakemodel.Start(t, fakemodel.Options{Script: script})
	if err := os.Mkdir(d.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.dir, "README.md"), []byte("# Windmill\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + d.home, "TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + os.TempDir(),
		"TRIMTAB_DATA=" + filepath.Join(d.home, "data"),
		"DBUS_SESSION_BUS_ADDRESS=unix:path=" + filepath.Join(d.home, "no-bus"), // without it the keyring of whoever runs the tests is found
		"ANTHROPIC_API_KEY=sk-test-not-a-key", "ANTHROPIC_BASE_URL=" + d.model.URL,
		"GORACE=halt_on_error=1 atexit_sleep_ms=0", // a race in the chat ends it, and so the test
	}
	return d
}

func (d *chatEnv) command(args ...string) *exec.Cmd {
	cmd := exec.Command("trimtab", args...)
	cmd.Dir, cmd.Env = d.dir, d.env
	return cmd
}

// sit starts the chat and waits until it is there.
func (d *chatEnv) sit(width, height int, args ...string) *term.Terminal {
	d.t.Helper()
	c := term.Start(d.t, d.command(args...), width, height)
	c.Wait("ask something")
	return c
}

// got waits for the model's nth request and returns what stood in it, a line an
// item, without the system prompt.
func (d *chatEnv) got(n int) []string {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(d.t.Context(), time.Minute)
	defer cancel()
	_, err := d.model.Until(ctx, func([]fakemodel.Request) bool { return len(d.model.Main()) >= n })
	if err != nil {
		d.t.Fatal(err)
	}
	var lines []string
	for _, item := range d.model.Main()[n-1].Items {
		if item.Role != "system" {
			lines = append(lines, item.String())
		}
	}
	return lines
}

// stored waits until words stand so often in what is stored of the newest session:
// what is on the screen may not be there yet.
func (d *chatEnv) stored(words string, times int) {
	d.t.Helper()
	end := time.Now().Add(time.Minute)
	for {
		out, err := d.command("session", "export").CombinedOutput()
		if strings.Count(string(out), words) >= times {
			return
		}
		if time.Now().After(end) {
			d.t.Fatalf("%q is not stored %d times: %v", words, times, err)
		}
	}
}

// before returns the line that stands before the one with these words.
func (d *chatEnv) before(lines []string, words string) string {
	d.t.Helper()
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, words) })
	if at < 0 {
		d.t.Fatalf("%q is not in\n%s", words, strings.Join(lines, "\n"))
	}
	if at == 0 {
		return ""
	}
	return lines[at-1]
}

func says(texts ...string) fakemodel.Script {
	var all []fakemodel.Reply
	for _, text := range texts {
		all = append(all, fakemodel.Reply{Text: text})
	}
	return fakemodel.Replies(all...)
}

// TestM1_TheFiveModesInTheFooter cycles through all of them and back.
func TestM1_TheFiveModesInTheFooter(t *testing.T) {
	d := newChatEnv(t, nil)
	c := d.sit(100, 24)
	for _, name := range []string{"PLANNING", "RESEARCH", "CODE REVIEW", "DEBUGGING"} {
		c.Type(shiftTab)
		c.Wait("Mode: " + name)
		c.Until("the mode in footer and title", func(s *term.Screen) bool {
			return strings.Contains(s.Row(23), name) && strings.Contains(s.Title(), name)
		})
	}
	c.Type(shiftTab)
	c.Until("Normal", func(s *term.Screen) bool {
		return !strings.Contains(s.Row(23), "DEBUGGING") && !strings.Contains(s.Title(), "DEBUGGING")
	})
	if n := len(d.model.Main()); n != 0 {
		t.Errorf("cycling sent %d requests", n)
	}
}

// TestM9_ShiftTabInItsThreeEncodings.
func TestM9_ShiftTabInItsThreeEncodings(t *testing.T) {
	c := newChatEnv(t, nil).sit(100, 24)
	for _, step := range [][2]string{{"\x1b[Z", "PLANNING"}, {"\x1b[1;2Z", "RESEARCH"}, {"\x1b[9;2u", "CODE REVIEW"}} {
		c.Type(step[0])
		c.Wait("Mode: " + step[1])
	}
}

// TestM9_NotInAPasteNorInADialog.
func TestM9_NotInAPasteNorInADialog(t *testing.T) {
	c := newChatEnv(t, nil).sit(100, 24)
	c.Paste("one \x1b[Z two")
	c.Wait("two")
	c.Type("/help")
	for range len("/help") {
		c.Type("\x7f")
	}
	c.Type(ctrlC)
	c.Gone("two")
	c.Type("/mode" + enter)
	c.Wait("filter the modes")
	c.Type(shiftTab)
	c.Type(escape)
	c.Gone("filter the modes")
	c.Type("x")
	c.Wait("> x")
	c.See(func(s *term.Screen) {
		if strings.Contains(s.Text(), "PLANNING") || strings.Contains(s.Title(), "PLANNING") {
			t.Errorf("the mode changed:\n%s", s.Text())
		}
	})
}

// TestM9_ModeByName: a name, a prefix, a typo.
func TestM9_ModeByName(t *testing.T) {
	d := newChatEnv(t, nil)
	c := d.sit(100, 24)
	c.Type("/mode rese" + enter)
	c.Wait("Mode: RESEARCH")
	c.Type("/mode plannnig" + enter)
	c.Wait("planning", "code-review")
	c.Until("still research", func(s *term.Screen) bool { return strings.Contains(s.Row(23), "RESEARCH") })
	c.Type("/mdoe" + enter)
	c.Wait("/mode")
	if n := len(d.model.Main()); n != 0 {
		t.Errorf("commands sent %d requests (M8)", n)
	}
}

// TestM2_M3_EntryAndReminderReachTheModel: the entry prompt with the first prompt,
// the reminder with the next, both directly before the person's words, and in a
// tool loop still there.
func TestM2_M3_EntryAndReminderReachTheModel(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Text: "A plan it is."},
		fakemodel.Reply{Text: "I look first.", Calls: []fakemodel.Call{{Name: "read", Input: json.RawMessage(`{"path":"README.md"}`)}}},
		fakemodel.Reply{Text: "It is a windmill."},
	))
	c := d.sit(100, 30)
	c.Type(shiftTab)
	c.Wait("Mode: PLANNING")
	c.Type("build a mill" + enter)
	c.Wait("A plan it is.")
	first := d.got(1)
	entry := d.before(first, "build a mill")
	if !strings.HasPrefix(entry, "user text") || len(entry) < 200 {
		t.Errorf("before the first prompt stands %q", entry)
	}
	c.Type("and the sails?" + enter)
	c.Wait("It is a windmill.")
	second, third := d.got(2), d.got(3)
	reminder := second[len(second)-1]
	if reminder == entry || !strings.HasPrefix(reminder, "user text Remember") || !strings.Contains(second[len(second)-2], "and the sails?") {
		t.Errorf("behind the second prompt stands %q", reminder)
	}
	if again := third[len(third)-1]; again != reminder {
		t.Errorf("in the tool loop the last is %q, want %q", again, reminder)
	}
	if n := strings.Count(strings.Join(third, "\n"), reminder); n != 1 {
		t.Errorf("the reminder is there %d times", n)
	}
	if n := strings.Count(strings.Join(third, "\n"), entry); n != 1 {
		t.Errorf("the entry prompt is there %d times", n)
	}
	if last := third[len(third)-2]; !strings.Contains(last, "Windmill") {
		t.Errorf("before the reminder the model sees %q", last)
	}
	for i, r := range third[:len(second)-1] { // all but what rides
		if r != second[i] {
			t.Errorf("item %d moved: %q, was %q", i, r, second[i])
		}
	}
	d.model.NoneRefused(t)
}

// TestM4_M6_NewChatStartsInNormal: Ctrl+N saves, empties the page and resets.
func TestM4_M6_NewChatStartsInNormal(t *testing.T) {
	d := newChatEnv(t, says("Planned.", "Plain."))
	c := d.sit(100, 24)
	c.Type("/mode planning" + enter)
	c.Type("first" + enter)
	c.Wait("Planned.")
	c.Type(ctrlN)
	c.Gone("Planned.")
	c.Until("Normal", func(s *term.Screen) bool { return !strings.Contains(s.Row(23), "PLANNING") })
	c.Type("second" + enter)
	c.Wait("Plain.")
	if lines := d.got(2); len(lines) != 1 || !strings.HasSuffix(lines[0], "second") {
		t.Errorf("the model got %q", lines)
	}
	out, err := d.command("session", "list").CombinedOutput()
	if err != nil || strings.Count(string(out), "trimtab") < 2 {
		t.Errorf("%v: the list shows\n%s", err, out)
	}
}

// TestM7_ContinueRestoresTheMode: with a reminder and no second entry.
func TestM7_ContinueRestoresTheMode(t *testing.T) {
	d := newChatEnv(t, says("Planned.", "Back again."))
	c := d.sit(100, 24)
	c.Type("/mode planning" + enter)
	c.Type("first words" + enter)
	c.Wait("Planned.")
	c.Type(ctrlD)
	if err := c.End(); err != nil {
		t.Fatalf("it ended with %v\n%s", err, c.Text())
	}
	entry := d.before(d.got(1), "first words")

	c = d.sit(100, 24, "--continue")
	c.Wait("first words", "Planned.", "PLANNING")
	c.Type("second words" + enter)
	c.Wait("Back again.")
	lines := d.got(2)
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "user text Remember") || !strings.Contains(d.before(lines, last), "second words") {
		t.Errorf("behind the second prompt stands %q", last)
	}
	if d.before(lines, "first words") != entry {
		t.Errorf("the entry prompt is not where it was:\n%s", strings.Join(lines, "\n"))
	}
	if n := strings.Count(strings.Join(lines, "\n"), entry); n != 1 {
		t.Errorf("the entry prompt is there %d times", n)
	}
}

// TestP2_AKillWhileStreamingLosesOnlyTheReply: kill -9, then --continue.
func TestP2_AKillWhileStreamingLosesOnlyTheReply(t *testing.T) {
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Text: "The first answer."},
		fakemodel.Reply{Text: strings.Repeat("half of it and ", 20), Before: func(ctx context.Context, event int) {
			if event > 6 {
				select {
				case <-ctx.Done():
				case <-hold:
				}
			}
		}},
		fakemodel.Reply{Text: "The second answer."},
	))
	c := d.sit(100, 24)
	c.Type("one" + enter)
	c.Wait("The first answer.")
	c.Type("two" + enter)
	c.Wait("half of it")
	c.Kill()

	c = d.sit(100, 24, "--continue")
	c.Wait("The first answer.", "two")
	c.See(func(s *term.Screen) {
		if strings.Contains(s.Text(), "half of it") {
			t.Errorf("half a reply passes for one:\n%s", s.Text())
		}
	})
	c.Type("go on" + enter)
	c.Wait("The second answer.")
	lines := strings.Join(d.got(3), "\n")
	for _, words := range []string{"one", "The first answer.", "two"} { // "go on" asks for its reply again
		if !strings.Contains(lines, words) {
			t.Errorf("%q was lost; the model got\n%s", words, lines)
		}
	}
	d.model.NoneRefused(t)
}

// TestEscInterruptsAReply: what was said stays, marked, and the chat goes on.
func TestEscInterruptsAReply(t *testing.T) {
	gone := make(chan struct{})
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Text: strings.Repeat("on and on ", 30), Before: func(ctx context.Context, event int) {
			if event > 6 {
				<-ctx.Done()
				close(gone)
			}
		}},
		fakemodel.Reply{Text: "Quiet now."},
	))
	c := d.sit(100, 24)
	c.Type("talk" + enter)
	c.Wait("on and on")
	c.Type(escape)
	c.Wait("interrupted")
	select {
	case <-gone:
	case <-time.After(time.Minute):
		t.Fatal("the request was not cancelled")
	}
	c.Type("hush" + enter)
	c.Wait("Quiet now.")
	d.model.NoneRefused(t)
}

// TestP13_WhatAModelWritesIsHarmless: no title, no clipboard, no cursor, no text
// that runs backwards.
func TestP13_WhatAModelWritesIsHarmless(t *testing.T) {
	d := newChatEnv(t, says("a\x1b]52;c;aGFja2Vk\x07b \x1b]0;pwned\x07c \x1b[2Jd \u202egnp.exe\u202c \u009b31me\x07 end of it"))
	c := d.sit(100, 24)
	c.Type("go" + enter)
	c.Wait("end of it", "❯ go")
	c.See(func(s *term.Screen) {
		if s.Clipboard() != "" || strings.Contains(s.Title(), "pwned") {
			t.Errorf("clipboard %q, title %q", s.Clipboard(), s.Title())
		}
	})
	for _, bad := range []string{"\x1b]52", "pwned\x07", "\u202e", "\u009b"} {
		if strings.Contains(c.Raw(), bad) {
			t.Errorf("%q reached the terminal", bad)
		}
	}
}

// TestANarrowTerminal: forty columns, and a window that changes.
func TestANarrowTerminal(t *testing.T) {
	long := "a word and another word that do not fit into forty columns at all, " + strings.Repeat("x", 60)
	d := newChatEnv(t, says(long))
	c := d.sit(40, 20)
	c.Type(shiftTab)
	c.Wait("PLANNING")
	c.Type("narrow" + enter)
	c.Wait("columns at all")
	c.See(func(s *term.Screen) {
		for y := range 20 {
			if n := len([]rune(s.Row(y))); n > 40 {
				t.Errorf("row %d has %d columns", y, n)
			}
		}
		if !strings.Contains(s.Row(19), "PLANNING") {
			t.Errorf("the footer dropped the mode: %q", s.Row(19))
		}
	})
	c.Resize(90, 30)
	c.Until("the footer at the new end", func(s *term.Screen) bool { return strings.Contains(s.Row(29), "PLANNING") })
	c.Wait("narrow", "forty columns")
}

// TestCtrlOShowsEachNoteWithItsReason.
func TestCtrlOShowsEachNoteWithItsReason(t *testing.T) {
	d := newChatEnv(t, says("Planned."))
	c := d.sit(100, 30)
	c.Type(ctrlO)
	c.Wait("verbose")
	c.Type("/mode planning" + enter)
	c.Type("first" + enter)
	c.Wait("Planned.", "note by mode/entry", "first prompt in PLANNING")
	c.Type("/status" + enter)
	c.Wait("mode/entry", "price")
}

// TestACommandIsAskedFirst: refused, allowed once, and what came of it.
func TestACommandIsAskedFirst(t *testing.T) {
	run := fakemodel.Reply{Calls: []fakemodel.Call{{Name: "bash", Input: json.RawMessage(`{"command":"touch made-by-bash"}`)}}}
	d := newChatEnv(t, fakemodel.Replies(run, fakemodel.Reply{Text: "You said no."}, run, fakemodel.Reply{Text: "It is made."}))
	c := d.sit(100, 30)
	made := filepath.Join(d.dir, "made-by-bash")
	c.Type("make it" + enter)
	c.Wait("touch made-by-bash", "once")
	c.Type("n")
	c.Wait("You said no.")
	if _, err := os.Stat(made); err == nil {
		t.Fatal("it ran without leave")
	}
	c.Type("please" + enter)
	c.Wait("touch made-by-bash", "once")
	c.Type("y")
	c.Wait("It is made.")
	if _, err := os.Stat(made); err != nil {
		t.Errorf("it did not run: %v\n%s", err, c.Text())
	}
	d.model.NoneRefused(t)
}

// TestSeed001_57_ACodeReviewRunsATest, and the person is asked first.
func TestSeed001_57_ACodeReviewRunsATest(t *testing.T) {
	run := fakemodel.Reply{Calls: []fakemodel.Call{{Name: "bash", Input: json.RawMessage(`{"command": "touch tested"}`)}}}
	d := newChatEnv(t, fakemodel.Replies(run, fakemodel.Reply{Text: "The tests ran."}))
	c := d.sit(100, 30)
	c.Type("/mode codeReview" + enter)
	c.Type("review it" + enter)
	c.Wait("touch tested", "once")
	c.Type("y")
	c.Wait("The tests ran.")
	if _, err := os.Stat(filepath.Join(d.dir, "tested")); err != nil {
		t.Errorf("it did not run: %v\n%s", err, c.Text())
	}
	d.model.NoneRefused(t)
}

// TestChat_7_ToolsAreTheSameInEveryMode: a mode that only looks refuses what writes. The
// list of tools is the beginning of the provider's cached prefix, and never changes.
func TestChat_7_ToolsAreTheSameInEveryMode(t *testing.T) {
	write := fakemodel.Call{Name: "write", Input: json.RawMessage(`{"path":"made.txt","content":"x"}`)}
	d := newChatEnv(t, fakemodel.Replies(fakemodel.Reply{Text: "the first answer"}, fakemodel.Reply{Calls: []fakemodel.Call{write}}, fakemodel.Reply{Text: "the second answer"}))
	c := d.sit(100, 24)
	c.Type("free" + enter)
	c.Wait("the first answer")
	d.stored("the first answer", 1) // the turn is over, and what is typed next is not queued behind it
	c.Type("/mode planning" + enter)
	c.Type("bound" + enter)
	c.Wait("not for PLANNING", "the second answer")
	d.got(3)
	tools := func(i int) (names []string) {
		for _, tool := range d.model.Main()[i].Tools {
			names = append(names, tool.Name)
		}
		return names
	}
	if !slices.Contains(tools(0), "write") || !slices.Equal(tools(0), tools(1)) || !slices.Equal(tools(1), tools(2)) {
		t.Errorf("offered in normal %v, in planning %v", tools(0), tools(1))
	}
	if _, err := os.Stat(filepath.Join(d.dir, "made.txt")); !os.IsNotExist(err) {
		t.Errorf("written in planning: %v", err)
	}
}

// TestF5_AModelWritesTheSummary: a frame is popped without one, the model is asked,
// and what it wrote stands in the place of the frame's messages.
func TestF5_AModelWritesTheSummary(t *testing.T) {
	d := newChatEnv(t, func(r fakemodel.Request) fakemodel.Reply {
		switch said := r.Transcript(); {
		case strings.Contains(said, "The record:"):
			return fakemodel.Reply{Text: "The sails were measured: nine feet each."}
		case strings.Contains(said, "what next"):
			return fakemodel.Reply{Text: "On we go."}
		}
		return fakemodel.Reply{Text: "They are nine feet long. " + strings.Repeat("And so on and on. ", 300) + "That is all of it."}
	})
	d.env = append(d.env, "TRIMTAB_FRAMES_SUMMARIES=model")
	c := d.sit(100, 30)
	c.Type("mind the mill" + enter)
	c.Wait("And so on")
	c.Type("/push measure the sails" + enter)
	c.Wait("measure the sails")
	c.Type("how long are they?" + enter)
	d.got(2)
	d.stored("That is all of it.", 2)
	c.Type("/pop" + enter)
	c.Wait("is completed")
	lines := d.got(3)
	if !strings.Contains(strings.Join(lines, "\n"), "how long are they?") {
		t.Errorf("the model was asked with\n%s", strings.Join(lines, "\n"))
	}
	c.Type("/frame show f2" + enter)
	c.Type("what next?" + enter)
	c.Wait("On we go.")
	all := d.model.Main()
	last := all[len(all)-1].Transcript()
	if !strings.Contains(last, "nine feet each") || strings.Contains(last, "how long are they?") {
		t.Errorf("the model sees\n%s", last)
	}
}

// TestAPictureGoesWithThePrompt: named with @, and one that is none is said.
func TestAPictureGoesWithThePrompt(t *testing.T) {
	d := newChatEnv(t, says("A black dot.", "I see nothing."))
	dot, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	for name, raw := range map[string][]byte{"dot.png": dot, "not.png": []byte("just text")} {
		if err := os.WriteFile(filepath.Join(d.dir, name), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := d.sit(100, 24)
	c.Type("what is in @dot.png?" + enter)
	c.Wait("A black dot.")
	d.got(1)
	if body := string(d.model.Main()[0].Body); !strings.Contains(body, `"media_type":"image/png"`) {
		t.Errorf("the picture is not in %.600s", body)
	}
	c.Type("and in @not.png?" + enter)
	c.Wait("I see nothing.", "not.png was left out")
	d.model.NoneRefused(t)
}

// TestAModeMayNameItsModel: planning is asked of another one.
func TestAModeMayNameItsModel(t *testing.T) {
	d := newChatEnv(t, says("One.", "Two.", "Three."))
	config := filepath.Join(d.home, "trimtab.json")
	if err := os.WriteFile(config, []byte(`{"modes": {"model": {"planning": "anthropic/claude-deep-1"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "TRIMTAB_CONFIG="+config)
	c := d.sit(100, 24)
	c.Type("first" + enter)
	c.Wait("One.")
	c.Type("/mode planning" + enter)
	c.Type("second" + enter)
	c.Wait("Two.")
	c.Type("/mode normal" + enter)
	c.Type("third" + enter)
	c.Wait("Three.")
	d.got(3)
	all := d.model.Main()
	if all[1].Model != "claude-deep-1" || all[0].Model == "claude-deep-1" || all[2].Model != all[0].Model {
		t.Errorf("asked were %s, %s and %s", all[0].Model, all[1].Model, all[2].Model)
	}
}

// TestF5_OurModelFoldsItsOwnWork: it pushes a frame, works, pops it, and sees the
// summary from then on.
func TestF5_OurModelFoldsItsOwnWork(t *testing.T) {
	call := func(name, input string) fakemodel.Reply {
		return fakemodel.Reply{Calls: []fakemodel.Call{{Name: name, Input: json.RawMessage(input)}}}
	}
	read := call("read", `{"path":"long.txt"}`)
	d := newChatEnv(t, fakemodel.Replies(
		call("flame_push", `{"goal":"read the long file"}`), read, read,
		call("flame_pop", `{"status":"completed","summary":"It says wood a thousand times."}`),
		fakemodel.Reply{Text: "All read."},
	))
	if err := os.WriteFile(filepath.Join(d.dir, "long.txt"), []byte(strings.Repeat("wood and more wood\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := d.sit(100, 30)
	c.Type("what does it say?" + enter)
	c.Wait("All read.")
	d.got(5)
	all := d.model.Main()
	if before := all[3].Transcript(); strings.Count(before, "wood and more wood") < 1000 {
		t.Errorf("before the pop the work is not there: %.300s", before)
	}
	if after := all[4].Transcript(); strings.Contains(after, "wood and more wood") || !strings.Contains(after, "It says wood a thousand times.") {
		t.Errorf("after the pop the model sees\n%.2000s", after)
	}
	d.model.NoneRefused(t)
}

// TestD6_ACriterionIsOffered, and counts in a mode that has some.
func TestD6_ACriterionIsOffered(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Text: "Plain."},
		fakemodel.Reply{Calls: []fakemodel.Call{{Name: "criterion_met", Input: json.RawMessage(`{"id":"audience_defined","evidence":"bakers, in my reply"}`)}}},
		fakemodel.Reply{Text: "Noted."},
	))
	c := d.sit(100, 30)
	c.Type("hello" + enter)
	c.Wait("Plain.")
	c.Type("/mode copywrite" + enter)
	c.Type("a page for a mill" + enter)
	c.Wait("Noted.")
	d.got(3)
	has := func(i int) bool {
		return slices.ContainsFunc(d.model.Main()[i].Tools, func(tool fakemodel.Tool) bool { return tool.Name == "criterion_met" })
	}
	if !has(0) || !has(1) {
		t.Errorf("offered in normal: %v, in copywrite: %v", has(0), has(1))
	}
	d.model.NoneRefused(t)
}

// TestABusyProviderIsAskedAgain: the wait is shown, and the answer comes.
func TestABusyProviderIsAskedAgain(t *testing.T) {
	d := newChatEnv(t, fakemodel.Replies(
		fakemodel.Reply{Status: 529, Text: "overloaded", Headers: http.Header{"Retry-After": {"1"}}},
		fakemodel.Reply{Text: "Here I am."},
	))
	c := d.sit(100, 24)
	c.Type("hello?" + enter)
	c.Wait("asking again in 1s", "Here I am.")
}

// TestANewcomer: no key, no network, nothing set: the demo model answers and says
// how to connect a real one; leave with Ctrl+C twice, and resume.
func TestANewcomer(t *testing.T) {
	d := newChatEnv(t, nil)
	d.env = slices.DeleteFunc(d.env, func(v string) bool { return strings.HasPrefix(v, "ANTHROPIC") })
	d.env = append(d.env, "OLLAMA_HOST=127.0.0.1:1")
	c := d.sit(100, 30)
	c.Wait("demo", "ANTHROPIC_API_KEY")
	c.Type("what is in this folder?" + enter)
	c.Wait("README.md", "I changed nothing")
	c.Type(ctrlC)
	c.Type(ctrlC)
	if err := c.End(); err != nil {
		t.Fatalf("it ended with %v", err)
	}
	if left := c.Raw(); !strings.Contains(left, "--continue") && !strings.Contains(left, "--resume") {
		t.Errorf("it does not say how to come back:\n%s", c.Text())
	}
	c = d.sit(100, 30, "--continue")
	c.Wait("what is in this folder?", "I changed nothing")
}
