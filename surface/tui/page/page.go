package page

import (
	"strings"

	"github.com/trimtab/trimtab/internal/termsafe"
)

// ID names a block of a page. Ids are never used again, not even after Clear; one
// that names nothing is ignored.
type ID int

// Page is a conversation on a screen. New makes one.
type Page struct {
	pen     *pen
	width   int
	height  int
	verbose bool

	blocks []*block
	talls  []int32 // the guessed rows of each block
	gone   ID      // ids before the first block
	first  int     // the first block that shows; len(blocks) if none does
	warm   []int   // blocks whose pieces were made, oldest first
	stamp  int     // changes with width and theme

	follow bool // the end is on the screen, and stays there
	top    place

	view  string
	owner []ID // of the rows of the view
	valid bool
}

// minWidth is the narrowest screen that is drawn on.
const minWidth = 10

// maxWarm is how many blocks keep what was made of their text.
const maxWarm = 512

// New returns an empty page of 80 by 24.
func New(t Theme) *Page {
	return &Page{pen: newPen(t), width: 80, height: 24, follow: true, stamp: 1}
}

// Resize sets the size of the screen. A reader who follows the end still does; one
// who does not keeps the line at the top. A screen narrower than 10 cells is left
// empty.
func (p *Page) Resize(width, height int) {
	width, height = max(width, 0), max(height, 0)
	if width != p.width {
		p.width = width
		p.relayout()
	}
	p.height = height
	p.valid = false
}

// SetTheme draws everything in another theme.
func (p *Page) SetTheme(t Theme) {
	p.pen = newPen(t)
	for _, b := range p.blocks {
		if !b.prose() {
			b.drop() // the marks are part of its pieces
		}
	}
	p.relayout()
}

// relayout forgets what was drawn.
func (p *Page) relayout() {
	p.stamp++
	p.valid = false
	p.first = len(p.blocks)
	for i := len(p.blocks) - 1; i >= 0; i-- {
		p.measure(i)
		if !p.hidden(i) {
			p.first = i
		}
	}
}

func (p *Page) hidden(i int) bool { return p.blocks[i].kind == noted && !p.verbose }

func (p *Page) measure(i int) {
	n := 0
	if !p.hidden(i) {
		n = p.blocks[i].tall(p.width)
	}
	p.talls[i] = int32(min(n, 1<<30))
}

func (p *Page) add(b *block) ID {
	b.breaks = strings.Count(b.text, "\n")
	b.drop()
	p.blocks, p.talls = append(p.blocks, b), append(p.talls, 0)
	i := len(p.blocks) - 1
	p.measure(i)
	if p.first == i && p.hidden(i) {
		p.first++
	}
	p.valid = false
	return p.gone + ID(len(p.blocks))
}

// find returns the place of a block, or -1.
func (p *Page) find(id ID) int {
	if i := int(id-p.gone) - 1; i >= 0 && i < len(p.blocks) {
		return i
	}
	return -1
}

// changed says that a block looks different now.
func (p *Page) changed(i int) {
	p.measure(i)
	p.valid = false
}

// Prompt adds what the person wrote.
func (p *Page) Prompt(text string) ID { return p.add(&block{kind: prompted, text: text}) }

// Reply begins a reply of the model, in Markdown. Append adds to it.
func (p *Page) Reply() ID { return p.add(&block{kind: replied, arriving: true}) }

// Thought begins a thought of the model. Append adds to it. It shows as one line
// until it is opened.
func (p *Page) Thought() ID { return p.add(&block{kind: thought, arriving: true}) }

// Append adds the next piece of a reply or thought that is not closed.
func (p *Page) Append(id ID, delta string) {
	i := p.find(id)
	if i < 0 || delta == "" {
		return
	}
	b := p.blocks[i]
	if !b.arriving || b.kind == called {
		return
	}
	base, rows := p.hold(i)
	b.buf = append(b.buf, delta...)
	b.breaks += strings.Count(delta, "\n")
	b.fresh = false
	if b.prose() {
		b.feed()
	} else {
		b.made = false
	}
	p.changed(i)
	p.release(i, base, rows)
}

