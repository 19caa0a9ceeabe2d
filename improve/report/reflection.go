package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// Layout is how a reflection is laid out for a person.
type Layout struct {
	Top    int // patterns to tell; 0 is all
	Width  int // columns of text
	Colour bool
	Zone   *time.Location
	Redact func(string) string // of all that a page holds, once more; may be nil
}

// JSON writes a reflection for a program.
func JSON(w io.Writer, r improve.Reflection) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}

// headlines say what each type of pattern is, in words.
var headlines = map[string]string{
	improve.RepeatedTool: "The same call over and over", improve.ErrorPatterns: "The same error keeps coming back", improve.Frustration: "The person had to complain",
	improve.LongSession: "Long sessions", improve.Loop: "Going in circles", improve.IgnoredTodo: "Todos left open", improve.PrematureStop: "Stopped before it was done",
	improve.SaidNo: "The person said no", improve.Interrupted: "The person broke the agent off", improve.ReportedRed: "The person had to say that a check is red",
	improve.LintRule: "A lint rule that the agent breaks", improve.GuessedPath: "A path that the agent guesses", improve.Unproved: "Ended unproved",
	improve.Overflow: "The context was full", improve.SameCorrection: "The same instruction had to be given again",
}

func headline(p improve.Pattern) string {
	switch p.Context[improve.KeyKind] {
	case "same_tool":
		return "One tool carries the session"
	case "various":
		return "Tools fail, each time otherwise"
	}
	if h := headlines[p.Type]; h != "" {
		return h
	}
	return strings.ReplaceAll(p.Type, "_", " ")
}

// shown are the patterns to tell, and how many are left.
func (l Layout) shown(r improve.Reflection) (some []improve.Merged, more int) {
	if l.Top == 0 || l.Top >= len(r.Merged) {
		return r.Merged, 0
	}
	return r.Merged[:l.Top], len(r.Merged) - l.Top
}

// Text writes the report for a terminal.
func (l Layout) Text(w io.Writer, r improve.Reflection) error {
	var b strings.Builder
	for _, line := range l.summary(r) {
		rest := ""
		if number().MatchString(line) {
			rest = "   "
		}
		l.wrap(&b, "", rest, line)
	}
	some, more := l.shown(r)
	for i, m := range some {
		b.WriteByte('\n')
		l.pattern(&b, i+1, m)
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n%d more; --top 0 tells all\n", more)
	}
	l.readText(&b, r.Read)
	l.groupText(&b, r.By)
	_, err := io.WriteString(w, b.String())
	return err
}

// summary says what was looked at and what was left out.
func (l Layout) summary(r improve.Reflection) []string {
	if len(r.Results) == 0 {
		out := []string{"No sessions were found."}
		if r.Since != nil {
			out = []string{"No sessions were at work since " + l.day(*r.Since) + "."}
		}
		if len(r.Looked) > 0 {
			out = append(out, "Looked in "+strings.Join(r.Looked, ", ")+".", "Name files, folders or sessions to look elsewhere.")
		}
		return append(out, l.left(r)...)
	}
	what := l.what(r)
	figures := plural.Grouped(r.Metrics.TotalMessages, "message") + ", " + plural.Grouped(r.Metrics.ToolUses, "tool call")
	out := []string{what + ": " + figures + "."}
	if todo := First(r.Merged, 3); len(todo) > 0 { // what to do stands in the first lines that anybody reads
		out = append([]string{what + ". Do first:"}, todo...)
		out = append(out, fmt.Sprintf("%s (%d in several sessions) in %s.", plural.Count(len(r.Merged), "pattern"), recurring(r.Merged), figures))
	} else if told := found(r); told != "" {
		out = append(out, told+".")
	}
	return append(out, l.left(r)...)
}

