package flame

import (
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
)

// box is a frame and where it stands. X and Width are shares of the whole width.
type box struct {
	Frame
	X, Width float64
	Depth    int
	Tokens   int  // with those of the frames below it
	Hidden   bool // what it says is not in the model's view
	Inside   bool // it stands in a frame that is folded
}

// chart is all boxes, in the order of the frames.
type chart struct {
	Graph
	boxes  []box
	depth  int  // rows
	total  int  // tokens
	widest bool // some are drawn wider than their tokens, to be seen at all
}

// lay refuses what is no tree, and gives every frame its place.
func (g Graph) lay() (chart, error) {
	c := chart{Graph: g, boxes: make([]box, len(g.Frames))}
	if len(g.Frames) > maxFrames {
		return c, fmt.Errorf("there are %d frames; at most %d can be drawn", len(g.Frames), maxFrames)
	}
	at := make(map[string]int, len(g.Frames))
	parent := make([]int, len(g.Frames))
	for i, f := range g.Frames {
		parent[i] = -1
		b := box{Frame: f, Tokens: f.Own, Hidden: f.Folded || f.Above}
		if f.Parent != "" {
			p, ok := at[f.Parent]
			if !ok {
				return c, fmt.Errorf("frame %q stands on %q, which does not come before it", cut(f.ID, 40), cut(f.Parent, 40))
			}
			up := c.boxes[p]
			parent[i], b.Depth, b.Inside = p, up.Depth+1, up.Inside || up.Folded
			b.Hidden = b.Hidden || b.Inside && f.Own > 0
		}
		_, twice := at[f.ID]
		switch {
		case f.ID == "" || twice:
			return c, fmt.Errorf("frame %d: the id %q is empty or taken", i+1, cut(f.ID, 40))
		case f.Own < 0 || f.Own > maxTokens:
			return c, fmt.Errorf("frame %q: %d tokens cannot be drawn", cut(f.ID, 40), f.Own)
		case b.Depth >= maxDepth:
			return c, fmt.Errorf("frame %q stands %d deep; at most %d can be drawn", cut(f.ID, 40), b.Depth+1, maxDepth)
		}
		at[f.ID], c.boxes[i] = i, b
		c.depth, c.total = max(c.depth, b.Depth+1), c.total+f.Own
	}
	for i := len(c.boxes) - 1; i >= 0; i-- {
		if p := parent[i]; p >= 0 {
			c.boxes[p].Tokens += c.boxes[i].Tokens
		}
	}
	c.place(parent)
	return c, nil
}

// place sets the widths from the leaves down and the places from the roots up.
// A frame without tokens, as a planned one, is still given a little width, but
// all that is given so takes at most a third.
func (c *chart) place(parent []int) {
	least := max(float64(c.total), 1) / float64(max(80, 3*len(c.boxes)))
	sum := 0.0
	for i := len(c.boxes) - 1; i >= 0; i-- {
		b := &c.boxes[i]
		b.Width += float64(b.Own)
		if b.Width < least {
			b.Width, c.widest = least, true
		}
		if p := parent[i]; p >= 0 {
			c.boxes[p].Width += b.Width
		} else {
			sum += b.Width
		}
	}
	next, free := make([]float64, len(c.boxes)), 0.0 // where the next child of each, and the next root, begins
	for i := range c.boxes {
		b := &c.boxes[i]
		b.Width /= sum
		from := &free
		if p := parent[i]; p >= 0 {
			from = &next[p]
		}
		b.X = *from
		*from += b.Width
		next[i] = b.X
	}
}

// Mark is the sign of the frame's status, the same as in the printed tree.
func (f Frame) Mark() string {
	return map[string]string{"completed": "✓", "in_progress": "→", "planned": "○", "invalidated": "✗", "blocked": "!", "failed": "⚠"}[f.Status]
}

// Said is the status in words.
func (f Frame) Said() string { return clean(strings.ReplaceAll(f.Status, "_", " ")) }

func (f Frame) label() string {
	return strings.TrimSpace(f.Mark() + " " + clean(f.ID) + " " + oneLine(f.Goal))
}

// class names the looks of a box. Only known statuses become one.
func (b box) class(active string) string {
	out := "f"
	if b.Mark() != "" {
		out += " " + b.Status
	}
	if b.Hidden {
		out += " folded"
	}
	if b.ID == active {
		out += " active"
	}
	return out
}

// Weight tells the tokens of a box and their share.
func (c chart) weight(b box) string {
	text := plural.Grouped(b.Tokens, "token")
	if c.total > 0 {
		text += fmt.Sprintf(" (%.1f %% of all)", 100*float64(b.Tokens)/float64(c.total))
	}
	if b.Own != b.Tokens {
		text += ", " + plural.Thousands(b.Own) + " of its own"
	}
	return text
}

// seen says whether the model sees the messages of a box.
func (b box) seen() string {
	switch {
	case b.Gone:
		return "the host rewrote its messages"
	case b.Status == "planned":
		return "not begun"
	case b.Inside:
		return "inside a folded frame, whose summary the model sees"
	case b.Above:
		return "folded while a frame below it is active"
	case b.Folded:
		return "folded: the model sees its summary"
	}
	return "in the model's view"
}

// hover is what is shown over a box.
func (c chart) hover(b box) string {
	lines := []string{b.label(), strings.TrimPrefix(b.Said()+", ", ", ") + c.weight(b)}
	if b.Messages > 0 {
		lines[1] += ", " + plural.Grouped(b.Messages, "message")
	}
	lines = append(lines, b.seen())
	for _, extra := range [][2]string{{"Reason", b.Reason}, {"Summary", b.Summary}} {
		if text := cut(oneLine(extra[1]), 300); text != "" {
			lines = append(lines, extra[0]+": "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// facts is the line below the title.
func (c chart) facts() string {
	text := plural.Grouped(len(c.boxes), "frame") + ", " + plural.Grouped(c.Before, "token") + " of history"
	if c.After < c.Before {
		text += ", " + plural.Thousands(c.After) + " in the model's view"
	}
	return text
}

func (c chart) heading() string {
	if t := oneLine(c.Title); t != "" {
		return t
	}
	return "Session " + oneLine(c.Session)
}
