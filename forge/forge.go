package forge

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/trimtab/trimtab/forge/git"
)

// Forge is one repository at a forge, as the four parts of it. Who needs only one
// of them takes that one. A call that makes something is one request that makes
// it: it looks for nothing and repeats nothing. That is what an Idempotent is for.
type Forge struct {
	Repository
	Issues
	Pulls
	Talk
}

// Opened is a forge to work with. Close it.
type Opened struct {
	Forge
	Close func() error
}

// Repository is what is known of a repository as a whole.
type Repository interface {
	// Repo says which repository this is, and as whom we are known there.
	Repo(ctx context.Context) (Repo, error)
	// Traits says what the forge asks of those who use it.
	Traits() Traits
	// Remote is where git pushes to.
	Remote() git.Remote
	// MayWrite reports whether an account may write to the repository. One that is not
	// known, or that we may not ask about, may not.
	MayWrite(ctx context.Context, login string) (bool, error)
}

// Issues are the issues of a repository.
type Issues interface {
	// Issue returns one, whatever its state.
	Issue(ctx context.Context, number int) (Issue, error)
	// IssuesBy yields those of one author, open and closed, newest first. It reads
	// the forge's own list and never its search, which lags behind.
	IssuesBy(ctx context.Context, author string) iter.Seq2[Issue, error]
	// OpenIssue makes one.
	OpenIssue(ctx context.Context, t Text) (Issue, error)
}

// Pulls are the pull requests of a repository; GitLab calls them merge requests.
type Pulls interface {
	// Pull returns one, whatever its state.
	Pull(ctx context.Context, number int) (Pull, error)
	// PullsFrom yields those whose head is a branch of this repository, in any
	// state, newest first.
	PullsFrom(ctx context.Context, branch string) iter.Seq2[Pull, error]
	// OpenPull makes one. There is one open pull request for a head and a base:
	// for a second the error is ErrExists.
	OpenPull(ctx context.Context, p Proposal) (Pull, error)
	// EditPull gives one another text. Doing it again is no error.
	EditPull(ctx context.Context, number int, body string) error
	// ClosePull closes one without merging it. Closing it again is no error.
	ClosePull(ctx context.Context, number int) error
	// Checks says what the automatic checks of a commit came to.
	Checks(ctx context.Context, commit string) (Checks, error)
}

// Talk is what is written below an issue or pull request, and onto it.
type Talk interface {
	// Comments yields comments and, for a pull request, reviews and comments at a
	// line, by people and programs, in no promised order.
	Comments(ctx context.Context, on Ref) iter.Seq2[Comment, error]
	// Comment adds one.
	Comment(ctx context.Context, on Ref, body string) (Comment, error)
	// Review adds a review that neither approves nor rejects. Remarks that the
	// forge cannot put at their line become part of the body.
	Review(ctx context.Context, number int, r Review) (Comment, error)
	// Label adds labels, and makes those that the repository lacks. What it is not
	// permitted to make or to set is left out; it returns those that are set now.
	Label(ctx context.Context, on Ref, labels []string) ([]string, error)
}

// Traits is what a forge asks of those who use it.
type Traits struct {
	Name  string        // "github", "gitea", "gitlab" or "local"
	Life  time.Duration // how long the forge may still be at work on a request whose answer was lost
	Title int           // most characters of a title
	Body  int           // most bytes of a body
}

// Repo says which repository a Forge is.
type Repo struct {
	Name string // "owner/name"
	URL  string // its page
	Base string // its default branch
	Self string // the account that we act as
}

// Kind tells an issue from a pull request.
type Kind string

// The kinds of what can be commented on and labelled.
const (
	IssueKind Kind = "issue"
	PullKind  Kind = "pull"
)

// Ref names an issue or a pull request.
type Ref struct {
	Kind   Kind
	Number int
}

// State is how far an issue or pull request has come.
type State string

// The states. An issue is never merged.
const (
	Open   State = "open"
	Closed State = "closed"
	Merged State = "merged"
)

// Text is what an issue says.
type Text struct {
	Title string
	Body  string
}

// Issue is an issue as the forge has it.
type Issue struct {
	Number  int
	Title   string
	Body    string
	Author  string
	URL     string
	Labels  []string
	State   State
	Created time.Time
}

// Ref names the issue.
func (i Issue) Ref() Ref { return Ref{IssueKind, i.Number} }

// Proposal is what a pull request proposes: to merge Head into Base, both
// branches of this repository.
type Proposal struct {
	Text
	Head  string
	Base  string
	Draft bool // not ready yet, where the forge has such a thing
}

// Pull is a pull request as the forge has it.
type Pull struct {
	Number   int
	Title    string
	Body     string
	Author   string
	URL      string
	Labels   []string
	State    State
	Draft    bool
	Head     string // branch
	Base     string // branch
	Commit   string // of the head, as the forge has it
	Merge    Merge
	Created  time.Time
	MergedAt time.Time // zero where it was not, or the forge does not say
}

// Ref names the pull request.
func (p Pull) Ref() Ref { return Ref{PullKind, p.Number} }

// Merge says whether the head could be merged into the base.
type Merge string

// What a merge would come to. Forges find it out some time after a push, so ask
// again while it is unknown.
const (
	MergeUnknown  Merge = ""
	MergeClean    Merge = "clean"
	MergeConflict Merge = "conflict"
)

// Verdict is what checks came to.
type Verdict string

// The verdicts. NoChecks is a repository that runs none, or has not begun to.
const (
	NoChecks Verdict = "none"
	Pending  Verdict = "pending"
	Passed   Verdict = "passed"
	Failed   Verdict = "failed"
)

// Check is one automatic check of a commit.
type Check struct {
	Name    string
	Verdict Verdict
	URL     string
	Said    string // what a check that failed says, shortened; "" where the forge does not tell
}

const maxSaid = 8 << 10

// Saying returns a check with what it says, where it failed.
func (c Check) Saying(text string) Check {
	if c.Verdict == Failed {
		text = strings.TrimSpace(text)
		c.Said = strings.ToValidUTF8(text[:min(len(text), maxSaid)], "")
	}
	return c
}

// Checks are all of them.
type Checks []Check

// Verdict is failed when one failed, pending when one is not done, and passed
// when all of them passed.
func (c Checks) Verdict() Verdict {
	sum := NoChecks
	for _, one := range c {
		switch {
		case one.Verdict == Failed:
			return Failed
		case one.Verdict == Pending:
			sum = Pending
		case sum == NoChecks:
			sum = one.Verdict
		}
	}
	return sum
}

// Comment is a comment or review as the forge has it.
type Comment struct {
	ID      string
	Author  string
	Body    string
	URL     string
	Review  bool
	Path    string // of a comment at a line; "" for others
	Line    int
	Bot     bool // the forge says that the account is a program's
	Created time.Time
}

// Review is what a reviewer says about a pull request.
type Review struct {
	Body    string
	Remarks []Remark
}

// Remark is about one line of a file, as the head has it.
type Remark struct {
	Path string
	Line int
	Body string
}

// Token gives the token for a request. It is asked each time, so that a token
// that expires can be renewed.
type Token func(ctx context.Context) (string, error)
