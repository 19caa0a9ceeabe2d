package judge

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/replay"
)

// Walk takes a person through sessions, note by note, with one key each. It knows no
// terminal: keys go in by name, a screen comes out as text.
type Walk struct {
	sessions []Played
	book     *Book
	at       int // the session
	step     int
	note     int // of the session; -1 at a step without one
	marking  bool
	help     bool
	told     string // what the last key did
}

// NewWalk returns a way through sessions that begins with the first note without a
// verdict: a person goes on where they left.
func NewWalk(sessions []Played, book *Book) *Walk {
	w := &Walk{sessions: sessions, book: book, note: -1}
	if !w.seek(+1, false, w.unjudged) && !w.seek(+1, false, anyNote) && len(sessions) > 0 {
		w.told = "no note would be given in these sessions; j reads on, m marks where one is missing"
	}
	return w
}

func (w *Walk) unjudged(p Played, n int) bool { return w.book.verdict(p, p.Said[n]) == "" }

func anyNote(Played, int) bool { return true }

// seek goes to the next note, in a direction, that fits; without next the one in hand
// may be it.
func (w *Walk) seek(way int, next bool, fits func(Played, int) bool) bool {
	for at := w.at; at >= 0 && at < len(w.sessions); at += way {
		p := w.sessions[at]
		n := 0
		if way < 0 {
			n = len(p.Said) - 1
		}
		for ; n >= 0 && n < len(p.Said); n += way {
			behind := at == w.at && (way > 0 && (p.Said[n].Step < w.step || w.note >= 0 && n < w.note) || way < 0 && (p.Said[n].Step > w.step || w.note >= 0 && n > w.note))
			here := at == w.at && n == w.note && next
			if !behind && !here && fits(p, n) {
				w.at, w.note, w.step = at, n, p.Said[n].Step
				return true
			}
		}
	}
	return false
}

// verdictKeys and momentKeys are what a key says of a note, and of a step without one.
var (
	verdictKeys = map[string]Verdict{"u": useful, "h": harmless, "a": annoying}
	momentKeys  = map[string]Kind{"l": loops, "f": unproved, "r": sameReport, "g": lostGoal, "i": forgottenItem}
)

// Key does what a key asks for. It reports whether the person is through.
func (w *Walk) Key(key string) (done bool) {
	w.told = ""
	if key == "q" || key == "ctrl+c" || key == "ctrl+d" || len(w.sessions) == 0 {
		return true
	}
	if w.marking {
		w.mark(key)
		return false
	}
	if v, ok := verdictKeys[key]; ok {
		return w.judge(v)
	}
	p := w.sessions[w.at]
	switch key {
	case "space", "right", "enter", " ":
		if !w.seek(+1, true, anyNote) {
			w.told = "this is the last note; q ends"
		}
	case "b", "left":
		if !w.seek(-1, true, anyNote) {
			w.told = "this is the first note"
		}
	case "j", "down":
		w.move(min(p.Steps, w.step+1))
	case "k", "up":
		w.move(max(0, w.step-1))
	case "n":
		w.session(+1)
	case "p":
		w.session(-1)
	case "x":
		if w.note >= 0 {
			w.keep(w.book.judge(p, p.Said[w.note], ""), "the verdict was taken back")
		}
	case "m":
		w.marking = true
	case "?":
		w.help = !w.help
	}
	return false
}

// move goes to a step; a note that stands there is in hand.
func (w *Walk) move(step int) {
	w.step = step
	w.note = slices.IndexFunc(w.sessions[w.at].Said, func(s Said) bool { return s.Step == step })
}

func (w *Walk) session(way int) {
	if at := w.at + way; at >= 0 && at < len(w.sessions) {
		w.at = at
		w.move(0)
		return
	}
	w.told = "there is no other session that way"
}

// judge keeps a verdict and goes to the next note without one.
func (w *Walk) judge(v Verdict) (done bool) {
	p := w.sessions[w.at]
	if w.note < 0 {
		w.told = "no note is given here; m marks that one is missing"
		return false
	}
	if w.keep(w.book.judge(p, p.Said[w.note], v), "") {
		return false
	}
	if w.seek(+1, true, w.unjudged) {
		return false
	}
	at, step, note := w.at, w.step, w.note
	w.at, w.step, w.note = 0, 0, -1
	if !w.seek(+1, false, w.unjudged) {
		w.at, w.step, w.note = at, step, note
		w.told = "every note has its verdict; q ends, j and k read the session, m marks what is missing"
	}
	return false
}

func (w *Walk) mark(key string) {
	w.marking = false
	k, ok := momentKeys[key]
	if !ok {
		w.told = "nothing was marked"
		return
	}
	kept, err := w.book.mark(w.sessions[w.at], w.step, k)
	if kept {
		w.keep(err, "marked: here a word on the "+string(k)+" is missing")
	} else {
		w.keep(err, "the mark was taken back")
	}
}

// keep says what became of a change, and reports whether it failed.
func (w *Walk) keep(err error, text string) (failed bool) {
	if w.told = text; err != nil {
		w.told = "NOT SAVED: " + err.Error()
	}
	return err != nil
}

// Judged counts the notes, and those with a verdict.
func (w *Walk) Judged() (notes, judged int) {
	for _, p := range w.sessions {
		for n := range p.Said {
			notes++
			judged += one(!w.unjudged(p, n))
		}
	}
	return notes, judged
}

