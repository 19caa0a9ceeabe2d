package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/trimtab/trimtab/improve/decide"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/report"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/identity"
	"github.com/trimtab/trimtab/internal/setting"
)

// improveCommand is the way from a request to a pull request, held for approval.
func improveCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "improve", Short: "Turn recurring trouble into pull requests, held for approval", Args: cobra.ArbitraryArgs,
		Long: `What trimtab reflect finds can become work: an issue, a branch, tested changes
and a pull request, in thirteen steps that each leave evidence. Nothing is filed
twice, nothing leaves this machine before you approved it, and nothing is merged.

Without a verb it lists the requests.`,
		Example: `  trimtab improve new              make a request of the worst that sessions show
  trimtab improve why              which gate holds what back
  trimtab improve preview ID       exactly what would be sent
  trimtab improve approve ID
  trimtab improve run --watch      do what was approved
  trimtab improve show ID          the thirteen pieces of evidence
  trimtab improve run --forge local --agent demo   the whole way on a sample, with no account and no key`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.improveList(c.Context(), nil)
			}
			var names []string
			for _, s := range c.Commands() {
				names = append(names, s.Name())
			}
			if near := config.Nearest(args[0], names); near != "" {
				return misused("no command %q; did you mean trimtab improve %s?", args[0], near)
			}
			return misused("trimtab improve takes one of: %s", strings.Join(names, ", "))
		},
	}
	c.AddCommand(improveNew(a), improveWhy(a), improveDismiss(a), improvePreview(a), improveRun(a), improveImpact(a), improveList(a), improveShow(a), improveService(a), improveSwitch(a, "stop", "Stop all work at once, and begin none", true), improveSwitch(a, "start", "Let work begin again after stop", false))
	for _, h := range hands() {
		c.AddCommand(improveHand(a, h))
	}
	return c
}

// queue is where requests wait.
func (a *app) queue(ctx context.Context) (improve.Queue, error) {
	st, err := a.store(ctx)
	if err != nil {
		return improve.Queue{}, err
	}
	return improve.Restrict(st.Queue(), st.MayApprove()), nil
}

// who is the person, once the store is open.
func (a *app) who() string { return cmp.Or(a.opened.User(), identity.Account()) }

// completeItem offers ids to the shell.
func (a *app) completeItem(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	q, err := a.queue(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	ids, err := pipeline.Names(c.Context(), q)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// item finds a request by its id, or by the end of one that no other has.
func (a *app) item(ctx context.Context, id string) (improve.Item, error) {
	q, err := a.queue(ctx)
	if err != nil {
		return improve.Item{}, err
	}
	it, err := pipeline.FindItem(ctx, q, id)
	if errors.Is(err, improve.ErrNoItem) {
		err = usageError{err}
	}
	return it, err
}

// hand is what a person does to a request.
type hand struct {
	use, short, example, said string
	do                        func(ctx context.Context, q improve.Backlog, id, why string, now time.Time) (improve.Item, error) // approve is given who approves as the reason
}

func hands() []hand {
	return []hand{
		{"approve", "Let requests become work", "  trimtab improve approve k3x9", "approved", decide.Approve},
		{"reject", "Refuse requests for good", "  trimtab improve reject k3x9 --why \"works as intended\"", "rejected", decide.Reject},
		{"cancel", "End work that waits or runs", "  trimtab improve cancel k3x9", "cancelled", func(ctx context.Context, q improve.Backlog, id, _ string, now time.Time) (improve.Item, error) {
			return decide.Cancel(ctx, q, id, now)
		}},
		{"retry", "Do ended work again; what is done only if its change did not help", "  trimtab improve retry k3x9", "queued", func(ctx context.Context, q improve.Backlog, id, _ string, now time.Time) (improve.Item, error) {
			return decide.Retry(ctx, q, id, now)
		}},
	}
}

func improveHand(a *app, h hand) *cobra.Command {
	var why string
	c := &cobra.Command{
		Use: h.use + " ID…", Short: h.short, Example: h.example, Args: between(1, -1), ValidArgsFunction: a.completeItem,
		RunE: func(c *cobra.Command, args []string) error { return a.hand(c.Context(), h, args, why) },
	}
	if h.use == "reject" {
		c.Flags().StringVar(&why, "why", "", "the reason, kept with it")
	}
	return c
}

// hand does it to each request that is named.
func (a *app) hand(ctx context.Context, h hand, ids []string, why string) error {
	q, err := a.queue(ctx)
	if err != nil {
		return err
	}
	if h.use == "approve" {
		why = a.who()
	}
	var done []improve.Item
	for _, id := range ids {
		it, err := a.item(ctx, id)
		if err != nil {
			return err
		}
		if h.use == "retry" && it.State == improve.Done {
			it, err = a.takeUp(ctx, it)
		} else {
			it, err = h.do(ctx, q, it.ID, why, a.clock())
		}
		if err != nil {
			return err
		}
		a.recordItem(it)
		done = append(done, it)
		if !a.flag.json {
			a.answered(report.Decided(a.out, it, h.said))
		}
	}
	if a.flag.json {
		return a.printJSON(done)
	}
	if h.use == "approve" || h.use == "retry" {
		a.progress("trimtab improve run --watch does it\n")
	}
	return nil
}

func improveService(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "service systemd|launchd|cron|github", Short: "Print the file by which approved work is done while nobody looks", Args: between(1, 1),
		Example:           "  trimtab improve service systemd > ~/.config/systemd/user/trimtab-improve.service\n  trimtab improve service cron",
		ValidArgsFunction: fixed(report.Services()...),
		RunE: func(_ *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			dir, err := a.dataDir()
			if err != nil {
				return err
			}
			if err := report.Service(a.out, args[0], report.ServiceOptions{Program: self, Data: dir, Path: os.Getenv("PATH")}); err != nil {
				return misused("%w", err)
			}
			return nil
		},
	}
}

func improveSwitch(a *app, use, short string, halt bool) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: none, Example: "  trimtab improve " + use,
		RunE: func(c *cobra.Command, _ []string) error {
			q, err := a.queue(c.Context())
			if err != nil {
				return err
			}
			if err := q.Halt(c.Context(), halt); err != nil {
				return err
			}
			running, err := q.Items(c.Context(), improve.Running)
			if err != nil {
				return err
			}
			if a.flag.json {
				return a.printJSON(map[string]any{"halted": halt, "running": len(running)})
			}
			a.answered(report.Switched(a.out, halt, len(running)))
			return nil
		},
	}
}

// halted says why no work may begin, "" where it may.
func (a *app) halted(ctx context.Context) (string, error) {
	p, err := a.pipeline()
	if err != nil {
		return "", err
	}
	return p.Halted(ctx)
}

// takeSpool takes in the requests that other tools left in this project.
func (a *app) takeSpool(ctx context.Context) error {
	dir, err := setting.Folder()
	if err != nil {
		return err
	}
	project := setting.Repository(dir)
	if project == "" {
		return nil
	}
	p, err := a.pipeline()
	if err != nil {
		return err
	}
	taken, err := p.TakeSpool(ctx, project)
	for _, t := range taken {
		a.progress("%s\n", report.Spooled(t))
	}
	return err
}
