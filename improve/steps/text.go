package steps

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"unicode"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/lazyregexp"
)

//go:embed text/*.md
var texts embed.FS

// Preview returns what would be sent for an item, as it would be sent: redacted,
// and whole but for the hidden marker below it. Nothing is sent by it.
func (y *Env) Preview(it improve.Item) ([]improve.Outgoing, error) {
	issue, err := y.issueText(it)
	if err != nil {
		return nil, err
	}
	j := &Job{Item: it, env: y}
	pull, err := j.pullText("")
	return []improve.Outgoing{issue, pull}, err
}

// fields are the closed fields that texts are made of.
type fields struct {
	ID, Description, Type, Priority, Complexity, Pattern, Count, Severity, Sessions, Suggestion string
	Issue, Implemented                                                                          string
	Security, Closes                                                                            bool
	Lines, Components                                                                           int
	Samples, Context, Plan, Seen, Evidence, Replay                                              []string
	Requirements, Criteria                                                                      []string
	Reproduced, Head                                                                            string
	Kind, Programs                                                                              string // of guidance
	Suggested, Original                                                                         string // of the literal form
}

func (j *Job) fields() fields {
	r := j.Item.Request
	f := fields{
		ID: j.line(j.Item.ID), Description: j.block(r.Description), Type: j.line(r.Type), Priority: j.line(string(r.Priority)),
		Complexity: j.line(r.Complexity), Pattern: j.line(r.Pattern.Type), Count: fmt.Sprint(r.Pattern.Count), Severity: j.line(string(r.Pattern.Severity)),
		Security: r.SecurityReview, Kind: j.line(string(r.Kind)),
	}
	f.Lines, f.Components = j.limits()
	if s := j.block(r.Pattern.Suggestion); !strings.Contains(f.Description, s) {
		f.Suggestion = s // our own descriptions hold it; those of other tools may not
	}
	var sessions []string
	for _, s := range j.Item.Sessions[:min(len(j.Item.Sessions), 10)] {
		sessions = append(sessions, "`"+strings.ReplaceAll(j.line(s), "`", "'")+"`")
	}
	f.Sessions = cmp.Or(strings.Join(sessions, ", "), "not told")
	if more := len(j.Item.Sessions) - len(sessions); more > 0 {
		f.Sessions += fmt.Sprintf(" and %d more", more)
	}
	for _, s := range r.Pattern.Samples[:min(len(r.Pattern.Samples), 5)] {
		if told := j.block(strings.ReplaceAll(firstOf(s.Excerpt, 40), "`", "'")); !strings.Contains(f.Description, told) {
			f.Samples = append(f.Samples, j.quote(s.Excerpt))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(r.Pattern.Context)) {
		value := j.block(strings.ReplaceAll(firstOf(r.Pattern.Context.Text(k), 40), "`", "'"))
		if len(f.Context) < 10 && !strings.Contains(f.Description, value) { // our own descriptions hold it
			f.Context = append(f.Context, fmt.Sprintf("**%s**: %s", j.line(k), j.line(r.Pattern.Context.Text(k))))
		}
	}
	return f
}

func (y *Env) issueText(it improve.Item) (improve.Outgoing, error) {
	j := &Job{Item: it, env: y}
	body, err := fill("issue.md", j.fields())
	r := it.Request
	return improve.Outgoing{
		Kind: "issue", Title: j.line(r.Title), Body: j.redact(body), Exact: true,
		Labels: []string{"priority:" + j.line(string(r.Priority)), "type:" + j.line(r.Type), "automated"},
	}, err
}

// pullText is the text of the pull request, with what the steps told so far.
func (j *Job) pullText(implemented string) (improve.Outgoing, error) {
	f := j.fields()
	out := improve.Outgoing{Kind: "pull request", Title: "Automated improvement: " + j.line(j.Item.Request.Title), Exact: true}
	f.Issue = "(its number, once it is open)"
	if n, err := j.fact(Issue, "number"); err == nil {
		f.Issue, f.Closes = "#"+n, true
	} else {
		out.Exact = false
	}
	f.Implemented = j.block(implemented)
	if f.Implemented == "" {
		f.Implemented, out.Exact = "(what the agent says that it did)", false
	}
	f.Plan = []string{"Verify the improvement addresses the detected pattern", "Ensure no regression in existing functionality", "Validate performance impact is positive"}
	f.Seen = []string{"the tests of this change failed before it and pass with it", "the project's own test, lint and format commands pass", "a person reads the change before it is merged"}
	if j.guidance() {
		if err := j.guidanceFields(&f); err != nil {
			return out, err
		}
	}
	for _, e := range j.Item.Evidence {
		if e.Error == "" && !e.Ended.IsZero() {
			f.Evidence = append(f.Evidence, j.tell(e))
		}
	}
	if len(f.Evidence) == 0 {
		f.Evidence, out.Exact = []string{"(what each step left)"}, false
	}
	j.fillCriteria(&f)
	page := "pull.md"
	if j.env.cfg.Form == "literal" {
		page = "pull-literal.md"
		f.Suggested, f.Original = j.block(j.Item.Request.Pattern.Suggestion), j.line(contextText(j.Item.Request.Pattern.Context))
	}
	body, err := fill(page, f)
	out.Body, out.Labels = strings.TrimRight(j.redact(body), "\n")+"\n\n"+j.footer(), []string{"automated"}
	return out, err
}

// fillCriteria fills in the requirements, the criteria with their proofs, and where the
// change stands now, as far as the steps have told them.
func (j *Job) fillCriteria(f *fields) {
	commit, lines := "", ""
	for _, e := range j.Item.Evidence {
		if e.Error == "" {
			commit, lines = cmp.Or(e.Facts["commit"], commit), cmp.Or(e.Facts["lines"], lines)
		}
		if r := e.Facts[reproduced]; r != "" && e.Error == "" {
			f.Reproduced = j.line(r)
		}
	}
	if commit != "" && lines != "" {
		f.Head = fmt.Sprintf("`%s`, %s changed lines", j.line(commit), j.line(lines))
	}
	if j.folder == "" { // a preview
		return
	}
	text, err := j.read(Clarify, "requirements.md")
	if err != nil {
		return
	}
	for _, r := range listedBelow(text, "requirement") {
		f.Requirements = append(f.Requirements, "- "+j.line(r))
	}
	all, _ := criteriaOf(text)
	v, err := j.verdict(Compliance, secondVerdict)
	if err != nil {
		v, _ = j.verdict(Review, firstVerdict) // before the review there is none
	}
	f.Criteria = j.toldCriteria(all, v)
}

// contextText is a context as one line of JSON.
func contextText(c improve.Context) string {
	raw, err := json.Marshal(map[string]any(c))
	if err != nil {
		return ""
	}
	return string(raw)
}

// footer is how a pull request ends. What the person set for it is theirs to say, so it
// is not redacted: an address in it is meant.
func (j *Job) footer() string {
	text := cmp.Or(strings.TrimSpace(plain(j.env.cfg.Footer)), "Made by trimtab with an agent. It is never merged by itself: a person decides.") + "\n"
	if by := j.coAuthor(); by != "" {
		text += "\n" + by
	}
	return text
}

// coAuthor is the trailer that names a second author, "" for none.
func (j *Job) coAuthor() string {
	name := strings.Join(strings.Fields(plain(j.env.cfg.CoAuthor)), " ")
	if name == "" {
		return ""
	}
	return "Co-Authored-By: " + name + "\n"
}

// shown are the facts that others may see; paths of this machine are not.
var shown = []string{"exit", "base_exit", "command", "test", "old_tests", "lint", "format", "lines", "components", "tests", "turns", "wrong_without", "replay", "commit", "base", "on_the_base", "canary", reproduced, "reviewer", "verdict", "criteria", "answered", "comments_answered", "checks"}

// tell is the line about a step's evidence.
func (j *Job) tell(e improve.Evidence) string {
	var parts []string
	for _, k := range shown {
		if v := e.Facts[k]; v != "" {
			parts = append(parts, fmt.Sprintf("%s `%s`", k, strings.ReplaceAll(j.line(v), "`", "'")))
		}
	}
	return strings.TrimRight(fmt.Sprintf("%d %s: %s", e.Number, e.Step, cmp.Or(strings.Join(parts, ", "), "done")), " ")
}

func fill(name string, data any) (string, error) {
	page, err := template.ParseFS(texts, "text/"+name)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = page.Execute(&b, data)
	return b.String(), err
}

// The limits of what becomes part of a text.
const (
	maxLine  = 200
	maxBlock = 8000
)

// line makes a field one short line that calls nobody and refers to nothing.
func (j *Job) line(s string) string {
	s = strings.Join(strings.Fields(plain(j.redact(s))), " ")
	if r := []rune(s); len(r) > maxLine {
		s = string(r[:maxLine-1]) + "…"
	}
	return still(strings.ReplaceAll(s, "|", "¦"))
}

// block makes a field a text of several lines.
func (j *Job) block(s string) string {
	s = strings.TrimSpace(plain(j.redact(s)))
	if r := []rune(s); len(r) > maxBlock {
		s = string(r[:maxBlock-1]) + "…"
	}
	return still(s)
}

// quote shows a piece of a session as code, in which nothing is a command to the
// forge.
func (j *Job) quote(s string) string {
	s = strings.TrimSpace(plain(j.redact(s)))
	if r := []rune(s); len(r) > 500 {
		s = string(r[:499]) + "…"
	}
	return forge.Harmless("    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n")
}

// firstOf is the beginning of a text's first line.
func firstOf(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if r := []rune(s); len(r) > n {
		s = string(r[:n])
	}
	return s
}

// still takes the effect from what a forge, or a bot there, would act upon:
// mentions, references and closing words, lines that are commands such as /merge,
// HTML, and our own markers.
func still(s string) string {
	s = strings.NewReplacer("@", "@\u200b", "#", "#\u200b", "<", "<\u200b").Replace(s)
	s = closing().ReplaceAllString(s, "$1\u200b$2")
	return forge.Harmless(command().ReplaceAllString(s, "$1\u200b/"))
}

var (
	closing = lazyregexp.Pattern(`(?i)(\bGH|(?:clos|fix|resolv|implement)\w*:?\s+)(-\d|https?://)`)
	command = lazyregexp.Pattern(`(?m)^([ \t>*+-]*)/`)
)

// plain takes control characters and those that turn the direction of writing
// out of a text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// maxSlug is the most characters of a slug.
const maxSlug = 40

// Slug makes a title part of a branch's name: small letters, digits and single
// dashes, whole words as far as they fit.
func Slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	s := strings.Join(words, "-")
	if len(s) > maxSlug {
		s = s[:maxSlug+1]
		if at := strings.LastIndexByte(s, '-'); at > 0 {
			s = s[:at]
		}
		s = s[:min(len(s), maxSlug)]
	}
	return cmp.Or(s, "improvement")
}
