package improve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The types of improvements and the sizes of the work, as they stand in the JSON.
const (
	Tooling       = "tooling"
	PatternWork   = "pattern"
	Performance   = "performance"
	ErrorHandling = "error_handling"
	Workflow      = "workflow"

	Simple       = "simple"
	MediumEffort = "medium"
	Complex      = "complex"
)

// The limits of one improvement, where nothing else is set.
const (
	DefaultComponents = 3
	DefaultLines      = 200
)

// NewRequest asks for an improvement that ends a pattern. Context says where it
// comes from, such as the session's id.
func NewRequest(p Pattern, context Context, cfg Constraints) Request {
	req := Request{
		Title: literalTitle(p), Priority: p.Severity, Type: typeOf(p.Type), Pattern: p,
		Context: maps.Clone(context), Complexity: Simple, MaxComponents: cfg.Components, MaxLines: cfg.Lines, SecurityReview: p.Type == ErrorPatterns,
	}
	if req.Context == nil {
		req.Context = Context{}
	}
	if p.Severity.Rank() >= High.Rank() {
		req.Complexity = MediumEffort
	}
	if p.Count > 10 {
		req.Complexity = Complex
	}
	if req.MaxComponents == 0 {
		req.MaxComponents = DefaultComponents
	}
	if req.MaxLines == 0 {
		req.MaxLines = DefaultLines
	}
	req.Description = describe(p, req.Context)
	return req
}

func typeOf(pattern string) string {
	switch pattern {
	case RepeatedTool:
		return Tooling
	case ErrorPatterns:
		return ErrorHandling
	case Frustration:
		return Workflow
	}
	return PatternWork
}

// describe writes the description out of closed fields, a line each. What a
// session said stands only in code spans of one short line, redacted when it was
// taken.
func describe(p Pattern, context Context) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Detected: %s.\n\n", p.Suggestion)
	fmt.Fprintf(&b, "- Pattern: %s\n- Severity: %s\n", code(p.Type), p.Severity)
	fmt.Fprintf(&b, "- Occurrences: %d\n", p.Count)
	for _, k := range slices.Sorted(maps.Keys(p.Context)) {
		if k != KeyScope {
			fmt.Fprintf(&b, "- %s: %s\n", heading(k), code(p.Context.Text(k)))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(context)) {
		fmt.Fprintf(&b, "- %s: %s\n", heading(k), code(context.Text(k)))
	}
	fmt.Fprintf(&b, "- Fingerprint: %s\n", code(p.Fingerprint))
	if len(p.Samples) > 0 {
		b.WriteString("\nEvidence, shortened and redacted:\n\n")
	}
	for _, s := range p.Samples {
		fmt.Fprintf(&b, "- %s", code(s.Excerpt))
		if s.Message != "" {
			fmt.Fprintf(&b, " (session %s, message %s)", code(s.Session), code(s.Message))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// heading is the name of a field as people read it.
func heading(key string) string {
	key = strings.ReplaceAll(key, "_", " ")
	if key == "" {
		return "–"
	}
	return strings.ToUpper(key[:1]) + key[1:]
}

// code is a text as a code span of one line. A backtick in it would end it.
func code(text string) string {
	text = strings.ReplaceAll(shorten(text, 2*maxExcerpt), "`", "'")
	if text == "" {
		return "–"
	}
	return "`" + text + "`"
}

// Case is one pattern for which work may be asked.
type Case struct {
	Pattern  Pattern
	Worthy   bool     // it, or what it was found with, is worth automatic work
	Project  string   // whose repository would be changed
	Repo     string   // the repository there, the same for every clone; "" where none is known
	Sessions []string // in which it was seen
	Metrics  *Metrics // of all of them; nil where they are not known
	Kind     Kind     // of the improvement; "" is Code
	Turns    []Turn   // for Guidance: those in which it went wrong
	Earlier  *Item    // whose change did not end it, and which this follows
	Since    string   // what was seen since that change
}

// Fingerprint is what the case is filed under: that of its trouble, and where it follows a
// change that did not help, one of its own.
func (c Case) Fingerprint() string {
	if c.Earlier != nil {
		return Fingerprint("again", c.Earlier.Fingerprint)
	}
	return c.Pattern.Fingerprint
}

// Request asks for what would end the case.
func (c Case) Request(cfg Config) Request {
	context := Context{}
	if len(c.Sessions) > 0 {
		context["session_id"] = c.Sessions[0]
	}
	if len(c.Sessions) > 1 {
		context["sessions"] = len(c.Sessions)
	}
	req := NewRequest(c.Pattern, context, cfg.Constraints)
	if cfg.Form != FormLiteral {
		req.Title = TitleOf(c.Pattern)
	} else {
		p := c.Pattern
		if p.Context == nil {
			p.Context = Context{}
		}
		req.Description = fmt.Sprintf("Detected %s\n\nPattern occurs %d times.\n\nContext: %s", p.Suggestion, p.Count, textOf(p.Context))
	}
	if c.Earlier != nil {
		req.Description = fmt.Sprintf("An earlier change did not end this (%s): %s. Find out why before you change anything.\n\n%s", c.Earlier.ID, c.Since, req.Description)
	}
	if c.Kind == Guidance {
		req.Kind, req.Turns = Guidance, c.Turns
		req.SecurityReview = true // what a session said becomes a standing instruction, or a program that a host runs
	}
	return req
}

// CaseOf is the primary pattern of one session, if there is any.
func CaseOf(r Result, project string) (Case, bool) {
	p, ok := r.Primary()
	return Case{Pattern: p, Worthy: r.Worthy(), Project: project, Sessions: []string{r.SessionID}, Metrics: &r.Metrics}, ok
}

// Cases are the merged patterns as cases, in their rank.
func Cases(merged []Merged, project string) []Case {
	medium := 0
	for _, m := range merged {
		if m.Severity == Medium {
			medium++
		}
	}
	var out []Case
	for _, m := range merged {
		worthy := m.Severity.Rank() >= High.Rank() || m.Severity == Medium && medium >= 2
		out = append(out, Case{Pattern: m.Pattern, Worthy: worthy, Project: project, Sessions: m.In})
	}
	return out
}