// what says which sessions were looked at.
func (l Layout) what(r improve.Reflection) string {
	if len(r.Results) == 0 {
		return "No sessions were found."
	}
	hosts := slices.SortedFunc(maps.Keys(r.Hosts), func(a, b string) int { return cmp.Or(r.Hosts[b]-r.Hosts[a], strings.Compare(a, b)) })
	for i, h := range hosts {
		if len(hosts) > 1 {
			hosts[i] = fmt.Sprintf("%s (%d)", h, r.Hosts[h])
		}
	}
	span := l.day(r.Earliest)
	if to := l.day(r.Latest); to != span {
		span += " to " + to
	}
	what := strings.TrimSuffix(plural.Count(len(r.Results)-r.Agents, "session")+" of "+strings.Join(hosts, ", "), " of ")
	if r.Agents > 0 {
		what += " and " + plural.Count(r.Agents, "sub-agent")
	}
	return what + ", " + span
}

// found says how many patterns there are.
func found(r improve.Reflection) string {
	switch recur := recurring(r.Merged); {
	case len(r.Merged) == 0:
		return "Nothing went wrong often enough to tell of"
	case len(r.Results) < 2:
		return ""
	case len(r.Merged) == 1:
		return "1 pattern"
	case recur > 0:
		return fmt.Sprintf("%s, %d of them in several sessions", plural.Count(len(r.Merged), "pattern"), recur)
	}
	return fmt.Sprintf("%s, none of them in several sessions", plural.Count(len(r.Merged), "pattern"))
}

// First says what to do, for the first troubles that recur and name a cause.
func First(merged []improve.Merged, most int) []string {
	var out []string
	for _, m := range merged {
		if len(out) == most || m.General() || m.Sessions < 2 {
			break
		}
		out = append(out, fmt.Sprintf("%d. %s", len(out)+1, toDo(m)))
	}
	return out
}

// toDo is a trouble as what to do about it. It fits into a line of a terminal, unless what
// it is about is long.
func toDo(m improve.Merged) string {
	about, in := m.Context.Text(improve.KeyAbout), plural.Count(m.Sessions, "session")
	switch m.Type {
	case improve.LintRule:
		return fmt.Sprintf("Tell the agent how to satisfy lint rule %s: broken in %s.", about, in)
	case improve.GuessedPath:
		return fmt.Sprintf("Tell the agent what is in the place of %s: not there, %s.", about, in)
	case improve.ReportedRed:
		kind, _, _ := strings.Cut(about, " ")
		if check := m.Context.Text(improve.KeyCheck); check != "" {
			return fmt.Sprintf("Have the agent run %q before it ends: reported red in %s.", check, in)
		}
		return fmt.Sprintf("Have the agent run %s before it ends: reported red in %s.", kind, in)
	case improve.Unproved:
		how := "unchecked"
		if m.Context.Text(improve.KeyKind) == improve.RedEnd {
			how = "on a red check"
		}
		return fmt.Sprintf("Stop turns that end %s (trimtab install): %d in %s.", how, m.Count, in)
	case improve.SaidNo:
		return fmt.Sprintf("Say when the agent may run %s: refused in %s.", strings.TrimPrefix(about, "no to "), in)
	case improve.ErrorPatterns:
		return fmt.Sprintf("Remove this error (%d in %s): %s", m.Count, in, about)
	}
	return fmt.Sprintf("%s (%d in %s).", strings.TrimSuffix(sentence(m.Suggestion), "."), m.Count, in)
}

func recurring(all []improve.Merged) (n int) {
	for _, m := range all {
		if m.Sessions > 1 {
			n++
		}
	}
	return n
}

