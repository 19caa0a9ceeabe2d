package claude

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/jsonscan"
)

// prompted reports whether the line says that a person's prompt came in this
// way. Marks that it does not know speak against it.
func (l *line) prompted(origin string) bool {
	turn, source := l.turnOrigin, l.promptSource
	human := jsonscan.Is(turn, "human")
	switch {
	case origin != "" && origin != "human":
		return false
	case !jsonscan.Null(turn) && !human && !jsonscan.Is(turn, "sdk"):
		return false
	case jsonscan.Null(source), jsonscan.Is(source, "typed"), jsonscan.Is(source, "sdk"):
		return true
	}
	return jsonscan.Is(source, "queued") && (human || origin == "human")
}

// author says who wrote the text of a user line. Tagged text in it is another
// matter, see feed.Spans.
func (r *reader) author(l *line) (trimtab.Author, error) {
	if l.side || l.meta || l.summary || l.byTool() {
		return trimtab.Host, nil
	}
	origin, err := originOf(l.origin)
	if err != nil {
		return "", err
	}
	if !l.prompted(origin) {
		return trimtab.Host, nil
	}
	// A version that marks prompts has no prompt without a mark. What began the
	// turn is no mark: the output of a person's command says human, too.
	version, err := r.Dec.Word(l.version)
	if err != nil {
		return "", err
	}
	switch {
	case !jsonscan.Null(l.promptSource):
		r.marks = version
	case origin == "" && version != "" && version == r.marks:
		return trimtab.Host, nil
	}
	return trimtab.Person, nil
}

// originOf reads {"kind": "human"}; an absent origin is "".
func originOf(v []byte) (string, error) {
	if jsonscan.Null(v) {
		return "", nil
	}
	kind := "unknown"
	var err error
	c := jsonscan.Object(v)
	for c.Next() && err == nil {
		if string(c.Key) == "kind" && !jsonscan.Null(c.Value) {
			kind, err = jsonscan.String(c.Value)
		}
	}
	if err == nil {
		err = c.Err()
	}
	return kind, err
}
