package pipeline

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/impact"
)

// PullUnknown is the state of a pull request where the forge was not asked.
const PullUnknown = "unknown"

// ItemImpact is one improvement and what it changed.
type ItemImpact struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Pull   string `json:"pull_request"` // merged, open or closed; unknown where the forge was not asked
	Number int    `json:"-"`            // of the pull request
	improve.Impact
	impact.Told
}

// Impact re-judges the sessions of a project for the trouble of items, before and after
// their pull requests were merged; of all items of the project that are done where none
// is named.
func (p *Pipeline) Impact(ctx context.Context, q Query, items ...improve.Item) (all []ItemImpact, err error) {
	ask := !q.Offline
	q.Offline = true // what else is filed there does not matter here
	f, err := p.Look(ctx, q)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		for _, it := range f.Past {
			if it.State == improve.Done && it.About(it.Fingerprint, f.Repo, f.Project) {
				items = append(items, it)
			}
		}
	}
	var pulls forge.Pulls
	if ask && len(items) > 0 {
		pulls = p.pulls(ctx, f)
		defer func() { err = errors.Join(err, f.Close()) }()
	}
	all = []ItemImpact{}
	for _, it := range items {
		all = append(all, p.impact(ctx, pulls, it, f.Results))
	}
	return all, nil
}

// beforeItem is how long before an item was made sessions count.
const beforeItem = 30 * 24 * time.Hour

// OutcomeOf re-judges the sessions of the project of one item, from a month before it was made.
func (p *Pipeline) OutcomeOf(ctx context.Context, it improve.Item) (improve.Outcome, error) {
	all, err := p.Impact(ctx, Query{Project: it.Project, Since: it.Created.Add(-beforeItem)}, it)
	if err != nil || len(all) != 1 {
		return improve.Outcome{}, err
	}
	i := all[0]
	return improve.Outcome{Impact: i.Impact, Pull: i.Pull, Verdict: string(i.Verdict), Chance: i.Chance, Text: i.Text}, nil
}

func judgeByRule(it improve.Item) improve.Judge {
	pattern := it.Request.Pattern
	pattern.Fingerprint = cmp.Or(pattern.Fingerprint, it.Fingerprint)
	return impact.ByRule(pattern)
}

// pulls are the pull requests of the forge; nil where it cannot be asked.
func (p *Pipeline) pulls(ctx context.Context, f *Findings) forge.Pulls {
	if f.opened.Close != nil {
		return f.opened
	}
	if p.opt.Forge == nil {
		return nil
	}
	if err := p.openForge(ctx, f); err != nil {
		p.notify("the forge was not asked what was merged: %s", err)
		return nil
	}
	return f.opened
}

// openForge opens the forge of a project.
func (p *Pipeline) openForge(ctx context.Context, f *Findings) error {
	where, err := p.opt.Forge(ctx, f.Project)
	if err != nil {
		return err
	}
	if err := where.HasToken(ctx); err != nil {
		return err
	}
	f.opened, err = where.Open(ctx)
	return err
}

// impact counts from when the pull request was merged. Where it was not, all that was
// seen was before; where nobody can tell, the day the work was done counts.
func (p *Pipeline) impact(ctx context.Context, pulls forge.Pulls, it improve.Item, results []improve.Result) ItemImpact {
	out := ItemImpact{ID: it.ID, Title: it.Request.Title, Pull: PullUnknown}
	at := it.Updated
	switch pull, err := pullOf(ctx, pulls, it); {
	case err != nil:
		p.notify("%s: the forge could not say whether it was merged: %s", it.ID, err)
	case pull.State == forge.Merged:
		out.Pull, out.Number = string(pull.State), pull.Number
		if !pull.MergedAt.IsZero() {
			at = pull.MergedAt
		}
	case pull.State != "":
		out.Pull, out.Number = string(pull.State), pull.Number
		at = p.opt.Now()
	}
	out.Impact = improve.ImpactOf(p.opt.Judge(it), at, results)
	out.Fingerprint = it.Fingerprint
	out.Told = impact.Tell(out.Impact)
	return out
}

// pullOf is the pull request of an item, if its forge is the one that is asked.
func pullOf(ctx context.Context, pulls forge.Pulls, it improve.Item) (forge.Pull, error) {
	for _, e := range it.Evidence {
		number, err := strconv.Atoi(e.Facts["number"])
		if e.Step != improve.StepPullRequest || err != nil || pulls == nil {
			continue
		}
		pull, err := pulls.Pull(ctx, number)
		if err != nil || pull.URL != e.Facts["url"] {
			return forge.Pull{}, err
		}
		return pull, nil
	}
	return forge.Pull{}, nil
}
