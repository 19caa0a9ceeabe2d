package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
)

// Script is a parsed script: replies to play in order.
type Script struct{ lines []scripted }

// scripted is one reply of a script.
type scripted struct {
	reply
	when string // words that the newest prompt must hold, lower case
}

// The limits of a script.
const (
	maxScript  = 1 << 20 // bytes
	maxReplies = 10000
	maxCalls   = 64 // of one reply
)

// Parse reads a script; the package comment describes its form. An error names
// the line.
func Parse(text []byte) (Script, error) {
	if len(text) > maxScript {
		return Script{}, fmt.Errorf("script: %w: %d bytes, at most %d", trimtab.ErrTooLarge, len(text), maxScript)
	}
	if !utf8.Valid(text) {
		return Script{}, errors.New("script: not UTF-8 text")
	}
	p := &parser{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if err := p.line(strings.TrimRight(line, "\r\n")); err != nil {
			return Script{}, fmt.Errorf("script: line %d: %w", number, err)
		}
	}
	if err := p.close(); err != nil {
		return Script{}, fmt.Errorf("script: line %d: %w", number, err)
	}
	if len(p.Script.lines) == 0 {
		return Script{}, errors.New("script: it has no reply; begin one with a line \"reply\"")
	}
	return p.Script, nil
}

type parser struct {
	Script
	open bool     // within a reply
	text []string // its lines
}

func (p *parser) line(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		return nil
	case word == "reply":
		return p.reply(strings.TrimSpace(rest))
	case !p.open:
		return fmt.Errorf("%q stands before the first reply; begin one with a line \"reply\"", clipped(word))
	}
	now := &p.lines[len(p.lines)-1]
	if now.fail != "" {
		return errors.New("nothing follows \"fail\" in a reply; begin the next one with a line \"reply\"")
	}
	switch word {
	case "say":
		if len(now.calls) > 0 {
			return errors.New("\"say\" stands before the calls of its reply")
		}
		p.text = append(p.text, rest)
	case "call":
		return p.call(now, strings.TrimSpace(rest))
	case "fail":
		if now.fail = strings.TrimSpace(rest); now.fail == "" {
			return errors.New("\"fail\" wants the words of the error behind it")
		}
	default:
		return fmt.Errorf("%q is not one of reply, say, call, fail", clipped(word))
	}
	return nil
}

func (p *parser) reply(rest string) error {
	if err := p.close(); err != nil {
		return err
	}
	if len(p.lines) == maxReplies {
		return fmt.Errorf("%w: more than %d replies", trimtab.ErrTooLarge, maxReplies)
	}
	when := ""
	if rest != "" {
		word, words, _ := strings.Cut(rest, " ")
		if when = strings.ToLower(strings.TrimSpace(words)); word != "when" || when == "" {
			return fmt.Errorf("after \"reply\" may stand \"when\" and words of the prompt, not %q", clipped(rest))
		}
	}
	p.lines = append(p.lines, scripted{when: when})
	p.open, p.text = true, nil
	return nil
}

// close ends the reply that is open.
func (p *parser) close() error {
	if !p.open {
		return nil
	}
	now := &p.lines[len(p.lines)-1]
	now.text = strings.Join(p.text, "\n")
	if now.text == "" && len(now.calls) == 0 && now.fail == "" {
		return errors.New("the reply that ends here says nothing; give it a \"say\", \"call\" or \"fail\"")
	}
	return nil
}

func (p *parser) call(now *scripted, rest string) error {
	name, input, _ := strings.Cut(rest, " ")
	if name == "" {
		return errors.New("\"call\" wants the name of a tool behind it")
	}
	if len(now.calls) == maxCalls {
		return fmt.Errorf("%w: more than %d calls in one reply", trimtab.ErrTooLarge, maxCalls)
	}
	raw := []byte(strings.TrimSpace(input))
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(raw, &object); err != nil || object == nil {
		if err == nil {
			err = errors.New("it is null")
		}
		return fmt.Errorf("the input of %q is not a JSON object: %w", clipped(name), err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return fmt.Errorf("the input of %q: %w", clipped(name), err)
	}
	now.calls = append(now.calls, trimtab.ToolCall{Name: name, Input: compact.Bytes()})
	return nil
}

// clipped keeps what an error quotes short.
func clipped(s string) string { return short(s, 40) }
