package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/internal/version"
	"github.com/trimtab/trimtab/llm/key"
	"github.com/trimtab/trimtab/surface/tui"
)

// fullScreen reports whether the terminal can show the chat as a program of its
// own; else it is a line at a time.
func (a *app) fullScreen() bool {
	term := a.getenv("TERM")
	return !a.flag.plain && a.terminal.in && a.terminal.out && term != "dumb" && (term != "" || os.PathSeparator == '\\')
}

// screen is the chat as a program on the whole terminal.
func (t *talk) screen(ctx context.Context) error {
	id, err := t.wanted(ctx)
	if err != nil {
		return err
	}
	if t.flag.model != "" { // a wrong name is told before the screen is taken
		if _, _, err := t.Model(ctx, t.flag.model); err != nil {
			return err
		}
	}
	id, err = tui.Run(ctx, tui.Options{
		Service: t.service, Folder: t.dir, Home: t.homeDir(), Model: t.flag.model,
		Session: id, Pick: t.flag.resume == pickOne, Notices: t.notices(), Editor: t.editor(), Env: t.environ,
		Begin: t.Begin, Agent: t.drawn, Keep: t.Remember, Keys: t.keys, SaveKey: key.Store, Cost: t.picker.Cost, Window: t.picker.Window,
		Messages: t.archive.Messages, Sessions: t.Sessions, Models: t.models, Tools: t.toolList, Export: t.exportTo,
		Theme: t.settings.Chat.Named(t.Theme()), KeepTheme: t.RememberTheme, Jobs: t.Folder().Jobs, StopJob: t.Folder().StopJob, LostJobs: t.LostJobs,
		UserCommands: t.UserCommands, Read: t.Read, TakeCommand: t.TakeCommand, Redo: t.redo,
		Shell: t.Shell, Claim: t.Claim, Rewind: t.rewind, Diff: t.Diff, Changes: t.Changes, TakenBack: chat.TakenBack,
		Files: t.Files, Recall: t.Recall, Prompt: t.Prompt, Explain: explain, Clock: t.clock,
		Branch: func(context.Context) string { return git.Branch(t.dir) },
	})
	if id != "" && t.unready == nil {
		t.progress("saved as %s; trimtab --continue comes back to it\n", id)
	}
	return err
}

// drawn chooses a model for the screen.
func (t *talk) drawn(ctx context.Context, name string, permit tui.Permit) (tui.Chosen, error) {
	c, err := t.Choose(ctx, name, chat.Permit(permit))
	if c.Name == "demo" && name == "" {
		c.Note += " /login enters a key here."
	}
	return tui.Chosen{Runner: c.Runner, Name: c.Name, Note: c.Note, Sandbox: c.Sandbox.Short()}, err
}

// rewind takes turns back for the screen.
func (t *talk) rewind(ctx context.Context, id string, seq int, force bool) (tui.Rewound, error) {
	r, err := t.Rewind(ctx, id, seq, force)
	return tui.Rewound(r), err
}

// redo brings turns back for the screen.
func (t *talk) redo(ctx context.Context, id string, force bool) (tui.Rewound, error) {
	r, err := t.Redo(ctx, id, force)
	return tui.Rewound(r), err
}

// toolList is what the model may use now, for a person to read.
func (t *talk) toolList(s trimtab.Session) (out []tui.Item) {
	for _, st := range t.Tools(s) {
		out = append(out, tui.Item{Name: st.Name, Text: st.Text, Off: st.Off})
	}
	return out
}

// notices are what a person should know before the first prompt.
func (t *talk) notices() []string {
	out := []string{"trimtab " + version.Read().Version + ": Shift+Tab changes the mode, Ctrl+O shows what steers the model, ? all keys"}
	if t.unready != nil {
		out = append(out, "nothing of this chat is saved: "+explain(t.unready))
	}
	for i, p := range t.loaded.report.Problems {
		if i == 5 {
			out = append(out, fmt.Sprintf("… and %d more; trimtab config validate lists them", len(t.loaded.report.Problems)-i))
			break
		}
		out = append(out, fmt.Sprintf("%s (ignored)", p))
	}
	if p := t.loaded.Project; p.Idle() {
		out = append(out, "the project's settings have no effect: "+p.Why)
	}
	return out
}

func (t *talk) editor() string {
	return cmp.Or(t.getenv("VISUAL"), t.getenv("EDITOR"), map[bool]string{true: "notepad", false: "vi"}[os.PathSeparator == '\\'])
}

func (t *talk) exportTo(ctx context.Context, id, file string) (string, error) {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(t.homeDir(), rest)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if export.FormatOf(file) == "" {
		return "", fmt.Errorf("export: %s: name a file that ends in .md, .json or .html", file)
	}
	if _, err := os.Lstat(file); err == nil {
		return "", fmt.Errorf("export: %s exists already; name another file", file)
	}
	quiet := *t.app
	quiet.flag.quiet = true // the chat says it itself
	if err := quiet.export(ctx, id, "", file, false, false); err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	return file, nil
}
