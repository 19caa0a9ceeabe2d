package claude

import (
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript/internal/jsonl"
)

// prompted reports whether the line says that a person's prompt came in this
// way. Marks that it does not know speak against it.
func (l *line) prompted(origin string) bool {
	turn, source := l.turnOrigin, l.promptSource
	human := jsonl.Is(turn, "human")
	switch {
	case origin != "" && origin != "human":
		return false
	case !jsonl.Null(turn) && !human && !jsonl.Is(turn, "sdk"):
		return false
	case jsonl.Null(source), jsonl.Is(source, "typed"), jsonl.Is(source, "sdk"):
		return true
	}
	return jsonl.Is(source, "queued") && (human || origin == "human")
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
	case !jsonl.Null(l.promptSource):
		r.marks = version
	case origin == "" && version != "" && version == r.marks:
		return trimtab.Host, nil
	}
	return trimtab.Person, nil
}

// originOf reads {"kind": "human"}; an absent origin is "".
func originOf(v []byte) (string, error) {
	if jsonl.Null(v) {
		return "", nil
	}
	kind := "unknown"
	var err error
	c := jsonl.Object(v)
	for c.Next() && err == nil {
		if string(c.Key) == "kind" && !jsonl.Null(c.Value) {
			kind, err = jsonl.String(c.Value)
		}
	}
	if err == nil {
		err = c.Err()
	}
	return kind, err
}
