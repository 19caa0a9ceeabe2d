package operate

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/surface/audit"
)

func auditCommand(e Env) *cobra.Command {
	var since string
	c := &cobra.Command{
		Use: "audit", Short: "Print who did what when, a JSON object a line", Args: e.between(0, 0),
		Long: `Prints what people did with this store: keys made and revoked, sign-ins, commands given
to sessions by way of the API, approvals of improvements. Nothing that was said in a
session is in it.`,
		Example: "  trimtab serve audit --since 7d > audit.jsonl",
		RunE: func(c *cobra.Command, _ []string) error {
			age, err := setting.ParseAge(since)
			if err != nil {
				return e.Misused("--since: %w", err)
			}
			return e.audit(c.Context(), e.Clock().Add(-age))
		},
	}
	c.Flags().StringVar(&since, "since", "30d", "`age` of the oldest, as in 7d or 12h")
	return c
}

func (e Env) audit(ctx context.Context, since time.Time) error {
	files, _, err := e.Files(ctx)
	if err != nil {
		return err
	}
	to := json.NewEncoder(e.Out)
	to.SetEscapeHTML(false)
	for event, err := range (audit.Log{Files: files, Clock: e.Clock}).Events(ctx, since, e.Clock()) {
		if err == nil {
			err = to.Encode(event)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// record keeps what was done with keys. What was done is done: an audit that cannot be
// written is told.
func (e Env) record(ctx context.Context, who, what, about, more string) error {
	files, _, err := e.Files(ctx)
	if err == nil {
		err = (audit.Log{Files: files, Clock: e.Clock}).Record(ctx, audit.Event{Who: who, By: "command line", What: what, About: about, More: more})
	}
	if err != nil {
		return errors.Join(errors.New("it is done, and the audit could not be written"), err)
	}
	return nil
}
