package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
)

// A pull request is listened to after it was opened: what people who may write to the
// repository say below it is answered with a change or a word, a round at a time. What was
// answered, and how many rounds there were, is read from our own comments at the forge, so
// that it holds after a crash, on another machine and for another worker. What a stranger
// writes, or a program, activates nothing.

// The limits of listening.
const (
	maxRounds   = 3
	maxComments = 20 // of a round
	maxComment  = 4000
)

// answeredMark begins the line, which nobody sees, that names the comments that a round
// answers.
const answeredMark = "<!-- answered: "

// heard is what stands below a pull request.
type heard struct {
	open   []forge.Comment // by people who may write, not answered yet, oldest first
	rounds int             // that were answered
	over   bool            // people were told that no further round follows
}

// hear reads what stands below the pull request.
func (j *Job) hear(ctx context.Context, p forge.Pull) (h heard, err error) {
	err = j.outside(ctx, "read the comments", func(ctx context.Context) error {
		h, err = j.hearOnce(ctx, p)
		return err
	})
	return h, err
}

func (j *Job) hearOnce(ctx context.Context, p forge.Pull) (heard, error) {
	var h heard
	hub := j.env.opt.Forge
	repo, err := hub.Repo(ctx)
	if err != nil {
		return h, err
	}
	team := append([]string{repo.Self}, j.env.opt.Authors...) // another worker of ours is nobody to answer
	answered, may := map[string]bool{}, map[string]bool{}
	var others []forge.Comment
	for c, err := range hub.Comments(ctx, p.Ref()) {
		if err != nil {
			return h, err
		}
		if ours := j.once.Markers(c.Body); len(ours) > 0 && slices.ContainsFunc(team, func(a string) bool { return strings.EqualFold(a, c.Author) }) {
			if err := j.note(&h, ours, c.Body, answered); err != nil {
				return h, err
			}
			continue
		}
		if !c.Bot && strings.TrimSpace(c.Body) != "" {
			others = append(others, c)
		}
	}
	for _, c := range others {
		if answered[c.ID] {
			continue
		}
		if _, known := may[c.Author]; !known {
			if may[c.Author], err = hub.MayWrite(ctx, c.Author); err != nil {
				return h, err
			}
		}
		if may[c.Author] {
			h.open = append(h.open, c)
		}
	}
	slices.SortStableFunc(h.open, func(a, b forge.Comment) int { return a.Created.Compare(b.Created) })
	return h, nil
}

// note takes in a comment of ours.
func (j *Job) note(h *heard, ours []forge.Marker, body string, answered map[string]bool) error {
	round, err := j.mark("round.")
	if err != nil {
		return err
	}
	over, err := j.mark("rounds-over")
	if err != nil {
		return err
	}
	for _, m := range ours {
		if m.Kind != "comment" {
			continue
		}
		if m.ID == over {
			h.over = true
		}
		n, err := strconv.Atoi(strings.TrimPrefix(m.ID, round))
		if err != nil || !strings.HasPrefix(m.ID, round) {
			continue
		}
		h.rounds = max(h.rounds, n)
		_, list, ok := strings.Cut(body, answeredMark)
		list, _, closed := strings.Cut(list, " -->")
		if ok && closed {
			for id := range strings.SplitSeq(list, ", ") {
				answered[id] = true
			}
		}
	}
	return nil
}

// Attention says why the pull request of work that is done needs somebody: comments of
// people that wait, or checks of the forge that failed since. Ended tells the state of one
// that is not open any more. It changes nothing.
func (j *Job) Attention(ctx context.Context) (why string, ended forge.State, err error) {
	if err := j.moved(); err != nil {
		return "", "", err
	}
	number, err := j.fact(PullRequest, "number")
	if err != nil {
		return "", "", err
	}
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", "", fmt.Errorf("the evidence of the step %s: %w", PullRequest, err)
	}
	p, err := j.env.opt.Forge.Pull(ctx, n)
	if err != nil {
		return "", "", err
	}
	if p.State != forge.Open {
		return "", p.State, nil
	}
	h, err := j.hearOnce(ctx, p)
	if err != nil {
		return "", "", err
	}
	if len(h.open) > 0 && (h.rounds < maxRounds || !h.over) {
		return fmt.Sprintf("%d comments of people wait below pull request %d", len(h.open), p.Number), "", nil
	}
	checks, err := j.env.opt.Forge.Checks(ctx, p.Commit)
	if err != nil {
		return "", "", err
	}
	if answered, err := j.checksAnswered(); err != nil || checks.Verdict() != forge.Failed || answered >= maxAnswers {
		return "", "", err
	}
	return "checks of the forge fail: " + j.names(redChecks(checks)), "", nil
}

