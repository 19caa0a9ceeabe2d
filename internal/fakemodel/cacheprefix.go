package fakemodel

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Prefix is a request as a provider's prompt cache reads it: tools, system prompt
// and messages in this order, one block an entry, in one spelling. Cache marks are
// left out, and so are differences that a provider does not see: content that is a
// string or a list of one text.
func (r Request) Prefix() []string {
	b := r.tree
	var all []string
	add := func(where, role string, blocks []object) {
		for _, block := range blocks {
			all = append(all, where+" "+role+" "+text(withoutMarks(block)))
		}
	}
	add("tools", "", objects(list(b, "tools")))
	switch r.Format {
	case Anthropic:
		add("system", "", slices.DeleteFunc(spoken(b["system"]), attribution))
		for _, m := range objects(list(b, "messages")) {
			add("messages", str(m, "role"), spoken(m["content"]))
		}
	case Chat:
		for _, m := range objects(list(b, "messages")) {
			add("messages", str(m, "role"), spoken(m["content"]))
			rest := maps.Clone(m)
			delete(rest, "content")
			delete(rest, "role")
			if len(rest) > 0 {
				add("messages", str(m, "role"), []object{rest})
			}
		}
	case Responses:
		add("instructions", "", spoken(b["instructions"]))
		if s := str(b, "input"); s != "" {
			add("input", "user", spoken(s))
		}
		for _, item := range objects(list(b, "input")) {
			item = maps.Clone(item)
			delete(item, "id") // names the item; a model does not read it
			add("input", str(item, "role"), []object{item})
		}
	case Gemini:
		system, _ := either(b, "systemInstruction", "system_instruction").(object)
		add("system", "", objects(list(system, "parts")))
		for _, c := range objects(list(b, "contents")) {
			add("contents", str(c, "role"), objects(list(c, "parts")))
		}
	}
	return all
}

// attribution is the block that Anthropic's API takes out before it caches.
func attribution(block object) bool {
	return strings.HasPrefix(str(block, "text"), "x-anthropic-billing-header:")
}

// withoutMarks is a value without the cache marks inside it.
func withoutMarks(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, inner := range v {
			if k != "cache_control" {
				out[k] = withoutMarks(inner)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = withoutMarks(inner)
		}
		return out
	}
	return v
}

// Reuse is how much of one request is the beginning of the next one.
type Reuse struct {
	Same, All int // bytes
	Blocks    int // how many blocks are the same
}

// Share is the part that can be read from a cache, from 0 to 1.
func (r Reuse) Share() float64 {
	if r.All == 0 {
		return 1
	}
	return float64(r.Same) / float64(r.All)
}

// String is the share and the bytes.
func (r Reuse) String() string { return fmt.Sprintf("%.3f (%d of %d)", r.Share(), r.Same, r.All) }

// Reused holds two prefixes against each other.
func Reused(before, after []string) Reuse {
	var r Reuse
	for i, block := range before {
		r.All += len(block)
		if r.Blocks == i && i < len(after) && after[i] == block {
			r.Blocks++
			r.Same += len(block)
		}
	}
	return r
}
