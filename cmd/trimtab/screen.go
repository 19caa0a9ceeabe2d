package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
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
		if _, _, err := t.open(ctx, t.flag.model); err != nil {
			return err
		}
	}
	id, err = tui.Run(ctx, tui.Options{
		Service: t.service, Folder: t.dir, Home: cmp.Or(t.getenv("HOME"), t.getenv("USERPROFILE")), Model: t.flag.model,
		Session: id, Pick: t.flag.resume == pickOne, Notices: t.notices(), Editor: t.editor(), Env: t.environ,
		Begin: t.begun,
		Agent: t.choose, Cost: t.picker.Cost, Window: t.picker.Window,
		Messages: t.archive.Messages, Sessions: t.sessions, Models: t.models, Tools: t.toolList, Export: t.exportTo,
		Files: t.files, Recall: t.recall, Prompt: t.prompt, Explain: explain, Clock: t.clock,
		Branch: func(context.Context) string { return branchOf(t.dir) },
	})
	if id != "" {
		t.progress("saved as %s; trimtab --continue comes back to it\n", id)
	}
	return err
}

// notices are what a person should know before the first prompt.
func (t *talk) notices() []string {
	out := []string{"trimtab " + versionOf().Version + ": Shift+Tab changes the mode, Ctrl+O shows what steers the model, ? all keys"}
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

// sessions lists our own chats, newest first: of this folder, or all.
func (t *talk) sessions(ctx context.Context, all bool) ([]trimtab.Info, error) {
	q := trimtab.Query{Project: t.dir, Host: host, Limit: 500}
	if all {
		q.Project = ""
	}
	var out []trimtab.Info
	for info, err := range t.archive.List(ctx, q) {
		if err != nil {
			return out, err
		}
		out = append(out, info)
	}
	return out, nil
}

// recall is what the person typed in the newest sessions of this folder, oldest
// first.
func (t *talk) recall(ctx context.Context) ([]string, error) {
	const sessions, messages = 10, 2000
	infos, err := t.sessions(ctx, false)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, info := range slices.Backward(infos[:min(len(infos), sessions)]) {
		n := 0
		for m, err := range t.archive.Messages(ctx, info.ID, 0) {
			if n++; err != nil || n > messages {
				break // what can be read is enough to remember by
			}
			if m.IsPrompt() {
				out = append(out, m.Typed())
			}
		}
	}
	return out, nil
}

func (t *talk) exportTo(ctx context.Context, id, file string) (string, error) {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		file = filepath.Join(cmp.Or(t.getenv("HOME"), t.getenv("USERPROFILE")), rest)
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if !slices.Contains([]string{".md", ".markdown", ".json", ".html", ".htm"}, strings.ToLower(filepath.Ext(file))) {
		return "", fmt.Errorf("export: %s: name a file that ends in .md, .json or .html", file)
	}
	if _, err := os.Lstat(file); err == nil {
		return "", fmt.Errorf("export: %s exists already; name another file", file)
	}
	quiet := *t.app
	quiet.flag.quiet = true // the chat says it itself
	if err := quiet.export(ctx, id, "", file, false); err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	return file, nil
}

// files are the paths below the folder of what was written of one, as the list
// tool shows them: ignore files are honoured.
func (t *talk) files(ctx context.Context, part string) ([]string, error) {
	dir := path.Dir(part + "x")
	text, err := t.folder.List().Call(ctx, fmt.Appendf(nil, `{"path": %q, "depth": 4}`, dir))
	if err != nil {
		return nil, nil // a folder that does not exist has no files to offer
	}
	var out []string
	for line := range strings.Lines(text) {
		if len(line) < 13 || line[10:12] != "  " || line[12] == '"' { // a sum or a note, or a name nobody could type
			continue
		}
		out = append(out, strings.TrimSuffix(line[12:], "\n"))
	}
	return out, nil
}

// branchOf reads which branch a folder is on, without running git.
func branchOf(dir string) string {
	for {
		head, err := readHead(filepath.Join(dir, ".git"))
		if err == nil {
			if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
				return name
			}
			return head[:min(len(head), 8)]
		}
		up := filepath.Dir(dir)
		if up == dir || !errors.Is(err, os.ErrNotExist) {
			return ""
		}
		dir = up
	}
}

// readHead reads HEAD of a repository, or of the one that a work tree names.
func readHead(git string) (string, error) {
	info, err := os.Stat(git)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		text, err := readSmall(git)
		if err != nil {
			return "", err
		}
		to, ok := strings.CutPrefix(text, "gitdir: ")
		if !ok {
			return "", fmt.Errorf("%s: not a work tree", git)
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(git), to)
		}
		git = to
	}
	return readSmall(filepath.Join(git, "HEAD"))
}

func readSmall(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > 4096 {
		return "", fmt.Errorf("%s: not a small regular file", file)
	}
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}