// listen answers the comments that wait, a round of them, and returns the head after that.
// It is false where there was nothing to do.
func (j *Job) listen(ctx context.Context, p forge.Pull, head string) (string, bool, error) {
	h, err := j.hear(ctx, p)
	if err != nil || len(h.open) == 0 {
		return head, false, err
	}
	if h.rounds >= maxRounds {
		return head, false, j.tellOver(ctx, p, h)
	}
	j.say(fmt.Sprintf("%d comments of people wait below the pull request", len(h.open)))
	fresh, err := j.round(ctx, p, head, h)
	if err != nil && !errors.Is(err, improve.ErrLost) && ctx.Err() == nil && !errors.Is(err, ErrManual) {
		err = fmt.Errorf("%w: comments below pull request %d could not be answered: %w; the pull request and its branch are left as they are", ErrManual, p.Number, err)
	}
	return fresh, err == nil, err
}

// tellOver says, once, that what is written now is for people to answer.
func (j *Job) tellOver(ctx context.Context, p forge.Pull, h heard) error {
	if h.over {
		return nil
	}
	id, err := j.mark("rounds-over")
	if err != nil {
		return err
	}
	body := fmt.Sprintf("Comments were answered %d times, which is as often as it is done by itself. What is still open (%d comments) is for a person.", maxRounds, len(h.open))
	return j.outside(ctx, "say that no further round follows", func(ctx context.Context) error {
		_, err := j.once.Comment(ctx, id, p.Ref(), j.redact(body))
		return err
	})
}

// replied is what a round came to.
type replied struct {
	Answers []Answer `json:"answers"`
	Tree    string   `json:"tree"`
	Refused string   `json:"refused,omitempty"` // why the change was not pushed
}

// round has the agent answer comments, checks what it changed as any change, pushes that
// and replies once. It finds what it did before a crash.
func (j *Job) round(ctx context.Context, p forge.Pull, head string, h heard) (string, error) {
	name := fmt.Sprintf("comments-%d", h.rounds+1)
	var taken []forge.Comment
	if err := j.keep(name+"-taken", &taken, func() error {
		taken = h.open[:min(len(h.open), maxComments)]
		return nil
	}); err != nil {
		return head, err
	}
	s, err := j.tree(ctx, Mergeable)
	if err != nil {
		return head, err
	}
	if err := s.restore(ctx, head, head); err != nil {
		return head, err
	}
	var r replied
	if err := j.keep(name, &r, func() error { return j.replies(ctx, s, head, name, taken, &r) }); err != nil {
		return head, err
	}
	fresh := head
	if err := s.restore(ctx, head, r.Tree); err != nil {
		return head, err
	}
	if _, err := s.Run(ctx, "diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD"); err != nil {
		number, err := j.fact(Issue, "number")
		if err != nil {
			return head, err
		}
		if fresh, err = j.ship(ctx, s, r.Tree, head, fmt.Sprintf("Answer what people said below the pull request\n\nRefs #%s\n\n%s%s\n", number, trailer, j.Item.ID)); err != nil {
			return head, err
		}
	}
	if err := j.replace("head", fresh); err != nil { // before people are told: whoever goes on begins from here
		return head, err
	}
	return fresh, j.tellRound(ctx, p, h, taken, r, fresh, head)
}

