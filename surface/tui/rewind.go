package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

// Rewound is what came of taking turns back.
type Rewound struct {
	Prompt   string   // the first one that was taken back
	Files    []string // put back
	Left     []string // not put back, each with why
	Messages int      // out of the model's sight
	Frame    string   // that holds them now
	Stays    []string // commands whose effect stays: what git has in its history
}

// turn is a prompt of the session that was not taken back.
type turn struct {
	seq  int
	text string
}

// turns are the prompts of a session, oldest first.
func (c *chat) turns(ctx context.Context, id string) (all []turn, err error) {
	s, err := c.opt.Service.Session(ctx, id)
	if err != nil {
		return nil, err
	}
	gone := c.takenBack(s)
	seq := 0
	for m, err := range c.opt.Messages(ctx, id, 0) {
		if err != nil {
			return nil, err
		}
		if seq++; m.IsPrompt() && !gone(seq) {
			all = append(all, turn{seq, m.Typed()})
		}
	}
	return all, nil
}

// takenBack reports of a message, by its number, whether the person took it back.
func (c *chat) takenBack(s trimtab.Session) func(seq int) bool {
	var folds []trimtab.Fold
	if c.opt.TakenBack != nil {
		folds = c.opt.TakenBack(s)
	}
	return func(seq int) bool {
		return slices.ContainsFunc(folds, func(f trimtab.Fold) bool { return f.First.Seq <= seq && seq <= f.Last.Seq })
	}
}

var errNothingSaid = errors.New("nothing was said yet that could be taken back")

// undo takes the newest turn back.
func (c *chat) undo(arg string) tea.Cmd {
	force, ok := forced(arg)
	if !ok {
		c.complain("/undo takes the last turn back; /undo force also overwrites what somebody else changed since")
		return nil
	}
	return c.takeBack("undo", force, func(ctx context.Context, id string) (int, error) {
		all, err := c.turns(ctx, id)
		if err != nil || len(all) == 0 {
			return 0, errors.Join(err, errNothingSaid)
		}
		return all[len(all)-1].seq, nil
	})
}

func forced(arg string) (force, ok bool) {
	force = arg == "force" || arg == "-f" || arg == "--force"
	return force, force || arg == ""
}

// rewind lists the prompts of the session, or goes back to before one of them.
func (c *chat) rewind(arg string) tea.Cmd {
	if c.opt.Rewind == nil || c.session.ID == "" {
		c.complain(errNothingSaid.Error())
		return nil
	}
	d := newPick("rewind", "to before which prompt? files and conversation")
	d.none = errNothingSaid.Error()
	d.wait = true
	d.choose = func(c *chat, it Item) tea.Cmd {
		seq, _ := strconv.Atoi(it.Key)
		return c.takeBack("rewind", arg == "force", func(context.Context, string) (int, error) { return seq, nil })
	}
	c.dialog = d
	id := c.session.ID
	return func() tea.Msg {
		all, err := c.turns(c.ctx, id)
		l := listed{dialog: d, err: err}
		for _, t := range slices.Backward(all) {
			line, _, _ := strings.Cut(strings.TrimSpace(t.text), "\n")
			l.items = append(l.items, Item{Name: line, Key: strconv.Itoa(t.seq), Text: c.changedBy(id, t.seq)})
		}
		return l
	}
}

// changedBy says how many files going back to a prompt would put back.
func (c *chat) changedBy(id string, seq int) string {
	if c.opt.Diff == nil {
		return ""
	}
	text, err := c.opt.Diff(id, seq)
	n := strings.Count("\n"+text, "\n--- ")
	if err != nil || n == 0 {
		return "no files"
	}
	return plural.Count(n, "file")
}

