package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/setting"
)

// pipeline is the way from sessions to requests, with what this run of the program
// has.
func (a *app) pipeline() (*pipeline.Pipeline, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	work, err := a.assembly()
	if err != nil {
		return nil, err
	}
	return pipeline.New(pipeline.Options{
		Queue: a.queue, Sessions: a.scanner(), Turns: a.scanner(), Redact: a.redactor(true), Config: a.automation,
		Forge: func(ctx context.Context, project string) (pipeline.Forge, error) { return a.forgeOf(ctx, project) },
		Keys:  work.MarkerKeys, Authors: cfg.Forge.Authors, Origin: identity.NewFinder(a.environ, cfg.Store.URL != "").Origin, User: a.who,
		Disabled: a.automationOff, Notify: func(text string) { a.progress("%s\n", text) }, Now: a.clock, Filed: a.recordItem,
	})
}

// recordItem writes down that an item has a new state.
func (a *app) recordItem(it improve.Item) {
	failed := func(err error) { a.progress("%s\n", err) }
	work, err := a.assembly()
	if err != nil {
		failed(err)
		return
	}
	work.Record(context.Background(), it, failed)
}

// pastFlags are the flags of what looks back for a project.
type pastFlags struct {
	since   string
	host    string
	offline bool
}

func (p *pastFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&p.since, "since", "30d", "only sessions that were active within this `time`")
	c.Flags().StringVar(&p.host, "host", "", "only sessions of this `agent`")
	c.Flags().BoolVar(&p.offline, "offline", false, "do not ask the forge what is filed there")
}

// query is what the flags mean, in the project that this folder belongs to.
func (p pastFlags) query(a *app, args []string) (pipeline.Query, error) {
	dir, err := setting.Folder()
	if err != nil {
		return pipeline.Query{}, err
	}
	project := setting.Repository(dir)
	if project == "" {
		return pipeline.Query{}, fmt.Errorf("%s is not a git repository: an improvement is a branch and a pull request, so go to the project first", dir)
	}
	age, err := setting.ParseAge(p.since)
	if err != nil {
		return pipeline.Query{}, misused("--since: %w", err)
	}
	return pipeline.Query{Project: project, Names: args, Host: p.host, Since: a.clock().Add(-age), Offline: p.offline}, nil
}

// past is the pipeline and what to look back at with it.
func (a *app) past(args []string, flags pastFlags) (*pipeline.Pipeline, pipeline.Query, error) {
	q, err := flags.query(a, args)
	if err != nil {
		return nil, q, err
	}
	p, err := a.pipeline()
	return p, q, err
}

func improveNew(a *app) *cobra.Command {
	var p pastFlags
	var which, kind string
	var approve bool
	c := &cobra.Command{
		Use: "new [SESSION|FILE|FOLDER]…", Short: "Make a request of what sessions of this project show",
		Long: `Looks back at the sessions of this project, or at those you name, and makes a
request of the worst that it finds, or of the one that --pick names. The request
waits for approval. Thresholds, caps and the blacklist are for requests that come
by themselves: of those you are only told. What was filed once, here or at the
forge, open or closed, is not filed again.

An improvement is a change of the code, proved by a test that fails without it, or
guidance: a change of AGENTS.md, a hook, a mode, a script or a linter's settings,
proved by replay of the recorded turns in which it went wrong, without it and with
it. Without --kind the finding decides: what a person had to say, and what agents
get wrong about a project, is guidance.`,
		Example: "  trimtab improve new\n  trimtab improve new --since 7d --pick 2\n  trimtab improve new --kind guidance     tell agents, in place of changing the code\n  trimtab improve new session.jsonl --approve",
		RunE: func(c *cobra.Command, args []string) error {
			of, err := pipeline.ParseKind(kind)
			if err != nil {
				return misused("--kind %w", err)
			}
			return a.improveNew(c.Context(), args, p, which, of, approve)
		},
	}
	p.add(c)
	c.Flags().StringVar(&which, "pick", "", "the `number` in the report of trimtab reflect, or a fingerprint")
	c.Flags().BoolVar(&approve, "approve", false, "approve it at once")
	kindFlag(c, &kind, "what is changed: code or guidance; the finding decides where it is not given")
	return c
}

// kindFlag is the flag --kind.
func kindFlag(c *cobra.Command, kind *string, doc string) {
	c.Flags().StringVar(kind, "kind", "", doc)
	_ = c.RegisterFlagCompletionFunc("kind", fixed(string(improve.Code), string(improve.Guidance)))
}

func (a *app) improveNew(ctx context.Context, args []string, flags pastFlags, which string, kind improve.Kind, approve bool) error {
	p, q, err := a.past(args, flags)
	if err != nil {
		return err
	}
	q.Kind = kind
	it, err := p.New(ctx, q, which, approve)
	if errors.Is(err, pipeline.ErrNoCase) {
		return misused("--pick %w, by number or fingerprint; trimtab improve why lists them", err)
	}
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(it)
	}
	a.answered(report.Filed(a.out, it))
	a.progress("%s\n", report.Next(it))
	return nil
}

