package fakemodel

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// sum is the digest of a piece of a request.
type sum uint64

// digest is a sum of strings, each told from the next.
func digest(all ...string) sum {
	h := sha256.New()
	for _, s := range all {
		writeString(h, s)
	}
	return sum(binary.BigEndian.Uint64(h.Sum(nil)))
}

func writeString(h hash.Hash, s string) {
	var size [8]byte
	binary.BigEndian.PutUint64(size[:], uint64(len(s)))
	h.Write(size[:])
	h.Write([]byte(s))
}

// then is the sum of what this one is of, followed by more.
func (s sum) then(more ...string) sum {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(s))
	return digest(append([]string{string(b[:])}, more...)...)
}

// prefix is what a thinking block is bound to: what stood before it, without
// cache marks, key order and the thinking itself.
type prefix struct {
	system, tools, messages sum
}

// prefixes are the prefixes of the messages of a request.
type prefixes struct {
	prefix                     // of the end of the messages
	before   []prefix          // of each message
	deferred map[string]string // tools that are part of no prefix until something refers to them
}

// prefixesOf reads the prefixes of a request to Anthropic.
func prefixesOf(b object) prefixes {
	p := prefixes{deferred: map[string]string{}}
	p.system, p.tools, p.messages = digest(), digest(), digest()
	for _, block := range spoken(b["system"]) {
		p.system = p.system.then(plain(block))
	}
	for _, tool := range objects(list(b, "tools")) {
		if flag(tool, "defer_loading") {
			p.deferred[str(tool, "name")] = plain(tool)
			continue
		}
		p.tools = p.tools.then(plain(tool))
	}
	for _, m := range objects(list(b, "messages")) {
		p.before = append(p.before, p.prefix)
		p.messages = p.within(p.prefix, m, -1).messages
		p.messages = p.messages.then("end of message", str(m, "role"), text(m["clear_at"]), text(m["output_config"]))
	}
	return p
}

// ends are the sums of the messages up to the end of each.
func (p prefixes) ends() []sum {
	var all []sum
	for i := range p.before {
		if i > 0 {
			all = append(all, p.before[i].messages)
		}
	}
	return append(all, p.messages)
}

// within is the prefix of a block of a message; below 0 is the message's end.
func (p prefixes) within(before prefix, m object, block int) prefix {
	for i, o := range spoken(m["content"]) {
		if i == block {
			break
		}
		if isThinking(str(o, "type")) { // told by their own chain
			continue
		}
		before.messages = before.messages.then(plain(o))
		for _, name := range references(o) {
			if tool, ok := p.deferred[name]; ok {
				before.messages = before.messages.then(tool)
			}
		}
	}
	return before
}

// references are the tools that a block offers by name, or finds.
func references(block object) []string {
	var all []string
	if isToolChange(block) {
		all = append(all, str(obj(block, "tool"), "name"))
	}
	for _, o := range objects(list(block, "content")) {
		if str(o, "type") == "tool_reference" {
			all = append(all, str(o, "tool_name"))
		}
	}
	return all
}

// plain is a block or a tool in one form, without its cache marks: they move with
// every request. What the model or the client put inside of an input or a schema
// stays as it is.
func plain(block object) string { return text(unmarked(block)) }

func unmarked(block object) object {
	out := object{}
	for k, v := range block {
		switch {
		case k == "cache_control" || v == nil:
		case k == "content":
			out[k] = unmarkedContent(v)
		case k == "source":
			source, ok := v.(object)
			if _, isList := source["content"].([]any); ok && isList {
				v = unmarked(source)
			}
			out[k] = v
		default:
			out[k] = v
		}
	}
	return out
}

// unmarkedContent takes a string for one block of text.
func unmarkedContent(v any) any {
	if _, ok := v.(string); !ok {
		if _, ok := v.([]any); !ok {
			return v
		}
	}
	all := []any{}
	for _, o := range spoken(v) {
		all = append(all, unmarked(o))
	}
	return all
}
