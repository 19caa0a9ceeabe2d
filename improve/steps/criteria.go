package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/improve/project"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Acceptance criteria are written in the first step, one line each, and judged one by one
// by the reviewer: each has a proof, which names something that is there. What has none is
// not met, whatever is said about the change as a whole.

// The limits of criteria.
const (
	maxCriteria   = 20
	leastCriteria = 3 // words of one
)

var (
	listItem = lazyregexp.Pattern(`^\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s*)?(.+)$`)
	vague    = lazyregexp.Pattern(`(?i)^(it|this|everything|all|the (change|code|fix|improvement))?\s*(works?|is (done|fine|good|ok|okay|correct|better|improved)|passes)( well| as (expected|intended|it should))?[.!]?$`)
)

// listedBelow are the items of the list below a heading that holds a word. Lines that go on
// belong to the item above them.
func listedBelow(text, word string) []string {
	var out []string
	within := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		bare := strings.Trim(line, "#*_: \t")
		heading := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") && len(strings.Fields(bare)) <= 5 || strings.HasSuffix(line, ":") && len(strings.Fields(bare)) <= 4 && !listItem().MatchString(line)
		switch m := listItem().FindStringSubmatch(line); {
		case heading:
			within = strings.Contains(strings.ToLower(bare), word)
		case !within || line == "":
		case m != nil:
			out = append(out, strings.TrimSpace(m[1]))
		case len(out) > 0 && strings.HasPrefix(line, " "):
			out[len(out)-1] += " " + strings.TrimSpace(line)
		}
	}
	return out
}

// criteriaOf are the acceptance criteria of the requirements, and what is wrong with them.
func criteriaOf(text string) (all []string, wrong string) {
	all = listedBelow(text, "acceptance")
	switch {
	case len(all) == 0:
		return nil, "there were no acceptance criteria in your answer: a heading \"## Acceptance criteria\" with a list below it, one line each"
	case len(all) > maxCriteria:
		return nil, fmt.Sprintf("there were %d acceptance criteria, and at most %d can be proved one by one", len(all), maxCriteria)
	}
	for i, c := range all {
		if len(strings.Fields(c)) < leastCriteria || vague().MatchString(c) {
			return nil, fmt.Sprintf("acceptance criterion %d, %q, is nothing that a test, a command or a look at a file could tell", i+1, c)
		}
	}
	return all, ""
}

// criteria are those that the first step left.
func (j *Job) criteria() ([]string, error) {
	text, err := j.read(Clarify, "requirements.md")
	if err != nil {
		return nil, err
	}
	all, _ := criteriaOf(text)
	return all, nil
}

// unproved says which criteria a verdict leaves without a proof that holds, by their
// numbers: those that it does not judge, and those whose proof names nothing that is there.
// Those that it calls not met are no fault of the verdict.
func (j *Job) unproved(ctx context.Context, s stands, size Size, v agents.Verdict) ([]string, error) {
	all, err := j.criteria()
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range all {
		said, ok := judged(v, i+1)
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("criterion %d is not judged", i+1))
		case said.Met:
			holds, err := j.namesSomething(ctx, s, size, said.Proof)
			if err != nil {
				return nil, err
			}
			if !holds {
				out = append(out, fmt.Sprintf("the proof of criterion %d, %q, names no test, file or command that is there", i+1, said.Proof))
			}
		}
	}
	return out, nil
}

// judged is what a verdict says of a criterion.
func judged(v agents.Verdict, n int) (agents.Judgment, bool) {
	i := slices.IndexFunc(v.Criteria, func(c agents.Judgment) bool { return c.Criterion == n })
	if i < 0 {
		return agents.Judgment{}, false
	}
	return v.Criteria[i], true
}

// unmet are the numbers of the criteria that a verdict calls not met.
func unmet(v agents.Verdict) []int {
	var out []int
	for _, c := range v.Criteria {
		if !c.Met {
			out = append(out, c.Criterion)
		}
	}
	return out
}

var nameInProof = lazyregexp.Pattern(`[A-Za-z_][A-Za-z0-9_]{3,}`)

// namesSomething reports whether a proof names something that is there: a file, and a line that it
// has; a test of the change, or of the project; or a command that was run.
func (j *Job) namesSomething(ctx context.Context, s stands, size Size, proof string) (bool, error) {
	for _, ran := range j.commands() {
		if strings.Contains(proof, ran) {
			return true, nil
		}
	}
	for word := range strings.FieldsSeq(proof) {
		if s.hasPlace(strings.Trim(word, "`'\"(),;.[]")) {
			return true, nil
		}
	}
	for _, name := range nameInProof().FindAllString(proof, 20) {
		if !looksLikeName(name) {
			continue
		}
		for _, test := range size.Tests {
			if raw, err := readBelow(s.Folder, test); err == nil && strings.Contains(raw, name) {
				return true, nil
			}
		}
		found, err := s.inTests(ctx, name)
		if err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// looksLikeName tells the name of a test from a word of a sentence.
func looksLikeName(s string) bool {
	return strings.Contains(s, "_") || strings.Contains(strings.ToLower(s), "test") && len(s) > 5 || strings.IndexFunc(s[1:], func(r rune) bool { return r >= 'A' && r <= 'Z' }) >= 0
}

// commands are those whose outcome is known.
func (j *Job) commands() []string {
	var out []string
	for _, e := range j.Item.Evidence {
		for _, k := range []string{"command", "test", "lint", "format", "reproduce_command"} {
			v := e.Facts[k]
			if _, after, ok := strings.Cut(v, ": "); ok && strings.HasPrefix(v, "exit ") {
				v = after
			}
			if v != "" && !strings.HasPrefix(v, "the project has") {
				out = append(out, v)
			}
		}
	}
	return out
}

// hasPlace reports whether there is a file, and where a line is given, that line of it.
func (s stands) hasPlace(place string) bool {
	name, line := place, 0
	if i := strings.LastIndexByte(place, ':'); i > 0 {
		first, _, _ := strings.Cut(place[i+1:], "-")
		n, err := strconv.Atoi(first)
		if err != nil {
			return false
		}
		name, line = place[:i], n
	}
	if !strings.ContainsAny(name, "./") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.Folder, filepath.FromSlash(name)))
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if line == 0 {
		return true
	}
	raw, err := readBelow(s.Folder, name)
	return err == nil && line <= strings.Count(raw, "\n")+1
}

