package forge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge/git"
)

// Log remembers, across crashes, what was about to be made. Without it an Idempotent
// that is started again could not know that a request of its predecessor may
// still be under way.
type Log interface {
	// Begin stores that the thing with this key is about to be made. It returns
	// when that survives a crash.
	Begin(ctx context.Context, key string, at time.Time) error
	// Last returns when the thing was last begun, the zero time for never.
	Last(ctx context.Context, key string) (time.Time, error)
}

// Options are what a Idempotent works with. Keys and Log are needed.
type Options struct {
	Keys     [][]byte                                         // for markers; the first one signs
	Log      Log                                              // what was about to be made
	Authors  []string                                         // further accounts whose signed markers count, as those of a team that shares its key
	Patience time.Duration                                    // the longest wait for a rate limit; a longer one is returned as the error
	Tries    int                                              // how often something is asked for whose answer is lost, 3 where it is 0
	Now      func() time.Time                                 // the clock, the system's where it is nil
	Wait     func(ctx context.Context, d time.Duration) error // returns early only with the context's error
}

// Idempotent makes each thing once. It may be used by several goroutines. Several
// processes must share its Log, and one alone may be at work on an id at a time.
type Idempotent struct {
	forge  Forge
	signer Signer
	opt    Options
	locks  keyLocks
}

// NewIdempotent returns an Idempotent for a forge.
func NewIdempotent(f Forge, opt Options) (*Idempotent, error) {
	signer, err := NewSigner(opt.Keys...)
	if err != nil {
		return nil, err
	}
	if opt.Log == nil {
		return nil, errors.New("a log is needed; without it a crash could make something twice")
	}
	opt.Tries = cmp.Or(opt.Tries, 3)
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Wait == nil {
		opt.Wait = wait
	}
	return &Idempotent{forge: f, signer: signer, opt: opt, locks: newKeyLocks()}, nil
}

// Find returns the issue that was filed under an id, open or closed, whoever of
// our accounts filed it. Where there are several it is the oldest. One that we signed
// goes before one whose key is not known: a team that lost its keys with its store
// still files nothing twice, and nobody but our accounts can write such an issue.
func (c *Idempotent) Find(ctx context.Context, id string) (Issue, bool, error) {
	m := Marker{"issue", id}
	if err := m.Check(); err != nil {
		return Issue{}, false, err
	}
	var found Issue
	ok, sure := false, false
	err := c.patient(ctx, func() error {
		found, ok, sure = Issue{}, false, false
		authors, err := c.authors(ctx)
		if err != nil {
			return err
		}
		for _, author := range authors {
			for one, err := range c.forge.IssuesBy(ctx, author) {
				if err != nil {
					return err
				}
				signed := c.signer.Has(one.Body, m)
				if !same(one.Author, author) || !signed && (sure || !claims(one.Body, m)) {
					continue
				}
				if !ok || signed && !sure || one.Number < found.Number {
					found, ok, sure = one, true, signed
				}
			}
		}
		return nil
	})
	return found, ok, err
}

// Issue files an issue under an id, or returns the one that was. Labels that
// cannot be had are left out; Issue.Labels tells which are set.
func (c *Idempotent) Issue(ctx context.Context, id string, t Text, labels []string) (Issue, error) {
	traits := c.forge.Traits()
	body, err := c.signer.Sign(fitBody(t.Body, traits.Body), Marker{"issue", id})
	if err != nil {
		return Issue{}, err
	}
	draft := Text{Title: fitTitle(t.Title, traits.Title), Body: body}
	if draft.Title == "" {
		return Issue{}, errors.New("an issue needs a title")
	}
	issue, err := once(ctx, c, errand[Issue]{
		key:  "issue " + id,
		look: func(ctx context.Context) (Issue, bool, error) { return c.Find(ctx, id) },
		make: func(ctx context.Context) (Issue, error) { return c.forge.OpenIssue(ctx, draft) },
	})
	if err != nil {
		return Issue{}, err
	}
	issue.Labels, err = c.label(ctx, issue.Ref(), issue.Labels, labels)
	return issue, err
}