// left says what was not looked at, and why.
func (l Layout) left(r improve.Reflection) []string {
	var out []string
	if r.Damaged > 0 {
		first := ""
		if len(r.Lines) > 0 {
			first = fmt.Sprintf("; the first is line %d of %s: %s", r.Lines[0].Line, shortFile(r.Lines[0].File), r.Lines[0].Why)
		}
		out = append(out, fmt.Sprintf("%s could not be read and %s left out%s.", plural.Grouped(r.Damaged, "line"), wasOrWere(r.Damaged), first))
	}
	if n := len(r.Dismissed); n > 0 {
		out = append(out, fmt.Sprintf("%s %s found not useful by people, and not told.", plural.Count(n, "pattern"), wasOrWere(n)))
	}
	if r.Ours > 0 {
		out = append(out, fmt.Sprintf("%s of trimtab improve itself %s skipped.", plural.Count(r.Ours, "session"), wasOrWere(r.Ours)))
	}
	if n := len(r.Unread); n > 0 {
		out = append(out, fmt.Sprintf("%s could not be read.", plural.Count(n, "file")))
	}
	if r.Foreign > 0 {
		out = append(out, fmt.Sprintf("%s in the folders %s passed over.", plural.Count(r.Foreign, "other file"), wasOrWere(r.Foreign)))
	}
	return out
}

