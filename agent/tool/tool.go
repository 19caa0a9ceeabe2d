package tool

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

// Tool is what a model may call.
type Tool struct {
	llm.Tool
	Run func(ctx context.Context, input json.RawMessage) (string, error)

	// Ask says what a person is to be asked before this call; false: it may run
	// without. nil: the tool never asks.
	Ask func(ctx context.Context, input json.RawMessage) (Ask, bool)

	// Always takes note that the person allows the ask's rule: for the session of
	// ctx, or beyond it. nil: an Always counts for the one call.
	Always func(ctx context.Context, ask Ask, scope Scope) error
}

// Panic is the error of a tool that panicked.
type Panic struct {
	Tool  string
	Value any
	Stack string
}

func (p *Panic) Error() string {
	return fmt.Sprintf("%s: the tool broke down (%v); do without it", p.Tool, p.Value)
}

// Call runs the tool. Whatever the tool does, the text is valid UTF-8 of limited
// size, and a panic is an error of type *Panic.
func (t Tool) Call(ctx context.Context, input json.RawMessage) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = "", &Panic{Tool: t.Name, Value: p, Stack: string(debug.Stack())}
		}
	}()
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("%s: %w", t.Name, err)
	}
	text, err = t.Run(ctx, input)
	return cut(strings.ToValidUTF8(text, "\uFFFD"), maxRead+1024), err
}

// Question says what the person is to be asked before a call, if anything. A panic
// is an error: nobody knows then what to ask.
func (t Tool) Question(ctx context.Context, input json.RawMessage) (ask Ask, need bool, err error) {
	if t.Ask == nil {
		return Ask{}, false, nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = &Panic{Tool: t.Name, Value: p, Stack: string(debug.Stack())}
		}
	}()
	ask, need = t.Ask(ctx, input)
	return ask, need, nil
}

// What a result may hold, in bytes: that of read, and of every other tool.
const (
	maxRead = 256 << 10
	maxText = 64 << 10
)

// cut shortens text to about limit bytes, between runes, and says so.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return trimtab.Clip(text, limit) + fmt.Sprintf("\n[cut: %d of %d bytes shown]", limit, len(text))
}

//go:embed *.md
var words embed.FS

// describe returns what the model is told of a tool.
func describe(name string) string {
	text, err := words.ReadFile(name + ".md")
	if err != nil {
		return "" // a test sees to it that every tool has its words
	}
	return strings.TrimSpace(string(text))
}

// define puts together a tool whose input is an In.
func define[In any](name, schema string, run func(context.Context, In) (string, error)) Tool {
	return Tool{
		Tool: llm.Tool{Name: name, Description: describe(name), Schema: json.RawMessage(schema), ReadOnly: true},
		Run: func(ctx context.Context, input json.RawMessage) (string, error) {
			in, err := decode[In](input)
			if err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			text, err := run(ctx, in)
			if err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			return text, nil
		},
	}
}

// maxInput is the largest input a tool here takes, in bytes.
const maxInput = 1 << 20

// decode reads the input of a call. A key that the tool does not have is an
// error, so that a model that guessed the name learns of it.
func decode[In any](input json.RawMessage) (in In, err error) {
	if len(input) > maxInput {
		return in, fmt.Errorf("the input is %d bytes; at most %d are taken", len(input), maxInput)
	}
	if len(bytes.TrimSpace(input)) == 0 {
		input = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		return in, fmt.Errorf("the input does not fit the tool's schema: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return in, errors.New("the input does not fit the tool's schema: something follows the object")
	}
	return in, nil
}

// sheet gathers the lines of a result up to its size.
type sheet struct {
	strings.Builder
	full bool
}

// line adds a line, unless the sheet is full.
func (s *sheet) line(text string) bool {
	if s.full || s.Len()+len(text)+1 > maxText-8<<10 { // the rest is reserved for sum and note
		s.full = true
		return false
	}
	s.WriteString(text)
	s.WriteByte('\n')
	return true
}

// sum adds a line about the whole; line has reserved space for it.
func (s *sheet) sum(format string, args ...any) { fmt.Fprintf(s, format+"\n", args...) }

// note adds such a line in brackets: something was left out.
func (s *sheet) note(format string, args ...any) { s.sum("["+format+"]", args...) }

func (s *sheet) text() string { return strings.TrimSuffix(s.String(), "\n") }
