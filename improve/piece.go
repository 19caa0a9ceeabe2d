package improve

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
)

// PieceKind says who wrote a piece of a session, or what it shows.
type PieceKind string

// The kinds of pieces.
const (
	PiecePrompt    PieceKind = "person"    // the person typed it
	PieceRejection PieceKind = "rejection" // the person said no to a call
	PieceBreak     PieceKind = "interrupt" // the person broke the agent off, and typed this
	PieceEnd       PieceKind = "agent"     // the agent's last words of a turn
	PieceFailure   PieceKind = "failure"   // a result that tells of an error
)

// ByPerson reports whether a piece is a person's word.
func (k PieceKind) ByPerson() bool {
	return k == PiecePrompt || k == PieceRejection || k == PieceBreak
}

// Piece is one place of a session, redacted and short, for a reader who does not get the
// whole of it.
type Piece struct {
	Message string
	Kind    PieceKind
	Text    string
	At      time.Time

	order int // of its message in the session
}

const (
	pieceSize  = 700 // bytes of one piece
	maxOfPiece = 300 // pieces of one share that are kept while a session is read; the oldest go first
)

// The shares of the pieces that compete for the same part of a budget, and that part.
const (
	shareWords = iota
	shareEnds
	shareFailures
	shares
)

var sharePart = [shares]float64{shareWords: 0.5, shareEnds: 0.25, shareFailures: 0.25}

func (k PieceKind) share() int {
	switch {
	case k.ByPerson():
		return shareWords
	case k == PieceEnd:
		return shareEnds
	}
	return shareFailures
}

// pieces are the candidates of a session.
type pieces [shares][]Piece

// piece keeps a text that is redacted already. It must have been redacted as a whole: where
// it is cut first, half a secret may stand at the cut, which is not known as one.
func (r *Reflector) piece(kind PieceKind, m trimtab.Message, redacted string) {
	r.keepAt(kind, m, r.seen, redacted)
}

func (r *Reflector) keepAt(kind PieceKind, m trimtab.Message, order int, redacted string) {
	text := middleOut(strings.TrimSpace(r.near(redacted)), pieceSize)
	if text == "" {
		return
	}
	list := &r.kept[kind.share()]
	if len(*list) == maxOfPiece {
		*list = slices.Delete(*list, 0, 1)
	}
	*list = append(*list, Piece{Message: m.ID, Kind: kind, Text: text, At: m.At, order: order})
}

// maxRedacted is how much of a text is looked through for secrets before its ends are
// quoted.
const maxRedacted = 256 << 10

// redactWhole redacts a text before anything is cut off. Where it is too long even for that,
// what stands before the cut goes, as far as a secret may reach.
func (r *Reflector) redactWhole(text string) string {
	cut := trimtab.Clip(text, maxRedacted)
	long := len(cut) < len(text)
	if r.opt.Redact != nil {
		cut = r.opt.Redact(cut)
	}
	if long {
		cut = trimtab.Clip(cut, max(0, len(cut)-longestSecret))
	}
	return strings.ToValidUTF8(cut, "\uFFFD")
}

const longestSecret = 8 << 10

// middleOut shortens a text by its middle: what is asked for stands at the beginning, and
// what it came to at the end.
func middleOut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head := trimtab.Clip(text, n/2)
	tail := strings.ToValidUTF8(text[len(text)-n/2:], "")
	return strings.TrimSpace(head) + "\n[…]\n" + strings.TrimSpace(tail)
}

// ending is a reply that may be the last of its turn, and where it stood.
type ending struct {
	message trimtab.Message
	order   int
}

// keepEnd keeps the agent's last words before a prompt or the end of the session. They are
// noted with each reply and count only once the turn is over.
func (r *Reflector) keepEnd() {
	if r.opt.Pieces > 0 && r.ending.message.ID != "" {
		r.keepAt(PieceEnd, r.ending.message, r.ending.order, r.redactWhole(r.ending.message.Text()))
		r.ending = ending{}
	}
}

// Pieces are the pieces of the session that fit into the budget of Options.Pieces, in the
// order of the session. Half of it is for what the person said, a quarter for how turns ended
// and a quarter for errors; what one of them does not need goes to the others. Of too many
// the newest are taken.
func (r *Reflector) Pieces() []Piece {
	if r.ours {
		return nil
	}
	r.keepEnd()
	var out []Piece
	left := r.opt.Pieces
	var taken [shares]int
	for _, whole := range []bool{false, true} {
		for s := range shares {
			allowed := left
			if !whole {
				allowed = int(float64(r.opt.Pieces) * sharePart[s])
			}
			list := r.kept[s]
			for taken[s] < len(list) {
				p := list[len(list)-1-taken[s]]
				size := len(p.Text) + pieceHead
				if size > allowed || size > left {
					break
				}
				allowed -= size
				left -= size
				taken[s]++
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Piece) int { return cmp.Compare(a.order, b.order) })
	return out
}

// pieceHead is about what stands around a piece where it is shown.
const pieceHead = 40

// keepPrompt keeps what the person typed.
func (r *Reflector) keepPrompt(m trimtab.Message) {
	if r.opt.Pieces <= 0 {
		return
	}
	kind := PiecePrompt
	if r.people.broke {
		kind = PieceBreak
	}
	r.piece(kind, m, ownWords(r.redactWhole(m.Typed())))
}

// keepResult keeps why a call was rejected, or how it failed, with the call.
func (r *Reflector) keepResult(kind PieceKind, m trimtab.Message, call pending, res trimtab.ToolResult) {
	if r.opt.Pieces <= 0 {
		return
	}
	text := r.redactWhole(res.Text)
	if kind == PieceRejection {
		text = cmp.Or(reasonFor(text), "(no reason was typed)")
	} else if line := complaint(text); line != "" {
		text = line + "\n" + middleOut(text, 240)
	}
	r.piece(kind, m, middleOut(text, pieceSize-shownCall)+"\nto: "+call.tool+" "+r.shownAbout(call))
}

// shownCall is how many bytes of a call stand behind its result.
const shownCall = 200

// shownAbout is what a call is about, as far as it is shown. Of a call that was kept in part
// the last word goes: it may be half a secret.
func (r *Reflector) shownAbout(call pending) string {
	about := call.about
	if len(about) > maxAbout-4 {
		about = about[:max(0, strings.LastIndexAny(about, " \t\n"))]
	}
	return shorten(r.redactWhole(about), shownCall)
}
