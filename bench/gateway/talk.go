package main

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
)

// chance is a stream of numbers that a seed decides.
type chance uint64

func (c *chance) next() uint64 {
	*c += 0x9E3779B97F4A7C15
	z := uint64(*c)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func (c *chance) below(n int) int {
	hi, _ := bits.Mul64(c.next(), uint64(n))
	return int(hi)
}

const vocabulary = `the of to and a in is that for on was with as it by at from this be are or an which we can function
return value error string index buffer request response handler context session message token stream parse config server
client user file path line test case result assert expect check build run fail pass retry loop state agent tool call
output input read write edit patch diff branch commit merge review plan step goal next done`

// words writes prose, with quotes, line ends and letters beyond ASCII in it.
func (c *chance) words(n int) string {
	from := strings.Fields(vocabulary)
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(from[c.below(len(from))])
		switch c.below(24) {
		case 0:
			b.WriteString(".\n\n")
		case 1:
			b.WriteString(" — ")
		case 2:
			b.WriteString(` "` + from[c.below(len(from))] + `" `)
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// code writes what a tool that reads files returns.
func (c *chance) code(n int) string {
	from := strings.Fields(vocabulary)
	w := func() string { return from[c.below(len(from))] }
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		switch c.below(4) {
		case 0:
			fmt.Fprintf(&b, "%6d\tfunc %s%s(%s int) error {\n", i, w(), w(), w())
		case 1:
			fmt.Fprintf(&b, "%6d\t\t\treturn fmt.Errorf(\"%s %s: %%w\", err)\n", i, w(), w())
		case 2:
			fmt.Fprintf(&b, "%6d\t\t%s := %s.%s(%s, %d)\n", i, w(), w(), w(), w(), c.below(1000))
		default:
			fmt.Fprintf(&b, "%6d\t// %s %s %s %s %s\n", i, w(), w(), w(), w(), w())
		}
	}
	return b.String()
}

// talk is a session of Claude Code that grows: every request is the last one, a
// reply with a tool call, and its result. The messages stand before system and
// tools, and the cache mark moves on to the newest message, as that client does
// it. Now and then the agent writes its todo list, so that reminders are heeded
// and come again; the person's first words switch reflection on.
type talk struct {
	chance chance
	growth int // bytes of a result, about
	list   []byte
	last   []byte // the newest message with the mark
	bare   []byte // and without
	tail   []byte
	steps  int
}

type block struct {
	Type   string         `json:"type"`
	Text   string         `json:"text,omitempty"`
	ID     string         `json:"id,omitempty"`
	Name   string         `json:"name,omitempty"`
	Input  map[string]any `json:"input,omitempty"`
	Answer string         `json:"tool_use_id,omitempty"`
	Said   string         `json:"content,omitempty"`
	Mark   *mark          `json:"cache_control,omitempty"`
}

type mark struct {
	Type string `json:"type"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// newTalk is a session whose first request has about so many bytes.
func newTalk(seed uint64, bytes, growth int, stream bool) *talk {
	t := &talk{chance: chance(seed), growth: growth, list: []byte(`{"model":"claude-sonnet-4-5","messages":[`)}
	t.tail = t.rest(bytes, stream)
	t.add(message{"user", []block{{Type: "text", Text: "automata: please tidy this. " + t.chance.words(120)}}})
	for len(t.list)+len(t.last)+len(t.tail) < bytes {
		t.grow()
	}
	return t
}

// rest is what stands behind the messages.
func (t *talk) rest(bytes int, stream bool) []byte {
	type tool struct {
		Name        string         `json:"name"`
		Description string         `json:"description"`
		Schema      map[string]any `json:"input_schema"`
	}
	tools := make([]tool, min(16, max(2, bytes/6000)))
	for i := range tools {
		name := []string{"Read", "TodoWrite"}[i%2]
		if i > 1 {
			name = fmt.Sprintf("tool_%d", i)
		}
		tools[i] = tool{name, t.chance.words(min(900, bytes/40)), map[string]any{"type": "object", "properties": map[string]any{"path": map[string]any{"type": "string"}}}}
	}
	raw := encode(struct {
		System   []block        `json:"system"`
		Tools    []tool         `json:"tools"`
		Metadata map[string]any `json:"metadata"`
		Max      int            `json:"max_tokens"`
		Stream   bool           `json:"stream"`
	}{[]block{{Type: "text", Text: t.chance.words(min(14_000, bytes/6)), Mark: &mark{"ephemeral"}}}, tools, map[string]any{"user_id": "bench"}, 8192, stream})
	return append([]byte("],"), raw[1:]...)
}

func encode(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // plain structs of ours
	}
	return raw
}

func (t *talk) add(m message) {
	if t.bare != nil {
		t.list = append(append(t.list, t.bare...), ',')
	}
	t.bare = encode(m)
	m.Content[len(m.Content)-1].Mark = &mark{"ephemeral"}
	t.last = encode(m)
}

// grow adds a reply and the result of its tool call.
func (t *talk) grow() {
	t.steps++
	id := fmt.Sprintf("toolu_01%016x", t.chance.next())
	call := block{Type: "tool_use", ID: id, Name: "Read", Input: map[string]any{"path": "/src/" + fmt.Sprint(t.chance.below(1000)) + ".go"}}
	result := t.chance.code(t.growth/2 + t.chance.below(max(1, t.growth)))
	if t.steps%11 == 5 {
		call.Name, result = "TodoWrite", "the list was written"
		call.Input = map[string]any{"todos": []map[string]string{{"content": "tidy up", "status": "in_progress"}, {"content": "look again", "status": "pending"}}}
	}
	t.add(message{"assistant", []block{{Type: "text", Text: t.chance.words(20 + t.chance.below(60))}, call}})
	t.add(message{"user", []block{{Type: "tool_result", Answer: id, Said: result}}})
}

// body is the request as it stands.
func (t *talk) body() []byte {
	out := make([]byte, 0, len(t.list)+len(t.last)+len(t.tail))
	return append(append(append(out, t.list...), t.last...), t.tail...)
}
