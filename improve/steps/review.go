package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/internal/atomicfile"
)

// review has the agent review the change, and where the request asks for it a
// second time for its security, and posts what it says.
func review(ctx context.Context, j *Job) (improve.Evidence, error) {
	proposal, err := j.proposal(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.pushed(ctx, Commit); err != nil {
		return improve.Evidence{}, err
	}
	s, err := j.tree(ctx, Review)
	if err != nil {
		return improve.Evidence{}, err
	}
	kinds := []string{codeReview}
	if j.Item.Request.SecurityReview {
		kinds = append(kinds, securityReview)
	}
	var all []Finding
	var posted []string
	var verdict agents.Verdict
	for _, kind := range kinds {
		found, err := j.look(ctx, s, kind)
		if err != nil {
			return improve.Evidence{}, err
		}
		said, err := j.post(ctx, proposal, kind, found)
		if err != nil {
			return improve.Evidence{}, err
		}
		all, posted = append(all, found.Findings...), append(posted, said.ID)
		if kind == codeReview {
			verdict = found.Verdict
		}
	}
	paper, err := j.leaveVerdict(firstVerdict, verdict)
	if err != nil {
		return improve.Evidence{}, err
	}
	raw, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return improve.Evidence{}, err
	}
	name, err := j.mark("findings.json")
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.write(name, string(raw)); err != nil {
		return improve.Evidence{}, err
	}
	raw, err = os.ReadFile(filepath.Join(j.folder, name))
	e := facts("comments", strings.Join(posted, ", "), "findings", strconv.Itoa(len(all)), "kinds", strings.Join(kinds, ", "), "sha256", sum(raw),
		"reviewer", j.agentFor(codeReview).Name(), "verdict", verdictWord(verdict), "verdict_sha256", paper)
	e.Files = append([]string{name}, j.verdictFile(e, firstVerdict)...)
	return e, err
}

func verdictWord(v agents.Verdict) string {
	if v.Accepts && len(unmet(v)) == 0 {
		return "accepted"
	}
	return "refused"
}

// looked is what a reviewer said.
type looked struct {
	Findings []Finding      `json:"findings"`
	Verdict  agents.Verdict `json:"verdict"`
}

// look has the reviewer look at the change, once: what it said before a crash is
// what it said.
func (j *Job) look(ctx context.Context, s stands, kind string) (looked, error) {
	var found looked
	err := j.keep(kind, &found, func() error {
		size, tree, err := j.measure(ctx, s)
		if err != nil {
			return err
		}
		t := task{}
		if t.Patch, err = s.shown(ctx); err != nil {
			return err
		}
		if kind != securityReview {
			if t.Criteria, err = j.criteria(); err != nil {
				return err
			}
		}
		for try := 1; ; try++ {
			words, err := j.ask(ctx, kind, s.Folder, true, t)
			if err != nil {
				return err
			}
			if err := s.sameTree(ctx, tree); err != nil {
				return err
			}
			if words == "" {
				return errors.New("the reviewer said nothing")
			}
			if found, t.Again, err = j.reviewOf(ctx, s, size, kind, words); err != nil || t.Again == "" {
				return err
			}
			if try == 2 {
				return fmt.Errorf("the %s does not do: %s", kind, t.Again)
			}
			j.say(t.Again)
		}
	})
	return found, err
}

// reviewOf reads a review, and says what it lacks: a verdict with a reason, and for each
// criterion a proof that names something. What is refused, or not met, is a finding that
// needs a change.
func (j *Job) reviewOf(ctx context.Context, s stands, size Size, kind, words string) (found looked, again string, err error) {
	for _, f := range agents.ParseReview(words) {
		found.Findings = append(found.Findings, Finding{f, kind})
	}
	v, ok := agents.ParseVerdict(words)
	if !ok && (kind != securityReview || len(found.Findings) == 0) {
		return found, "there is no verdict (accept or refuse) with a reason of a sentence: that nothing was found is none", nil
	}
	found.Verdict = v
	if kind == securityReview {
		return found, "", nil
	}
	missing, err := j.unproved(ctx, s, size, v)
	if err != nil || len(missing) > 0 {
		return found, strings.Join(missing, "; "), err
	}
	all, err := j.criteria()
	if err != nil {
		return found, "", err
	}
	for _, n := range unmet(v) {
		said, _ := judged(v, n)
		if n >= 1 && n <= len(all) {
			found.Findings = append(found.Findings, Finding{agents.Finding{Severity: "high", Text: fmt.Sprintf("Acceptance criterion %d is not met: %s. %s", n, all[n-1], said.Proof)}, kind})
		}
	}
	if !v.Accepts && len(found.Findings) == 0 {
		found.Findings = []Finding{{agents.Finding{Severity: "high", Text: "The reviewer refuses this change: " + v.Why}, kind}}
	}
	return found, "", nil
}

