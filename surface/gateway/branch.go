package gateway

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/host"
	"github.com/trimtab/trimtab/internal/jsonscan"
	"github.com/trimtab/trimtab/wire"
)

// profile is what the requests of one line of work have in common: the system prompt
// and the tools. A sub-agent, a title, a router has its own.
type profile struct {
	system, tools uint64   // as they are written
	sketch        []uint64 // of the sentences of the system prompt: the smallest of their hashes, in order
	offers        bool     // there are tools
	noTodos       bool     // and none of them writes a todo list
}

// profile reads that of a body. Where it has not changed since the last one of the
// main line, nothing is decoded.
func (l *ledger) profileOf(f wire.Format, b *wire.Body) profile {
	p := profile{tools: jsonscan.TextHash(b.Bytes(b.Tools)), offers: b.Tools.End-b.Tools.Start > len("[]")}
	if p.noTodos = l.profile.noTodos; p.tools != l.profile.tools {
		p.noTodos = offersNoTodos(b.Bytes(b.Tools))
	}
	if b.System.End > b.System.Start {
		p.system = jsonscan.TextHash(b.Bytes(b.System))
	} else if i := slices.IndexFunc(b.Items, func(it wire.Item) bool { return it.Role == trimtab.RoleSystem }); i >= 0 {
		p.system = b.Items[i].Hash
	}
	if p.system == l.profile.system {
		p.sketch = l.profile.sketch
	} else {
		p.sketch = sketch(systemText(f, b))
	}
	return p
}

// offersNoTodos reports whether a request offers tools, none to write a todo list with, and
// no way to find others that it does not list.
func offersNoTodos(tools []byte) bool {
	names := func(name string) bool { return bytes.Contains(tools, []byte(`"`+name+`"`)) }
	return names("name") && !names("ToolSearch") && !slices.ContainsFunc(host.TodoToolNames(), names)
}

const sketchSize = 64

// sketch is a sample of the sentences of a text: the same ones give the same sample,
// wherever they stand.
func sketch(text string) []uint64 {
	var all []uint64
	text = strings.ReplaceAll(text, `\n`, "\n") // as JSON has it
	for part := range strings.SplitSeq(strings.ReplaceAll(text, ". ", "\n"), "\n") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, jsonscan.TextHash([]byte(part)))
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.Clip(all[:min(len(all), sketchSize)])
}

// like reports whether two system prompts are one, give or take a date, a list of
// files or a paragraph of memory: at least half of their sentences are the same.
func (p profile) like(q profile) bool {
	if p.system == q.system {
		return true
	}
	smaller := min(len(p.sketch), len(q.sketch))
	if smaller == 0 {
		return len(p.sketch) == len(q.sketch)
	}
	// Of two samples only the range that both cover can be compared.
	end := min(p.sketch[len(p.sketch)-1], q.sketch[len(q.sketch)-1])
	if len(p.sketch) < sketchSize {
		end = q.sketch[len(q.sketch)-1]
	}
	if len(q.sketch) < sketchSize {
		end = p.sketch[len(p.sketch)-1]
	}
	if len(p.sketch) < sketchSize && len(q.sketch) < sketchSize {
		end = ^uint64(0)
	}
	both, any := 0, 0
	for i, j := 0, 0; i < len(p.sketch) || j < len(q.sketch); any++ {
		switch {
		case i < len(p.sketch) && p.sketch[i] > end || j < len(q.sketch) && q.sketch[j] > end:
			return 2*both >= any
		case j == len(q.sketch) || i < len(p.sketch) && p.sketch[i] < q.sketch[j]:
			i++
		case i == len(p.sketch) || p.sketch[i] > q.sketch[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	return 2*both >= any
}

// side says why a request is not of the main line, or "". What its host's row says of
// it was asked before; this holds for every client. A request is of the main line that
// brings back the newest reply: its turn goes on, whatever else has changed. One that
// does not is a rewind, a compaction or a fresh start where it comes with the system
// prompt of the main line, and otherwise somebody else's.
func (l *ledger) side(r reading, p profile, f wire.Format, b *wire.Body) string {
	switch newest := l.newest(); {
	case len(l.main) == 0 || !l.profile.known():
		return ""
	case !p.offers && l.profile.offers:
		return "no tools"
	case newest >= 0 && r.holds(newest):
		return ""
	case l.delegated(f, b):
		return "sub-agent"
	case p.offers && !l.profile.offers, p.like(l.profile):
		return ""
	}
	return "another system prompt"
}

func (p profile) known() bool { return p.system != 0 || p.tools != 0 }

// shortest is how long a text must be, in bytes, to be known again in another one.
const shortest = 24

// delegated reports whether a body begins with a text that the newest reply of the
// main line hands to a tool: the prompt of a sub-agent, which the model wrote.
func (l *ledger) delegated(f wire.Format, b *wire.Body) bool {
	if l.pending == nil {
		return false
	}
	var given []string
	for _, part := range l.pending.Parts {
		if call, ok := part.(trimtab.ToolCall); ok {
			given = texts(given, call.Input)
		}
	}
	if len(given) == 0 {
		return false
	}
	for i := range b.Items {
		switch b.Items[i].Role {
		case trimtab.RoleAssistant:
			return false
		case trimtab.RoleUser:
			for _, part := range f.Message(b, i).Parts {
				text, _ := part.(trimtab.Text)
				if words := strings.TrimSpace(text.Text); len(words) >= shortest && slices.ContainsFunc(given, func(s string) bool { return strings.Contains(words, s) }) {
					return true
				}
			}
		}
	}
	return false
}

// texts appends the longer strings of a JSON value.
func texts(all []string, raw []byte) []string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return all
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			if v = strings.TrimSpace(v); len(v) >= shortest {
				all = append(all, v)
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	return all
}

// carried are the notes that a request beside the main line carries: those that stand
// in the part of the history that it shares with it, so that the provider finds the
// prefix that it knows. A request with another system prompt or other tools shares
// none.
func (l *ledger) carried(r reading, p profile, by wire.Channel, b *wire.Body) []wire.Edit {
	if p.system != l.profile.system || p.tools != l.profile.tools || r.shared == 0 {
		return nil
	}
	r.lines = r.lines[:r.shared]
	s := l.state
	s.Notes = slices.DeleteFunc(slices.Clone(s.Notes), func(n trimtab.Note) bool { return !n.Fixed }) // what rides is the main line's
	return r.edits(s, l.copies, by, b)
}
