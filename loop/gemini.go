package loop

import (
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/trimtab/trimtab"
)

// Gemini is the rule of Gemini CLI: 5 equal calls in a row, or a chunk of 50
// characters that comes 10 times close together in what the model says. It tells
// once, and listens again after a person has spoken.
type Gemini struct{}

// GeminiMemory is the last call, and the end of what was said since.
type GeminiMemory struct {
	Calls EqualMemory `json:"calls,omitzero"`
	Tail  string      `json:"tail,omitempty"`
	Fence bool        `json:"fence,omitempty"` // inside a block of code
	Told  bool        `json:"told,omitempty"`
}

const (
	geminiCalls = 5
	chunkSize   = 50
	chunkTimes  = 10
	chunkKept   = 1000
	chunkApart  = chunkSize * 3 / 2 // on average
)

// Name is "gemini".
func (Gemini) Name() string { return "gemini" }

// See looks at the model's words first and its calls then: a chant ends with a
// call.
func (r Gemini) See(mem GeminiMemory, m trimtab.Message) (GeminiMemory, *Alarm) {
	if ours(m) {
		return mem, nil
	}
	if m.IsPrompt() {
		mem = GeminiMemory{}
	}
	if mem.Told || m.Role != trimtab.RoleAssistant {
		return mem, nil
	}
	var alarm *Alarm
	for line := range strings.SplitAfterSeq(said(m, false), "\n") {
		var chunk string
		if mem, chunk = mem.hear(line); chunk != "" {
			alarm = &Alarm{By: r.Name(), Kind: Chant, Level: Stop, Times: chunkTimes, Why: fmt.Sprintf("the same %d characters come %d times close together: %q", chunkSize, chunkTimes, brief(chunk, 60))}
			break
		}
	}
	for _, c := range calls(m) {
		mem.Tail, mem.Fence = "", false
		key := callKey(c.Name, c.Input)
		if mem.Calls.N > 0 && mem.Calls.Last == key {
			mem.Calls.N++
		} else {
			mem.Calls = EqualMemory{key, 1}
		}
		if mem.Calls.N == geminiCalls {
			alarm = &Alarm{By: r.Name(), Kind: SameCall, Level: Stop, Times: geminiCalls, Why: fmt.Sprintf("%d equal calls of %s in a row", geminiCalls, brief(c.Name, 60))}
		}
	}
	mem.Told = alarm != nil
	return mem, alarm
}

// hear takes a line of what the model says and returns a chunk that has come too
// often. Code is not listened to, and markup begins a new stretch: tables and
// lists repeat themselves by nature.
func (mem GeminiMemory) hear(line string) (GeminiMemory, string) {
	bare := strings.TrimSpace(line)
	if strings.HasPrefix(bare, "```") {
		mem.Fence, mem.Tail = !mem.Fence, ""
		return mem, ""
	}
	if mem.Fence {
		return mem, ""
	}
	if markup(bare) {
		mem.Tail = ""
	}
	for len(line) > 0 { // a line may be longer than what is kept
		piece := trimtab.Clip(line, chunkKept)
		if piece == "" {
			piece = line
		}
		line = line[len(piece):]
		text := mem.Tail + piece
		if chunk := chanted(text, len(mem.Tail)); chunk != "" {
			return mem, chunk
		}
		if len(text) > chunkKept {
			text = text[len(text)-chunkKept:]
		}
		mem.Tail = strings.ToValidUTF8(text, "")
	}
	return mem, ""
}

func markup(line string) bool {
	if line == "" {
		return false
	}
	if strings.Trim(line, "+-_=*─━═") == "" {
		return true
	}
	for _, p := range []string{"|", "# ", "## ", "### ", "#### ", "> ", "* ", "- ", "+ "} {
		if strings.HasPrefix(line, p) {
			return true
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	return digits != line && strings.HasPrefix(digits, ". ")
}

// chanted returns the chunk that comes for the tenth time, close behind the nine
// before, and ends after the byte from.
func chanted(text string, from int) string {
	if len(text) < chunkSize {
		return ""
	}
	type places struct {
		at [chunkTimes]int
		n  int
	}
	seen := make(map[uint64]*places, len(text))
	for i := 0; i+chunkSize <= len(text); i++ {
		chunk := text[i : i+chunkSize]
		h := xxhash.Sum64String(chunk)
		p := seen[h]
		if p == nil {
			p = &places{}
			seen[h] = p
		}
		p.at[p.n%chunkTimes] = i
		p.n++
		if p.n < chunkTimes || i+chunkSize <= from {
			continue
		}
		if first := p.at[p.n%chunkTimes]; i-first <= chunkApart*(chunkTimes-1) {
			return chunk
		}
	}
	return ""
}
