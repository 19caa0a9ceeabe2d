package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent/record"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/setting"
)

func sessionCommand(a *app) *cobra.Command {
	return group("session", "List, show, export, import and remove sessions",
		sessionList(a), sessionShow(a), sessionExport(a), sessionImport(a), sessionRemove(a), sessionPrune(a))
}

// completeSession offers session ids to the shell.
func (a *app) completeSession(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	ctx := c.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	st, err := a.store(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []string
	for info, err := range st.List(ctx, trimtab.Query{Limit: 50}) {
		if err == nil {
			ids = append(ids, info.ID+"\t"+info.Title)
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func sessionList(a *app) *cobra.Command {
	var all bool
	var host string
	var limit int
	c := &cobra.Command{
		Use: "list", Short: "List sessions, newest first", Args: none, Example: "  trimtab session list\n  trimtab session list --all --host claude --json",
		RunE: func(c *cobra.Command, _ []string) error {
			q := trimtab.Query{Host: host, Limit: limit}
			if !all {
				dir, err := setting.Folder()
				if err != nil {
					return err
				}
				q.Project = dir
			}
			return a.sessionList(c.Context(), q)
		},
	}
	c.Flags().BoolVarP(&all, "all", "a", false, "of every folder, not only this one")
	c.Flags().StringVar(&host, "host", "", "only those of this agent (trimtab, claude, …)")
	c.Flags().IntVarP(&limit, "limit", "n", 50, "at most this many; 0 is all")
	return c
}

func (a *app) sessionList(ctx context.Context, q trimtab.Query) error {
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	found, bad, limit := []trimtab.Info{}, 0, q.Limit
	if limit > 0 {
		q.Limit++ // to know whether there are more
	}
	for info, err := range st.List(ctx, q) {
		if err != nil {
			bad++
			a.progress("%s\n", err)
			continue
		}
		found = append(found, info)
	}
	if limit > 0 && len(found) > limit {
		found = found[:limit]
		a.progress("the newest %d; there are more: -n 0 lists all\n", limit)
	}
	switch {
	case a.flag.json:
		err = a.printJSON(found)
	case len(found) == 0 && q.Project != "":
		a.printf("no sessions of this folder; --all lists those of every folder\n")
	case len(found) == 0:
		a.printf("no sessions\n")
	default:
		a.printf("%s", sessiontext.List(found))
	}
	if bad > 0 && err == nil {
		return fmt.Errorf("%d sessions could not be read; trimtab doctor says more", bad)
	}
	return err
}

func sessionRemove(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "rm ID…", Aliases: []string{"remove"}, Short: "Remove sessions for good", Args: between(1, -1), ValidArgsFunction: a.completeSession,
		Example: "  trimtab session rm 20261115-101500-k3x9",
		RunE: func(c *cobra.Command, args []string) error {
			for _, id := range args {
				if err := trimtab.CheckID(id); err != nil {
					return err
				}
			}
			st, err := a.store(c.Context())
			if err != nil {
				return err
			}
			for _, id := range args {
				if err := errors.Join(st.Remove(c.Context(), id), a.forget(id)); err != nil {
					return err
				}
				a.progress("removed %s\n", id)
			}
			return nil
		},
	}
}

func sessionPrune(a *app) *cobra.Command {
	var age string
	var dry, yes bool
	c := &cobra.Command{
		Use: "prune --older-than AGE", Short: "Remove sessions that have not changed for a while", Args: none,
		Example: "  trimtab session prune --older-than 90d --dry-run\n  trimtab session prune --older-than 90d --yes",
		RunE: func(c *cobra.Command, _ []string) error {
			d, err := setting.ParseAge(age)
			if err != nil {
				return usageError{err}
			}
			return a.prune(c.Context(), d, dry, yes)
		},
	}
	c.Flags().StringVar(&age, "older-than", "", "as in 90d, 12h")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what would be removed")
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return c
}

func (a *app) prune(ctx context.Context, age time.Duration, dry, yes bool) error {
	st, err := a.store(ctx)
	if err != nil {
		return err
	}
	old := []trimtab.Info{}
	for info, err := range st.List(ctx, trimtab.Query{Before: a.clock().Add(-age)}) {
		if err != nil {
			return err
		}
		old = append(old, info)
	}
	if !a.flag.json {
		for _, i := range old {
			a.printf("%-24s  %s  %s\n", i.ID, i.Updated.Local().Format("2006-01-02"), i.Title)
		}
	}
	switch {
	case len(old) == 0 && !a.flag.json:
		a.printf("no session is older than that\n")
		return nil
	case dry || len(old) == 0:
	case !yes && !a.terminal.in:
		return misused("not a terminal; pass --yes to remove %d sessions, or --dry-run to see them", len(old))
	case !yes && !a.confirm(fmt.Sprintf("Remove these %d sessions for good?", len(old))):
		a.printf("nothing was removed\n")
		return errShown
	default:
		var ids []string
		for _, i := range old {
			ids, err = append(ids, i.ID), errors.Join(err, a.forget(i.ID))
		}
		if err != nil {
			return err
		}
		if _, err := st.RemoveAll(ctx, ids); err != nil {
			return err
		}
		a.progress("removed %d sessions\n", len(old))
	}
	if a.flag.json {
		return a.printJSON(old)
	}
	return nil
}

// forget removes what the turns of a session did to files.
func (a *app) forget(id string) error {
	data, err := a.dataDir()
	if err != nil {
		return err
	}
	return record.Open(data + "/record").Remove(id)
}
