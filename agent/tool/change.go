package tool

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
)

// change is what a call would do to a file.
type change struct {
	rel           string
	isNew         bool
	before, after []byte
	mode          fs.FileMode
	did           string // for the model, once it is done
}

// freely is the rule that lets files be changed without asking.
const freely = "write and edit: files of this project"

// changer puts together a tool that changes a file: plan says what a call would
// do, without doing it.
func changer[In any](f *Folder, name, schema string, plan func(context.Context, In) (change, error)) Tool {
	think := func(ctx context.Context, input json.RawMessage) (change, error) {
		in, err := decode[In](input)
		if err != nil {
			return change{}, fmt.Errorf("%s: %w", name, err)
		}
		c, err := plan(ctx, in)
		if err != nil {
			return change{}, fmt.Errorf("%s: %w", name, err)
		}
		return c, nil
	}
	t := define(name, schema, func(context.Context, In) (string, error) { return "", nil })
	t.ReadOnly = false
	t.Run = func(ctx context.Context, input json.RawMessage) (string, error) {
		if err := f.memo.deniedBefore(ctx, callSum(name, input)); err != nil {
			return "", err
		}
		c, err := think(ctx, input)
		if err != nil {
			return "", err
		}
		if err := f.put(c.rel, c.after, c.mode); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		f.memo.saw(ctx, c.rel, c.after)
		ObserverOf(ctx).done(Effect{Files: []FileChange{{
			Path: c.rel, Existed: !c.isNew, Exists: true, Before: c.before, After: c.after, Mode: c.mode,
		}}})
		return c.did, nil
	}
	t.Ask = func(ctx context.Context, input json.RawMessage) (Ask, bool) {
		c, err := think(ctx, input)
		if err != nil { // nothing to ask: the call is going to say why
			f.memo.deny(ctx, callSum(name, input), err)
			return Ask{}, false
		}
		guarded := holds(c.rel, "trimtab")
		if (f.memo.allowed(ctx) || f.granted().Edits) && !guarded {
			return Ask{}, false
		}
		ask := Ask{Tool: name, Title: display(c.rel), Detail: diff(c.rel, c.before, c.after, c.isNew), Rule: freely, Lasts: f.grants != nil}
		if c.isNew {
			ask.Title += " (new)"
		}
		if guarded {
			ask.Rule, ask.Lasts = "", false // it says how trimtab itself behaves here
		}
		return ask, true
	}
	t.Always = func(ctx context.Context, ask Ask, scope Scope) error {
		if ask.Rule != freely {
			return nil
		}
		f.memo.allow(ctx)
		return f.grant(scope, Grant{Edits: true})
	}
	return t
}

func callSum(name string, input json.RawMessage) sum {
	return sha256.Sum256(append([]byte(name+"\x00"), input...))
}