// Pull proposes a branch under an id, or returns the pull request that does. One
// that someone else opened from the same branch is ErrExists.
func (c *Idempotent) Pull(ctx context.Context, id string, p Proposal, labels []string) (Pull, error) {
	traits := c.forge.Traits()
	body, err := c.signer.Sign(fitBody(p.Body, traits.Body), Marker{"pull", id})
	if err != nil {
		return Pull{}, err
	}
	p.Text = Text{Title: fitTitle(p.Title, traits.Title), Body: body}
	if p.Title == "" || p.Head == "" || p.Base == "" {
		return Pull{}, errors.New("a pull request needs a title, a head and a base")
	}
	pull, err := once(ctx, c, errand[Pull]{
		key:  "pull " + id,
		look: func(ctx context.Context) (Pull, bool, error) { return c.FindPull(ctx, id, p.Head) },
		make: func(ctx context.Context) (Pull, error) { return c.forge.OpenPull(ctx, p) },
	})
	if err != nil {
		return Pull{}, err
	}
	pull.Labels, err = c.label(ctx, pull.Ref(), pull.Labels, labels)
	return pull, err
}

// EditPull gives the pull request that was proposed under an id another text, with our
// marker below it, and returns it as the forge has it then. Before is told the text that
// will be sent. The same text twice is harmless.
func (c *Idempotent) EditPull(ctx context.Context, id string, number int, body string, before func(text string) error) (string, error) {
	text, err := c.signer.Sign(fitBody(body, c.forge.Traits().Body), Marker{"pull", id})
	if err == nil {
		err = before(text)
	}
	if err != nil {
		return "", err
	}
	if err := c.patient(ctx, func() error { return c.forge.EditPull(ctx, number, text) }); err != nil {
		return "", err
	}
	var p Pull
	err = c.patient(ctx, func() error { p, err = c.forge.Pull(ctx, number); return err })
	return p.Body, err
}

// Markers returns the markers of ours that a text bears.
func (c *Idempotent) Markers(text string) []Marker { return c.signer.Markers(text) }

// FindPull returns the pull request of a branch that was proposed under an id, open
// or not.
func (c *Idempotent) FindPull(ctx context.Context, id, branch string) (found Pull, ok bool, err error) {
	err = c.patient(ctx, func() error {
		found, ok = Pull{}, false
		authors, err := c.authors(ctx)
		if err != nil {
			return err
		}
		for one, err := range c.forge.PullsFrom(ctx, branch) {
			if err != nil {
				return err
			}
			if one.Head == branch && among(authors, one.Author) && c.signer.Has(one.Body, Marker{"pull", id}) && (!ok || one.Number < found.Number) {
				found, ok = one, true
			}
		}
		return nil
	})
	return found, ok, err
}

// Comment writes a comment under an id, or returns the one that was written.
// Ids are told apart on each issue and pull request.
func (c *Idempotent) Comment(ctx context.Context, id string, on Ref, body string) (Comment, error) {
	m := Marker{"comment", id}
	text, err := c.signer.Sign(fitBody(body, c.forge.Traits().Body), m)
	if err != nil {
		return Comment{}, err
	}
	return c.comment(ctx, m, on, func(ctx context.Context) (Comment, error) { return c.forge.Comment(ctx, on, text) })
}

// Review reviews a pull request under an id, or returns the review that was made.
func (c *Idempotent) Review(ctx context.Context, id string, number int, r Review) (Comment, error) {
	m := Marker{"review", id}
	most := c.forge.Traits().Body
	text, err := c.signer.Sign(fitBody(r.Body, most), m)
	if err != nil {
		return Comment{}, err
	}
	signed := Review{Body: text}
	for _, remark := range r.Remarks { // a forge shows each by itself: it must be known as ours, too
		if remark.Body, err = c.signer.Sign(fitBody(remark.Body, most), m); err != nil {
			return Comment{}, err
		}
		signed.Remarks = append(signed.Remarks, remark)
	}
	return c.comment(ctx, m, Ref{PullKind, number}, func(ctx context.Context) (Comment, error) { return c.forge.Review(ctx, number, signed) })
}

