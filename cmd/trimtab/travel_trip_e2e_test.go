//go:build e2e && unix

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/host/launch"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// trip is one run of the script with one agent.
type trip struct {
	c       travelClient
	parts   []fakemodel.Part
	trimtab string // "" is straight to the model
	err     error

	ctx     context.Context
	t       *testing.T
	model   *fakemodel.Server
	paths   client.Paths
	home    string
	data    string
	pane    *pane
	screens strings.Builder
}

func (tr *trip) way() string {
	if tr.trimtab == "" {
		return "unsteered"
	}
	return "steered"
}

func (tr *trip) work() string { return filepath.Join(tr.home, "work") }

func (tr *trip) prepare(ctx context.Context, t *testing.T, paths client.Paths) {
	tr.ctx, tr.t, tr.paths = ctx, t, paths
	tr.home, tr.data = t.TempDir(), t.TempDir()
	tr.model = fakemodel.Start(t, fakemodel.Options{Script: fakemodel.Session(tr.parts...), Lenient: tr.c.own != ""})
}

// play is the script.
func (tr *trip) play() error {
	if err := tr.start(tr.c.args, "--mode", "planning"); err != nil {
		return err
	}
	steps := []struct {
		situation string
		do        func() error
	}{
		{inLoop, func() error { return tr.prompt("please begin with travel-one", "one") }},
		{atSecond, func() error { return tr.prompt("automata: please go on with travel-two", "two") }},
		{afterInterrupt, tr.interruptTool},
		{afterInterrupt, func() error { return tr.prompt("please do travel-four instead", "four") }},
		{afterEarly, tr.interruptReply},
		{afterEarly, func() error { return tr.prompt("please do travel-six instead", "six") }},
		{afterRewind, func() error { return tr.c.rewind(tr) }},
		{afterRewind, func() error { return tr.prompt("please do travel-seven instead", "seven") }},
		{atCompaction, tr.compact},
		{afterCompaction, func() error { return tr.prompt("please go on with travel-eight", "eight") }},
		{secondAfter, func() error { return tr.prompt("please go on with travel-nine", "nine") }},
		{afterResume, tr.quit},
		{afterResume, func() error { return tr.start(tr.c.resume) }},
		{afterResume, tr.resumed},
		{afterResume, func() error { return tr.prompt("please go on with travel-ten", "ten") }},
		{afterResume, tr.quit},
	}
	for i, step := range steps {
		if tr.c.lacks[step.situation] != "" {
			continue
		}
		if err := step.do(); err != nil {
			return fmt.Errorf("step %d, %s: %w\n%s", i+1, step.situation, err, tr.pane.text())
		}
		fmt.Fprintf(&tr.screens, "---- after step %d, %s, %d requests\n%s\n", i+1, step.situation, len(tr.model.Requests()), tr.pane.text())
	}
	return nil
}

// start runs the agent in a terminal, and waits until it takes a prompt.
func (tr *trip) start(args []string, flags ...string) error {
	url := tr.model.URL
	if tr.trimtab != "" {
		url = ""
	}
	recipe := tr.c.name
	if tr.c.api != "" {
		recipe += ":" + tr.c.api
	}
	agent, err := client.Command(recipe, url, "")
	if err != nil {
		return err
	}
	agent.Home, agent.Env = tr.home, append(agent.Env, tr.c.env...)
	fill := strings.NewReplacer("{home}", tr.home, "{work}", tr.work(), "{url}", url)
	agent.Args = nil
	if tr.trimtab == "" {
		args = append(slices.Clone(tr.c.point), args...)
	}
	for _, a := range args {
		agent.Args = append(agent.Args, fill.Replace(a))
	}
	for name, text := range tr.c.files {
		agent.Files[name] = fill.Replace(text)
	}
	for name := range agent.Files { // what the agent wrote since is not overwritten
		if _, err := os.Stat(filepath.Join(tr.home, filepath.FromSlash(name))); err == nil {
			delete(agent.Files, name)
		}
	}
	cmd, err := agent.Prepare(tr.ctx, tr.paths)
	if err != nil {
		return err
	}
	if tr.trimtab != "" {
		if cmd, err = tr.steered(cmd, flags); err != nil {
			return err
		}
	}
	tr.pane = startPane(tr.ctx, tr.t, cmd)
	return tr.until("the prompt of the agent", func() bool { return strings.Contains(tr.pane.text(), tr.c.ready) && tr.still() })
}

