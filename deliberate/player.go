package deliberate

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

//go:embed play.md
var playText string

//go:embed play-section.md
var sectionText string

// Player is the demo model in a debate: it plays every persona and the researcher.
// It reads only the request, keeps no state and guesses nothing about the world: the
// same request gets the same reply. What it says is made of the brief and of lines
// written beforehand, and its first words say so.
type Player struct {
	delay    time.Duration // between two words
	lines    map[string][]string
	sections map[string]string
}

var _ llm.Model = (*Player)(nil)

// NewPlayer returns the demo model for debates. delay is the time between two words.
func NewPlayer(delay time.Duration) *Player {
	p := &Player{delay: delay, lines: map[string][]string{}, sections: map[string]string{}}
	for title, body := range pieces(playText) {
		for line := range strings.Lines(body) {
			if text, ok := strings.CutPrefix(strings.TrimSpace(line), "- "); ok {
				p.lines[title] = append(p.lines[title], text)
			}
		}
	}
	for title, body := range pieces(sectionText) {
		p.sections[title] = body
	}
	return p
}

// pieces cuts a text at its headings of the second rank and yields what each heading
// says and what stands below it.
func pieces(text string) iter.Seq2[string, string] {
	return func(yield func(title, body string) bool) {
		_, rest, _ := strings.Cut(text, "\n## ")
		for part := range strings.SplitSeq(rest, "\n## ") {
			title, body, _ := strings.Cut(part, "\n")
			if !yield(strings.TrimSpace(title), strings.TrimSpace(body)) {
				return
			}
		}
	}
}

// Name returns "demo".
func (p *Player) Name() string { return "demo" }

// Stream replies to a request, word by word.
func (p *Player) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		text, calls := p.reply(r)
		for word := range strings.SplitAfterSeq(text, " ") {
			if err := p.wait(ctx); err != nil {
				yield(nil, err)
				return
			}
			if !yield(llm.TextDelta{Text: word}, nil) {
				return
			}
		}
		done := llm.Done{Stop: llm.StopEnd, Message: trimtab.Message{Role: trimtab.RoleAssistant, Model: p.Name()}}
		if text != "" {
			done.Message.Parts = append(done.Message.Parts, trimtab.Text{Text: text, By: trimtab.Model})
		}
		for _, c := range calls {
			done.Stop = llm.StopCalls
			done.Message.Parts = append(done.Message.Parts, c)
		}
		size := len(r.System)
		for _, m := range r.Messages {
			size += m.Size()
		}
		done.Message.Usage = &trimtab.Usage{Input: (size + 3) / 4, Output: (done.Message.Size() + 3) / 4}
		yield(done, nil)
	}
}

func (p *Player) wait(ctx context.Context) error {
	if p.delay <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(p.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// confession is said once, by whoever speaks first.
const confession = "(We are trimtab's built-in demo: what we say comes from your brief and from lines written beforehand, not from thought.)"

func (p *Player) reply(r llm.Request) (string, []trimtab.ToolCall) {
	n := len(r.Messages)
	if n == 0 {
		return "There is nothing to answer.", nil
	}
	cue, ok := parseCue(r.Messages[n-1].Text())
	if !ok {
		return p.look(r)
	}
	s := scene{Player: p, cue: cue, topic: topicOf(briefIn(r.Messages))}
	text := s.say()
	if !slices.ContainsFunc(r.Messages[:n-1], func(m trimtab.Message) bool { return strings.Contains(m.Text(), confession) }) {
		text += "\n\n" + confession
	}
	return text, nil
}

// briefIn is the first thing that the person said.
func briefIn(messages []trimtab.Message) string {
	for _, m := range messages {
		if m.IsPrompt() {
			text := m.Typed()
			if _, inside, ok := strings.Cut(text, "\">\n"); ok {
				text = strings.TrimSuffix(inside, "\n</message>")
			}
			return text
		}
	}
	return ""
}

// topic is what the player understands of a brief.
type topic struct{ brief, thing, subject, core, trait, word string }

// topicOf takes a brief apart, as in "A landing page | for | a bakery | that |
// delivers by bike". What it cannot take apart it takes whole.
func topicOf(brief string) topic {
	full := trimtab.Clip(firstLine(brief), 160)
	line := strings.TrimRight(full, ".!? ")
	t := topic{brief: line, thing: "answer", subject: line, core: "the idea", trait: "does one thing well", word: keyWord(line)}
	if strings.HasSuffix(full, "?") {
		t.subject = "the question \"" + full + "\""
		return t
	}
	if thing, rest, ok := strings.Cut(line, " for "); ok {
		t.thing, t.subject = bare(thing), rest
	}
	t.subject = strings.TrimSpace(t.subject)
	head := t.subject
	for _, link := range []string{" that ", " which ", " who "} {
		if before, trait, ok := strings.Cut(head, link); ok {
			head, t.trait = before, trait
		}
	}
	for _, word := range []string{" of ", " in ", " with ", " on ", " to ", " at ", " from ", ","} {
		head, _, _ = strings.Cut(head, word)
	}
	if words := strings.Fields(bare(head)); len(words) > 0 && len(words) <= 3 {
		t.core, t.word = "the "+strings.Join(words, " "), words[len(words)-1]
	}
	if before := bare(t.subject); before != t.subject { // in the middle of a sentence
		t.subject = strings.ToLower(t.subject[:1]) + t.subject[1:]
	}
	return t
}

// bare is a phrase without its article.
func bare(phrase string) string {
	for _, article := range []string{"a ", "an ", "the ", "our ", "A ", "An ", "The ", "Our "} {
		if rest, ok := strings.CutPrefix(phrase, article); ok {
			return rest
		}
	}
	return phrase
}

// look plays the researcher: it lists the folder, searches it for the first word of
// the question, and tells what came of that.
func (p *Player) look(r llm.Request) (string, []trimtab.ToolCall) {
	ask := r.Messages[0].Text()
	_, want, _ := strings.Cut(ask, "to look up: ")
	word, _, _ := strings.Cut(want, " ")
	var results []trimtab.ToolResult
	for _, m := range r.Messages {
		for _, part := range m.Parts {
			if res, ok := part.(trimtab.ToolResult); ok {
				results = append(results, res)
			}
		}
	}
	steps := []trimtab.ToolCall{{ID: "look-1", Name: "list", Input: json.RawMessage(`{"path":"."}`)}}
	if raw, err := json.Marshal(map[string]any{"pattern": word, "ignore_case": true}); err == nil && word != "" {
		steps = append(steps, trimtab.ToolCall{ID: "look-2", Name: "search", Input: raw})
	}
	for _, c := range steps {
		offered := slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == c.Name })
		done := slices.ContainsFunc(results, func(res trimtab.ToolResult) bool { return res.ID == c.ID })
		if offered && !done {
			return "", []trimtab.ToolCall{c}
		}
	}
	if len(results) == 0 {
		return fmt.Sprintf("On %q: nothing here can be looked at, so nothing was found. The demo asks nobody outside.", trimtab.Clip(want, 120)), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "On %q: this is all that the folder of the debate says; the demo asks nobody outside.", trimtab.Clip(want, 120))
	for i, res := range results {
		what := "The folder"
		if i == 1 {
			what = fmt.Sprintf("A search for %q", word)
		}
		fmt.Fprintf(&b, "\n- %s: %s", what, trimtab.Clip(oneLine(res.Text), 300))
	}
	return b.String(), nil
}

// keyWord is the last word of a text that carries meaning.
func keyWord(text string) string {
	words := contentWords(text)
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}