// Close ends a reply or thought. Whole is its text as it joined the history; where
// it is empty, what was appended stays.
func (p *Page) Close(id ID, whole string) {
	i := p.find(id)
	if i < 0 {
		return
	}
	b := p.blocks[i]
	if !b.arriving || b.kind == called {
		return
	}
	same := whole == "" || whole == string(b.buf)
	base, rows := p.hold(i)
	b.arriving = false
	switch {
	case !same:
		b.text, b.buf = whole, nil
		b.breaks = strings.Count(whole, "\n")
		b.drop()
	case b.prose() && len(b.buf) > 0:
		b.feed()
		b.text = string(b.buf)
		b.buf = nil
		b.finish(b.text[b.fed:])
		p.warmed(i)
	default:
		b.text, b.buf = string(b.buf), nil
		b.drop()
	}
	p.changed(i)
	if same {
		p.release(i, base, rows)
	}
}

// Call adds a tool call with its input, usually JSON. It counts as running until
// its Result.
func (p *Page) Call(name, input string) ID {
	return p.add(&block{kind: called, name: name, input: input, arriving: true})
}

// Result ends a call with what the tool returned.
func (p *Page) Result(id ID, text string, failed bool) {
	i := p.find(id)
	if i < 0 || p.blocks[i].kind != called {
		return
	}
	b := p.blocks[i]
	b.text, b.failed, b.arriving = text, failed, false
	b.breaks = strings.Count(text, "\n")
	b.drop()
	p.changed(i)
}

// Output shows the end of what a call that runs has written so far.
func (p *Page) Output(id ID, text string) {
	i := p.find(id)
	if i < 0 || p.blocks[i].kind != called || !p.blocks[i].arriving {
		return
	}
	p.blocks[i].live = text
	p.blocks[i].drop()
	p.changed(i)
}

// Changed shows what a call changed in files, as a unified diff.
func (p *Page) Changed(id ID, diff string) {
	i := p.find(id)
	if i < 0 || p.blocks[i].kind != called {
		return
	}
	p.blocks[i].diff += diff
	p.blocks[i].drop()
	p.changed(i)
}

// Folded adds a line about messages that the model sees as a summary, which opens below it.
func (p *Page) Folded(line, summary string) ID {
	return p.add(&block{kind: folded, name: oneLine(line), text: summary})
}

// Note adds what steering said to the model, with who, why and in which slot. It
// shows only while the page is verbose.
func (p *Page) Note(by, slot, text, why string) ID {
	return p.add(&block{kind: noted, name: by, slot: slot, text: text, why: why})
}

// Change adds what became of something that steering said or did: removed,
// withheld, folded. Like a note, it shows only while the page is verbose.
func (p *Page) Change(by, slot, became, text, why string) ID {
	return p.add(&block{kind: noted, name: by, slot: slot, became: became, text: text, why: why})
}

// Notice adds a word to the person.
func (p *Page) Notice(text string) ID { return p.add(&block{kind: noticed, text: text}) }

// Steering adds what steering does that the person should see without asking.
func (p *Page) Steering(text string) ID {
	return p.add(&block{kind: noticed, name: "steering", text: text})
}

// Fault adds something that went wrong. What to do about it, which an error says behind its
// last semicolon, comes first; the cause stands quietly below.
func (p *Page) Fault(text string) ID {
	do, cause := text, ""
	if i := strings.LastIndex(text, "; "); i > 0 && !strings.Contains(text[i:], "\n") && len(text)-i > 12 {
		do, cause = text[i+2:], text[:i]
		if j := strings.LastIndex(do, ": "); j >= 0 && strings.Contains(do[:j], "is kept") { // "your message is kept: say …"
			do = do[j+2:]
			if k := strings.LastIndex(cause, "; "); k > 0 { // the cause says itself what helps
				do, cause = cause[k+2:]+`; then say "go on"`, cause[:k]
			}
		}
	}
	return p.add(&block{kind: faulted, text: do, why: cause})
}

// SetVerbose shows the notes of steering, or hides them.
func (p *Page) SetVerbose(on bool) {
	if p.verbose != on {
		p.verbose = on
		p.relayout()
	}
}

// Verbose reports whether notes are shown.
func (p *Page) Verbose() bool { return p.verbose }

// Toggle opens or closes a thought or the result of a call.
func (p *Page) Toggle(id ID) {
	if i := p.find(id); i >= 0 && p.blocks[i].folds() {
		p.open(i, !p.blocks[i].wide)
	}
}

