package termsafe

import (
	"fmt"
	"io"
)

// Fprintf is fmt.Fprintf with the strings and errors among the arguments made
// harmless for a terminal. The format is the program's own and is trusted.
func Fprintf(w io.Writer, format string, args ...any) error {
	safe := make([]any, len(args))
	for i, v := range args {
		switch v := v.(type) {
		case string:
			safe[i] = Text(v)
		case error:
			safe[i] = Text(v.Error())
		default:
			safe[i] = v
		}
	}
	_, err := fmt.Fprintf(w, format, safe...)
	return err
}

// Printer writes a text piece by piece and keeps the first error, so that it is
// checked once at the end.
type Printer struct {
	w   io.Writer
	err error
}

// NewPrinter returns a printer that writes to w.
func NewPrinter(w io.Writer) *Printer { return &Printer{w: w} }

// Printf is Fprintf; after an error it writes nothing more.
func (p *Printer) Printf(format string, args ...any) {
	if p.err == nil {
		p.err = Fprintf(p.w, format, args...)
	}
}

// Err is the first error.
func (p *Printer) Err() error { return p.err }
