package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/setting"
)

// lookedBack is what sessions show of a project, and what speaks against work on it.
type lookedBack struct {
	project string
	cases   []improve.Case
	merged  []improve.Merged
	results []improve.Result
	cfg     improve.Config
	queue   improve.Queue
	past    []improve.Item
	off     string            // why all of it is off
	clerk   *forge.Idempotent // nil where the forge cannot be asked
	where   string            // the forge
}

// pastFlags are the flags of what looks back for a project.
type pastFlags struct {
	since   string
	host    string
	offline bool
}

func (p *pastFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&p.since, "since", "30d", "only sessions that were at work in this `time`")
	c.Flags().StringVar(&p.host, "host", "", "only sessions of this `agent`")
	c.Flags().BoolVar(&p.offline, "offline", false, "do not ask the forge what is filed there")
}

// lookBackAt reflects on the sessions of this project, or on those that are named.
func (a *app) lookBackAt(ctx context.Context, args []string, p pastFlags) (*lookedBack, error) {
	dir, err := setting.Folder()
	if err != nil {
		return nil, err
	}
	l := &lookedBack{project: setting.Repository(dir)}
	if l.project == "" {
		return nil, fmt.Errorf("%s is no repository of git: an improvement is a branch and a pull request, so go to the project first", dir)
	}
	if l.cfg, err = a.automation(l.project); err != nil {
		return nil, err
	}
	age, err := parseAge(p.since)
	if err != nil {
		return nil, misused("--since: %w", err)
	}
	q := scan.Query{Names: args, Host: p.host, Since: a.clock().Add(-age)}
	if len(args) == 0 {
		q.Project = l.project
	}
	r, err := scan.Run(ctx, q, a.scanOptions())
	if err != nil {
		return nil, err
	}
	for _, each := range r.Results {
		l.results = append(l.results, each.Result)
	}
	l.merged, l.cases = r.Merged, improve.Cases(r.Merged, l.project)
	return l, a.situate(ctx, l, p.offline)
}

// situate finds out what a decision depends on.
func (a *app) situate(ctx context.Context, l *lookedBack, offline bool) error {
	var err error
	if l.queue, err = a.queue(ctx); err != nil {
		return err
	}
	if l.past, err = l.queue.Items(ctx); err != nil {
		return err
	}
	if l.off, err = a.halted(ctx, l.queue); err != nil || offline {
		return err
	}
	where, err := a.forgeOf(ctx, l.project)
	if err != nil {
		return err
	}
	l.where = where.String()
	if err := where.HasToken(ctx); err != nil {
		a.progress("the forge was not asked what is filed there: %s\n", err)
		return nil
	}
	hub, err := where.Open(ctx)
	if err != nil {
		return err
	}
	dir, err := a.improveFolder()
	if err != nil {
		return err
	}
	key, err := a.markerKey(dir)
	if err != nil {
		return err
	}
	l.clerk, err = forge.NewClerk(hub, forge.Options{Keys: [][]byte{key}, Log: l.queue, Now: a.clock})
	return err
}

// verdict asks every gate about a case.
func (a *app) verdict(ctx context.Context, l *lookedBack, c improve.Case) improve.Verdict {
	s := improve.Situation{Now: a.clock().UTC(), Disabled: l.off, Past: l.past}
	if l.clerk != nil {
		switch issue, ok, err := l.clerk.Find(ctx, c.Pattern.Fingerprint); {
		case err != nil:
			a.progress("the forge could not say what is filed there: %s\n", err)
		case !ok:
			s.Forge = improve.NotFiled
		case issue.State == forge.Open:
			s.Forge, s.Where = improve.FiledOpen, issue.URL
		default:
			s.Forge, s.Where = improve.FiledClosed, issue.URL
		}
	}
	return improve.Decide(l.cfg, c, s)
}

func improveNew(a *app) *cobra.Command {
	var p pastFlags
	var which string
	var approve bool
	c := &cobra.Command{
		Use: "new [SESSION|FILE|FOLDER]…", Short: "Make a request of what sessions of this project show",
		Long: `Looks back at the sessions of this project, or at those you name, and makes a
request of the worst that it finds, or of the one that --pick names. The request
waits for approval. Thresholds, caps and the blacklist are for requests that come
by themselves: of those you are only told. What was filed once, here or at the
forge, open or closed, is not filed again.`,
		Example: "  trimtab improve new\n  trimtab improve new --since 7d --pick 2\n  trimtab improve new session.jsonl --approve",
		RunE: func(c *cobra.Command, args []string) error {
			return a.improveNew(c.Context(), args, p, which, approve)
		},
	}
	p.add(c)
	c.Flags().StringVar(&which, "pick", "", "the `number` in the report of trimtab reflect, or a fingerprint")
	c.Flags().BoolVar(&approve, "approve", false, "approve it at once")
	return c
}

