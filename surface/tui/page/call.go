package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/plural"
	"github.com/trimtab/trimtab/internal/termsafe"
)

// preview is how many lines of a result show before it is opened; of a diff, a
// person wants to see more.
const (
	preview     = 4
	previewDiff = 24
	previewLive = 5        // of a command that runs
	maxArgs     = 64 << 10 // bytes of an input that are looked into
	maxTodos    = 200
	maxFound    = 80 // bytes of what a list or a search says of itself
)

// looks are tools whose result is a file, a list or a page.
var looks = map[string]bool{"read": true, "list": true, "search": true, "web_fetch": true, "flame_log": true}

// oneLine returns text as one harmless line.
func oneLine(s string) string {
	return strings.Join(strings.Fields(termsafe.Line(s[:min(len(s), maxLine)])), " ")
}

// call draws a tool call: its name and input, and below them its result.
func (b *block) call(marks Marks) []piece {
	head := piece{kind: written, sign: marks.Call, signed: inkGood, one: true}
	switch {
	case b.arriving:
		head.sign, head.signed = marks.Running, inkBusy
	case b.failed:
		head.sign, head.signed = marks.Failed, inkBad
	}
	args := arguments(b.input)
	head.spans = []span{{oneLine(b.name), inkTool}}
	todos, isTodo := todoList(b.name, args)
	diff := readDiff(b.diff)
	if s := summary(b.name, args, b.input, marks.Cut); len(diff) > 0 && len(args) > 0 && !runsCommands(b.name) {
		head.spans = append(head.spans, span{" " + oneLine(args[0].text()), inkText})
	} else if s != "" && !isTodo {
		head.spans = append(head.spans, span{" " + s, inkText})
	}
	if added, removed := changedLines(diff); added+removed > 0 { // of what is not text, no lines are counted
		head.spans = append(head.spans, span{fmt.Sprintf("  +%d", added), inkAdded}, span{fmt.Sprintf(" −%d", removed), inkRemoved})
	}
	out := []piece{head}
	if isTodo {
		out = append(out, checkList(todos, marks)...)
	}
	switch {
	case b.arriving && b.live != "":
		return append(out, lastLines(b.live, previewLive, piece{ink: inkDim, indent: 4, bar: true})...)
	case len(diff) > 0 && !runsCommands(b.name) && !b.failed:
		return append(out, diffPieces(diff, b.wide, countFiles(diff) > 1)...)
	}
	if b.wide && !isTodo {
		out = append(out, inputs(args, b.input)...)
	}
	if b.arriving || isTodo && !b.failed && !b.wide {
		return out
	}
	if looks[b.name] && !b.failed && !b.wide { // what it read is for the model; that it did is for the person
		out[0].spans = append(out[0].spans, span{"  " + found(b.name, b.text), inkComment})
		return out
	}
	out = append(out, b.result()...)
	return append(out, diffPieces(diff, b.wide, true)...)
}

// found is what a tool that looks has found, in a few words: a list and a search say so
// themselves in their last line, but for what they left out, which is in brackets.
func found(tool, text string) string {
	text = strings.Trim(text, "\r\n")
	if text == "" {
		return "nothing"
	}
	if tool == "list" || tool == "search" {
		for rest := text; rest != ""; {
			at := strings.LastIndexByte(rest, '\n') + 1
			line := strings.TrimSpace(rest[at:])
			if rest = rest[:max(0, at-1)]; line != "" && line[0] != '[' {
				if len(line) <= maxFound {
					return oneLine(line)
				}
				break
			}
		}
	}
	return plural.Count(strings.Count(text, "\n")+1, "line")
}

func countFiles(lines []diffLine) (n int) {
	for _, l := range lines {
		if l.sign == 'f' {
			n++
		}
	}
	return n
}

// runsCommands reports whether a tool's result is the output of a program, of which the
// end says most.
func runsCommands(tool string) bool { return tool == "bash" || tool == "shell" }

// lastLines draws the end of an output, and says how much stands above it.
func lastLines(text string, most int, like piece) (out []piece) {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if n := len(lines) - most; n > 1 { // to say that there is one more takes as much space as the line
		above := fmt.Sprintf("%d lines above", n)
		out = append(out, piece{kind: written, indent: 4, bar: true, one: true, spans: []span{{above, inkComment}}})
		lines = lines[n:]
	}
	for _, line := range lines {
		p := like
		p.kind, p.one, p.text = written, true, clean(line[:min(len(line), maxLine)])
		out = append(out, p)
	}
	return out
}

// result draws what a tool returned: the first lines, or all of them where the
// person opened it.
func (b *block) result() []piece {
	text := strings.Trim(b.text, "\r\n")
	like := piece{ink: inkDim, indent: 4, bar: true}
	if b.failed {
		like.ink, like.soft = inkBad, !runsCommands(b.name)
	}
	limit := preview
	if isDiff(text) {
		like.diff, limit = true, previewDiff
	}
	lines := strings.Count(text, "\n") + 1
	switch {
	case text == "":
		like.kind, like.text = written, "no output"
		return []piece{like}
	case b.wide || lines <= limit && len(text) < maxLine/4:
		return sheet(text, like)
	case runsCommands(b.name) && !like.diff:
		return lastLines(text, previewLive, like)
	}
	if lines == limit+1 { // to say that there is one more takes as much space as the line
		limit++
	}
	var out []piece
	for range min(limit, lines) {
		line, n, _, ok := cutLine(text)
		if !ok {
			line, n = text, len(text)
		}
		text = text[n:]
		p := like
		p.kind, p.one, p.text = written, true, clean(line)
		out = append(out, p)
	}
	if text != "" {
		more := fmt.Sprintf("%d more lines", strings.Count(text, "\n")+1)
		out = append(out, piece{kind: written, indent: 4, bar: true, one: true, spans: []span{{more, inkComment}}})
	}
	return out
}

