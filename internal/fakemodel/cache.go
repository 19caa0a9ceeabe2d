package fakemodel

import (
	"strings"
	"sync"
)

// promptCache is what a provider keeps of prompts, by model: for Anthropic the
// prefixes that end at a mark, for the others every prefix. It forgets nothing,
// since there is no clock here. It is safe for many at once.
type promptCache struct {
	least int // tokens of the smallest prefix that is kept

	mu   sync.Mutex
	kept map[sum]bool
}

func newPromptCache(least int) *promptCache {
	return &promptCache{least: least, kept: map[sum]bool{}}
}

const (
	tokenBytes = 4
	lookback   = 20              // positions before a mark, itself included
	chunkBytes = 16 * tokenBytes // what is kept without marks is kept in pieces of this size
)

// span is a block of a prompt.
type span struct {
	sum  sum // of the prompt up to its end
	end  int // bytes of the prompt up to its end
	kind string
	mark bool
}

// prompt is a request as its provider's cache sees it.
type prompt struct {
	bytes int
	spans []span // Anthropic

	// The others: the sums of the prompt up to the end of each chunk, without those
	// of a prompt that the provider keeps itself and that this one goes on from.
	chunks []sum
	stored int    // of those that are left out
	head   sum    // of what is sent with every request
	at     sum    // of all chunks
	rest   string // what is no whole chunk yet
}

// write makes a prompt longer.
func (p *prompt) write(s string) {
	p.bytes += len(s)
	p.rest += s
	for len(p.rest) >= chunkBytes {
		p.at = p.at.then(p.rest[:chunkBytes])
		p.chunks = append(p.chunks, p.at)
		p.rest = p.rest[chunkBytes:]
	}
}

// then is the prompt that goes on from this one and its answer, where the
// provider keeps both.
func (p prompt) then(a answer) prompt {
	p.write(a.thinking + a.text)
	for _, c := range a.calls {
		p.write(c.ID + c.Name + string(c.Input))
	}
	p.stored, p.chunks, p.rest = p.stored+len(p.chunks), nil, strings.Clone(p.rest)
	return p
}

// tokens is what so many bytes of a prompt count.
func tokens(bytes int) int { return (bytes + tokenBytes - 1) / tokenBytes }

// look returns what a request's input is billed as: read from the cache, written
// to it, or neither.
func (c *promptCache) look(p prompt) Usage {
	c.mu.Lock()
	defer c.mu.Unlock()
	total := tokens(p.bytes)
	if p.spans == nil {
		n := 0
		for n < len(p.chunks) && c.kept[p.chunks[n]] {
			n++
		}
		read := (p.stored + n) * chunkBytes / tokenBytes
		if read < c.least {
			read = 0
		}
		return Usage{Input: total - read, CacheRead: read}
	}
	last, read := 0, 0
	for i := len(p.spans) - 1; i >= 0 && read == 0; i-- {
		if !p.spans[i].mark || tokens(p.spans[i].end) < c.least {
			continue
		}
		last = max(last, tokens(p.spans[i].end))
		read = c.before(p.spans, i)
	}
	return Usage{Input: total - max(last, read), CacheRead: read, CacheWrite: max(0, last-read)}
}

// before looks back from a mark for a prefix that was kept. A row of calls is one
// position, and so is a row of results.
func (c *promptCache) before(spans []span, mark int) int {
	positions := 0
	for i := mark; i >= 0; i-- {
		row := i < mark && spans[i].kind == spans[i+1].kind && (spans[i].kind == "tool_use" || spans[i].kind == "tool_result")
		if !row {
			positions++
		}
		if positions > lookback {
			return 0
		}
		if c.kept[spans[i].sum] {
			return tokens(spans[i].end)
		}
	}
	return 0
}

// keep keeps what a request that is answered leaves in the cache.
func (c *promptCache) keep(p prompt) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range p.spans {
		if s.mark && tokens(s.end) >= c.least {
			c.kept[s.sum] = true
		}
	}
	for _, s := range p.chunks {
		c.kept[s] = true
	}
}

// promptOf renders a request. Before is the one that it goes on from, where the
// provider keeps it.
func promptOf(r *Request, before prompt) prompt {
	if r.Format == Anthropic {
		return markedPrompt(r)
	}
	b := r.tree
	if inner := obj(b, "generateContentRequest"); r.Format == Gemini && inner != nil {
		b = inner
	}
	p := prompt{at: digest(string(r.Format), r.Model)}
	keys := promptKeys[r.Format]
	for _, key := range keys[:len(keys)-1] {
		p.write(rendered(either(b, key...)))
	}
	if p.head = p.at.then(p.rest); p.head == before.head {
		p = before
	}
	p.write(rendered(either(b, keys[len(keys)-1]...)))
	return p
}

// promptKeys are what a prompt is made of, in the order in which it is read; the
// last is the conversation.
var promptKeys = map[Format][][]string{
	Chat:      {{"tools"}, {"messages"}},
	Responses: {{"tools"}, {"instructions"}, {"input"}},
	Gemini:    {{"systemInstruction", "system_instruction"}, {"tools"}, {"contents"}},
}

// rendered is a value as a prompt holds it, the members of a list one after the
// other.
func rendered(v any) string {
	all, isList := v.([]any)
	if !isList {
		all = []any{v}
	}
	var w strings.Builder
	for _, one := range all {
		if o, ok := one.(object); ok {
			w.WriteString(plain(o))
		} else {
			w.WriteString(text(one))
		}
		w.WriteString("\n")
	}
	return w.String()
}

// markedPrompt is a prompt that is kept up to its marks: tools, system, messages,
// without what the model does not see.
func markedPrompt(r *Request) prompt {
	p := prompt{spans: []span{}}
	at := digest(string(r.Format), r.Model)
	add := func(role string, block object) {
		s := plain(block)
		at = at.then(role, s)
		p.bytes += len(s)
		p.spans = append(p.spans, span{at, p.bytes, str(block, "type"), hasMark(block)})
	}
	for _, tool := range objects(list(r.tree, "tools")) {
		if !flag(tool, "defer_loading") { // shown where something names it
			add("tool", tool)
		}
	}
	for _, block := range spoken(r.tree["system"]) {
		add("system prompt", block)
	}
	at = at.then(messageSettings(r.tree)...)
	messages := objects(list(r.tree, "messages"))
	gone, automatic := cleared(messages), -1
	for i, m := range messages {
		if gone[i] {
			continue
		}
		for j, block := range spoken(m["content"]) {
			if r.dropped(i, j) {
				continue
			}
			add(str(m, "role"), block)
			if !clears(m) && !isThinking(str(block, "type")) {
				automatic = len(p.spans) - 1
			}
		}
	}
	if r.tree["cache_control"] != nil && automatic >= 0 {
		p.spans[automatic].mark = true
	}
	return p
}

// messageSettings are the settings that are part of what messages are kept by.
func messageSettings(b object) []string {
	thinking := obj(b, "thinking")
	return []string{
		text(thinking["type"]), text(thinking["budget_tokens"]), text(obj(b, "output_config")["effort"]), text(b["tool_choice"]),
	}
}

// hasMark reports whether a block, or one inside of a result, has a cache mark.
func hasMark(block object) bool {
	if block["cache_control"] != nil {
		return true
	}
	for _, inner := range objects(list(block, "content")) {
		if hasMark(inner) {
			return true
		}
	}
	return false
}
