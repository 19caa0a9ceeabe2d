package fakemodel

import (
	"strings"
)

// sign is how a side call is told from a main turn. These are what the clients
// were seen to send; they change with the clients, so they stand in one table.
type sign struct {
	host string
	kind string
	is   func(r *Request) bool
}

var signs = []sign{
	{"claude", "subagent", func(r *Request) bool { return r.Header.Get("X-Claude-Code-Agent-Id") != "" }},
	{"claude", "compaction", func(r *Request) bool { return class(r) == "compaction" }},
	{"claude", "auxiliary", func(r *Request) bool { return class(r) == "auxiliary" || class(r) == "side_reply" }},
	{"claude", "compaction", func(r *Request) bool { return strings.HasPrefix(lastUser(r), "CRITICAL: Respond with TEXT ONLY") }},
	{"opencode", "title", func(r *Request) bool { return r.Said("system", "You are a title generator") }},
	{"goose", "title", func(r *Request) bool { return r.Said("system", "Generate a short title") && len(r.Tools) == 0 }},
	{"qwen", "memory", func(r *Request) bool { return r.Said("system", "managed memory extraction subagent") }},
	{"any", "json", func(r *Request) bool { return r.Schema != nil && len(r.Tools) == 0 }},
	{"any", "forced", func(r *Request) bool { return r.Forced != "" }},
}

func class(r *Request) string { return r.Header.Get("X-Claude-Code-Request-Class") }

// lastUser is what stands last in the user's words.
func lastUser(r *Request) string {
	last := ""
	for _, item := range r.Items {
		if item.Role == "user" && item.Kind == Text {
			last = item.Text
		}
	}
	return last
}

func sideOf(r *Request) string {
	if r.Counting {
		return "count"
	}
	for _, s := range signs {
		if s.is(r) {
			return s.kind
		}
	}
	return ""
}

// AnswerSide returns a short fitting reply to a side call: an instance of the
// schema where one is asked for, a call where one is forced, else a few words.
// ok is false for a main turn.
func AnswerSide(r Request) (reply Reply, ok bool) {
	if r.Forced != "" {
		return Reply{Calls: []Call{{Name: r.Forced}}}, true
	}
	if r.Schema != nil {
		v, err := Instance(r.Schema)
		if err != nil {
			return Reply{Status: 500, Text: "fakemodel: " + err.Error()}, true
		}
		return Reply{Text: string(v)}, true
	}
	switch r.Side {
	case "":
		return Reply{}, false
	case "title":
		return Reply{Text: "Fake title"}, true
	case "compaction":
		return Reply{Text: "<summary>There was a short conversation.</summary>"}, true
	case "memory":
		return Reply{Text: "Nothing to remember."}, true
	}
	return Reply{Text: "Done."}, true
}
