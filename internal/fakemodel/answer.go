package fakemodel

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// answer is a Reply with everything settled: names, ids, inputs, numbers.
type answer struct {
	id        string
	n         int
	model     string
	thinking  string
	signature string // of the thinking: signature, encrypted content or thought signature
	hidden    bool   // the thinking is signed and not shown
	bare      bool   // Responses: the encrypted content was not asked for
	text      string
	calls     []made
	stop      Stop
	usage     Usage
	piece     int

	transformed []Transformation
	reports     bool // the request asked to be told of them
}

// made is a call as it leaves.
type made struct {
	ID     string
	Name   string
	Input  json.RawMessage
	Custom bool
	Group  string // Responses: the namespace of the tool
}

// created is the time that all replies bear: tests want the same bytes each run.
const created = 1_790_000_000

// settle makes an answer of a reply.
func settle(r *Request, reply Reply, n int) (answer, error) {
	a := answer{n: n, model: r.Model, text: reply.Text, stop: reply.Stop, usage: reply.Usage, piece: reply.Piece, transformed: r.Transformed, reports: betasOf(r.Header).has(BetaBinding)}
	a.id = map[Format]string{Anthropic: "msg_fake%d", Chat: "chatcmpl-fake%d", Responses: "resp_fake%d", Gemini: "fake%d"}[r.Format]
	a.id = fmt.Sprintf(a.id, n)
	for i, c := range reply.Calls {
		c, tool, err := resolve(r, c)
		if err != nil {
			return a, err
		}
		if c.ID == "" {
			c.ID = fmt.Sprintf(callID[r.Format], n, i+1)
		}
		if !json.Valid(c.Input) {
			return a, fmt.Errorf("the input of the call %s is not JSON: %s", c.Name, c.Input)
		}
		a.calls = append(a.calls, made{c.ID, c.Name, c.Input, tool.Custom, tool.Namespace})
	}
	a.think(r, reply)
	if a.stop == "" {
		a.stop = StopEnd
		if len(a.calls) > 0 {
			a.stop = StopCalls
		}
	}
	if a.usage == (Usage{}) {
		a.usage = r.Prompt
		a.usage.Output = (len(a.text)+len(a.thinking))/4 + 20*len(a.calls) + 1
	}
	if a.piece <= 0 {
		a.piece = 12
	}
	return a, nil
}

var callID = map[Format]string{
	Anthropic: "toolu_fake%d_%d", Chat: "call_fake%d_%d", Responses: "call_fake%d_%d", Gemini: "fcall%d_%d",
}

// think signs the thinking where the request asks for it. A model that is told
// to think always does.
func (a *answer) think(r *Request, reply Reply) {
	if r.Thinks == "" {
		return
	}
	a.thinking, a.hidden = reply.Thinking, r.Thinks == "hidden"
	a.bare = r.Format == Responses && !slices.Contains(list(r.tree, "include"), any("reasoning.encrypted_content"))
	if a.thinking == "" && r.Format == Anthropic && str(obj(r.tree, "thinking"), "type") == "enabled" {
		a.thinking = "Let me think."
	}
	if a.thinking != "" || r.Format == Gemini && len(a.calls) > 0 {
		a.signature = sign64(a.n, a.thinking)
		if r.Format == Anthropic {
			a.signature = seal{digest(a.shown()), r.Model, r.prefix, r.previous}.sign()
		}
	}
}

// pieces cuts text into pieces of so many characters.
func pieces(s string, size int) []string {
	var out []string
	for s != "" {
		end := 0
		for range size {
			_, n := utf8.DecodeRuneInString(s[end:])
			end += n
		}
		out = append(out, s[:end])
		s = s[end:]
	}
	return out
}

// customInput is what a tool that takes text gets: the string that the JSON is,
// or else the JSON itself.
func (m made) customInput() string {
	var s string
	if json.Unmarshal(m.Input, &s) != nil {
		return string(m.Input)
	}
	return s
}

// event is one event of a stream, before it is written.
type event struct {
	name string // "" has no line of its own
	data any
	raw  string // written in the place of data
}

// total is a usage's sum.
func (u Usage) total() int { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// context is a usage's input, cached or not.
func (u Usage) context() int { return u.Input + u.CacheRead + u.CacheWrite }
