package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/agent/permission"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust/project"
	"github.com/trimtab/trimtab/internal/version"
	"github.com/trimtab/trimtab/llm/registry"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/headless"
	"github.com/trimtab/trimtab/surface/linechat"
)

// pickOne stands for the session that is chosen from a list.
const pickOne = "?"

func chatFlags(c *cobra.Command, a *app) {
	f := c.Flags()
	f.StringVarP(&a.flag.prompt, "prompt", "p", "", "answer this `prompt` on stdout and exit; what comes on stdin is context")
	f.BoolVarP(&a.flag.proceed, "continue", "c", false, "go on with the newest session of this folder")
	f.StringVarP(&a.flag.resume, "resume", "r", "", "go on with the session of this `id`; without one, choose from a list")
	f.Lookup("resume").NoOptDefVal = pickOne
	f.StringVarP(&a.flag.model, "model", "m", "", "`name` of the model, as in anthropic/claude-opus-5, ollama/qwen3 or demo; demo:FILE plays a script")
	f.StringVar(&a.flag.output, "output-format", headless.Text, "with -p: `text`, json for one object at the end (as --json), or stream-json for one a line as it happens")
	f.BoolVar(&a.flag.plain, "plain", false, "chat a line at a time, without drawing on the whole terminal")
	f.StringVar(&a.flag.permit, "permit", "", "with -p: all lets tools write files and run commands without asking, in the sandbox that there is, for a copy or a container; look offers only tools that look")
	_ = c.RegisterFlagCompletionFunc("resume", a.completeSession)
	_ = c.RegisterFlagCompletionFunc("permit", fixed("all", "look"))
	_ = c.RegisterFlagCompletionFunc("output-format", fixed(headless.Text, headless.JSON, headless.Stream))
	args := c.Args
	c.Args = func(c *cobra.Command, words []string) error {
		if a.flag.resume == pickOne && len(words) == 1 { // "--resume ID", which the flags took for a flag and a word
			a.flag.resume, words = words[0], nil
		}
		return args(c, words)
	}
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		a.flag.prompted = c.Flags().Changed("prompt")
		if a.flag.prompted && strings.TrimSpace(a.flag.prompt) == "" {
			return misused("the prompt is empty; give one as in: trimtab -p \"what is in this folder?\"")
		}
		if p := a.flag.permit; p != "" && (p != "all" && p != "look" || !a.flag.prompted) {
			return misused("--permit %q: it is all or look, and only with -p, where nobody can be asked", p)
		}
		if err := headless.CheckFormat(a.flag.output); err != nil || a.flag.output != headless.Text && !a.flag.prompted {
			return misused("--output-format is text, json or stream-json, and only with -p")
		}
		if a.flag.json {
			a.flag.output = headless.JSON
		}
		if a.flag.proceed && a.flag.resume != "" {
			return misused("--continue and --resume both choose a session; give one of them")
		}
		if a.flag.resume == pickOne && (a.flag.prompted || !a.fullScreen()) {
			return misused("--resume needs the id of a session here; trimtab session list shows them")
		}
		return nil
	}
}

// talk is a chat under way.
type talk struct {
	*app
	*chat.Chat
	service *session.Service
	archive trimtab.Archive
	picker  *registry.Picker
	dir     string
}

