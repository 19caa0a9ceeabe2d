package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/steps"
	"github.com/trimtab/trimtab/internal/plural"
)

// impactJSON is one improvement and what it changed.
type impactJSON struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Pull  string `json:"pull_request"` // merged, open or closed; unknown where the forge was not asked
	improve.Impact

	from string // in words, what the counts begin with
}

func (a *app) improveImpact(ctx context.Context, ids []string, p pastFlags) error {
	ask := !p.offline
	p.offline = true // what else is filed there does not matter here
	l, err := a.lookBackAt(ctx, nil, p)
	if err != nil {
		return err
	}
	var items []improve.Item
	for _, id := range ids {
		it, err := a.item(ctx, l.queue, id)
		if err != nil {
			return err
		}
		items = append(items, it)
	}
	if len(ids) == 0 {
		for _, it := range l.past {
			if it.State == improve.Done && it.Project == l.project {
				items = append(items, it)
			}
		}
	}
	var hub forge.Forge
	if ask && len(items) > 0 {
		if hub, err = a.hub(ctx, l.project); err != nil {
			a.progress("the forge was not asked what was merged: %s\n", err)
		}
	}
	all := []impactJSON{}
	for _, it := range items {
		all = append(all, a.impact(ctx, hub, it, l.results))
	}
	if a.flag.json {
		return a.printJSON(all)
	}
	if len(all) == 0 {
		a.printf("no improvement of this project is done yet\n")
		return nil
	}
	for _, i := range all {
		a.printf("%s  %s\n  %s\n  before: %d of %s, %s\n", i.ID, i.Title, i.from,
			i.Before.With, plural.Count(i.Before.Sessions, "session"), plural.Count(i.Before.Count, "time"))
		if i.Pull != string(forge.Open) && i.Pull != string(forge.Closed) {
			a.printf("  after:  %d of %s, %s\n", i.After.With, plural.Count(i.After.Sessions, "session"), plural.Count(i.After.Count, "time"))
		}
	}
	return nil
}

// hub opens the forge of a project.
func (a *app) hub(ctx context.Context, project string) (forge.Forge, error) {
	where, err := a.forgeOf(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := where.HasToken(ctx); err != nil {
		return nil, err
	}
	return where.Open(ctx)
}

// impact counts from when the pull request was merged. Where it was not, all that was
// seen was before; where nobody can tell, the day the work was done counts.
func (a *app) impact(ctx context.Context, hub forge.Forge, it improve.Item, results []improve.Result) impactJSON {
	out := impactJSON{ID: it.ID, Title: it.Request.Title, Pull: "unknown", from: "counted from the day the work was done, " + day(it.Updated) + ": whether it was merged is not known"}
	at := it.Updated
	switch p, err := pullOf(ctx, hub, it); {
	case err != nil:
		a.progress("%s: the forge could not say whether it was merged: %s\n", it.ID, err)
	case p.State == forge.Merged:
		out.Pull = string(p.State)
		if !p.MergedAt.IsZero() {
			at = p.MergedAt
		}
		out.from = fmt.Sprintf("pull request %d was merged on %s", p.Number, day(at))
	case p.State != "":
		out.Pull, at = string(p.State), a.clock()
		out.from = fmt.Sprintf("pull request %d is %s, so nothing can have changed", p.Number, p.State)
	}
	out.Impact = improve.ImpactOf(it.Fingerprint, at, results)
	return out
}

func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

// pullOf is the pull request of an item, if its forge is the one that is asked.
func pullOf(ctx context.Context, hub forge.Forge, it improve.Item) (forge.Pull, error) {
	for _, e := range it.Evidence {
		number, err := strconv.Atoi(e.Facts["number"])
		if e.Step != steps.PullRequest || err != nil || hub == nil {
			continue
		}
		p, err := hub.Pull(ctx, number)
		if err != nil || p.URL != e.Facts["url"] {
			return forge.Pull{}, err
		}
		return p, nil
	}
	return forge.Pull{}, nil
}