// ToggleAll opens all thoughts and results, or closes them if all are open.
func (p *Page) ToggleAll() {
	wide := false
	for _, b := range p.blocks {
		wide = wide || b.folds() && !b.wide
	}
	for i, b := range p.blocks {
		if b.folds() && b.wide != wide {
			p.open(i, wide)
		}
	}
}

func (p *Page) open(i int, wide bool) {
	p.blocks[i].wide = wide
	p.blocks[i].drop()
	p.changed(i)
}

// Clear takes everything off the page.
func (p *Page) Clear() {
	p.gone += ID(len(p.blocks))
	p.blocks, p.talls, p.warm, p.first = nil, nil, nil, 0
	p.follow, p.top, p.valid = true, place{}, false
}

// Text returns everything on the page as plain text, whole and harmless to print:
// prompts behind "> ", replies in their Markdown, calls with their results. Notes
// are in it while they are shown.
func (p *Page) Text() string {
	var b strings.Builder
	for i := range p.blocks {
		if text := p.text(i); text != "" && !p.hidden(i) {
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// TextOf returns one block as plain text: of a reply or prompt only its words.
func (p *Page) TextOf(id ID) string {
	i := p.find(id)
	switch {
	case i < 0:
		return ""
	case p.blocks[i].kind == prompted || p.blocks[i].kind == replied:
		return termsafe.Text(p.blocks[i].source())
	}
	return p.text(i)
}

func (p *Page) text(i int) string {
	b := p.blocks[i]
	text := strings.TrimRight(termsafe.Text(b.source()), "\n")
	switch b.kind {
	case prompted:
		return "> " + strings.ReplaceAll(text, "\n", "\n> ")
	case called:
		head := oneLine(b.name)
		if s := summary(b.name, arguments(b.input), b.input, "…"); s != "" {
			head += " " + s
		}
		if b.failed {
			head += " (failed)"
		}
		if b.diff != "" {
			text = strings.TrimRight(termsafe.Text(b.diff), "\n")
		}
		if text == "" {
			return head
		}
		return head + "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
	case thought:
		if text != "" {
			text = "(thought) " + text
		}
	case folded:
		return b.name + "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
	case noted:
		text = strings.TrimRight("("+b.head(oneLine(b.name))+b.reason()+")\n"+text, "\n")
	}
	return text
}

// warmed notes that a block has pieces, and lets those of others go when too many
// have: they can be made again.
func (p *Page) warmed(i int) {
	p.warm = append(p.warm, i)
	if len(p.warm) <= maxWarm {
		return
	}
	for _, j := range p.warm[:maxWarm/2] {
		if b := p.blocks[j]; j != i && !b.arriving {
			b.drop()
		}
	}
	p.warm = append([]int(nil), p.warm[maxWarm/2:]...)
}

// Hit is a line of the page that was looked for.
type Hit struct {
	ID   ID
	Line string
}

// Find returns lines that hold all words, the newest first, at most so many. Letters count
// alike, small and large.
func (p *Page) Find(words []string, most int) (hits []Hit) {
	for i := len(p.blocks) - 1; i >= 0 && len(hits) < most; i-- {
		b := p.blocks[i]
		if p.hidden(i) {
			continue
		}
		var own []Hit
		for _, text := range []string{b.name, b.input, b.source(), b.why} {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); line != "" && holdsAll(strings.ToLower(line), words) && len(own) < most {
					own = append(own, Hit{p.gone + ID(i) + 1, termsafe.Line(clipBytes(line, 400))})
				}
			}
		}
		hits = append(hits, own...)
	}
	return hits[:min(len(hits), most)]
}

func holdsAll(line string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// Show brings a block to the top of the screen, opened.
func (p *Page) Show(id ID) {
	i := p.find(id)
	if i < 0 {
		return
	}
	if p.blocks[i].folds() && !p.blocks[i].wide {
		p.open(i, true)
	}
	p.follow, p.top, p.valid = false, place{i, 0, above}, false
}

// LastReply is the newest text of the model; "" where there is none.
func (p *Page) LastReply() string {
	for i := len(p.blocks) - 1; i >= 0; i-- {
		if b := p.blocks[i]; b.kind == replied && strings.TrimSpace(b.source()) != "" {
			return b.source()
		}
	}
	return ""
}
