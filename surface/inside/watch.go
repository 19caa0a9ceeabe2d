package inside

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
)

// Watch shows what steers a session until the context ends, and again at each change.
type Watch struct {
	Look     func(context.Context) (trimtab.Session, []trimtab.Status, error) // the session as it is now; another one, where a newer has begun
	Out      io.Writer
	JSON     bool // a line for each change
	Terminal bool // Out is one: the text is replaced in place
	Every    time.Duration
	Next     func(context.Context) error // returns when there may be something new; nil, or an error, is after Every
}

// On watches. What goes wrong while it looks is shown and tried again: a database may be
// busy, and a session may not have begun. That the context ends is no error.
func (w Watch) On(ctx context.Context) error {
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	before := ""
	for {
		s, status, err := w.Look(ctx)
		if ctx.Err() != nil {
			return nil
		}
		now, bad := w.text(s, status, err)
		if bad != nil {
			return bad
		}
		if now != before && now != "" {
			if _, err := io.WriteString(w.Out, w.placed(now)); err != nil {
				return err
			}
			before = now
		}
		if w.Next != nil && err == nil && w.Next(ctx) == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// text is what is shown of a session.
func (w Watch) text(s trimtab.Session, status []trimtab.Status, looking error) (string, error) {
	var b bytes.Buffer
	switch {
	case w.JSON && looking != nil:
		return "", nil // there is nothing to tell a program yet
	case w.JSON:
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		return lined(&b, e.Encode(sessiontext.ForPrograms(s, status)))
	case looking != nil:
		return lined(&b, sessiontext.Line(&b, looking.Error()))
	}
	return lined(&b, sessiontext.Brief(&b, s, status))
}

func lined(b *bytes.Buffer, err error) (string, error) { return b.String(), err }

// The sequences that put the cursor at the top, clear the rest of a line, and clear what
// is below: a screen that is not cleared first does not flicker.
const home, restOfLine, below = "\x1b[H", "\x1b[K\r\n", "\x1b[J"

func (w Watch) placed(text string) string {
	if !w.Terminal || w.JSON {
		return text
	}
	return home + strings.ReplaceAll(text, "\n", restOfLine) + below
}
