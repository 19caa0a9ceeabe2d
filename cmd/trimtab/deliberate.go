package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/deliberate"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/surface/linechat"
	"github.com/trimtab/trimtab/surface/tui/debate"
)

// deliberation is one run of the verb.
type deliberation struct {
	*talk
	mode, out, resume string
	agents            []string
	list, force       bool
	limits            deliberate.Config
	opt               deliberate.Options
	typed             chan string // what is typed on the screen
	told              bool        // that the model is only the demo
}

func deliberateCommand(a *app) *cobra.Command {
	d := &deliberation{}
	c := &cobra.Command{
		Use: "deliberate [BRIEF]", Short: "Let several personas debate a brief until they have a document", Args: between(0, -1),
		Long: `Several personas argue about one brief, phase by phase, until what the mode wants
is there: result.md holds the agreed sections, the dissent and the evidence,
transcript.md every word, session.json the session.

What is typed meanwhile is said to the table and counts double. Commands:
` + deliberate.Commands + `.

Personas of your own are Markdown files in the folder personas beside your
settings or, once you trust it, in .trimtab/personas of a project.`,
		Example: "  trimtab deliberate --mode copywrite \"A landing page for a bakery that delivers by bike\"\n" +
			"  trimtab deliberate --mode will-it-work --agents skeptic,analyst,advocate \"A library of tools in every street\"\n" +
			"  trimtab deliberate --resume",
		RunE: func(c *cobra.Command, args []string) error {
			d.talk = &talk{app: a}
			return d.run(c.Context(), args)
		},
	}
	f := c.Flags()
	f.StringVar(&d.mode, "mode", mode.Default, "the `mode`, one with a goal; trimtab mode list shows them")
	f.StringSliceVar(&d.agents, "agents", nil, "`personas` at the table, in the order in which they sit; the built-in five if not given")
	f.StringVarP(&a.flag.model, "model", "m", "", "`name` of the model of those who have none of their own")
	f.StringVar(&d.out, "out", "", "`folder` for the result; deliberate-ID here if not given")
	f.StringVarP(&d.resume, "resume", "r", "", "go on with the debate of this `id`; without one, with the newest of this folder")
	f.Lookup("resume").NoOptDefVal = pickOne
	f.BoolVar(&d.list, "personas", false, "list the personas and exit")
	f.BoolVar(&d.force, "force", false, "overwrite the result of another debate")
	f.BoolVar(&a.flag.plain, "plain", false, "a line for each thing that happens, without drawing on the whole terminal")
	f.IntVar(&d.limits.MaxTokens, "max-tokens", 0, "pause before the debate takes more `tokens` than this")
	f.Float64Var(&d.limits.MaxCost, "max-cost", 0, "pause before the debate costs more `dollars` than this")
	f.IntVar(&d.limits.TurnSeconds, "turn-seconds", 0, "`seconds` that a speaker may take")
	_ = c.RegisterFlagCompletionFunc("mode", a.completeMode)
	return c
}

func (d *deliberation) run(ctx context.Context, args []string) error {
	all, err := d.personas()
	if err != nil {
		return err
	}
	if d.list {
		return d.printPersonas(all)
	}
	if d.resume == pickOne && len(args) == 1 { // "--resume ID", which the flags took for a flag and a word
		d.resume, args = args[0], nil
	}
	brief := strings.TrimSpace(strings.Join(args, " "))
	if d.resume != "" && brief != "" {
		return misused("--resume goes on with a debate as it was begun; say more once it runs, or begin another")
	}
	if d.resume == "" {
		if brief, err = d.brief(brief); err != nil {
			return err
		}
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	defer d.close()
	deb, err := d.start(ctx, brief, all)
	if err != nil {
		return err
	}
	last, failed := d.watch(ctx, deb)
	if err := d.write(ctx, deb); err != nil {
		return errors.Join(failed, err)
	}
	return d.report(deb, last, failed)
}

// brief is what was given, or what comes on stdin.
func (d *deliberation) brief(given string) (string, error) {
	if given != "" && given != "-" {
		return given, nil
	}
	if d.terminal.in && given == "" {
		return "", misused("say what the debate is about, as in: trimtab deliberate \"A landing page for a bakery\"")
	}
	raw, err := io.ReadAll(io.LimitReader(d.in, 1<<20))
	if err != nil {
		return "", fmt.Errorf("stdin: %w", err)
	}
	if strings.TrimSpace(string(raw)) == "" {
		return "", misused("the brief is empty; say what the debate is about")
	}
	return string(raw), nil
}

// open opens the store, a service whose lineup fits a debate, the folder and the models.
func (d *deliberation) open(ctx context.Context) error {
	cfg, err := d.config()
	if err != nil {
		return err
	}
	own, err := d.modes()
	if err != nil {
		return err
	}
	st, err := d.store(ctx)
	if err != nil {
		return err
	}
	lineup, off := cfg.Config, false
	lineup.Todo.Enabled = &off // nobody at the table has a todo list
	engine, err := steer.New(lineup, steer.Modes(own.Definitions()...))
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(d.err, &slog.HandlerOptions{Level: slog.LevelError}))
	d.app.service = session.New(engine, st, session.Options{Clock: d.clock, MaxMessage: cfg.Limits.MaxMessage, Log: log})
	t, err := d.openTalk(ctx)
	if err != nil {
		return err
	}
	d.talk = t
	goal, err := deliberate.NewGoal(d.modeDefinitions())
	if err != nil {
		return err
	}
	d.opt = deliberate.Options{Config: cfg.Deliberate.With(d.limits), Service: t.service, History: st, Goal: goal, Model: d.voice, Cost: t.picker.Cost}
	for _, each := range t.Folder().Tools() {
		d.opt.Tools = append(d.opt.Tools, deliberate.Tool{Tool: each.Tool, Run: each.Call})
	}
	return nil
}