// resumed waits for the old session: some take a prompt before they have read it, and
// begin a new one with it.
func (tr *trip) resumed() error {
	words := cmp.Or(tr.c.resumed, "ready-nine")
	if err := tr.until("the old session", func() bool { return strings.Contains(tr.pane.text(), words) }); err != nil {
		return err
	}
	return tr.settle()
}

// steered is the same command through trimtab.
func (tr *trip) steered(cmd *exec.Cmd, flags []string) (*exec.Cmd, error) {
	known, _ := launch.Find(tr.c.name)
	bin := filepath.Join(tr.data, "bin") // the agent under the name that people have it under
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return nil, err
	}
	if err := os.Symlink(tr.paths.Bin, filepath.Join(bin, known.Command)); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	args := append([]string{"run", "--data", tr.data}, flags...)
	for _, provider := range []string{"anthropic", "openai", "gemini"} {
		args = append(args, "--upstream", provider+"="+tr.model.URL)
	}
	run := exec.CommandContext(tr.ctx, tr.trimtab, append(append(args, tr.c.name), cmd.Args[1:]...)...)
	run.Dir = cmd.Dir
	for _, e := range cmd.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			e = "PATH=" + bin + string(os.PathListSeparator) + path
		}
		run.Env = append(run.Env, e)
	}
	return run, nil
}

// until waits for something, and answers the questions that the agent asks meanwhile.
func (tr *trip) until(what string, holds func() bool) error {
	return tr.within(3*time.Minute, what, holds)
}

func (tr *trip) within(most time.Duration, what string, holds func() bool) error {
	ctx, cancel := context.WithTimeout(tr.ctx, most)
	defer cancel()
	for !holds() {
		if err := pause(ctx, 150*time.Millisecond); err != nil {
			return fmt.Errorf("waited for %s: %w", what, err)
		}
		if tr.pane.ended() {
			return fmt.Errorf("waited for %s: the agent has ended", what)
		}
		seen := tr.pane.text()
		for _, d := range tr.c.dialogs {
			if strings.Contains(seen, d.words) {
				if err := tr.pane.press(d.keys...); err != nil {
					return err
				}
				_ = pause(ctx, 700*time.Millisecond)
				break
			}
		}
	}
	return nil
}

// still reports whether the screen stays as it is, with nothing going on.
func (tr *trip) still() bool {
	before := tr.pane.text()
	for _, w := range tr.c.busy {
		if strings.Contains(before, w) {
			return false
		}
	}
	return pause(tr.ctx, 900*time.Millisecond) == nil && tr.pane.text() == before
}

// settle waits until nothing goes on; a screen that never stands still is no error.
func (tr *trip) settle() error {
	err := tr.within(15*time.Second, "a screen that stands still", tr.still)
	if tr.ctx.Err() != nil || tr.pane.ended() {
		return err
	}
	return nil
}

// asked reports whether the model was asked for a part.
func (tr *trip) asked(word string) bool {
	return slices.ContainsFunc(tr.model.Requests(), func(r fakemodel.Request) bool {
		turn := fakemodel.TurnOf(r, tr.parts)
		return turn.Kind == fakemodel.MainTurn && turn.Word == "travel-"+word
	})
}

// say types a prompt and sends it off.
func (tr *trip) say(text, word string) error {
	if err := tr.pane.write(text); err != nil {
		return err
	}
	if err := tr.until("the prompt on the screen", func() bool { return strings.Contains(tr.pane.text(), "travel-"+word) }); err != nil {
		return err
	}
	for range 3 { // an Enter that comes too soon is taken for a part of a paste
		_ = pause(tr.ctx, 400*time.Millisecond)
		if err := tr.pane.press("Enter"); err != nil {
			return err
		}
		if tr.within(time.Minute, "", func() bool { return tr.asked(word) }) == nil { // a busy machine takes that long to start an agent's first request
			return nil
		}
	}
	return fmt.Errorf("the model was not asked for %s", word)
}

// prompt is a prompt and all replies to it.
func (tr *trip) prompt(text, word string) error {
	if err := tr.say(text, word); err != nil {
		return err
	}
	if err := tr.until("the last reply to "+word, func() bool { return strings.Contains(tr.pane.text(), "ready-"+word) }); err != nil {
		return err
	}
	return tr.settle()
}