// argument is a key of a call's input.
type argument struct {
	key   string
	value any
}

// arguments returns the keys of an input in their order, or nil where it is not
// a JSON object.
func arguments(input string) []argument {
	if len(input) > maxArgs {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(input))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []argument
	for d.More() {
		key, err := d.Token()
		name, ok := key.(string)
		var v any
		if err != nil || !ok || d.Decode(&v) != nil {
			return nil
		}
		out = append(out, argument{name, v})
	}
	return out
}

// text returns a value as a person would write it.
func (a argument) text() string {
	if s, ok := a.value.(string); ok {
		return s
	}
	raw, err := json.Marshal(a.value)
	if err != nil {
		return ""
	}
	return string(raw)
}

// summary returns an input in one line: the first text bare, the others with
// their names.
func summary(name string, args []argument, input, cut string) string {
	if args == nil {
		if s := oneLine(input); s != "{}" && s != "null" {
			return s
		}
		return ""
	}
	first := max(0, slices.IndexFunc(args, func(a argument) bool { _, ok := a.value.(string); return ok }))
	var parts []string
	for i, a := range args {
		text := a.text()
		n := strings.Count(strings.TrimSpace(text), "\n") + 1
		switch {
		case a.value == true:
			parts = append(parts, oneLine(a.key))
		case i == first:
			parts = slices.Insert(parts, 0, oneLine(text))
		case runsCommands(name) && a.key == "timeout": // a limit for the model, of no interest while it holds
		case n > 1:
			parts = append(parts, fmt.Sprintf("%s=(%d lines)", oneLine(a.key), n))
		default:
			parts = append(parts, oneLine(a.key)+"="+clip(oneLine(text), 40, cut))
		}
	}
	return strings.Join(parts, " ")
}

// inputs shows a whole input, below the call that the person opened. Texts that
// replace each other are shown as a diff.
func inputs(args []argument, input string) []piece {
	if args == nil {
		if s := strings.TrimSpace(input); s != "" && s != "{}" && s != "null" {
			return sheet(input, piece{ink: inkText, indent: 2})
		}
		return nil
	}
	var out []piece
	if len(args) == 1 && len(args[0].text()) < 60 && !strings.Contains(args[0].text(), "\n") {
		return nil // the line above says it
	}
	for i, a := range args {
		text := a.text()
		switch key := strings.ToLower(a.key); {
		case i == 0 && !strings.Contains(text, "\n"):
			out = append(out, sheet(text, piece{ink: inkText, indent: 2, sign: keySign(a.key), signed: inkDim})...)
		case strings.HasPrefix(key, "old") && hasKey(args, "new"+key[3:]):
			out = append(out, sheet(prefixed(text, "-"), piece{indent: 2, diff: true})...)
		case strings.HasPrefix(key, "new") && hasKey(args, "old"+key[3:]):
			out = append(out, sheet(prefixed(text, "+"), piece{indent: 2, diff: true})...)
		default:
			out = append(out, sheet(text, piece{ink: inkText, indent: 2, sign: keySign(a.key), signed: inkDim})...)
		}
	}
	return out
}

// keySign is the name of a key before its value.
func keySign(key string) string { return clip(oneLine(key), 24, "") + ":" }

func hasKey(args []argument, key string) bool {
	for _, a := range args {
		if strings.ToLower(a.key) == key {
			return true
		}
	}
	return false
}

func prefixed(text, mark string) string {
	text = strings.TrimSuffix(text, "\n")
	return mark + strings.ReplaceAll(text, "\n", "\n"+mark)
}

type todo struct{ text, status string }

// todoList reads the list that a call of a todo tool writes, whichever host's it
// is.
func todoList(name string, args []argument) ([]todo, bool) {
	if !host.IsTodoTool(name) {
		return nil, false
	}
	for _, a := range args {
		items, ok := a.value.([]any)
		if !ok {
			continue
		}
		var out []todo
		for _, it := range items[:min(len(items), maxTodos)] {
			m, ok := it.(map[string]any)
			if !ok {
				return nil, false
			}
			t := todo{}
			for _, k := range []string{"content", "step", "description", "subject", "text"} {
				if s, ok := m[k].(string); ok && t.text == "" {
					t.text = oneLine(s)
				}
			}
			t.status, _ = m["status"].(string)
			out = append(out, t)
		}
		return out, true
	}
	return nil, false
}

func checkList(todos []todo, marks Marks) []piece {
	out := make([]piece, 0, len(todos))
	for _, t := range todos {
		p := piece{kind: written, text: t.text, indent: 2, soft: true, sign: marks.Open, signed: inkMark}
		switch strings.ToLower(t.status) {
		case "completed", "complete", "done":
			p.sign, p.signed, p.ink = marks.Done, inkGood, inkDim
		case "in_progress", "in-progress", "inprogress", "active", "doing":
			p.sign, p.signed, p.ink = marks.Doing, inkBusy, inkTool
		}
		out = append(out, p)
	}
	return out
}
