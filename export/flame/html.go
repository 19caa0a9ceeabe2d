package flame

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
)

//go:embed page.html
var page string

//go:embed page.css
var pageLooks string

//go:embed page.js
var script string

// HTML draws a page to look around in: a click zooms, a search marks what it
// finds, and each frame tells all that is known of it. Its policy lets it run
// its own script and nothing else, and reach nobody.
func HTML(g Graph) ([]byte, error) {
	c, err := g.lay()
	if err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(page)
	if err != nil {
		return nil, err
	}
	style := looks + pageLooks
	var out bytes.Buffer
	err = t.Execute(&out, struct {
		Title, Facts, Scale, Policy string
		Chart                       template.HTML
		Style                       template.CSS
		Script                      template.JS
		Keys                        []Frame
		About                       []about
	}{
		Title: clean(cut(c.heading(), 200)), Facts: c.facts(), Scale: c.scale(),
		Policy: fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", digest(style), digest(script)),
		Chart:  template.HTML(c.inline()), //nolint:gosec // made here, every text in it escaped
		Style:  template.CSS(style),       //nolint:gosec // our own file
		Script: template.JS(script),       //nolint:gosec // our own file
		Keys:   keys(), About: c.about(),
	})
	return out.Bytes(), err
}

// digest names a script or style in the page's policy.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func keys() []Frame {
	var all []Frame
	for _, s := range statuses {
		all = append(all, Frame{Status: s})
	}
	return all
}

// inline draws the boxes as shares of the page's width; the script moves them
// and cuts their labels.
func (c chart) inline() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg id="chart" width="100%%" height="%d" role="group" aria-label="Frames">%s`+"\n", max(1, c.depth)*rowHeight, hatch)
	for i, b := range c.boxes {
		fmt.Fprintf(&out, `<svg class="%s" data-n="%d" data-x="%.6f" data-w="%.6f" data-tokens="%d" tabindex="0" role="button" aria-label="%s" x="%.4f%%" y="%d" width="%.4f%%" height="%d"><title>%s</title>%s<text x="4" y="18" data-full="%s" data-tag="%s" data-id="%s">%s</text></svg>`+"\n",
			b.class(c.Active), i, b.X, b.Width, b.Own, esc(b.label()+", "+b.Said()+", "+c.weight(b)), 100*b.X, (c.depth-1-b.Depth)*rowHeight, 100*b.Width, rowHeight-1,
			esc(c.hover(b)), boxShape, esc(cut(b.label(), 300)), esc(strings.TrimSpace(b.Mark()+" "+b.ID)), esc(b.ID), esc(cut(b.label(), 300)))
	}
	out.WriteString("</svg>")
	return out.String()
}

// about is all that is known of a frame.
type about struct {
	N       int
	Head    string
	Rows    [][2]string
	Summary string
	Log     []string
	More    int // lines of the log that are left out
}

const maxLog = 500

func (c chart) about() []about {
	var all []about
	for i, b := range c.boxes {
		a := about{N: i, Head: b.label(), Summary: strings.TrimSpace(clean(b.Summary))}
		row := func(name, text string) {
			if text = strings.TrimSpace(clean(text)); text != "" {
				a.Rows = append(a.Rows, [2]string{name, text})
			}
		}
		row("Status", b.Said()+opened(b.By))
		row("Size", c.weight(b))
		if b.Messages > 0 {
			row("Messages", plural.Grouped(b.Messages, "message")+" of its own")
		}
		row("In view", b.seen())
		row("Success criteria", b.Criteria)
		row("Reason", b.Reason)
		row("Artifacts", strings.Join(b.Artifacts, ", "))
		row("Decisions", strings.Join(b.Decisions, "; "))
		row("Results", b.Results)
		if !b.Created.IsZero() {
			row("From", b.Created.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		if !b.Updated.IsZero() && b.Updated != b.Created {
			row("Last changed", b.Updated.UTC().Format("2006-01-02 15:04:05 UTC"))
		}
		for _, line := range b.Log[:min(len(b.Log), maxLog)] {
			a.Log = append(a.Log, clean(line))
		}
		a.More = len(b.Log) - len(a.Log)
		all = append(all, a)
	}
	return all
}

func opened(by string) string {
	if by == "auto" {
		return ", opened by the heuristics"
	}
	return ""
}