// interruptTool stops the agent while a command runs.
func (tr *trip) interruptTool() error {
	if err := tr.say("please try travel-three", "three"); err != nil {
		return err
	}
	begun := func() bool { _, err := os.Stat(filepath.Join(tr.work(), "begun-three")); return err == nil }
	if err := tr.until("the command", begun); err != nil {
		return err
	}
	return tr.stop()
}

// interruptReply stops the agent before a byte of the reply has come.
func (tr *trip) interruptReply() error {
	if err := tr.say("please try travel-five", "five"); err != nil {
		return err
	}
	return tr.stop()
}

// stop interrupts, and empties the line, into which some put the prompt back.
func (tr *trip) stop() error {
	for range 4 { // keys that come late on a busy machine may not count
		_ = pause(tr.ctx, time.Second)
		if err := tr.pane.press(tr.c.interrupt...); err != nil {
			return err
		}
		if tr.within(6*time.Second, "an agent that stops", tr.still) == nil {
			return tr.pane.press(tr.c.clear...)
		}
	}
	return errors.New("the agent does not stop")
}

func (tr *trip) compact() error {
	if err := tr.command(tr.c.compact); err != nil {
		return err
	}
	did := func() bool {
		return slices.ContainsFunc(tr.model.Requests(), func(r fakemodel.Request) bool {
			return fakemodel.TurnOf(r, tr.parts).Kind == fakemodel.CompactionTurn
		})
	}
	if err := tr.until("a request for a compaction", did); err != nil {
		return err
	}
	_ = pause(tr.ctx, 2*time.Second)
	return tr.settle()
}

// walk goes through menus: keys, the words that they bring to the screen, keys.
func (tr *trip) walk(way ...any) error {
	for _, step := range way {
		switch step := step.(type) {
		case []string:
			if err := tr.pane.press(step...); err != nil {
				return err
			}
		case string:
			if err := tr.within(time.Minute, step, func() bool { return strings.Contains(tr.pane.text(), step) }); err != nil {
				return err
			}
		}
	}
	if err := tr.settle(); err != nil {
		return err
	}
	return tr.pane.press(tr.c.clear...)
}

// command types a slash command.
func (tr *trip) command(text string) error {
	if err := tr.pane.write(text); err != nil {
		return err
	}
	_ = pause(tr.ctx, 1200*time.Millisecond) // for the list of commands that opens
	return tr.pane.press("Enter")
}

func (tr *trip) quit() error {
	if strings.HasPrefix(tr.c.quit[0], "/") {
		if err := tr.command(tr.c.quit[0]); err != nil {
			return err
		}
	} else if err := tr.pane.press(tr.c.quit...); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(tr.ctx, 30*time.Second)
	defer cancel()
	for !tr.pane.ended() {
		if err := pause(ctx, 150*time.Millisecond); err != nil {
			return fmt.Errorf("the agent does not end: %w", err)
		}
	}
	return nil
}

// save writes what was seen into the folder that the environment names.
func (tr *trip) save(t *testing.T) {
	t.Helper()
	base := os.Getenv("TRIMTAB_E2E_LOG")
	if base == "" {
		return
	}
	dir := filepath.Join(base, tr.c.name+"-"+tr.way())
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(tr.data)); err != nil {
		t.Error(err)
	}
	var index strings.Builder
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range tr.model.Requests() {
		turn := fakemodel.TurnOf(r, tr.parts)
		fmt.Fprintf(&index, "%3d %s %s %s/%s model=%s tools=%d items=%d bytes=%d side=%q %s refused=%v notes=%v\n", r.N, r.Method, r.Path, turn.Kind, turn.Name, r.Model, len(r.Tools), len(r.Items), len(r.Body), r.Side, fmt.Sprint(turn.Word, ":", turn.Step), r.Refused, tally(visible(r)))
		write(fmt.Sprintf("%03d.json", r.N), string(r.Body))
		write(fmt.Sprintf("%03d.txt", r.N), r.Transcript())
	}
	write("index", index.String())
	write("screens", tr.screens.String())
	if tr.err != nil {
		write("error", tr.err.Error())
	}
}