func improveWhy(a *app) *cobra.Command {
	var p pastFlags
	c := &cobra.Command{
		Use: "why [SESSION|FILE|FOLDER]…", Short: "Say which gate holds back what sessions of this project show",
		Long: `A request comes by itself only if automation is enabled, the pattern is worth it
and above the thresholds, the cooldown is over, the caps are not reached, its
subject is not on the blacklist, and nothing of the kind was filed before. Each
closed gate is named with what would open it.`,
		Example: "  trimtab improve why\n  trimtab improve why --since 7d --json",
		RunE:    func(c *cobra.Command, args []string) error { return a.improveWhy(c.Context(), args, p) },
	}
	p.add(c)
	return c
}

func (a *app) improveWhy(ctx context.Context, args []string, flags pastFlags) error {
	p, q, err := a.past(args, flags)
	if err != nil {
		return err
	}
	reasons, where, err := p.Why(ctx, q)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(reasons)
	}
	a.answered(report.Why(a.out, reasons))
	if len(reasons) > 0 && where != "" {
		a.progress("forge: %s\n", where)
	}
	return nil
}

func improveDismiss(a *app) *cobra.Command {
	var p pastFlags
	var why string
	var undo bool
	c := &cobra.Command{
		Use: "dismiss NUMBER|FINGERPRINT [SESSION|FILE|FOLDER]…", Short: "Say that a finding of this project is not useful, so that nothing comes of it", Args: between(1, -1),
		Long: `The finding, as trimtab improve why lists it, is not told among the others any more,
fills no threshold, and no request is made of it, for everybody who uses this store.
With --undo it counts again.`,
		Example: "  trimtab improve dismiss 2\n  trimtab improve dismiss 74fab9b2 --why \"works as intended\"\n  trimtab improve dismiss 74fab9b2 --undo",
		RunE: func(c *cobra.Command, args []string) error {
			l, q, err := a.past(args[1:], p)
			if err != nil {
				return err
			}
			d, err := l.Dismiss(c.Context(), q, args[0], why, undo)
			if err == nil && a.flag.json {
				return a.printJSON(d)
			}
			if err == nil {
				a.answered(report.Dismissed(a.out, d, undo))
			}
			return err
		},
	}
	p.add(c)
	c.Flags().StringVar(&why, "why", "", "the reason, kept with it")
	c.Flags().BoolVar(&undo, "undo", false, "let it count again")
	return c
}

func improvePreview(a *app) *cobra.Command {
	var kind string
	c := &cobra.Command{
		Use: "preview ID", Short: "Show exactly what would be sent to the forge", Args: between(1, 1), ValidArgsFunction: a.completeItem,
		Example: "  trimtab improve preview k3x9\n  trimtab improve preview k3x9 --forge local",
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.useForge(c, kind); err != nil {
				return err
			}
			it, err := a.item(c.Context(), args[0])
			if err != nil {
				return err
			}
			work, err := a.assembly()
			if err != nil {
				return err
			}
			out, err := work.Preview(c.Context(), it)
			if err != nil {
				return err
			}
			if a.flag.json {
				return a.printJSON(out)
			}
			where, err := work.Forge(c.Context(), it.Project)
			if err != nil {
				return err
			}
			a.progress("to %s\n", where)
			a.answered(report.Preview(a.out, out))
			return nil
		},
	}
	forgeFlag(c, &kind)
	return c
}

func improveImpact(a *app) *cobra.Command {
	var p pastFlags
	c := &cobra.Command{
		Use: "impact [ID]…", Short: "Show whether what was improved still occurs", ValidArgsFunction: a.completeItem,
		Long: `Judges the sessions of this project again by the rule that found the trouble,
before and after the pull request was merged; the forge is asked when that was.
Only sessions that had the occasion count: that ran the command, used the tool,
changed code. A failure in other words is the same failure. The verdict says how
sure it is: helped, did not help, too few to tell. What did not help can be taken
up again with retry. While the pull request is open, nothing can have changed.
With no id it tells of all that are done.`,
		Example: "  trimtab improve impact --since 90d\n  trimtab improve impact k3x9 --json\n  trimtab improve impact --offline    count from the day the work was done",
		RunE:    func(c *cobra.Command, args []string) error { return a.improveImpact(c.Context(), args, p) },
	}
	p.add(c)
	return c
}

// sample puts the sample's request into the queue, for the scripted agent, which
// knows no other project. It reports true where there is nothing more to do.
func (a *app) sample(ctx context.Context, kind improve.Kind) (bool, error) {
	work, err := a.assembly()
	if err != nil {
		return false, err
	}
	p, err := a.pipeline()
	if err != nil {
		return false, err
	}
	it, filed, err := p.FileSample(ctx, kind, work)
	if err != nil || it.ID == "" {
		return false, err
	}
	if filed {
		return true, a.sampleDone(it)
	}
	a.progress("%s  %s, seen %s\n", it.ID, it.Request.Title, plural.Count(it.Request.Pattern.Count, "time"))
	return false, nil
}

func (a *app) sampleDone(it improve.Item) error {
	if a.flag.json {
		return a.printJSON([]improve.Item{it})
	}
	a.answered(report.SampleFiled(a.out, it, a.clock()))
	return nil
}