func (a *app) chat(ctx context.Context) error {
	if !a.flag.prompted && !a.terminal.in {
		fmt.Fprintf(a.err, "%s\n\nNobody is at the keyboard. To ask something: trimtab -p \"…\"\nMore: trimtab --help\n", about)
		return usageError{errors.New("no prompt and no terminal")}
	}
	a.passing = !a.flag.prompted && !a.flag.proceed && a.flag.resume == "" // a full disk must not keep a person from a new chat
	t, err := a.openTalk(ctx)
	if err != nil {
		return err
	}
	defer t.close()
	if err := a.summaries(ctx, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if a.flag.prompted {
		return t.once(ctx)
	}
	if a.fullScreen() {
		return t.screen(ctx)
	}
	return t.lines(ctx)
}

// openTalk opens what a chat needs: the store and the service to it, the models, and
// the folder.
func (a *app) openTalk(ctx context.Context) (*talk, error) {
	dir, err := setting.Folder()
	if err != nil {
		return nil, err
	}
	st, service, err := a.stored(ctx)
	if err != nil {
		return nil, err
	}
	picker, err := a.pickerOf()
	if err != nil {
		return nil, err
	}
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	data, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	last := data + "/model"
	if cfg.Models.Default != "" { // the settings say what to begin with
		last = ""
	}
	c, err := chat.Open(chat.Options{
		LastModel: last, LastTheme: data + "/theme", Record: data + "/record", Built: data + "/built", Window: picker.Window, Commands: filepath.Join(filepath.Dir(a.loaded.User), "commands"),
		Hide:    append(subprocess.Secrets(a.lookup), data),
		Service: service, Archive: st, Models: picker, Dir: dir, Home: a.homeDir(), Environ: a.environ, Version: version.Read().Version,
		Tools: cfg.Tools.Config, Web: cfg.Tools.Web, Sandbox: cfg.Tools.Sandbox, MCP: cfg.MCP, ByMode: cfg.Modes.Model, Modes: a.modeDefinitions, Unrestricted: cfg.Modes.Restrict != nil && !*cfg.Modes.Restrict,
		CheckTime: cfg.Verify.Limit(), Receipts: data + "/receipts", Grants: permission.Open(data+"/permissions.json", dir),
		Refuse: project.Refusal(setting.Book(a.home())), Clock: a.clock, Unattended: a.flag.permit != "", ReadOnly: a.flag.permit == "look",
		Left: func(why error) { a.progress("the session's own model is unavailable: %s\n", why) },
	})
	if err != nil {
		return nil, err
	}
	return &talk{app: a, Chat: c, service: service, archive: st, picker: picker, dir: dir}, nil
}

func (t *talk) close() {
	if err := t.Close(); err != nil {
		t.progress("%s\n", err)
	}
}

// wanted is the session to go on with, or "" for a new one.
func (t *talk) wanted(ctx context.Context) (string, error) {
	switch {
	case t.flag.proceed:
		info, err := t.Newest(ctx)
		return info.ID, err
	case t.flag.resume == "" || t.flag.resume == pickOne:
		return "", nil
	}
	s, err := t.current(ctx, t.flag.resume)
	if err == nil {
		err = chat.CheckOwn(s)
	}
	return s.ID, err
}

// open chooses the model, and opens the session: a new one, or the one to go on with.
func (t *talk) open(ctx context.Context, permit chat.Permit) (chosen chat.Chosen, id string, err error) {
	if id, err = t.wanted(ctx); err != nil {
		return chosen, "", err
	}
	if chosen, err = t.ChooseFor(ctx, id, t.flag.model, permit); err != nil {
		return chosen, "", err
	}
	if id == "" {
		s, err := t.Begin(ctx, chosen.Name)
		return chosen, s.ID, err
	}
	return chosen, id, t.resume(ctx, id)
}

// resume says that a session is gone on with, and tells what the person should know of it.
func (t *talk) resume(ctx context.Context, id string) error {
	_, out, err := t.service.Handle(ctx, id, trimtab.Resumed{})
	if err == nil {
		linechat.Notices(t.progressTo(), out, t.LostJobs(id))
	}
	return err
}

// lines is the chat a line at a time.
func (t *talk) lines(ctx context.Context) error {
	ctx, interrupts, stop := linechat.Interrupts(ctx)
	defer stop()
	typed, end := linechat.ReadLines(ctx, t.in)
	model := ""
	var c *linechat.Chat
	c = linechat.New(linechat.Options{
		Interrupt: interrupts, Export: t.exportTo, Diff: t.Diff, Undo: t.Undo, Redo: t.RedoText, Jobs: t.Folder().Jobs, Tools: t.ToolText, Shell: t.Shell, UserCommands: t.UserCommands, Read: t.Read, TakeCommand: t.TakeCommand,
		Resume: t.resume,
		Choose: func(ctx context.Context, name string) (agent.Runner, string, error) {
			chosen, err := t.Choose(ctx, name, c.Permit)
			return chosen, chosen.Name, errors.Join(err, t.Remember(chosen.Name))
		},
		Service: t.service, Lines: typed, Unsaved: t.unready != nil, Out: answers{t.app}, Err: t.progressTo(), Prompt: t.Prompt, Status: t.status, Explain: explain,
		Begin: func(ctx context.Context) (string, error) { s, err := t.Begin(ctx, model); return s.ID, err },
	})
	chosen, id, err := t.open(ctx, c.Permit)
	if err != nil {
		return err
	}
	model = chosen.Name
	t.printf("trimtab %s, model %s\n", version.Read().Version, model)
	if chosen.Note != "" {
		t.printf("%s\n", chosen.Note)
	}
	return errors.Join(c.Run(ctx, chosen, id), end())
}

// once answers one prompt: the answer on stdout, the way there on stderr.
func (t *talk) once(ctx context.Context) error {
	var permit chat.Permit // nobody is there to be asked
	if t.flag.permit == "all" {
		permit = func(context.Context, tool.Ask) (tool.Reply, error) { return tool.Reply{Answer: tool.Once}, nil }
	}
	chosen, id, err := t.open(ctx, permit)
	if err != nil {
		return err
	}
	prompt, left := t.Prompt(t.flag.prompt)
	for _, text := range left {
		t.progress("%s\n", text)
	}
	context, err := t.context()
	if err != nil {
		return err
	}
	if context != "" {
		prompt.Parts = append(prompt.Parts, trimtab.Text{Text: context, By: trimtab.Host})
	}
	t.progress("session %s, model %s\n", id, chosen.Name)
	if chosen.Note != "" {
		t.progress("%s\n", chosen.Note)
	}
	return headless.Run(ctx, headless.Options{
		Runner: chosen, Session: id, Model: chosen.Name, Prompt: prompt, Format: t.flag.output, Out: answers{t.app}, Err: t.progressTo(), Cost: t.picker.Cost,
	})
}

// context is what comes on stdin, where a prompt was given.
func (t *talk) context() (string, error) {
	if t.terminal.in {
		return "", nil
	}
	cfg, err := t.config()
	if err != nil {
		return "", err
	}
	return headless.ReadContext(t.in, cfg.Limits.MaxMessage, func(text string) { t.progress("%s\n", text) })
}
