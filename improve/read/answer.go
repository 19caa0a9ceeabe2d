package read

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
)

// answer is what an agent says of one session. Other keys are not read.
type answer struct {
	Causes []said `json:"causes"`
}

// said is one cause as the agent names it.
type said struct {
	Kind    string  `json:"kind"`
	Subject string  `json:"subject"`
	Title   string  `json:"title"`
	Do      string  `json:"do"`
	Claims  []claim `json:"claims"`
}

type claim struct {
	Session string `json:"session"`
	Message string `json:"message"`
	Quote   string `json:"quote"`
	Says    string `json:"says"`
}

// The limits of an answer.
const (
	maxAnswer  = 64 << 10
	maxCauses  = 5
	maxClaims  = 4
	maxTitle   = 120
	maxDo      = 240
	maxSubject = 60
	maxSays    = 160
	minQuote   = 12
	maxQuote   = 300
)

var errAnswer = errors.New("the answer is not the JSON object that was asked for")

// parseAnswer finds the object in what the agent said: alone, in a fence, or behind words.
func parseAnswer(text string) (answer, error) {
	if len(text) > maxAnswer {
		return answer{}, fmt.Errorf("%w: it has %d bytes", errAnswer, len(text))
	}
	from := strings.Index(text, "{")
	to := strings.LastIndex(text, "}")
	if from < 0 || to < from {
		return answer{}, errAnswer
	}
	var found struct {
		Causes *[]said `json:"causes"`
	}
	if err := json.Unmarshal([]byte(text[from:to+1]), &found); err != nil {
		return answer{}, fmt.Errorf("%w: %w", errAnswer, err)
	}
	if found.Causes == nil {
		return answer{}, fmt.Errorf("%w: it has no causes", errAnswer)
	}
	return answer{*found.Causes}, nil
}

// The reasons for which something of an answer is dropped.
const (
	dropUncited   = "claim_without_citation"
	dropSession   = "claim_cites_another_session"
	dropMessage   = "claim_cites_no_such_message"
	dropQuote     = "claim_quotes_what_is_not_there"
	dropKind      = "cause_of_unknown_kind"
	dropBare      = "cause_without_claims"
	dropUnproved  = "cause_without_the_evidence_of_its_kind"
	dropMany      = "cause_beyond_the_limit"
	dropNoMeaning = "cause_without_title"
)

// check keeps what an answer proves: claims that quote a piece of the sheet, and causes that
// have the evidence which their kind needs. What it drops it counts.
func (s sheet) check(a answer, session string, redact func(string) string) (causes []improve.Cause, dropped map[string]int) {
	dropped = map[string]int{}
	for i, c := range a.Causes {
		if i >= maxCauses {
			dropped[dropMany] += len(a.Causes) - i
			break
		}
		kind, known := kinds[c.Kind]
		title := line(redact(c.Title), maxTitle)
		switch {
		case !known:
			dropped[dropKind]++
			continue
		case title == "":
			dropped[dropNoMeaning]++
			continue
		}
		cause := improve.Cause{
			Kind: c.Kind, Subject: line(redact(c.Subject), maxSubject), Title: title, Do: line(redact(c.Do), maxDo),
			Sessions: 1, In: []string{session},
		}
		var cited []improve.Piece
		for _, cl := range c.Claims[:min(len(c.Claims), maxClaims)] {
			piece, why := s.find(cl)
			if why != "" {
				dropped[why]++
				continue
			}
			cited = append(cited, piece)
			cause.Claims = append(cause.Claims, improve.Claim{
				Session: session, Message: piece.Message, Quote: line(redact(cl.Quote), maxQuote), Says: line(redact(cl.Says), maxSays),
			})
		}
		switch {
		case len(cited) == 0:
			dropped[dropBare]++
		case !kind(cited):
			dropped[dropUnproved]++
		default:
			causes = append(causes, cause)
		}
	}
	return causes, dropped
}

// find is the piece that a claim cites, or why it cites none.
func (s sheet) find(c claim) (improve.Piece, string) {
	quote := squeeze(c.Quote)
	switch {
	case c.Message == "" || quote == "":
		return improve.Piece{}, dropUncited
	case c.Session != s.session:
		return improve.Piece{}, dropSession
	}
	n, err := strconv.Atoi(strings.TrimPrefix(c.Message, "m"))
	if err != nil || n < 1 || n > len(s.pieces) || c.Message != "m"+strconv.Itoa(n) {
		return improve.Piece{}, dropMessage
	}
	text := squeeze(s.pieces[n-1].Text)
	if len(quote) < min(minQuote, len(text)) || len(quote) > maxQuote || !strings.Contains(text, quote) {
		return improve.Piece{}, dropQuote
	}
	return s.pieces[n-1], ""
}

// kinds are the kinds of causes, with the evidence that each needs: a reader who cites only
// what suits one side has not shown it.
var kinds = map[string]func(cited []improve.Piece) bool{
	"instruction_ignored": bySome(improve.PieceKind.ByPerson),
	"misunderstood":       bySome(improve.PieceKind.ByPerson),
	"wrong_approach":      bySome(improve.PieceKind.ByPerson),
	"untrue_claim":        disproved,
	"unverified":          bySome(isEnd),
	"missing_knowledge":   bySome(func(k improve.PieceKind) bool { return !isEnd(k) }),
	"environment":         bySome(func(k improve.PieceKind) bool { return !isEnd(k) }),
}

// disproved reports whether words of the agent are cited, and something else that can speak
// against them: a person, a result, or what the agent itself said at another time.
func disproved(cited []improve.Piece) bool {
	return bySome(isEnd)(cited) && slices.ContainsFunc(cited, func(p improve.Piece) bool {
		return !isEnd(p.Kind) || p.Message != cited[0].Message
	})
}

func isEnd(k improve.PieceKind) bool { return k == improve.PieceEnd }

func bySome(is func(improve.PieceKind) bool) func([]improve.Piece) bool {
	return func(cited []improve.Piece) bool {
		return slices.ContainsFunc(cited, func(p improve.Piece) bool { return is(p.Kind) })
	}
}

// squeeze makes texts comparable that differ in space alone.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }

// line is a text as one line of at most n bytes.
func line(text string, n int) string {
	text = squeeze(strings.ToValidUTF8(text, ""))
	if short := trimtab.Clip(text, n); short != text {
		return strings.TrimSpace(short) + "…"
	}
	return text
}