// Unread tells the first files that could not be read, and why.
func Unread(w io.Writer, r improve.Reflection) error {
	var b strings.Builder
	for i, u := range r.Unread {
		if i == 5 {
			fmt.Fprintf(&b, "… and %d more files could not be read\n", len(r.Unread)-i)
			break
		}
		b.WriteString(termsafe.Line(u) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// pattern writes one of them: what, how often, in how many sessions, what to do,
// and the evidence.
func (l Layout) pattern(b *strings.Builder, n int, m improve.Merged) {
	lead := fmt.Sprintf("%2d. ", n)
	pad := strings.Repeat(" ", len(lead))
	head := headline(m.Pattern)
	tag := strings.ToUpper(string(m.Severity))
	gap := l.Width - len(lead) - utf8.RuneCountInString(head) - len(tag)
	if gap < 2 {
		l.wrap(b, lead, pad, head)
		fmt.Fprintf(b, "%s%s\n", pad, l.paint(m.Severity, tag))
	} else {
		fmt.Fprintf(b, "%s%s%s%s\n", lead, l.bold(termsafe.Line(head)), strings.Repeat(" ", gap), l.paint(m.Severity, tag))
	}
	l.wrap(b, pad, pad, l.often(m))
	if about := m.Context.Text(improve.KeyAbout); about != "" && !strings.EqualFold(about, head) {
		l.wrap(b, pad, pad+"  ", about)
	}
	l.wrap(b, pad+"> ", pad+"  ", sentence(m.Suggestion))
	for _, s := range m.Samples {
		l.clipped(b, pad+"- ", s.Excerpt, " ("+l.place(s.Session, s.Message)+")")
	}
}

// place is where something was said, as short as the width asks for.
func (l Layout) place(session, message string) string {
	if l.Width < 100 {
		return short(session)
	}
	return short(session) + " " + short(message)
}

// often says how often, where and when.
func (l Layout) often(m improve.Merged) string {
	when := l.day(m.Last)
	if m.Sessions > 1 {
		when = "last " + when
	}
	return fmt.Sprintf("%s in %s, %s · score %d · %s", times(m.Count), plural.Count(m.Sessions, "session"), when, m.Score, m.Fingerprint)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return plural.Thousands(n) + " times"
}

// Markdown writes the report as a document.
func (l Layout) Markdown(w io.Writer, r improve.Reflection) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Reflection, %s\n\n", l.day(r.At))
	listed := false
	for _, line := range l.summary(r) {
		if was := listed; was != number().MatchString(line) { // a list stands by itself
			listed = !was
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s\n", plainMarkdown(line))
	}
	some, more := l.shown(r)
	if len(some) > 0 {
		b.WriteString("\n| # | what | severity | times | sessions | last seen |\n|--:|---|---|--:|--:|---|\n")
	}
	for i, m := range some {
		fmt.Fprintf(&b, "| %d | %s | %s | %d | %d | %s |\n", i+1, headline(m.Pattern), m.Severity, m.Count, m.Sessions, l.day(m.Last))
	}
	for i, m := range some {
		fmt.Fprintf(&b, "\n## %d. %s\n\n%s.\n\n", i+1, headline(m.Pattern), strings.ToUpper(string(m.Severity))+": "+l.often(m))
		if about := m.Context.Text(improve.KeyAbout); about != "" {
			fmt.Fprintf(&b, "%s\n\n", codeSpan(about))
		}
		fmt.Fprintf(&b, "What to do: %s\n", plainMarkdown(sentence(m.Suggestion)))
		if len(m.Samples) > 0 {
			b.WriteString("\nEvidence:\n\n")
		}
		for _, s := range m.Samples {
			fmt.Fprintf(&b, "- %s in session %s, message %s\n", codeSpan(s.Excerpt), codeSpan(s.Session), codeSpan(s.Message))
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n%d more are not told here.\n", more)
	}
	l.readMarkdown(&b, r.Read)
	groupMarkdown(&b, r.By)
	_, err := io.WriteString(w, b.String())
	return err
}

// codeSpan is text as code in Markdown. Nothing in it can end it.
func codeSpan(s string) string {
	s = strings.ReplaceAll(termsafe.Line(s), "`", "'")
	if s == "" {
		return "–"
	}
	return "`" + s + "`"
}

// plainMarkdown is text in which nothing is markup.
func plainMarkdown(s string) string {
	return strings.NewReplacer("<", "&lt;", "`", "'", "*", `\*`, "_", `\_`, "[", `\[`, "|", `\|`, "#", `\#`).Replace(termsafe.Line(s))
}

// wrap writes a text over as many lines as it needs.
func (l Layout) wrap(b *strings.Builder, first, rest, text string) {
	line, used := first, utf8.RuneCountInString(first)
	empty := true
	for word := range strings.FieldsSeq(termsafe.Line(text)) {
		n := utf8.RuneCountInString(word)
		if !empty && used+1+n > l.Width {
			b.WriteString(line + "\n")
			line, used, empty = rest, utf8.RuneCountInString(rest), true
		}
		if !empty {
			line += " "
			used++
		}
		line += word
		used += n
		empty = false
	}
	b.WriteString(line + "\n")
}

// clipped writes a text on one line, shortened where it does not fit; what stands
// behind it stays whole where there is width.
func (l Layout) clipped(b *strings.Builder, lead, text, behind string) {
	text, behind = termsafe.Line(text), termsafe.Line(behind)
	width := l.Width - utf8.RuneCountInString(lead) - utf8.RuneCountInString(behind)
	if width < 20 {
		width += utf8.RuneCountInString(behind)
		behind = ""
	}
	if runes := []rune(text); len(runes) > width {
		text = string(runes[:max(0, width-1)]) + "…"
	}
	b.WriteString(lead + text + l.dim(behind) + "\n")
}

func (l Layout) style(code, text string) string {
	if !l.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (l Layout) bold(text string) string { return l.style("1", text) }
func (l Layout) dim(text string) string  { return l.style("2", text) }

func (l Layout) paint(s improve.Severity, text string) string {
	switch s {
	case improve.Critical:
		return l.style("1;31", text)
	case improve.High:
		return l.style("31", text)
	case improve.Medium:
		return l.style("33", text)
	case improve.Low:
	}
	return l.style("2", text)
}

func (l Layout) day(t time.Time) string { return t.In(l.Zone).Format("2006-01-02") }

// sentence is a suggestion as one: with a capital and a full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + strings.TrimSuffix(s[size:], ".") + "."
}

// short is an id as far as a person needs it to find it again.
func short(id string) string {
	if len(id) > 12 {
		return id[:8] + "…"
	}
	return id
}

// shortFile is a file's name as far as a person needs it.
func shortFile(file string) string {
	if len(file) <= 60 {
		return file
	}
	return "…" + string(filepath.Separator) + filepath.Base(file)
}

func wasOrWere(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
