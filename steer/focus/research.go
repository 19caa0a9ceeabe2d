package focus

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/plural"
)

// topic is what was looked up, by the words that matter in it.
type topic struct {
	Words []string `json:"words"`
	Count int      `json:"count"`
	Told  bool     `json:"told,omitempty"`
}

const maxTopics, maxWords = 64, 12

// researches reports whether a call looks something up outside. A tool that is called
// search and nothing else looks through files, as that of our own chat does, where it
// is given a pattern or a path.
func researches(c trimtab.ToolCall) bool {
	if !isResearch(c.Name) {
		return false
	}
	var in map[string]json.RawMessage
	if !strings.EqualFold(c.Name, "search") || len(c.Input) > maxRead || json.Unmarshal(c.Input, &in) != nil {
		return true
	}
	for _, key := range []string{"pattern", "path", "glob", "include"} {
		if _, ok := in[key]; ok {
			return false
		}
	}
	return true
}

// isResearch reports whether a tool of this name may look something up outside:
// search, fetch, research or browse is one of its words, and it is not about files,
// code or tools.
func isResearch(name string) bool {
	found := false
	for _, w := range wordsOf(trimtab.Clip(name, 200)) {
		switch w {
		case "search", "fetch", "research", "browse", "websearch", "webfetch", "searching":
			found = true
		case "file", "files", "code", "codebase", "tool", "tools", "todo", "todos", "replace", "symbol", "symbols", "memory", "content", "directory":
			return false
		}
	}
	return found
}

// wordsOf splits a name at its joints: web_search, WebSearch, mcp__web__fetch.
func wordsOf(name string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	small := false
	for _, r := range name {
		if !unicode.IsLetter(r) {
			flush()
			small = false
			continue
		}
		if unicode.IsUpper(r) && small {
			flush()
		}
		small = unicode.IsLower(r)
		b.WriteRune(r)
	}
	flush()
	return out
}

// topicOf is what a call asks about.
func topicOf(c trimtab.ToolCall) string {
	var in map[string]any
	if len(c.Input) > maxRead || json.Unmarshal(c.Input, &in) != nil {
		return c.Name
	}
	for _, key := range []string{"topic", "query", "q", "question", "prompt", "url"} {
		if s, ok := in[key].(string); ok && strings.TrimSpace(s) != "" {
			if u, err := url.Parse(s); err == nil && u.Host != "" {
				return u.Host
			}
			return trimtab.Clip(s, 400)
		}
	}
	return c.Name
}

// request counts one and says, once for each limit, that it is passed.
func (s *step) request(about string) {
	s.m.Research++
	i := s.topic(about)
	if s.Research > 0 && s.m.Research > s.Research && !s.m.Limit {
		s.m.Limit = true
		why := fmt.Sprintf("research request %d, and the mode %s takes %d", s.m.Research, s.Name, s.Research)
		s.do(ResearchLimit, Medium, InjectMessage, why, words("research", s.told("this session takes "+plural.Count(s.Research, "research request")+" and has had them")))
		return // of two limits that are passed at once, the larger is told
	}
	if t := s.m.Topics; i >= 0 && s.PerTopic > 0 && t[i].Count > s.PerTopic && !t[i].Told {
		s.m.Topics[i].Told = true
		why := fmt.Sprintf("%d requests on one topic (%s), and the mode %s takes %d", t[i].Count, line(about, 60), s.Name, s.PerTopic)
		note := s.told(fmt.Sprintf("the topic is %s", line(about, 60)))
		note.Topic = true
		s.do(ResearchLimit, Medium, InjectMessage, why, words("research", note))
	}
}

// topic counts a request with those on the same topic: half of the words that
// matter are shared.
func (s *step) topic(about string) int {
	key := topicWords(about)
	if len(key) == 0 {
		return -1
	}
	s.m.Topics = slices.Clone(s.m.Topics)
	best, at := 0.0, -1
	for i, t := range s.m.Topics {
		if like := jaccard(key, t.Words); like >= 0.5 && like > best {
			best, at = like, i
		}
	}
	if at < 0 {
		if len(s.m.Topics) == maxTopics {
			s.m.Topics = s.m.Topics[1:]
		}
		s.m.Topics = append(s.m.Topics, topic{Words: key})
		at = len(s.m.Topics) - 1
	}
	s.m.Topics[at].Count++
	return at
}

func topicWords(text string) []string {
	var out []string
	for f := range strings.FieldsFuncSeq(strings.ToLower(trimtab.Clip(text, 400)), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if (len(f) > 3 || len(out) == 0 && len(text) <= 3) && !slices.Contains(out, f) && len(out) < maxWords {
			out = append(out, trimtab.Clip(f, 40))
		}
	}
	if len(out) == 0 && strings.TrimSpace(text) != "" {
		out = []string{line(strings.ToLower(text), 40)}
	}
	slices.Sort(out)
	return out
}

func jaccard(a, b []string) float64 {
	both := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			both++
		}
	}
	return float64(both) / float64(len(a)+len(b)-both)
}
