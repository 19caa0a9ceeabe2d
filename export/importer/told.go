package importer

import (
	"context"
	"errors"
	"strings"

	"github.com/trimtab/trimtab"
)

// Told is a Result as it is told to people and programs, by the names of the flags that
// they give.
type Told struct {
	File     string `json:"file"`
	Host     string `json:"host,omitempty"`
	Session  string `json:"sessionId,omitempty"`
	Messages int    `json:"messages"`
	Damaged  int    `json:"damagedLines,omitempty"`
	Known    bool   `json:"known,omitempty"` // it was in the store before
	Error    string `json:"error,omitempty"`
	Title    string `json:"-"`
}

// Take takes in the sessions of a file.
func (im Importer) Take(ctx context.Context, file string, opt Options) []Told {
	var out []Told
	for _, r := range im.File(ctx, file, opt) {
		t := Told{File: file, Host: r.Host, Session: r.Session, Messages: r.Messages, Damaged: r.Damaged, Known: r.Known, Title: r.Title}
		if r.Err != nil {
			t.Error = explain(r.Err, opt)
		}
		out = append(out, t)
	}
	return out
}

func explain(err error, opt Options) string {
	if opening := (*OpenError)(nil); errors.As(err, &opening) && errors.Is(err, trimtab.ErrDamaged) && opt.Host == "" {
		return err.Error() + "; where it is one of these all the same, say which with --from"
	}
	if rest, ok := strings.CutPrefix(err.Error(), ErrOneID.Error()); ok && errors.Is(err, ErrOneID) {
		return "--as names one session" + rest + "; choose one with --only"
	}
	return err.Error()
}

// Warnings are what the engine did not take of an imported session.
func Warnings(out trimtab.Outcome) (all []string) {
	for _, t := range out.Actions {
		switch act := t.Action.(type) {
		case trimtab.Reply:
			if act.Failed {
				first, _, _ := strings.Cut(act.Text, "\n")
				all = append(all, trimtab.Clip(first, 200)+"; going on in normal mode")
			}
		case trimtab.Notify:
			if act.Warning {
				all = append(all, act.Text)
			}
		}
	}
	return all
}
