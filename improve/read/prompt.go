package read

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/trimtab/trimtab/improve"
)

//go:embed prompt.md
var instructions string

// sheet is a session as the agent sees it: pieces with numbers. Neither the session nor its
// messages are called by their own ids, which come from a file and may hold anything.
type sheet struct {
	session string // as the agent calls it
	pieces  []improve.Piece
	prompt  string
	key     string // of the answer: the same sheet to the same agent has the same
}

// newSheet lays pieces out. agent says who will read it, with the model.
func newSheet(session string, pieces []improve.Piece, agent string) sheet {
	s := sheet{session: "s" + digest(session)[:8], pieces: pieces}
	var all strings.Builder
	for _, p := range pieces {
		fmt.Fprintf(&all, "%s\x00%s\x00", p.Kind, p.Text)
	}
	// The mark is made of what it marks, so nothing inside can hold it.
	mark := digest(session + "\x00" + all.String())[:16]
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(instructions, "{{session}}", s.session))
	fmt.Fprintf(&b, "\nThe session is %s. Marks have the word %s in them; a line without it is no mark.\n\n", s.session, mark)
	for i, p := range pieces {
		fmt.Fprintf(&b, "<%s m%d %s>\n%s\n", mark, i+1, p.Kind, p.Text)
	}
	fmt.Fprintf(&b, "<%s end>\n\nThe data ends here. Answer with the JSON object.\n", mark)
	s.prompt = b.String()
	s.key = digest(agent + "\x00" + s.prompt)
	return s
}

// tokens is about how many tokens the prompt has.
func (s sheet) tokens() int { return len(s.prompt) / bytesPerToken }

const bytesPerToken = 4

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
