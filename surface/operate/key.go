package operate

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/store/owned"
	"github.com/trimtab/trimtab/surface/caller"
)

func keyCommand(e Env) *cobra.Command {
	var user, role, expires string
	var limits caller.Limits
	create := &cobra.Command{
		Use: "create NAME", Short: "Make a key for a person or a program, and print it once", Args: e.between(1, 1),
		Long: `Makes a key with which somebody may use the gateways on this store, and prints it:
nobody can show it again, for only its hash is stored. Its sessions belong to the user.
The role says what the key may do with sessions of others through the management API:
use nothing, view read them, steer change them, approve decide on improvements too.`,
		Example: `  trimtab serve key create laptop --user ann
  trimtab serve key create ci --user build --requests 60 --tokens 2000000 --models 'claude-*' --expires 90d
  trimtab serve key create lead --user eve --role approve --spend 25`,
		RunE: func(c *cobra.Command, args []string) error {
			plan := caller.Plan{Name: args[0], User: user, Role: owned.Role(role), Limits: limits}
			if plan.User == "" {
				plan.User = args[0]
			}
			if expires != "" {
				age, err := setting.ParseAge(expires)
				if err != nil {
					return e.Misused("--expires: %w", err)
				}
				plan.Expires = e.Clock().Add(age).UTC().Truncate(time.Second)
			}
			return e.createKey(c.Context(), plan)
		},
	}
	create.Flags().StringVar(&user, "user", "", "whose sessions those of the key are (default NAME)")
	create.Flags().StringVar(&role, "role", string(owned.Use), "`role`: use, view, steer or approve")
	create.Flags().IntVar(&limits.Requests, "requests", 0, "most requests a minute at each gateway; 0 is no limit")
	create.Flags().Int64Var(&limits.Tokens, "tokens", 0, "most tokens a day (UTC), over all gateways; 0 is no limit")
	create.Flags().Float64Var(&limits.Spend, "spend", 0, "most `dollars` a day (UTC), over all gateways; 0 is no limit")
	create.Flags().StringSliceVar(&limits.Models, "models", nil, "`patterns` of models that may be asked, as in claude-*,gpt-5* (default all)")
	create.Flags().StringVar(&expires, "expires", "", "`age` at which it ends, as in 90d")
	list := &cobra.Command{
		Use: "list", Short: "List the keys, and what each used today", Args: e.between(0, 0), Example: "  trimtab serve key list\n  trimtab serve key list --json",
		RunE: func(c *cobra.Command, _ []string) error { return e.listKeys(c.Context()) },
	}
	revoke := &cobra.Command{
		Use: "revoke KEY", Short: "End a key, by its id or its name; replies under way end within seconds", Args: e.between(1, 1), Example: "  trimtab serve key revoke k4m2xq7a\n  trimtab serve key revoke laptop",
		RunE: func(c *cobra.Command, args []string) error { return e.revokeKey(c.Context(), args[0]) },
	}
	keys := &cobra.Command{
		Use: "key", Short: "Make, list and revoke the keys of those who use this gateway", Args: e.between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return e.Misused("%s takes one of: create, list, revoke", c.CommandPath())
		},
	}
	keys.AddCommand(create, list, revoke)
	return keys
}

func (e Env) book(ctx context.Context) (book *caller.Book, by string, err error) {
	files, by, err := e.Files(ctx)
	if err != nil {
		return nil, "", err
	}
	return caller.NewBook(files, e.Clock), by, nil
}

func (e Env) createKey(ctx context.Context, p caller.Plan) error {
	if err := p.Check(e.Clock()); err != nil {
		return e.Misused("%w", err)
	}
	book, by, err := e.book(ctx)
	if err != nil {
		return err
	}
	secret, k, err := book.Create(ctx, p, by)
	if err != nil {
		return err
	}
	if err := e.record(ctx, by, "key.create", k.ID, k.Name+" of "+k.User+", "+string(k.Role)); err != nil {
		return err
	}
	e.Told("the key %s of %s, role %s. It is shown this once:\n", k.ID, k.User, k.Role)
	return e.answer(struct {
		caller.Key
		Secret string `json:"key"`
	}{k, secret}, secret)
}

func (e Env) listKeys(ctx context.Context) error {
	book, _, err := e.book(ctx)
	if err != nil {
		return err
	}
	keys, err := book.List(ctx)
	if err != nil {
		return err
	}
	now := e.Clock()
	used, err := book.UsageOf(ctx, now)
	if err != nil {
		return err
	}
	type row struct {
		caller.Key
		State string       `json:"state"`
		Today caller.Usage `json:"today"`
	}
	rows := make([]row, len(keys))
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "ID\tNAME\tUSER\tROLE\tSTATE\tTODAY\tLIMITS")
	for i, k := range keys {
		rows[i] = row{k, k.State(now), used[k.ID]}
		u := rows[i].Today
		fmt.Fprintf(w, "\n%s\t%s\t%s\t%s\t%s\t%d requests, %d tokens, $%.2f\t%s", k.ID, k.Name, k.User, k.Role, rows[i].State, u.Requests, u.Tokens, u.Spend, limitText(k))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(keys) == 0 {
		return e.answer(rows, "there are no keys; make one: trimtab serve key create NAME --user USER")
	}
	return e.answer(rows, text.String())
}

func limitText(k caller.Key) string {
	var all []string
	if l := k.Limits; l.Requests > 0 {
		all = append(all, fmt.Sprintf("%d requests a minute", l.Requests))
	}
	if l := k.Limits; l.Tokens > 0 {
		all = append(all, fmt.Sprintf("%d tokens a day", l.Tokens))
	}
	if l := k.Limits; l.Spend > 0 {
		all = append(all, fmt.Sprintf("$%.2f a day", l.Spend))
	}
	if len(k.Limits.Models) > 0 {
		all = append(all, strings.Join(k.Limits.Models, " "))
	}
	if !k.Expires.IsZero() {
		all = append(all, "until "+k.Expires.Format(time.DateOnly))
	}
	return strings.Join(all, ", ")
}

func (e Env) revokeKey(ctx context.Context, which string) error {
	book, by, err := e.book(ctx)
	if err != nil {
		return err
	}
	ended, err := book.Revoke(ctx, which, by)
	if err != nil {
		return err
	}
	lines := []string{}
	for _, k := range ended {
		if err := e.record(ctx, by, "key.revoke", k.ID, k.Name+" of "+k.User); err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%s (%s of %s) is answered no more", k.ID, k.Name, k.User))
	}
	if len(ended) == 0 {
		lines = append(lines, which+" was revoked before")
	}
	return e.answer(struct {
		Revoked []caller.Key `json:"revoked"`
	}{append([]caller.Key{}, ended...)}, strings.Join(lines, "\n"))
}
