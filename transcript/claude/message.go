package claude

import "github.com/trimtab/trimtab/transcript/internal/jsonl"

// The values of a message, the part of a line that went to the model or came from
// it, follow those of the line.
const (
	idAt field = messageFields + iota
	modelAt
	usageAt
	inputAt
	outputAt
	readAt
	writtenAt
	textAt // the content, where it is no list
	fields
)

// message goes into the message at which the cursor stands. What is wrong inside
// matters only if the line is one that is read.
func (l *line) message(c *jsonl.Cursor) {
	l.said = true
	if c.Peek() != '{' {
		c.Take()
		l.odd = true
		return
	}
	in := c.Down('{')
	for in.Field() {
		switch string(in.Key) {
		case "id":
			l.take(idAt, &in)
		case "model":
			l.take(modelAt, &in)
		case "usage":
			l.usage(&in)
		case "content":
			l.at[textAt], l.at, l.blocks = jsonl.Span{}, l.at[:fields], 0
			if in.Peek() == '[' {
				list := in.Down('[')
				l.list(&list)
				in.Up(&list)
			} else {
				l.take(textAt, &in)
			}
		}
	}
	c.Up(&in)
}

func (l *line) take(f field, c *jsonl.Cursor) {
	c.Take()
	l.at[f] = c.Span()
}

// read takes apart a message that stands alone.
func (l *line) read(v []byte) error {
	l.begin(v, 0)
	c := jsonl.At(v)
	l.message(&c)
	return c.Err()
}

// usage goes into what the provider counted.
func (l *line) usage(c *jsonl.Cursor) {
	if c.Peek() == '{' {
		in := c.Down('{')
		for in.Field() {
			switch string(in.Key) {
			case "input_tokens":
				l.take(inputAt, &in)
			case "output_tokens":
				l.take(outputAt, &in)
			case "cache_read_input_tokens":
				l.take(readAt, &in)
			case "cache_creation_input_tokens":
				l.take(writtenAt, &in)
			}
		}
		c.Up(&in)
	}
	l.take(usageAt, c)
}

// list takes the blocks of a list apart.
func (l *line) list(c *jsonl.Cursor) {
	for c.Field() {
		l.blocks++
		l.at = append(l.at, make([]jsonl.Span, blockFields)...)
		b := l.block(l.blocks - 1)
		if c.Peek() == '{' {
			in := c.Down('{')
			b.parse(&in)
			c.Up(&in)
		}
		c.Take()
		b.at[rawAt] = c.Span()
	}
}

// block is one block of content. Which values it has depends on its type.
type block struct {
	b  []byte
	at []jsonl.Span
}

const (
	rawAt field = iota
	typeAt
	proseAt
	callAt
	nameAt
	argumentsAt
	answersAt // the call that a result is of
	resultAt
	failedAt
	blockFields
)

func (l *line) block(n int) block {
	return block{b: l.b, at: l.at[fields+field(n)*blockFields:][:blockFields]}
}

func (b block) get(f field) []byte { return b.at[f].Of(b.b) }

func (b block) is(kind string) bool { return jsonl.Is(b.get(typeAt), kind) }

// object reports whether the block is one, as it should.
func (b block) object() bool {
	raw := b.get(rawAt)
	return len(raw) > 0 && raw[0] == '{'
}

func (b block) parse(c *jsonl.Cursor) {
	for c.Field() {
		var f field
		switch string(c.Key) {
		case "type":
			f = typeAt
		case "text":
			f = proseAt
		case "id":
			f = callAt
		case "name":
			f = nameAt
		case "input":
			f = argumentsAt
		case "tool_use_id":
			f = answersAt
		case "content":
			f = resultAt
		case "is_error":
			f = failedAt
		default:
			continue
		}
		c.Take()
		b.at[f] = c.Span()
	}
}

// answers reports whether the message holds the result of a tool.
func (l *line) answers() bool {
	for n := range l.blocks {
		if l.block(n).is("tool_result") {
			return true
		}
	}
	return false
}
