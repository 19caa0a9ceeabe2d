package export

import (
	"io"

	"github.com/trimtab/trimtab/export/sessionhtml"
	"github.com/trimtab/trimtab/export/timeline"
)

// WriteHTML writes the document as one page that needs nothing else and runs no
// script: what was said and done, and what steered it, why and whether it was heeded.
func (d Document) WriteHTML(w io.Writer) error {
	return sessionhtml.Write(w, sessionhtml.Page{Timeline: d.Timeline(), Facts: facts(d)})
}

// Timeline is the document in the order of what happened. A document that holds no
// journal has its messages alone.
func (d Document) Timeline() timeline.Timeline {
	s, history, ok := d.Session()
	if !ok {
		s.Info = d.Info
		return timeline.New(s, d.Messages, nil)
	}
	return timeline.New(s, history, d.Trimtab.Journal)
}