// keep remembers across a crash what cost an agent's time. The value is made
// only where no earlier try made it.
func (j *Job) keep(name string, value any, produce func() error) error {
	id, err := j.mark(name)
	if err != nil {
		return err
	}
	path := filepath.Join(j.folder, id+".json")
	raw, err := os.ReadFile(path)
	if err == nil && json.Unmarshal(raw, value) == nil {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := produce(); err != nil {
		return err
	}
	if raw, err = json.Marshal(value); err != nil {
		return err
	}
	return atomicfile.Write(path, raw, 0o600)
}

// replace keeps another value under a name.
func (j *Job) replace(name string, value any) error {
	id, err := j.mark(name)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return atomicfile.Write(j.paper(id+".json"), raw, 0o600)
}

func (j *Job) post(ctx context.Context, p forge.Pull, kind string, found looked) (said forge.Comment, err error) {
	var lines []string
	r := forge.Review{}
	for i, f := range found.Findings {
		text := fmt.Sprintf("%d. %s (%s)", i+1, j.block(f.Text), j.line(f.Where()))
		lines = append(lines, text)
		if f.File != "" && f.Line > 0 {
			r.Remarks = append(r.Remarks, forge.Remark{Path: f.File, Line: f.Line, Body: j.block(f.Text)})
		}
	}
	body, err := fill("review.md", map[string]any{
		"Kind": strings.ToUpper(kind[:1]) + kind[1:], "Agent": j.line(j.agentFor(kind).Name()), "Commit": p.Commit, "Findings": lines,
		"Verdict": map[bool]string{true: "Accepted", false: "Refused"}[found.Verdict.Accepts], "Why": j.line(found.Verdict.Why),
	})
	if err != nil {
		return said, err
	}
	r.Body = j.redact(body)
	id, err := j.mark(kind)
	if err != nil {
		return said, err
	}
	err = j.outside(ctx, "post the "+kind, func(ctx context.Context) error {
		said, err = j.once.Review(ctx, id, p.Number, r)
		return err
	})
	return said, err
}

// feedback has the agent resolve each finding, pushes that, and replies.
func feedback(ctx context.Context, j *Job) (improve.Evidence, error) {
	proposal, err := j.proposal(ctx)
	if err != nil {
		return improve.Evidence{}, err
	}
	if err := j.reviewed(ctx, proposal); err != nil {
		return improve.Evidence{}, err
	}
	before, err := j.fact(Commit, "commit")
	if err != nil {
		return improve.Evidence{}, err
	}
	name, err := j.mark("findings.json")
	if err != nil {
		return improve.Evidence{}, err
	}
	raw, err := j.read(Review, name)
	if err != nil {
		return improve.Evidence{}, err
	}
	var found []Finding
	if err := json.Unmarshal([]byte(raw), &found); err != nil {
		return improve.Evidence{}, fmt.Errorf("the evidence of the step %s: %w", Review, err)
	}
	if len(found) == 0 {
		return facts("commit", before, "findings", "0", "replies", "none"), j.pushed(ctx, Commit)
	}
	return j.resolve(ctx, proposal, found, before)
}

// reviewed checks that the reviews are at the forge.
func (j *Job) reviewed(ctx context.Context, p forge.Pull) error {
	posted, err := j.fact(Review, "comments")
	if err != nil {
		return err
	}
	return j.outside(ctx, "look for the review", func(ctx context.Context) error {
		left := map[string]bool{}
		for id := range strings.SplitSeq(posted, ", ") {
			left[id] = true
		}
		for c, err := range j.env.opt.Forge.Comments(ctx, p.Ref()) {
			if err != nil {
				return err
			}
			delete(left, c.ID)
		}
		if len(left) > 0 {
			return errors.New("the review is not at the forge")
		}
		return nil
	})
}

// mended is what the agent made of the findings.
type mended struct {
	Answers []Answer `json:"answers"`
	Tree    string   `json:"tree"`
}

func (j *Job) resolve(ctx context.Context, p forge.Pull, found []Finding, before string) (improve.Evidence, error) {
	s, err := j.tree(ctx, Feedback)
	if err != nil {
		return improve.Evidence{}, err
	}
	var m mended
	if err := j.keep("answers", &m, func() error { return j.mend(ctx, s, found, &m) }); err != nil {
		return improve.Evidence{}, err
	}
	if err := s.restore(ctx, before, m.Tree); err != nil {
		return improve.Evidence{}, err
	}
	e, bad, err := j.checkAll(ctx, s, "feedback")
	if err != nil {
		return e, err
	}
	if bad != nil {
		return e, bad
	}
	id := before
	if _, err := s.Run(ctx, "diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD"); err != nil {
		number, err := j.fact(Issue, "number")
		if err != nil {
			return e, err
		}
		text := fmt.Sprintf("Resolve what the review found\n\nRefs #%s\n\n%s%s\n", number, trailer, j.Item.ID)
		if id, err = j.ship(ctx, s, e.Facts["tree"], before, text); err != nil {
			return e, err
		}
	}
	e.Facts["commit"], e.Facts["findings"] = id, strconv.Itoa(len(found))
	e.Facts["replies"], err = j.reply(ctx, p, found, m.Answers, id)
	return e, err
}

// mend has the agent answer every finding and keep the tests of the design, twice at
// most.
func (j *Job) mend(ctx context.Context, s stands, found []Finding, m *mended) error {
	t := task{Findings: found}
	_, before, err := j.measure(ctx, s)
	if err != nil {
		return err
	}
	severe := ""
	for range 2 {
		words, err := j.ask(ctx, "feedback", s.Folder, false, t)
		if err != nil {
			return err
		}
		size, tree, err := j.measure(ctx, s)
		if err != nil {
			return err
		}
		if t.Again, err = j.sameTests(ctx, s, size); err != nil {
			return err
		}
		if m.Answers = Answers(words, len(found)); len(m.Answers) < len(found) {
			t.Again = fmt.Sprintf("%d of %d findings were answered", len(m.Answers), len(found))
		}
		if t.Again == "" {
			if severe, err = s.untouched(ctx, found, before, tree); err != nil {
				return err
			}
			t.Again = severe
		}
		if t.Again == "" {
			m.Tree = tree
			return nil
		}
	}
	if severe != "" {
		return fmt.Errorf("%w: %s; look at the pull request, and mend it or say that it is none", ErrManual, severe)
	}
	return errors.New(t.Again)
}

// untouched says which severe finding was answered with a word: it needs a change of the
// file that it is about, or a person.
func (s stands) untouched(ctx context.Context, found []Finding, before, after string) (string, error) {
	for i, f := range found {
		if improve.Severity(f.Severity).Rank() < improve.High.Rank() {
			continue
		}
		changed := before != after
		if f.File != "" && changed {
			out, err := s.Run(ctx, "diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--end-of-options", before, after)
			if err != nil {
				return "", err
			}
			names := strings.Split(out, "\x00")
			changed = slices.Contains(names, f.File) || !s.holds(f.File)
		}
		if !changed {
			return fmt.Sprintf("finding %d (%s) is %s and nothing was changed about it: such a one needs a change, not a word", i+1, f.Where(), f.Severity), nil
		}
	}
	return "", nil
}

// holds reports whether there is such a file: a reviewer may name one that is not.
func (s stands) holds(name string) bool {
	_, err := os.Lstat(filepath.Join(s.Folder, filepath.FromSlash(name)))
	return err == nil && filepath.IsLocal(filepath.FromSlash(name))
}

// reply answers each finding below the pull request.
func (j *Job) reply(ctx context.Context, p forge.Pull, found []Finding, answers []Answer, commit string) (string, error) {
	var ids []string
	for _, a := range answers {
		f := found[a.Finding-1]
		body := fmt.Sprintf("On the %s, %s: %s\n\n%s\n\nSee %s.", f.Kind, j.line(f.Where()), j.line(f.Text), j.block(a.Text), commit)
		id, err := j.mark("reply." + strconv.Itoa(a.Finding))
		if err != nil {
			return "", err
		}
		err = j.outside(ctx, "reply to a finding", func(ctx context.Context) error {
			said, err := j.once.Comment(ctx, id, p.Ref(), j.redact(body))
			if err == nil {
				ids = append(ids, said.ID)
			}
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return strings.Join(ids, ", "), nil
}