// replies asks the agent, twice at most. What does not pass then is not pushed, and said so.
func (j *Job) replies(ctx context.Context, s stands, head, name string, taken []forge.Comment, r *replied) error {
	t := task{}
	for _, c := range taken {
		t.Findings = append(t.Findings, Finding{agents.Finding{File: c.Path, Line: c.Line, Severity: "medium", Text: trimtab.Clip(c.Body, maxComment)}, "comment by " + c.Author})
	}
	for range 2 {
		words, err := j.ask(ctx, "comments", s.Folder, false, t)
		if err != nil {
			return err
		}
		if r.Answers = Answers(words, len(taken)); len(r.Answers) < len(taken) {
			t.Again = fmt.Sprintf("%d of %d comments were answered", len(r.Answers), len(taken))
			continue
		}
		if r.Tree, r.Refused, err = j.passes(ctx, s, head, name); err != nil {
			return err
		}
		if r.Refused == "" {
			return nil
		}
		t.Again, t.Log = r.Refused, r.Refused
	}
	if len(r.Answers) < len(taken) {
		return errors.New(t.Again)
	}
	r.Tree = head
	return nil
}

// passes holds a change after the review to what the change itself was held to. It returns
// the tree that may be pushed, and why it may not.
func (j *Job) passes(ctx context.Context, s stands, head, name string) (string, string, error) {
	if _, _, err := j.measure(ctx, s); err != nil {
		return "", "", err
	}
	if changed, err := s.differs(ctx, head, "."); err != nil || !changed {
		return head, "", err
	}
	e, bad, err := j.checkAll(ctx, s, name)
	if err != nil {
		return "", "", err
	}
	if bad != nil {
		return "", bad.Error(), nil
	}
	size, tree, err := j.measure(ctx, s)
	if err != nil {
		return "", "", err
	}
	dead, _, err := j.canary(ctx, s, size, tree, "canary-test.log")
	if err != nil || dead != "" {
		return "", dead, err
	}
	still, err := j.broken(ctx, s, tree, name+"-command.log")
	if err != nil || still != "" {
		return "", still, err
	}
	if len(size.Stubs) > 0 {
		return "", "something is unfinished: " + found(size.Stubs), nil
	}
	return e.Facts["tree"], "", nil
}

// tellRound replies to all comments of a round with one comment.
func (j *Job) tellRound(ctx context.Context, p forge.Pull, h heard, taken []forge.Comment, r replied, fresh, head string) error {
	var ids, lines []string
	for i, c := range taken {
		ids = append(ids, c.ID)
		where := ""
		if c.Path != "" {
			where = ", " + j.line(Finding{Finding: agents.Finding{File: c.Path, Line: c.Line}}.Where())
		}
		answer := ""
		for _, a := range r.Answers {
			if a.Finding == i+1 {
				answer = a.Text
			}
		}
		lines = append(lines, fmt.Sprintf("%d. %s%s: %s\n\n   %s", i+1, j.line(c.Author), where, j.line(firstOf(c.Body, 120)), strings.ReplaceAll(j.block(trimtab.Clip(answer, maxComment/2)), "\n", "\n   ")))
	}
	left := ""
	if n := len(h.open) - len(taken); n > 0 {
		left = fmt.Sprintf("%d of %d comments were taken up, the oldest first, as many as are in a round; %d more wait for the next one (%d of %d rounds are left).", len(taken), len(h.open), n, maxRounds-h.rounds-1, maxRounds)
	}
	commit := ""
	if fresh != head {
		commit = fresh
	}
	body, err := fill("comments.md", map[string]any{
		"Answered": answeredMark + strings.Join(ids, ", ") + " -->", "Round": h.rounds + 1, "Rounds": maxRounds, "Commit": commit, "Lines": lines, "Refused": j.line(r.Refused), "Left": left,
	})
	if err != nil {
		return err
	}
	id, err := j.mark(fmt.Sprintf("round.%d", h.rounds+1))
	if err != nil {
		return err
	}
	return j.outside(ctx, "reply to comments", func(ctx context.Context) error {
		_, err := j.once.Comment(ctx, id, p.Ref(), j.redact(body))
		return err
	})
}

// Quoted are the findings as pieces of data: what others wrote, set in.
func (t task) Quoted() []string {
	var out []string
	for i, f := range t.Findings {
		where := ""
		if f.File != "" {
			where = ", at " + f.Where()
		}
		out = append(out, fmt.Sprintf("%d. %s%s:\n\n       %s", i+1, f.Kind, where, strings.ReplaceAll(strings.TrimSpace(plain(f.Text)), "\n", "\n       ")))
	}
	return out
}
