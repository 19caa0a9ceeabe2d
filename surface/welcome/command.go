package welcome

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/setting"
)

// Command is trimtab init: take is told how far to look back, and how many sessions to
// play at most.
func Command(take func(ctx context.Context, since time.Duration, most int) error, misused func(format string, args ...any) error) *cobra.Command {
	since, most := "28d", usual
	c := &cobra.Command{
		Use: "init", Short: "See in one screen what Trimtab would do for you, and install it if you like",
		Long: `Finds the agents that are installed here and the sessions that they have left, and
shows in one screen what went wrong in the last weeks and what Trimtab would have
said in the newest of them. On a terminal it then offers to install hooks: it shows
every change first, and without a yes nothing is written. Nothing is sent anywhere,
no model is called, and no agent is started.`,
		Example: "  trimtab init\n  trimtab init --since 7d\n  trimtab init --json",
		RunE: func(c *cobra.Command, args []string) error {
			age, err := setting.ParseAge(since)
			switch {
			case len(args) > 0:
				return misused("trimtab init takes no arguments")
			case err != nil:
				return misused("--since: %w", err)
			case most < 1:
				return misused("--newest takes at least 1")
			}
			return take(c.Context(), age, most)
		},
	}
	c.Flags().StringVar(&since, "since", since, "look at sessions that were active within this `time`, as in 7d or 12h")
	c.Flags().IntVarP(&most, "newest", "n", most, "play at most this many `sessions`")
	return c
}

// Offer asks for each agent that could be steered whether hooks shall be installed, and has
// those installed that get a yes. To w it says how to go on.
func (l Look) Offer(w io.Writer, yes func(question string) bool, install func(host string) error) error {
	var installed []string
	for _, a := range l.Agents {
		if a.Ready() && yes("\nInstall hooks for "+a.Name+"? The change is shown first.") {
			if err := install(a.Name); err != nil {
				return err
			}
			installed = append(installed, a.Name)
		}
	}
	if len(installed) == 0 {
		return nil
	}
	var b strings.Builder
	page := Layout{Width: 80} // its lines are short
	b.WriteString("\nStart " + strings.Join(installed, " or ") + " as you always do. Then, in the same folder:\n")
	row(&b, "trimtab status", "what steers the session", page)
	row(&b, "trimtab doctor", "whether the hooks are in place", page)
	row(&b, "trimtab uninstall "+installed[0], "take them out again", page)
	_, err := io.WriteString(w, b.String())
	return err
}
