package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/config"
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
	c.AddCommand(improveList(a), improveShow(a), improveHand(a, approving), improveHand(a, rejecting), improveHand(a, cancelling), improveHand(a, retrying),
		improveSwitch(a, "stop", "Stop all work at once, and begin none", true), improveSwitch(a, "start", "Let work begin again after stop", false))
	return c
}

// queue is where requests wait.
func (a *app) queue(ctx context.Context) (improve.Queue, error) {
	st, err := a.store(ctx)
	if err != nil {
		return nil, err
	}
	return st.Queue(), nil
}

// completeItem offers ids to the shell.
func (a *app) completeItem(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	q, err := a.queue(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	items, err := q.Items(c.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for _, it := range items {
		ids = append(ids, it.ID+"\t"+string(it.State)+" "+it.Request.Title)
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// item finds a request by its id, or by the end of one that no other has.
func (a *app) item(ctx context.Context, q improve.Queue, id string) (improve.Item, error) {
	it, err := q.Item(ctx, id)
	if !errors.Is(err, improve.ErrNoItem) {
		return it, err
	}
	all, err := q.Items(ctx)
	if err != nil {
		return improve.Item{}, err
	}
	var ids []string
	for _, each := range all {
		ids = append(ids, each.ID)
		if strings.HasSuffix(each.ID, "_"+id) {
			if it.ID != "" {
				return improve.Item{}, misused("%q is the end of %s and of %s; give more of it", id, it.ID, each.ID)
			}
			it = each
		}
	}
	switch near := config.Nearest(id, ids); {
	case it.ID != "":
		return it, nil
	case near != "":
		return improve.Item{}, misused("no improvement %q; did you mean %s?", id, near)
	}
	return improve.Item{}, misused("no improvement %q; trimtab improve list shows those there are", id)
}

// hand is what a person does to a request.
type hand struct {
	use, short, example, said string
	do                        func(it *improve.Item) error
}

var approving = hand{"approve", "Let requests become work", "  trimtab improve approve k3x9", "approved", func(it *improve.Item) error {
	if it.State != improve.Awaiting {
		return fmt.Errorf("%s is %s: only what waits for approval can be approved", it.ID, it.State)
	}
	it.State, it.Why = improve.Queued, "approved by hand"
	return nil
}}

var rejecting = hand{"reject", "Refuse requests for good", "  trimtab improve reject k3x9 --why \"works as intended\"", "rejected", func(it *improve.Item) error {
	if it.State != improve.Awaiting && it.State != improve.Queued {
		return fmt.Errorf("%s is %s: only what waits can be rejected; trimtab improve cancel ends what runs", it.ID, it.State)
	}
	it.State = improve.Rejected
	return nil
}}

var cancelling = hand{"cancel", "End work that waits or runs", "  trimtab improve cancel k3x9", "cancelled", func(it *improve.Item) error {
	switch {
	case it.State.Ended():
		return fmt.Errorf("%s is %s already", it.ID, it.State)
	case it.State == improve.Running: // its worker cleans up, then ends it
		it.Cancel = true
	default:
		it.State = improve.Cancelled
	}
	return nil
}}

var retrying = hand{"retry", "Do ended work again, with the same issue and branch", "  trimtab improve retry k3x9", "queued", func(it *improve.Item) error {
	switch it.State {
	case improve.Failed, improve.Manual, improve.Cancelled:
		it.State, it.Cancel = improve.Queued, false
		it.Attempt++
		return nil
	case improve.Awaiting, improve.Queued, improve.Running, improve.Done, improve.Rejected:
	}
	return fmt.Errorf("%s is %s: what failed, was cancelled or waits for review by hand can be done again", it.ID, it.State)
}}

func improveHand(a *app, h hand) *cobra.Command {
	var why string
	c := &cobra.Command{
		Use: h.use + " ID…", Short: h.short, Example: h.example, Args: between(1, -1), ValidArgsFunction: a.completeItem,
		RunE: func(c *cobra.Command, args []string) error {
			q, err := a.queue(c.Context())
			if err != nil {
				return err
			}
			var done []improve.Item
			for _, id := range args {
				it, err := a.item(c.Context(), q, id)
				if err != nil {
					return err
				}
				it, err = q.Change(c.Context(), it.ID, 0, func(it *improve.Item) error {
					it.Why = why
					it.Updated = a.clock()
					return h.do(it)
				})
				if err != nil {
					return err
				}
				done = append(done, it)
				if !a.flag.json {
					a.printf("%s %s: %s\n", h.said, it.ID, it.Request.Title)
				}
			}
			if a.flag.json {
				return a.printJSON(done)
			}
			if h.use == "approve" || h.use == "retry" {
				a.progress("trimtab improve run --watch does it\n")
			}
			return nil
		},
	}
	c.Flags().StringVar(&why, "why", "", "the reason, kept with it")
	return c
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
			if !halt {
				a.printf("work may begin; trimtab improve run does it\n")
				return nil
			}
			a.printf("stopped: %s, and none begins until trimtab improve start\n", counted(len(running), "running one ends within its step", "running ones end within their steps"))
			return nil
		},
	}
}

// counted names a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// halted says why no work may begin, "" where it may.
func (a *app) halted(ctx context.Context, q improve.Queue) (string, error) {
	if slices.Contains([]string{"1", "true", "yes"}, strings.ToLower(a.getenv("AUTOMATION_DISABLED"))) {
		return "AUTOMATION_DISABLED is set", nil
	}
	halt, err := q.Halted(ctx)
	if halt {
		return "it was stopped; trimtab improve start lets work begin", err
	}
	return "", err
}

// took is a time that something took, for a person.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