const (
	walkKeys = "u useful  h harmless  a annoying  m missing here  space next  ? help  q end"
	markKeys = "missing here:  l loop  f unproved finish  r same report  g lost goal  i forgotten item"
	walkHelp = `space b   the next note, the one before       j k  one step on, one back
n p       the next session, the one before    x    take the verdict back
useful    it helps, now
harmless  right or short, and no loss
annoying  wrong, late, said before, or in the way
missing   a good colleague would have spoken at this step, and nothing was said
A step is one reply of the agent. What you say is saved with each key, in a file
that holds ids, steps and verdicts and no text of a session, so it can be shared.`
)

// View is the screen, for so many columns and lines.
func (w *Walk) View(width, height int) string {
	if len(w.sessions) == 0 {
		return "no session to judge\n"
	}
	width, height = max(width, 40), max(height, 12)
	p := w.sessions[w.at]
	notes, judged := w.Judged()
	head := []string{
		fmt.Sprintf("session %d of %d  %s  %s", w.at+1, len(w.sessions), p.ID, p.Title),
		fmt.Sprintf("step %d of %d  ·  %s, %d judged  ·  %s", w.step, p.Steps, plural.Count(notes, "note"), judged, w.book.Path()),
		"",
	}
	var tail []string
	if w.note >= 0 {
		s := p.Said[w.note]
		v := cmp.Or(w.book.verdict(p, s), "no verdict yet")
		tail = append(tail, "", fmt.Sprintf("NOTE  %s, by %s (%s)  [%s]", s.Kind, s.By, s.Slot, v), "why   "+s.Why)
		tail = append(tail, limit(wrapped("      ", "text  "+s.Text, width), height/3)...)
	}
	for _, k := range w.book.moments(p, w.step) {
		tail = append(tail, "", "MISSING  a word on the "+string(k))
	}
	if w.help {
		tail = append(tail, "", walkHelp)
	}
	tail = append(tail, "")
	if w.told != "" {
		tail = append(tail, w.told)
	}
	if w.marking {
		tail = append(tail, markKeys)
	} else {
		tail = append(tail, walkKeys)
	}
	head, tail = wrapAll(head, width), wrapAll(tail, width)
	lines := slices.Concat(head, w.around(width, max(3, height-len(head)-len(tail))), tail)
	return strings.Join(lines, "\n")
}

func wrapAll(lines []string, width int) (all []string) {
	for _, l := range lines {
		all = append(all, wrapped("", l, width)...)
	}
	return all
}

// around tells what happened up to the step in hand, and nothing behind it: who judges a
// note should know no more than the model did.
func (w *Walk) around(width, most int) []string {
	p := w.sessions[w.at]
	var lines []string
	for step := w.step; step >= 0 && len(lines) < most; step-- {
		if step >= len(p.story) {
			continue
		}
		var own []string
		for _, l := range p.story[step] {
			if step == w.step && w.note >= 0 && p.Said[w.note].Slot == string(replay.Continued) && strings.HasPrefix(l, storyPerson) {
				break // the agent was sent on before the person could write
			}
			own = append(own, limit(wrapped("        ", l, width), 4)...)
		}
		if len(own) > 0 {
			own = append([]string{fmt.Sprintf("-- step %d", step)}, own...)
		}
		lines = append(own, lines...)
	}
	return lines[max(0, len(lines)-most):]
}

func limit(lines []string, most int) []string {
	if len(lines) > most {
		return append(lines[:max(1, most-1):max(1, most-1)], "        …")
	}
	return lines
}

// wrapped breaks a text into lines, the further ones with an indent.
func wrapped(indent, text string, width int) (lines []string) {
	for i, l := range strings.Split(termsafe.Text(strings.TrimRight(text, "\n")), "\n") {
		if i > 0 {
			l = indent + l
		}
		for {
			cut := fits(l, width)
			if cut == len(l) {
				lines = append(lines, l)
				break
			}
			if blank := strings.LastIndexByte(l[:cut], ' '); blank > cut/2 {
				cut = blank
			}
			lines, l = append(lines, l[:cut]), indent+strings.TrimLeft(l[cut:], " ")
		}
	}
	return lines
}

// fits is how many bytes of a text fit into so many columns. Scripts with wide letters
// take two each; a mistake here costs a line that is cut, nothing more.
func fits(text string, width int) int {
	for i, r := range text {
		if width--; r >= 0x1100 {
			width--
		}
		if width < 0 {
			return i
		}
	}
	return len(text)
}

// list prints every note that would be given, and what is known of it, for programs and
// pipes.
func list(out io.Writer, sessions []Played) error {
	p := termsafe.NewPrinter(out)
	notes := 0
	for _, s := range sessions {
		if len(s.Said) == 0 {
			continue
		}
		p.Printf("%s  %s  %s\n", s.ID, plural.Count(s.Steps, "step"), s.Title)
		for _, n := range s.Said {
			notes++
			verdict := ""
			if s.label != nil {
				verdict = cmp.Or(string(s.label.verdict(n)), "no verdict yet")
				verdict = "  [" + verdict + "]"
			}
			p.Printf("  step %-4d %s, by %s (%s)%s: %s\n", n.Step, n.Kind, n.By, n.Slot, verdict, n.Why)
			for line := range strings.Lines(n.Text) {
				p.Printf("            %s\n", strings.TrimRight(line, "\n"))
			}
		}
	}
	p.Printf("%s in %s\n", plural.Count(notes, "note"), plural.Count(len(sessions), "session"))
	return p.Err()
}
