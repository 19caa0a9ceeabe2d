package web

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The limits of a page: what is deeper or longer is left out.
const (
	maxTokens = 400_000
	maxLink   = 300
)

// left are elements whose content nobody reads.
var left = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Svg: true, atom.Iframe: true, atom.Object: true, atom.Head: true,
	atom.Nav: true, atom.Select: true, atom.Textarea: true, atom.Canvas: true,
}

// breaks are elements that begin and end lines.
var breaks = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Section: true, atom.Article: true, atom.Main: true, atom.Header: true, atom.Footer: true, atom.Aside: true, atom.Ul: true,
	atom.Ol: true, atom.Dl: true, atom.Dt: true, atom.Dd: true, atom.Table: true, atom.Tr: true, atom.Blockquote: true, atom.Figure: true, atom.Form: true,
	atom.Details: true, atom.Summary: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Pre: true, atom.Li: true, atom.Hr: true,
}

// marks stand before what an element holds.
var marks = map[atom.Atom]string{
	atom.H1: "# ", atom.H2: "## ", atom.H3: "### ", atom.H4: "#### ", atom.H5: "##### ", atom.H6: "###### ", atom.Li: "- ", atom.Blockquote: "> ",
}

// Text is what a person would read of an HTML page: its words in lines, headings and lists
// marked as in Markdown, links with where they lead. It reads tokens and builds no tree, so
// that a page which is nested without end costs no more than its length.
func Text(page io.Reader, at *url.URL) (string, error) {
	w := &writer{at: at}
	z := html.NewTokenizer(page)
	z.SetMaxBuf(1 << 20)
	for n := 0; n < maxTokens; n++ {
		switch z.Next() {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return "", fmt.Errorf("the page cannot be read: %w", err)
			}
			return w.text(), nil
		case html.TextToken:
			w.words(string(z.Text()))
		case html.StartTagToken:
			w.open(z.Token(), false)
		case html.SelfClosingTagToken:
			w.open(z.Token(), true)
		case html.EndTagToken:
			w.close(z.Token().DataAtom)
		}
	}
	return w.text() + "\n[cut: the page has too many parts]", nil
}

// writer gathers the text of a page.
type writer struct {
	b     strings.Builder
	at    *url.URL
	title strings.Builder

	hidden  atom.Atom // the element that is left out, and how many of its kind are open
	depth   int
	titled  bool
	pre     int
	link    string
	begun   bool // the line has words
	blank   bool // the words before ended with a blank
	lines   int  // line breaks at the end
	pending string
}

func (w *writer) text() string {
	body := strings.TrimSpace(w.b.String())
	if title := strings.Join(strings.Fields(w.title.String()), " "); title != "" {
		return strings.TrimSpace("Title: " + title + "\n\n" + body)
	}
	return body
}

func (w *writer) open(t html.Token, whole bool) {
	if t.DataAtom == atom.Title {
		w.titled = !whole
		return
	}
	if w.hidden != 0 {
		if t.DataAtom == w.hidden && !whole {
			w.depth++
		}
		return
	}
	switch {
	case left[t.DataAtom]:
		if !whole {
			w.hidden, w.depth = t.DataAtom, 1
		}
	case t.DataAtom == atom.Body: // a head that was never closed ends here
	case t.DataAtom == atom.Br:
		w.line(1)
	case t.DataAtom == atom.Td || t.DataAtom == atom.Th:
		w.words(" | ")
	case t.DataAtom == atom.A:
		w.link = w.address(t)
	case t.DataAtom == atom.Img:
		for _, a := range t.Attr {
			if a.Key == "alt" && strings.TrimSpace(a.Val) != "" {
				w.words(" [picture: " + a.Val + "] ")
			}
		}
	case breaks[t.DataAtom]:
		w.block(t.DataAtom)
		if t.DataAtom == atom.Pre {
			w.pre++
		}
	}
}

func (w *writer) close(a atom.Atom) {
	switch {
	case a == atom.Title:
		w.titled = false
	case w.hidden != 0:
		if a == w.hidden {
			if w.depth--; w.depth == 0 {
				w.hidden = 0
			}
		}
	case a == atom.A && w.link != "":
		w.raw(" (" + w.link + ")")
		w.link = ""
	case a == atom.Pre:
		w.pre = max(0, w.pre-1)
		w.block(a)
	case breaks[a]:
		w.block(0)
	}
}

// block begins a line; a mark waits for its first word.
func (w *writer) block(a atom.Atom) {
	if a == atom.Li || a == atom.Tr || a == atom.Dt || a == atom.Dd {
		w.line(1)
	} else {
		w.line(2)
	}
	w.pending = marks[a]
}

// line ends the line, so that n line breaks stand at the end.
func (w *writer) line(n int) {
	w.begun, w.blank, w.pending = false, false, ""
	if w.b.Len() == 0 {
		return
	}
	for ; w.lines < n; w.lines++ {
		w.b.WriteByte('\n')
	}
}

func (w *writer) raw(s string) {
	w.b.WriteString(s)
	w.lines = 0
}

// words adds text, with blanks as a browser shows them.
func (w *writer) words(s string) {
	switch {
	case w.titled:
		if w.title.Len() < 500 {
			w.title.WriteString(s)
		}
		return
	case w.hidden != 0:
		return
	case w.pre > 0:
		w.raw(s)
		w.begun = true
		return
	}
	for i, word := range strings.Fields(s) {
		if !w.begun {
			w.raw(w.pending)
			w.pending = ""
		} else if i > 0 || w.blank || strings.TrimLeft(s, " \t\r\n\f") != s {
			w.raw(" ")
		}
		w.raw(word)
		w.begun, w.blank = true, false
	}
	if w.begun && strings.TrimRight(s, " \t\r\n\f") != s {
		w.blank = true
	}
}

// address is where a link leads, in full; "" where that says nothing.
func (w *writer) address(t html.Token) string {
	for _, a := range t.Attr {
		if a.Key != "href" || a.Val == "" || a.Val[0] == '#' {
			continue
		}
		to, err := url.Parse(strings.TrimSpace(a.Val))
		if err != nil {
			return ""
		}
		if w.at != nil {
			to = w.at.ResolveReference(to)
		}
		if s := to.String(); (to.Scheme == "https" || to.Scheme == "http") && len(s) <= maxLink {
			return s
		}
	}
	return ""
}
