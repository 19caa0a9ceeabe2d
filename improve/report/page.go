package report

import (
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"sync"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// page is what the template is given. All texts in it are clean.
type page struct {
	Policy, Day, What, Found, More string
	Style                          template.CSS
	First, Left                    []string
	Patterns                       []pageRow
	Read                           *pageReading
	Groups                         *pageGroups
}

type pageRow struct {
	Number                            int
	Title, Severity, Often, About, Do string
	Evidence                          []pageEvidence
}

type pageEvidence struct{ Quote, Says, Session, Message string }

type pageReading struct {
	What   string
	Causes []pageRow
}

type pageGroups struct {
	Title string
	All   []pageGroup
}

type pageGroup struct {
	Name, Figures string
	First         []string
}

// HTML writes a reflection as one page to share. It stands alone: nothing is fetched, nothing
// runs, and the policy in it would not let it. All that is shown passes Redact once more, and
// people have numbers in the place of their names.
func (l Layout) HTML(w io.Writer, r improve.Reflection) error {
	sum := sha256.Sum256([]byte(pageStyle))
	p := page{
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
		Style:  template.CSS(pageStyle), // #nosec G203 -- our own file
		Day:    l.day(r.At), What: l.clean(l.what(r)), Found: l.clean(found(r)),
	}
	if p.Found != "" {
		p.Found += "."
	}
	for _, todo := range First(r.Merged, 3) {
		p.First = append(p.First, l.clean(unnumbered(todo)))
	}
	for _, line := range l.left(r) {
		p.Left = append(p.Left, l.clean(line))
	}
	some, more := l.shown(r)
	if more > 0 {
		p.More = plural.Count(more, "more pattern") + " not shown here; --top 0 shows all."
	}
	for i, m := range some {
		row := pageRow{Number: i + 1, Title: l.clean(headline(m.Pattern)), Severity: knownSeverity(m.Severity), Often: l.clean(l.often(m)), About: l.clean(m.Context.Text(improve.KeyAbout)), Do: l.clean(sentence(m.Suggestion))}
		for _, s := range m.Samples {
			row.Evidence = append(row.Evidence, pageEvidence{l.clean(s.Excerpt), "", l.clean(s.Session), l.clean(s.Message)})
		}
		p.Patterns = append(p.Patterns, row)
	}
	p.Read, p.Groups = l.pageReading(r.Read), l.pageGroups(r.By)
	if err := pageTemplate().Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (l Layout) pageReading(r *improve.Reading) *pageReading {
	if r == nil {
		return nil
	}
	out := &pageReading{What: l.clean(readSummary(r))}
	for i, c := range r.Causes {
		row := pageRow{Number: i + 1, Title: l.clean(c.Title), Do: l.clean(sentence(c.Do)), Often: l.clean(l.causeOften(c))}
		for _, cl := range c.Claims {
			row.Evidence = append(row.Evidence, pageEvidence{l.clean(cl.Quote), l.clean(cl.Says), l.clean(cl.Session), l.clean(cl.Message)})
		}
		out.Causes = append(out.Causes, row)
	}
	return out
}

func (l Layout) pageGroups(groups []improve.Group) *pageGroups {
	if len(groups) == 0 {
		return nil
	}
	out := &pageGroups{Title: groupTitle(groups)}
	for i, g := range groups {
		one := pageGroup{Name: l.clean(groupName(g, i+1, true)), Figures: groupFigures(g)}
		for _, todo := range groupToDo(g, 3) {
			one.First = append(one.First, l.clean(unnumbered(todo)))
		}
		out.All = append(out.All, one)
	}
	return out
}

// knownSeverity is a severity that the page has a style for; other words are none.
func knownSeverity(s improve.Severity) string {
	if s.Rank() == 0 {
		return "unknown"
	}
	return string(s)
}

// clean is a text as it may be shared: one line, without what acts on a screen, redacted.
func (l Layout) clean(text string) string {
	if l.Redact != nil {
		text = l.Redact(text)
	}
	return termsafe.Line(text)
}

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\d+\. `) })

// unnumbered is a line of a list whose numbers the page writes itself.
func unnumbered(line string) string { return number().ReplaceAllString(line, "") }
