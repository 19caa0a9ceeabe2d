package all

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// lines is a file with one session.
type lines struct {
	file *os.File
	host string
	read transcript.Reader
}

// Sessions tells the file's session by its first message. A file that holds only a
// sub-agent's conversation has a parent.
func (l *lines) Sessions(ctx context.Context) iter.Seq2[trimtab.Info, error] {
	return func(yield func(trimtab.Info, error) bool) {
		for _, side := range []bool{false, true} {
			for item, err := range l.Read(ctx, "", transcript.Options{Side: side, Branches: true, Brief: true}) {
				switch {
				case errors.Is(err, trimtab.ErrDamaged):
					continue
				case err != nil:
					yield(trimtab.Info{}, err)
				default:
					yield(l.info(item), nil)
				}
				return
			}
		}
	}
}

func (l *lines) info(item transcript.Item) trimtab.Info {
	info := trimtab.Info{ID: item.Session, Host: l.host, Project: item.Project, Created: item.Message.At, Updated: item.Message.At}
	if item.Side && item.Agent != "" && item.Agent != item.Session {
		info.ID, info.Parent = item.Session+":"+item.Agent, item.Session
	} else if item.Side {
		info.Parent = "unknown"
	}
	return info
}

// Read returns the messages of the file, from its beginning. It is the only
// session there.
func (l *lines) Read(ctx context.Context, _ string, opt transcript.Options) iter.Seq2[transcript.Item, error] {
	return func(yield func(transcript.Item, error) bool) {
		if _, err := l.file.Seek(0, io.SeekStart); err != nil {
			yield(transcript.Item{}, fmt.Errorf("going back to the beginning: %w", err))
			return
		}
		for item, err := range l.read(l.file, opt) {
			if ctx.Err() != nil {
				yield(transcript.Item{}, ctx.Err())
				return
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Close closes the file.
func (l *lines) Close() error { return l.file.Close() }
