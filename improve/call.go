package improve

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/evidence"
)

// pending is a call that waits for its result.
type pending struct {
	id, tool, about string
	file            string // that a tool which runs no command is about
	key             string // the same call has the same
	runs            bool   // it runs a command
	writes          bool   // it writes a file
	refused         bool   // it was not carried out
}

// maxAbout is how much is kept of what an open call is about. It is redacted when
// it is quoted, and shortened only then.
const maxAbout = 2000

// maxInput is the longest input of a call that is read; a longer one is compared
// as it stands.
const maxInput = 64 << 10

// call counts a tool, and the same call of it.
func (r *Reflector) call(m trimtab.Message, c trimtab.ToolCall) {
	r.metrics.ToolUses++
	tool := name(r.redact(c.Name))
	key, about := identity(c)
	kind := evidence.ToolOf(c.Name)
	p := pending{id: c.ID, tool: tool, about: about, key: tool + "\x00" + key, runs: kind == evidence.RunsCommands, writes: kind == evidence.WritesFiles && len(evidence.ReadCall(c).Files) > 0}
	if !p.runs {
		p.file = fileOf(c)
	}
	r.expose(p)
	r.open = append(r.open, p)
	r.open = r.open[max(0, len(r.open)-maxOpen):]
	if row := r.tools.at(tool, r.seen); row != nil {
		row.tool = tool
		if row.n > 10-maxSamples { // the last ones before it counts as busy
			r.quote(row, m.ID, tool+" "+about)
		}
	}
	if r.opt.Literal {
		r.repeat(p, m.ID)
	}
}

// repeat counts a call.
func (r *Reflector) repeat(p pending, id string) *tally {
	row := r.calls.at(p.key, r.seen)
	if row == nil {
		return nil
	}
	if row.n == 1 {
		row.tool, row.label = p.tool, p.about
	} else { // most calls are made once: they are not quoted
		r.quote(row, id, p.tool+" "+r.near(r.redact(p.about)))
	}
	return row
}

// answered counts a call that gives what it gave before. A check that passes again is no
// trouble, nor is a call that gives something new.
func (r *Reflector) answered(id string, p pending, res trimtab.ToolResult, failed bool) {
	if r.opt.Literal || p.key == "" || p.runs && !failed {
		return
	}
	row := r.repeat(p, id)
	if row == nil {
		return
	}
	if gave := hashOf(Fold(res.Text) + strconv.Itoa(len(res.Text))); gave != row.gave {
		row.gave, row.n, row.samples = gave, 1, nil
	}
	row.failed = failed
}

// fileOf is the file or folder that a call names.
func fileOf(c trimtab.ToolCall) string {
	if len(c.Input) > maxInput {
		return ""
	}
	var input struct {
		A string `json:"file_path"`
		B string `json:"filePath"`
		C string `json:"absolute_path"`
		D string `json:"path"`
	}
	_ = json.Unmarshal(c.Input, &input) // keys of other types name no file
	return cmp.Or(input.A, input.B, input.C, input.D)
}

// name is a tool's name as it may be shown.
func name(tool string) string {
	tool = strings.Map(func(r rune) rune {
		if wordly(r) || r == '-' || r == '.' || r == ':' {
			return r
		}
		return -1
	}, trimtab.Clip(tool, 80))
	if tool == "" {
		return "unnamed"
	}
	return strings.Clone(tool) // it is kept, and may share memory with what is not
}

// asides are keys of an input that say why a call is made or how long it may
// take, not what it does.
var asides = []string{"description", "explanation", "reason", "thought", "timeout", "timeout_ms", "task_progress", "yield_time_ms", "max_output_tokens"}

// subjects are the keys that tell best what a call is about.
var subjects = []string{"command", "cmd", "script", "file_path", "filePath", "absolute_path", "path", "pattern", "query", "url", "prompt", "input", "name"}

// identity is what makes two calls of a tool the same, whatever the order of the
// keys, the space and the asides; and what the call is about, for a person.
func identity(c trimtab.ToolCall) (key, about string) {
	if len(c.Input) > maxInput {
		return hash(c.Input), ""
	}
	var input map[string]any
	if json.Unmarshal(c.Input, &input) != nil {
		return hash(c.Input), trimtab.Clip(string(c.Input), maxAbout)
	}
	for k, v := range input {
		if len(input) > 1 && slices.Contains(asides, k) {
			delete(input, k)
		} else if s, ok := v.(string); ok {
			input[k] = strings.Join(strings.Fields(stripANSI(s)), " ")
		}
	}
	raw, err := json.Marshal(input)
	if err != nil {
		raw = c.Input
	}
	return hash(raw), aboutOf(input, raw)
}

func aboutOf(input map[string]any, raw []byte) string {
	for _, k := range subjects {
		switch v := input[k].(type) {
		case string:
			if v != "" {
				return trimtab.Clip(v, maxAbout)
			}
		case []any: // a command in pieces
			var words []string
			for _, w := range v {
				if s, ok := w.(string); ok {
					words = append(words, s)
				}
			}
			if len(words) > 0 {
				return trimtab.Clip(strings.Join(words, " "), maxAbout)
			}
		}
	}
	if len(raw) <= 2 {
		return ""
	}
	return trimtab.Clip(string(raw), maxAbout)
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return string(sum[:12])
}