// readBelow reads a file of a folder that no link leads out of.
func readBelow(folder, name string) (string, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxTestFile {
		return "", errors.Join(err, errors.New("not a file that is read"))
	}
	raw, err := root.ReadFile(filepath.FromSlash(name))
	return string(raw), err
}

// inTests reports whether a test of the project, as it is staged, holds a name.
func (s stands) inTests(ctx context.Context, name string) (bool, error) {
	out, err := s.Run(ctx, "grep", "--cached", "--files-with-matches", "-z", "--word-regexp", "--fixed-strings", "-e", name, "--")
	if e, ok := errors.AsType[*git.Error](err); ok && e.Exit == 1 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(strings.Split(out, "\x00"), project.IsTest), nil
}

// The papers of a reviewer's verdict.
const (
	firstVerdict  = "verdict.json"
	secondVerdict = "second-verdict.json"
)

// leaveVerdict writes one, and returns its sum.
func (j *Job) leaveVerdict(name string, v agents.Verdict) (string, error) {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return "", err
	}
	if name, err = j.mark(name); err != nil {
		return "", err
	}
	return j.leave(name, string(raw)+"\n")
}

// verdictFile is the paper of the verdict that a step left, if it left one: another
// machine needs it to go on.
func (j *Job) verdictFile(e improve.Evidence, name string) []string {
	name, err := j.mark(name)
	if err != nil || e.Facts["verdict_sha256"] == "" {
		return nil
	}
	return []string{name}
}

// verdict is the one that a step left.
func (j *Job) verdict(step improve.StepName, name string) (v agents.Verdict, err error) {
	want, err := j.fact(step, "verdict_sha256")
	if err != nil {
		return v, err
	}
	if name, err = j.mark(name); err != nil {
		return v, err
	}
	raw, err := os.ReadFile(filepath.Join(j.folder, name))
	if err == nil && sum(raw) != want {
		err = errors.New("it is not what the step wrote")
	}
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		err = fmt.Errorf("the evidence of the step %s: %s: %w", step, name, err)
	}
	return v, err
}

// ruled is a rule of the compliance report: kept or not, and what was found.
type ruled struct {
	name  string
	kept  bool
	found string
}

// accepted holds the change, as it is at the end, to the reviewer's verdict. What the first
// look refused is looked at once more; the proofs must still name something that is there.
func (j *Job) accepted(ctx context.Context, s stands, size Size, e map[string]string) ([]ruled, error) {
	v, err := j.verdict(Review, firstVerdict)
	if err != nil {
		return nil, err
	}
	if verdictWord(v) != "accepted" {
		p, err := j.proposal(ctx)
		if err != nil {
			return nil, err
		}
		found, err := j.look(ctx, s, secondLook)
		if err != nil {
			return nil, err
		}
		if _, err := j.post(ctx, p, secondLook, found); err != nil {
			return nil, err
		}
		v = found.Verdict
		if e["verdict_sha256"], err = j.leaveVerdict(secondVerdict, v); err != nil {
			return nil, err
		}
	}
	all, err := j.criteria()
	if err != nil {
		return nil, err
	}
	missing, err := j.unproved(ctx, s, size, v)
	if err != nil {
		return nil, err
	}
	for _, n := range unmet(v) {
		missing = append(missing, fmt.Sprintf("criterion %d is not met", n))
	}
	text := fmt.Sprintf("%d of %d with a proof", len(all)-min(len(missing), len(all)), len(all))
	e["criteria"] = text
	if len(missing) > 0 {
		text += ": " + strings.Join(missing, "; ")
	}
	return []ruled{
		{"a reviewer that accepts it", v.Accepts, v.Why},
		{"acceptance criteria, one by one", len(missing) == 0 && len(all) > 0, text},
	}, nil
}

// toldCriteria are the criteria for a person, each with what is known of it.
func (j *Job) toldCriteria(all []string, v agents.Verdict) []string {
	var out []string
	for i, c := range all {
		said, ok := judged(v, i+1)
		switch {
		case !ok:
			out = append(out, fmt.Sprintf("- [ ] %s", j.line(c)))
		case said.Met:
			out = append(out, fmt.Sprintf("- [x] %s (proof: %s)", j.line(c), j.line(said.Proof)))
		default:
			out = append(out, fmt.Sprintf("- [ ] %s (not met: %s)", j.line(c), j.line(said.Proof)))
		}
	}
	return out
}
