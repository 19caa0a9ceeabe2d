package sessionhtml

import (
	"bytes"
	"html/template"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// reader draws the Markdown that models write. Addresses that are not of the web are left
// out, which is what goldmark does unless it is told otherwise.
var reader = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(inert{}, 1))),
	)
})

// mostBrackets is up to how many brackets a text is read as Markdown: open links take the
// square of their number, and seconds where there are ten thousand.
const mostBrackets = 2000

// markdown draws text. What cannot be drawn is shown as it is.
func markdown(text string) template.HTML {
	text = termsafe.Text(trimtab.Clip(text, maxText))
	if strings.Count(text, "[") > mostBrackets {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") // #nosec G203 -- escaped
	}
	var b bytes.Buffer
	if err := reader().Convert([]byte(text), &b); err != nil {
		return template.HTML("<pre>" + template.HTMLEscapeString(text) + "</pre>") // #nosec G203 -- escaped
	}
	return template.HTML(b.String()) // #nosec G203 -- see inert
}

// inert draws the parts of Markdown that could act: HTML as text, and a picture as its
// address, for a page that loads one tells somebody that it was read.
type inert struct{}

// RegisterFuncs takes the place of the usual renderers.
func (inert) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			segments := n.(*ast.RawHTML).Segments
			for i := range segments.Len() {
				at := segments.At(i)
				template.HTMLEscape(w, at.Value(source))
			}
		}
		return ast.WalkSkipChildren, nil
	})
	r.Register(ast.KindHTMLBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		_, _ = w.WriteString("<pre>") // the writer keeps its first error for the end
		block := n.(*ast.HTMLBlock)
		for i := range block.Lines().Len() {
			at := block.Lines().At(i)
			template.HTMLEscape(w, at.Value(source))
		}
		if block.HasClosure() {
			template.HTMLEscape(w, block.ClosureLine.Value(source))
		}
		_, _ = w.WriteString("</pre>\n")
		return ast.WalkContinue, nil
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("[picture: ")
			template.HTMLEscape(w, n.(*ast.Image).Destination)
			_, _ = w.WriteString("]")
		}
		return ast.WalkSkipChildren, nil
	})
}