func (a *app) improveNew(ctx context.Context, args []string, p pastFlags, which string, approve bool) error {
	l, err := a.lookBackAt(ctx, args, p)
	if err != nil {
		return err
	}
	c, err := l.choose(which)
	if err != nil {
		return err
	}
	it, err := a.file(ctx, l, c, approve)
	if err != nil {
		return err
	}
	if a.flag.json {
		return a.printJSON(it)
	}
	a.printf("%s  %s\n%s\n", it.ID, it.State, it.Request.Title)
	end := report.ShortID(it.ID)
	if it.State == improve.Queued {
		a.progress("trimtab improve run --watch does it\n")
		return nil
	}
	a.progress("trimtab improve preview %s shows what would be sent; trimtab improve approve %s lets it begin\n", end, end)
	return nil
}

// choose takes the case that a person names, or the first.
func (l *lookedBack) choose(which string) (improve.Case, error) {
	if len(l.cases) == 0 {
		return improve.Case{}, errors.New("nothing went wrong that we know of: trimtab reflect says where it looked")
	}
	if which == "" {
		return l.cases[0], nil
	}
	for i, c := range l.cases {
		if which == fmt.Sprint(i+1) || len(which) >= 6 && strings.HasPrefix(c.Pattern.Fingerprint, which) {
			return c, nil
		}
	}
	return improve.Case{}, misused("--pick %q: there are %d, by number or fingerprint; trimtab improve why lists them", which, len(l.cases))
}

// holding are the gates that also hold what a person asks for.
var holding = []string{improve.GateSwitch, improve.GateQueue, improve.GateForge}

// file puts a case that a person asks for into the queue.
func (a *app) file(ctx context.Context, l *lookedBack, c improve.Case, approve bool) (improve.Item, error) {
	v := a.verdict(ctx, l, c)
	for _, g := range v.Gates {
		switch {
		case g.Open || g.Name == improve.GateEnabled:
		case g.Name == improve.GateForge && l.clerk == nil: // looked for again before anything is filed
		case slices.Contains(holding, g.Name):
			return improve.Item{}, errors.New(g.String())
		default:
			a.progress("by itself it would not be asked for: %s\n", g)
		}
	}
	v.State = improve.Awaiting
	if approve {
		v.State = improve.Queued
	}
	it := improve.NewItem("", c, l.cfg, v, a.clock().UTC())
	it.ByHand = true
	id, err := addItem(ctx, l.queue, it)
	if err != nil {
		return improve.Item{}, err
	}
	return l.queue.Item(ctx, id)
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

// whyJSON is a case and every gate.
type whyJSON struct {
	Number  int             `json:"number"`
	Pattern improve.Pattern `json:"pattern"`
	improve.Verdict
}

func (a *app) improveWhy(ctx context.Context, args []string, p pastFlags) error {
	l, err := a.lookBackAt(ctx, args, p)
	if err != nil {
		return err
	}
	all := []whyJSON{}
	for i, c := range l.cases[:min(len(l.cases), 10)] {
		all = append(all, whyJSON{i + 1, c.Pattern, a.verdict(ctx, l, c)})
	}
	if a.flag.json {
		return a.printJSON(all)
	}
	if len(all) == 0 {
		a.printf("nothing went wrong that we know of; trimtab reflect says where it looked\n")
		return nil
	}
	for _, w := range all {
		a.printf("%d. %s, %s, %s, score %d  (%s)\n", w.Number, strings.ReplaceAll(w.Pattern.Type, "_", " "), w.Pattern.Severity, plural.Count(w.Pattern.Count, "time"), w.Score, w.Pattern.Fingerprint)
		if w.Fire {
			a.printf("   every gate is open: it would begin as %s\n", w.State)
		}
		for _, g := range w.Gates {
			if !g.Open {
				a.printf("   %s\n", g)
			}
		}
	}
	if l.where != "" {
		a.progress("forge: %s\n", l.where)
	}
	return nil
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
			q, err := a.queue(c.Context())
			if err != nil {
				return err
			}
			it, err := a.item(c.Context(), q, args[0])
			if err != nil {
				return err
			}
			y, err := a.yard(c.Context(), it)
			if err != nil {
				return err
			}
			out, err := y.Preview(it)
			if err != nil {
				return err
			}
			if a.flag.json {
				return a.printJSON(out)
			}
			where, err := a.forgeOf(c.Context(), it.Project)
			if err != nil {
				return err
			}
			a.progress("to %s\n", where)
			for _, o := range out {
				a.printf("== %s: %s\n", o.Kind, o.Title)
				if len(o.Labels) > 0 {
					a.printf("labels: %s\n", strings.Join(o.Labels, ", "))
				}
				a.printf("\n%s\n", o.Body)
				if !o.Exact {
					a.printf("(what the work itself will tell is still missing here)\n")
				}
				a.printf("\n")
			}
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
		Long: `Counts the sessions of this project in which the trouble was seen, before and
after the pull request was merged; the forge is asked when that was. While it is
open, nothing can have changed. With no id it tells of all that are done.`,
		Example: "  trimtab improve impact --since 90d\n  trimtab improve impact --offline    count from the day the work was done",
		RunE:    func(c *cobra.Command, args []string) error { return a.improveImpact(c.Context(), args, p) },
	}
	p.add(c)
	return c
}

