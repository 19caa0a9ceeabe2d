package claude

import (
	"slices"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

// message is the part of a line that went to the model or came from it, as written.
type message struct {
	present   bool // the line has one
	notObject bool // which is not as it should be

	id, model                               []byte
	usage                                   []byte
	input, output, cacheRead, cacheCreation []byte  // of the usage
	text                                    []byte  // the content, where it is no list
	blocks                                  []block // the content, where it is one
}

// block is one block of content. Which values it has depends on its type.
type block struct {
	raw, kind                  []byte
	text                       []byte // of a text
	id, name, input            []byte // of a call
	toolUseID, content, failed []byte // of a result: the call that it is of
}

// parse goes into the message at which the cursor stands. What it says is checked
// when it is decoded: most lines are not.
func (m *message) parse(c *jsonscan.Cursor) {
	m.present = true
	if c.Peek() != '{' {
		c.Take()
		m.notObject = true
		return
	}
	in := c.Down('{')
	for in.Field() {
		switch string(in.Key) {
		case "id":
			m.id = in.Take()
		case "model":
			m.model = in.Take()
		case "usage":
			m.parseUsage(&in)
		case "content":
			m.parseContent(&in)
		}
	}
	c.Up(&in)
}

// parseUsage goes into what the provider counted.
func (m *message) parseUsage(c *jsonscan.Cursor) {
	if c.Peek() == '{' {
		in := c.Down('{')
		for in.Field() {
			switch string(in.Key) {
			case "input_tokens":
				m.input = in.Take()
			case "output_tokens":
				m.output = in.Take()
			case "cache_read_input_tokens":
				m.cacheRead = in.Take()
			case "cache_creation_input_tokens":
				m.cacheCreation = in.Take()
			}
		}
		c.Up(&in)
	}
	m.usage = c.Take()
}

// parseContent goes into a text or a list of blocks.
func (m *message) parseContent(c *jsonscan.Cursor) {
	m.text, m.blocks = nil, m.blocks[:0]
	if c.Peek() != '[' {
		m.text = c.Take()
		return
	}
	list := c.Down('[')
	m.parseBlocks(&list)
	c.Up(&list)
}

func (m *message) parseBlocks(list *jsonscan.Cursor) {
	for list.Field() {
		var b block
		if list.Peek() == '{' {
			in := list.Down('{')
			b.parse(&in)
			list.Up(&in)
		}
		b.raw = list.Take()
		m.blocks = append(m.blocks, b)
	}
}

func (b *block) parse(c *jsonscan.Cursor) {
	for c.Field() {
		switch string(c.Key) {
		case "type":
			b.kind = c.Take()
		case "text":
			b.text = c.Take()
		case "id":
			b.id = c.Take()
		case "name":
			b.name = c.Take()
		case "input":
			b.input = c.Take()
		case "tool_use_id":
			b.toolUseID = c.Take()
		case "content":
			b.content = c.Take()
		case "is_error":
			b.failed = c.Take()
		}
	}
}

// isObject reports whether the block is one, as it should.
func (b *block) isObject() bool { return len(b.raw) > 0 && b.raw[0] == '{' }

// hasResult reports whether the message holds the result of a tool.
func (m *message) hasResult() bool {
	return slices.ContainsFunc(m.blocks, func(b block) bool { return jsonscan.Is(b.kind, "tool_result") })
}