func (c *Idempotent) comment(ctx context.Context, m Marker, on Ref, write func(context.Context) (Comment, error)) (Comment, error) {
	return once(ctx, c, errand[Comment]{
		key:  fmt.Sprintf("%s %s %d %s", m.Kind, on.Kind, on.Number, m.ID),
		look: func(ctx context.Context) (Comment, bool, error) { return c.findComment(ctx, m, on) },
		make: write,
	})
}

func (c *Idempotent) findComment(ctx context.Context, m Marker, on Ref) (found Comment, ok bool, err error) {
	err = c.patient(ctx, func() error {
		found, ok = Comment{}, false
		authors, err := c.authors(ctx)
		if err != nil {
			return err
		}
		for one, err := range c.forge.Comments(ctx, on) {
			if err != nil {
				return err
			}
			if among(authors, one.Author) && c.signer.Has(one.Body, m) && (!ok || one.Created.Before(found.Created)) {
				found, ok = one, true
			}
		}
		return nil
	})
	return found, ok, err
}

// Push moves a branch of the forge's repository from one commit to a later one,
// or finds that it is there already. From is "" for a branch that is new. A
// branch that is at neither is ErrExists. The same push twice is harmless, so a
// lost answer needs no waiting: what git then sees there decides.
func (c *Idempotent) Push(ctx context.Context, tree git.Tree, u git.Update) error {
	remote := c.forge.Remote()
	return c.patient(ctx, func() error {
		now, err := tree.Branch(ctx, remote, u.Branch)
		switch {
		case err != nil:
			return c.gitError("look at branch "+u.Branch, err, true)
		case now == u.To:
			return nil
		case now != u.From:
			return &Error{Forge: c.forge.Traits().Name, Doing: "push " + u.Branch, Err: ErrExists, Said: fmt.Sprintf("the branch is at %s", cmp.Or(now, "no commit")), Do: "remove it or take another name"}
		}
		failed := tree.Push(ctx, remote, u)
		if failed == nil {
			return nil
		}
		if now, err := tree.Branch(ctx, remote, u.Branch); err == nil && now == u.To {
			return nil
		}
		return c.gitError("push "+u.Branch, failed, false)
	})
}

// label sets what is not set yet. A forge that will not is no reason to fail.
func (c *Idempotent) label(ctx context.Context, on Ref, has, want []string) ([]string, error) {
	var missing []string
	for _, l := range want {
		if l = strings.Join(strings.Fields(l), " "); l != "" && !among(has, l) && !among(missing, l) {
			missing = append(missing, l)
		}
	}
	if len(missing) == 0 {
		return has, nil
	}
	set := has
	err := c.patient(ctx, func() error {
		now, err := c.forge.Label(ctx, on, missing)
		if err == nil {
			set = now
		}
		if permanent(err) {
			return nil
		}
		return err
	})
	return set, err
}

// authors are the accounts whose markers count.
func (c *Idempotent) authors(ctx context.Context) ([]string, error) {
	repo, err := c.forge.Repo(ctx)
	if err != nil {
		return nil, err
	}
	all := []string{repo.Self}
	for _, a := range c.opt.Authors {
		if !among(all, a) {
			all = append(all, a)
		}
	}
	return all, nil
}

// same compares names of accounts and labels, which forges hold for one whatever
// their case.
func same(a, b string) bool { return strings.EqualFold(a, b) }

func among(all []string, one string) bool {
	for _, a := range all {
		if same(a, one) {
			return true
		}
	}
	return false
}