// pace is the time between two words of the demo, where somebody watches.
const pace = 8 * time.Millisecond

// voice opens a model. The demo has a player of its own for debates.
func (d *deliberation) voice(ctx context.Context, name string) (llm.Model, error) {
	m, note, err := d.Model(ctx, name)
	if err != nil || m.Name() != "demo" {
		return m, err
	}
	if note != "" && !d.told {
		d.progress("%s\n", note)
		d.told = true
	}
	if d.drawn() {
		return deliberate.NewPlayer(pace), nil
	}
	return deliberate.NewPlayer(0), nil
}

// drawn reports whether the debate is drawn on the whole terminal.
func (d *deliberation) drawn() bool { return d.fullScreen() && !d.flag.json && !d.flag.quiet }

// start begins a debate, or takes one up.
func (d *deliberation) start(ctx context.Context, brief string, all []deliberate.Persona) (*deliberate.Debate, error) {
	switch {
	case d.drawn():
		d.typed = make(chan string, 16)
		d.opt.Lines = d.typed
	case d.terminal.in:
		d.opt.Lines, _ = linechat.ReadLines(ctx, d.in)
	}
	if d.resume != "" {
		id, err := d.resume, error(nil)
		if id == pickOne {
			if id, err = deliberate.Newest(ctx, d.archive, d.dir); err != nil {
				return nil, err
			}
		}
		return deliberate.Resume(ctx, d.opt, id)
	}
	cast, err := deliberate.Cast(all, d.agents)
	if err != nil {
		return nil, usageError{err}
	}
	if _, err := d.opt.Goal.Wants(d.mode); err != nil {
		return nil, usageError{err}
	}
	plan := deliberate.Plan{ID: chat.NewID(d.clock()), Project: d.dir, Mode: d.mode, Brief: brief, Model: d.flag.model, Cast: cast}
	if plan.Model == "" {
		plan.Model, _ = d.picker.Default(ctx)
	}
	if plan.Out, err = filepath.Abs(cmp.Or(d.out, "deliberate-"+plan.ID)); err != nil {
		return nil, err
	}
	if err := deliberate.CheckFolder(plan.Out); err != nil && !d.force {
		return nil, fmt.Errorf("%w; give --force to overwrite it, or another --out", err)
	}
	return deliberate.Begin(ctx, d.opt, plan)
}

// watch shows the debate until it ends or pauses.
func (d *deliberation) watch(ctx context.Context, deb *deliberate.Debate) (deliberate.Event, error) {
	if d.drawn() {
		return debate.Show(ctx, deb, debate.Options{Lines: d.typed, Env: d.environ})
	}
	plan := deb.Plan()
	d.progress("debate %s in mode %s, model %s\n", plan.ID, plan.Mode, plan.Model)
	return debate.Follow(ctx, deb, func(line string) { d.progress("%s\n", line) })
}

// write puts the result, the transcript and the session into the debate's folder. It
// is done however the debate ended, so that there is always something to use.
func (d *deliberation) write(ctx context.Context, deb *deliberate.Debate) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	doc, err := d.document(ctx, deb.Plan().ID)
	if err != nil {
		return err
	}
	return deb.WriteFiles(cmp.Or(d.out, deb.Plan().Out), doc.Trimtab.Journal, doc.WriteJSON)
}

// report tells how it ended: the document on stdout, the rest on stderr.
func (d *deliberation) report(deb *deliberate.Debate, last deliberate.Event, failed error) error {
	end := deb.Outcome(last, cmp.Or(d.out, deb.Plan().Out))
	if d.flag.json {
		if err := d.printJSON(end); err != nil {
			return err
		}
	} else if _, read := last.(deliberate.Ended); !read || !d.drawn() { // else it was on the screen
		d.printf("%s", end.Markdown())
	}
	d.progress("wrote result.md, transcript.md and session.json in %s\n", end.Out)
	return end.Err(failed)
}

// personas are the built-in ones and those from files. A bad file is told.
func (d *deliberation) personas() ([]deliberate.Persona, error) {
	if _, err := d.config(); err != nil {
		return nil, err
	}
	all, errs, err := deliberate.AllPersonas(os.DirFS(filepath.Join(filepath.Dir(d.loaded.User), "personas")), d.loaded.Project.Files)
	for _, err := range errs {
		d.progress("%s (ignored)\n", err)
	}
	return all, err
}

func (d *deliberation) printPersonas(all []deliberate.Persona) error {
	if d.flag.json {
		return d.printJSON(all)
	}
	for _, p := range all {
		d.printf("%s\n", p.Line())
	}
	return nil
}