// sample puts the sample's request into the queue, for the scripted agent, which
// knows no other project. It reports true where there is nothing more to do.
func (a *app) sample(ctx context.Context, q improve.Queue) (bool, error) {
	dir, err := a.improveFolder()
	if err != nil {
		return false, err
	}
	dir = filepath.Join(dir, "sample")
	todo, err := q.Items(ctx, improve.Queued, improve.Running)
	if err != nil {
		return false, err
	}
	for _, it := range todo {
		if rel, err := filepath.Rel(dir, it.Project); err != nil || !filepath.IsLocal(rel) {
			return false, fmt.Errorf("%s (%s) waits for a real agent, and the demo agent knows only its sample: choose another --agent, or try the sample with --data of its own", it.ID, it.Project)
		}
	}
	if len(todo) > 0 {
		return false, nil
	}
	at, err := a.sampled(ctx, dir)
	if err != nil {
		return false, err
	}
	r, err := scan.Run(ctx, scan.Query{Names: []string{at.Transcript}}, a.scanOptions())
	if err != nil {
		return false, err
	}
	l := &lookedBack{project: at.Project, cases: improve.Cases(r.Merged, at.Project)}
	if l.cfg, err = a.automation(at.Project); err != nil {
		return false, err
	}
	c, err := l.choose("")
	if err != nil {
		return false, err
	}
	if err := a.situate(ctx, l, false); err != nil {
		return false, err
	}
	for _, it := range l.past {
		if it.Project == at.Project && it.Fingerprint == c.Pattern.Fingerprint {
			return true, a.sampleDone(it)
		}
	}
	a.progress("the sample: %s\nits transcript: %s\n", at.Project, at.Transcript)
	it, err := a.file(ctx, l, c, true)
	if err == nil {
		a.progress("%s  %s, seen %s\n", it.ID, it.Request.Title, plural.Count(it.Request.Pattern.Count, "time"))
	}
	return false, err
}

func (a *app) sampleDone(it improve.Item) error {
	if a.flag.json {
		return a.printJSON([]improve.Item{it})
	}
	a.printf("the sample is filed already, and nothing is filed twice:\n")
	a.answered(report.Summary(a.out, it, a.clock()))
	a.printf("  trimtab improve show %s\n", report.ShortID(it.ID))
	return nil
}

// sampled makes the sample where it is not there yet.
func (a *app) sampled(ctx context.Context, dir string) (agents.Sampled, error) {
	whole := filepath.Join(dir, "whole")
	if data, err := os.ReadFile(whole); err == nil {
		project, transcript, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
		return agents.Sampled{Project: project, Transcript: transcript}, nil
	}
	if err := os.RemoveAll(dir); err != nil { // one that was broken off
		return agents.Sampled{}, err
	}
	at, err := agents.Sample(ctx, dir, a.environ)
	if err != nil {
		return at, err
	}
	return at, writeOnce(whole, []byte(at.Project+"\n"+at.Transcript+"\n"))
}