// redo brings back what was taken back last.
func (c *chat) redo(arg string) tea.Cmd {
	force, ok := forced(arg)
	if !ok || c.opt.Redo == nil || c.session.ID == "" {
		c.complain("/redo brings back what /undo or /rewind took; /redo force also overwrites what somebody else changed since")
		return nil
	}
	return c.idle(func() tea.Cmd {
		return c.enqueue(job{what: "redo", once: true, do: func(ctx context.Context, at place) (tea.Msg, error) {
			r, err := c.opt.Redo(ctx, at.session, force)
			if err != nil {
				return nil, err
			}
			s, err := c.opt.Service.Session(ctx, at.session)
			if err != nil {
				return nil, err
			}
			return rewound{r, c.read(ctx, s), true}, nil
		}})
	})
}

// rewound is a session after turns were taken back.
type rewound struct {
	Rewound
	opened
	again bool // they were brought back
}

// takeBack takes turns back once no run is under way, and shows the session anew.
func (c *chat) takeBack(what string, force bool, to func(ctx context.Context, id string) (seq int, err error)) tea.Cmd {
	if c.opt.Rewind == nil || c.session.ID == "" {
		c.complain(errNothingSaid.Error())
		return nil
	}
	return c.idle(func() tea.Cmd {
		return c.enqueue(job{what: what, once: true, do: func(ctx context.Context, at place) (tea.Msg, error) {
			seq, err := to(ctx, at.session)
			if err != nil {
				return nil, err
			}
			r, err := c.opt.Rewind(ctx, at.session, seq, force)
			if err != nil {
				return nil, err
			}
			s, err := c.opt.Service.Session(ctx, at.session)
			if err != nil {
				return nil, err
			}
			return rewound{r, c.read(ctx, s), false}, nil
		}})
	})
}

func (c *chat) rewound(r rewound) tea.Cmd {
	c.show(r.opened)
	c.files.fresh = false
	text := "taken back: " + plural.Count(r.Messages, "message")
	if r.again {
		text = "brought back: " + plural.Count(r.Messages, "message")
	}
	switch {
	case len(r.Files) > 0:
		text += fmt.Sprintf(", %s put back (%s)", plural.Count(len(r.Files), "file"), shortList(r.Files))
	case len(r.Left) == 0:
		text += ", no files had changed"
	}
	if !r.again && c.opt.Redo != nil {
		text += "; /redo brings it back"
	}
	c.say(text)
	if len(r.Left) > 0 {
		c.page.Fault("not put back:\n" + strings.Join(r.Left, "\n") + "\nthey are as you left them")
	}
	if len(r.Stays) > 0 {
		c.page.Notice("git's history stays as it is: " + strings.Join(r.Stays, ", "))
	}
	switch {
	case r.again && strings.TrimSpace(c.text.String()) == c.undone:
		c.text.Reset() // it is in the conversation again
	case !r.again && c.untouched():
		c.give(r.Prompt)
		c.undone = strings.TrimSpace(r.Prompt)
	}
	return nil
}

func shortList(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

// showDiff shows what the turn, or the whole session, changed in files.
func (c *chat) showDiff(arg string) tea.Cmd {
	if c.opt.Diff == nil || c.session.ID == "" {
		c.complain("nothing was changed yet")
		return nil
	}
	id, whole := c.session.ID, arg == "session" || arg == "all"
	if arg != "" && arg != "turn" && !whole {
		c.complain("/diff shows what the last turn changed; /diff session what all of them did")
		return nil
	}
	return func() tea.Msg {
		seq := 1
		if all, err := c.turns(c.ctx, id); err == nil && len(all) > 0 && !whole {
			seq = all[len(all)-1].seq
		}
		text, err := c.opt.Diff(id, seq)
		return diffed{whole, text, err}
	}
}

// diffed is what files changed.
type diffed struct {
	whole bool
	text  string
	err   error
}

func (c *chat) diffed(d diffed) {
	of := "the last turn"
	if d.whole {
		of = "this session"
	}
	switch {
	case d.err != nil:
		c.page.Fault("diff: " + c.opt.Explain(d.err))
	case d.text == "":
		c.say(of + " changed no files")
	default:
		id := c.page.Call("diff", `{"of":"`+of+`"}`)
		c.page.Changed(id, d.text)
		c.page.Result(id, "", false)
		c.page.Toggle(id)
		c.page.Bottom()
	}
}
