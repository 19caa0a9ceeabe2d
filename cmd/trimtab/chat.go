package main

import (
	"cmp"
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/agent/toolset"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/registry"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/surface/tui"
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
	f.BoolVar(&a.flag.plain, "plain", false, "chat a line at a time, without drawing on the whole terminal")
	f.StringVar(&a.flag.permit, "permit", "", "with -p: all lets tools write files and run commands without asking, in the sandbox that there is, for a copy or a container; look offers only tools that look")
	_ = c.RegisterFlagCompletionFunc("resume", a.completeSession)
	_ = c.RegisterFlagCompletionFunc("permit", fixed("all", "look"))
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
	service *session.Service
	archive trimtab.Archive
	folder  *tool.Folder
	picker  *registry.Picker
	set     *toolset.Set // nil until it is put together
	packing sync.Mutex   // for set
	choices sync.Mutex   // one at a time is wired: the chat may ask for two at once
	dir     string
	agent   tui.Runner
	id      string
	model   string
	note    string        // about the model
	told    bool          // what of the project's instructions was left out
	lines   <-chan string // what is typed, where the chat is a line at a time
}

//go:embed system.md
var system string

func (a *app) chat(ctx context.Context) error {
	if !a.flag.prompted && !a.terminal.in {
		fmt.Fprintf(a.err, "%s\n\nNobody is at the keyboard. To ask something: trimtab -p \"…\"\nMore: trimtab --help\n", about)
		return usageError{errors.New("no prompt and no terminal")}
	}
	t, err := a.openTalk(ctx)
	if err != nil {
		return err
	}
	defer t.close()
	if err := a.summaries(ctx, slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if !a.flag.prompted && a.fullScreen() {
		return t.screen(ctx)
	}
	var permit tui.Permit // with -p nobody is there to be asked
	switch {
	case !a.flag.prompted:
		permit = t.permit
	case a.flag.permit == "all":
		permit = func(context.Context, tool.Ask) (tool.Answer, error) { return tool.Once, nil }
	}
	id, err := t.wanted(ctx)
	if err != nil {
		return err
	}
	chosen, err := t.settle(ctx, id, permit)
	if err != nil {
		return err
	}
	t.agent, t.model, t.note = chosen.Runner, chosen.Name, chosen.Note
	if err := t.begin(ctx, id); err != nil {
		return err
	}
	if a.flag.prompted {
		return t.once(ctx)
	}
	return t.loop(ctx)
}

// openTalk opens what a chat needs: the store and the service to it, and the folder.
func (a *app) openTalk(ctx context.Context) (*talk, error) {
	dir, err := setting.Folder()
	if err != nil {
		return nil, err
	}
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	service, err := a.sessions(ctx)
	if err != nil {
		return nil, err
	}
	picker, err := a.pickerOf()
	if err != nil {
		return nil, err
	}
	folder, err := tool.Open(dir)
	if err != nil {
		return nil, err
	}
	return &talk{app: a, service: service, archive: st, folder: folder, picker: picker, dir: dir}, nil
}

func (t *talk) close() {
	_ = t.folder.Close() // nothing was written through it that is not on the disk
	if t.set != nil {
		if err := t.set.Close(); err != nil {
			t.progress("%s\n", err)
		}
	}
}

// choose wires a model to the tools and the session's service.
func (t *talk) choose(ctx context.Context, name string, permit tui.Permit) (tui.Chosen, error) {
	t.choices.Lock()
	defer t.choices.Unlock()
	model, note, err := t.open(ctx, name)
	if err != nil {
		return tui.Chosen{}, err
	}
	tools, err := t.tools()
	if err != nil {
		return tui.Chosen{}, err
	}
	words, left, err := t.instructions()
	if err != nil {
		return tui.Chosen{}, err
	}
	if !t.told { // once is enough
		note, t.told = strings.TrimSpace(note+"\n"+left), true
	}
	ask := ", and ask what only the person can decide"
	if t.flag.permit != "" {
		ask = ". Nobody can be asked here: decide yourself, and say what you decided"
	}
	role := strings.NewReplacer("{{.Folder}}", t.dir, "{{.Ask}}", ask).Replace(system)
	opt := agent.Options{History: t.archive, Tools: tools.Tools(), More: tools.More, System: role + words, Offer: t.offered}
	if permit != nil {
		opt.Permit = permit
	}
	with := func(m llm.Model) tui.Runner { return agent.New(t.service, m, opt) }
	chosen := tui.Chosen{Runner: with(model), Name: model.Name(), Note: note}
	if cfg, err := t.config(); err == nil && len(cfg.Modes.Model) > 0 {
		chosen.Runner = t.byMode(cfg.Modes.Model, chosen.Runner, with)
	}
	if tools.Sandbox().Kind == sandbox.None {
		chosen.Sandbox = "sandbox: none"
	}
	return chosen, nil
}

// settle chooses the model: the one that was named, else that of the session to
// go on with, else the default.
func (t *talk) settle(ctx context.Context, id string, permit tui.Permit) (tui.Chosen, error) {
	if t.flag.model == "" && id != "" {
		s, err := t.service.Session(ctx, id)
		if err != nil {
			return tui.Chosen{}, err
		}
		if s.Model != "" {
			chosen, err := t.choose(ctx, s.Model, permit)
			if err == nil {
				return chosen, nil
			}
			t.progress("the session's own model is unavailable: %s\n", err)
		}
	}
	return t.choose(ctx, t.flag.model, permit)
}

// wanted is the session to go on with, or "" for a new one.
func (t *talk) wanted(ctx context.Context) (string, error) {
	if !t.flag.proceed && (t.flag.resume == "" || t.flag.resume == pickOne) {
		return "", nil
	}
	if t.flag.proceed {
		infos, err := t.sessions(ctx, false)
		if err != nil {
			return "", err
		}
		if len(infos) == 0 {
			return "", fmt.Errorf("session of %s: %w; start one with trimtab", t.dir, trimtab.ErrNotFound)
		}
		return infos[0].ID, nil
	}
	s, err := t.current(ctx, t.flag.resume)
	if err != nil {
		return "", err
	}
	if s.Host != host {
		return "", fmt.Errorf("session %s is one of %s: go on with it there", s.ID, cmp.Or(s.Host, "another agent"))
	}
	return s.ID, nil
}

// begin opens the session: a new one, or the one to go on with.
func (t *talk) begin(ctx context.Context, id string) error {
	if id == "" {
		return t.fresh(ctx)
	}
	_, out, err := t.service.Handle(ctx, id, trimtab.Resumed{})
	if err != nil {
		return err
	}
	t.tellOutcome(out)
	t.id = id
	return nil
}

const host = trimtab.OwnHost

func (t *talk) fresh(ctx context.Context) error {
	s, err := t.begun(ctx, t.model)
	t.id = s.ID
	return err
}

// begun is a new session of this folder.
func (t *talk) begun(ctx context.Context, model string) (trimtab.Session, error) {
	return t.service.Begin(ctx, trimtab.Info{ID: newID(t.app), Host: host, Project: t.dir, Model: model})
}

// newID is the time for people and a few random letters against collisions.
func newID(a *app) string {
	return a.clock().UTC().Format("20060102-150405-") + strings.ToLower(rand.Text()[:6])
}

// onceJSON is the answer to -p for programs.
type onceJSON struct {
	Session string           `json:"sessionId"`
	Model   string           `json:"modelId"`
	Answer  string           `json:"answer"`
	Stopped string           `json:"stopped"`
	Steps   int              `json:"steps"`
	Changes []trimtab.Change `json:"changes"`
}

// once answers one prompt: the answer on stdout, the way there on stderr.
func (t *talk) once(ctx context.Context) error {
	prompt, left := t.prompt(t.flag.prompt)
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
	t.progress("%s, model %s\n", t.id, t.model)
	if t.note != "" {
		t.progress("%s\n", t.note)
	}
	result := onceJSON{Session: t.id, Model: t.model, Changes: []trimtab.Change{}}
	for ev, err := range t.agent.Run(ctx, t.id, prompt) {
		if err != nil {
			return err
		}
		switch ev := ev.(type) {
		case agent.Replied:
			result.Steps++
			result.Answer = ev.Message.Text()
			if len(llm.Calls(ev.Message)) > 0 && result.Answer != "" {
				t.progress("%s\n", result.Answer)
			}
		case agent.Steered:
			result.Changes = append(result.Changes, ev.Change)
		case agent.Stopped:
			result.Stopped = string(ev.Reason)
		case agent.Paused:
			result.Stopped = "paused: " + ev.Why
		}
		t.tell(ev)
	}
	if t.flag.json {
		if err := t.printJSON(result); err != nil {
			return err
		}
	} else {
		t.printf("%s\n", result.Answer)
	}
	if result.Stopped != string(agent.Ended) {
		return fmt.Errorf("the run was cut short: %s; trimtab --continue resumes it", result.Stopped)
	}
	return nil
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
	raw, err := t.patiently(io.LimitReader(t.in, int64(cfg.Limits.MaxMessage)+1))
	if err != nil {
		return "", fmt.Errorf("stdin: %w", err)
	}
	if len(raw) > cfg.Limits.MaxMessage {
		return "", fmt.Errorf("stdin: %w: over %d bytes (limits.maxMessage)", trimtab.ErrTooLarge, cfg.Limits.MaxMessage)
	}
	return string(raw), nil
}

// patiently reads to the end, and says what it waits for where that takes long: a
// program that started this one may never close its end.
func (t *talk) patiently(r io.Reader) (raw []byte, err error) {
	read := make(chan struct{})
	go func() {
		defer close(read)
		raw, err = io.ReadAll(r)
	}()
	select {
	case <-read:
	case <-time.After(2 * time.Second):
		t.progress("waiting for the end of stdin, which is context; where there is none: </dev/null\n")
		<-read
	}
	return raw, err
}

// tell shows what happens on the way to an answer.
func (t *talk) tell(ev agent.Event) {
	switch ev := ev.(type) {
	case agent.Retrying:
		t.progress("  %s: asking again in %s\n", ev.Why, ev.Wait.Round(time.Second))
	case agent.Called:
		t.progress("  · %s %s\n", ev.Call.Name, firstLine(string(ev.Call.Input), 80))
	case agent.Returned:
		if ev.Result.Failed {
			t.progress("    failed: %s\n", firstLine(ev.Result.Text, 100))
		}
	case agent.Steered:
		t.progress("  %s\n", sessiontext.Change(ev.Change))
	case agent.Noticed:
		t.progress("  %s\n", ev.Notify.Text)
	case agent.Faulted:
		t.progress("  fault: %s\n", ev.Fault.Error())
	case agent.Continued:
		t.progress("  goes on: %s\n", ev.Continue.Why)
	}
}

// tellOutcome shows the notices and faults of a step.
func (t *talk) tellOutcome(out trimtab.Outcome) {
	for _, taken := range out.Actions {
		if n, ok := taken.Action.(trimtab.Notify); ok {
			t.progress("%s\n", n.Text)
		}
	}
	for _, f := range out.Faults {
		t.progress("fault: %s\n", f.Error())
	}
}
