package fakemodel_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// heard is a reply as a client understands it: read by types of its own, by
// nothing that the package writes with.
type heard struct {
	Thinking  string
	Signature string
	Text      string
	Calls     []heardCall
	Stop      string
	Input     int // with what the cache gave
	Output    int
	Whole     bool // the stream said that it was over
	Error     string
}

type heardCall struct{ ID, Name, Input string }

// sseEvent is one server-sent event.
type sseEvent struct{ name, data string }

// readSSE splits a stream by the rules of the HTML standard: lines end with LF or
// CR LF, a blank line ends an event.
func readSSE(t testing.TB, stream string) []sseEvent {
	t.Helper()
	var all []sseEvent
	var now sseEvent
	var data []string
	for line := range strings.SplitSeq(strings.ReplaceAll(stream, "\r\n", "\n"), "\n") {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			if len(data) > 0 {
				now.data = strings.Join(data, "\n")
				all = append(all, now)
			}
			now, data = sseEvent{}, nil
		case "event":
			now.name = value
		case "data":
			data = append(data, value)
		default:
			t.Fatalf("a line that is no field: %q", line)
		}
	}
	return all
}

func unmarshal(t testing.TB, data string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// listen reads a streamed reply of any format.
func listen(t testing.TB, f fakemodel.Format, stream string) heard {
	t.Helper()
	events := readSSE(t, stream)
	switch f {
	case fakemodel.Anthropic:
		return listenAnthropic(t, events)
	case fakemodel.Chat:
		return listenChat(t, events)
	case fakemodel.Responses:
		return listenResponses(t, events)
	}
	var all []string
	for _, e := range events {
		all = append(all, e.data)
	}
	return listenGemini(t, all)
}

func listenAnthropic(t testing.TB, events []sseEvent) heard {
	t.Helper()
	type block struct {
		Type, ID, Name string
		text           strings.Builder
		signature      string
	}
	var h heard
	var blocks []*block
	open := false
	for _, e := range events {
		var d struct {
			Type    string
			Index   int
			Message struct {
				Usage struct {
					Input int `json:"input_tokens"`
					Read  int `json:"cache_read_input_tokens"`
					Write int `json:"cache_creation_input_tokens"`
				}
			}
			ContentBlock *block `json:"content_block"`
			Delta        struct {
				Type, Text, Thinking, Signature string
				JSON                            string `json:"partial_json"`
				Stop                            string `json:"stop_reason"`
			}
			Usage struct {
				Output int `json:"output_tokens"`
			}
			Error struct{ Type string }
		}
		unmarshal(t, e.data, &d)
		if d.Type != e.name {
			t.Errorf("event %s has the type %s", e.name, d.Type)
		}
		switch d.Type {
		case "message_start":
			u := d.Message.Usage
			h.Input = u.Input + u.Read + u.Write
		case "content_block_start":
			if open || d.Index != len(blocks) {
				t.Errorf("block %d begins out of turn", d.Index)
			}
			open = true
			blocks = append(blocks, d.ContentBlock)
		case "content_block_delta":
			b := blocks[d.Index]
			b.text.WriteString(d.Delta.Text + d.Delta.Thinking + d.Delta.JSON)
			b.signature += d.Delta.Signature
		case "content_block_stop":
			open = false
		case "message_delta":
			h.Stop, h.Output = d.Delta.Stop, d.Usage.Output
		case "message_stop":
			h.Whole = true
		case "error":
			h.Error = d.Error.Type
		}
	}
	for _, b := range blocks {
		switch b.Type {
		case "thinking":
			h.Thinking, h.Signature = b.text.String(), b.signature
		case "text":
			h.Text += b.text.String()
		case "tool_use":
			h.Calls = append(h.Calls, heardCall{b.ID, b.Name, b.text.String()})
		}
	}
	return h
}

func listenChat(t testing.TB, events []sseEvent) heard {
	t.Helper()
	var h heard
	for _, e := range events {
		if h.Whole {
			t.Errorf("an event after the end: %s", e.data)
		}
		if e.data == "[DONE]" {
			h.Whole = true
			continue
		}
		var d struct {
			Object  string
			Choices []struct {
				Delta struct {
					Content string
					Calls   []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				Finish string `json:"finish_reason"`
			}
			Usage *struct {
				Prompt     int `json:"prompt_tokens"`
				Completion int `json:"completion_tokens"`
			}
			Error *struct{ Type string }
		}
		unmarshal(t, e.data, &d)
		if d.Error != nil {
			h.Error = d.Error.Type
			continue
		}
		if d.Object != "chat.completion.chunk" {
			t.Errorf("a chunk is a %q", d.Object)
		}
		if d.Usage != nil {
			h.Input, h.Output = d.Usage.Prompt, d.Usage.Completion
		}
		for _, c := range d.Choices {
			h.Text += c.Delta.Content
			for _, call := range c.Delta.Calls {
				if call.Index == len(h.Calls) {
					h.Calls = append(h.Calls, heardCall{ID: call.ID, Name: call.Function.Name})
				}
				h.Calls[call.Index].Input += call.Function.Arguments
			}
			h.Stop += c.Finish
		}
	}
	return h
}

// responsesItem is an item of a Responses reply.
type responsesItem struct {
	Type, ID, Name, Arguments, Input string
	CallID                           string `json:"call_id"`
	Encrypted                        string `json:"encrypted_content"`
	Summary, Content                 []struct{ Text string }
}

func (h *heard) add(i responsesItem) {
	switch i.Type {
	case "reasoning":
		for _, s := range i.Summary {
			h.Thinking += s.Text
		}
		h.Signature = i.Encrypted
	case "message":
		for _, c := range i.Content {
			h.Text += c.Text
		}
	case "function_call":
		h.Calls = append(h.Calls, heardCall{i.CallID, i.Name, i.Arguments})
	case "custom_tool_call":
		h.Calls = append(h.Calls, heardCall{i.CallID, i.Name, i.Input})
	}
}

type responsesWhole struct {
	Status string
	Output []responsesItem
	Usage  struct {
		Input  int `json:"input_tokens"`
		Output int `json:"output_tokens"`
	}
}

func (w responsesWhole) heard() heard {
	h := heard{Stop: w.Status, Input: w.Usage.Input, Output: w.Usage.Output, Whole: true}
	for _, i := range w.Output {
		h.add(i)
	}
	return h
}

// listenResponses puts the pieces together twice, from the deltas and from the
// items that are done, and wants both to agree with the whole response.
func listenResponses(t testing.TB, events []sseEvent) heard {
	t.Helper()
	var pieces, items heard
	deltas := map[string]string{}
	for n, e := range events {
		var d struct {
			Type     string
			Sequence int    `json:"sequence_number"`
			ItemID   string `json:"item_id"`
			Delta    string
			Item     responsesItem
			Response responsesWhole
		}
		unmarshal(t, e.data, &d)
		if d.Type == "error" {
			items.Error = e.data
			return items
		}
		if d.Type != e.name || d.Sequence != n {
			t.Errorf("event %d %s has the type %s and the number %d", n, e.name, d.Type, d.Sequence)
		}
		switch {
		case strings.HasSuffix(d.Type, ".delta"):
			deltas[d.ItemID] += d.Delta
		case d.Type == "response.output_item.done":
			items.add(d.Item)
			i := d.Item
			switch i.Type {
			case "reasoning":
				pieces.Thinking += deltas[i.ID]
			case "message":
				pieces.Text += deltas[i.ID]
			default:
				pieces.Calls = append(pieces.Calls, heardCall{i.CallID, i.Name, deltas[i.ID]})
			}
		case d.Type == "response.completed", d.Type == "response.incomplete":
			whole := d.Response.heard()
			if whole.Text != pieces.Text || whole.Thinking != pieces.Thinking || len(whole.Calls) != len(pieces.Calls) {
				t.Errorf("the pieces give %+v, the whole %+v", pieces, whole)
			}
			for i := range pieces.Calls {
				if pieces.Calls[i] != whole.Calls[i] || items.Calls[i] != whole.Calls[i] {
					t.Errorf("call %d: pieces %v, item %v, whole %v", i, pieces.Calls[i], items.Calls[i], whole.Calls[i])
				}
			}
			return whole
		}
	}
	return items
}

func listenGemini(t testing.TB, chunks []string) heard {
	t.Helper()
	var h heard
	for _, data := range chunks {
		var d struct {
			Candidates []struct {
				Content struct {
					Parts []struct {
						Text    string
						Thought bool
						Sign    string `json:"thoughtSignature"`
						Call    *struct {
							ID, Name string
							Args     json.RawMessage
						} `json:"functionCall"`
					}
				}
				Finish string `json:"finishReason"`
			}
			Usage struct {
				Prompt     int `json:"promptTokenCount"`
				Candidates int `json:"candidatesTokenCount"`
			} `json:"usageMetadata"`
			Error *struct{ Status string }
		}
		unmarshal(t, data, &d)
		if d.Error != nil {
			h.Error = d.Error.Status
			continue
		}
		h.Input, h.Output = d.Usage.Prompt, d.Usage.Candidates
		for _, c := range d.Candidates {
			for _, p := range c.Content.Parts {
				switch {
				case p.Call != nil:
					h.Calls = append(h.Calls, heardCall{p.Call.ID, p.Call.Name, string(p.Call.Args)})
				case p.Thought:
					h.Thinking += p.Text
				default:
					h.Text += p.Text
				}
				h.Signature += p.Sign
			}
			h.Stop += c.Finish
			h.Whole = h.Whole || c.Finish != ""
		}
	}
	return h
}

// listenWhole reads a reply that was not streamed.
func listenWhole(t testing.TB, f fakemodel.Format, body string) heard {
	t.Helper()
	switch f {
	case fakemodel.Responses:
		var w responsesWhole
		unmarshal(t, body, &w)
		return w.heard()
	case fakemodel.Gemini:
		return listenGemini(t, []string{body})
	case fakemodel.Chat:
		var d struct {
			Choices []struct {
				Message struct {
					Content string
					Calls   []struct {
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				Finish string `json:"finish_reason"`
			}
			Usage struct {
				Prompt     int `json:"prompt_tokens"`
				Completion int `json:"completion_tokens"`
			}
		}
		unmarshal(t, body, &d)
		c := d.Choices[0]
		h := heard{Text: c.Message.Content, Stop: c.Finish, Input: d.Usage.Prompt, Output: d.Usage.Completion, Whole: true}
		for _, call := range c.Message.Calls {
			h.Calls = append(h.Calls, heardCall{call.ID, call.Function.Name, call.Function.Arguments})
		}
		return h
	}
	var d struct {
		Content []struct {
			Type, Text, Thinking, Signature, ID, Name string
			Input                                     json.RawMessage
		}
		Stop  string `json:"stop_reason"`
		Usage struct {
			Input  int `json:"input_tokens"`
			Read   int `json:"cache_read_input_tokens"`
			Write  int `json:"cache_creation_input_tokens"`
			Output int `json:"output_tokens"`
		}
	}
	unmarshal(t, body, &d)
	h := heard{Stop: d.Stop, Input: d.Usage.Input + d.Usage.Read + d.Usage.Write, Output: d.Usage.Output, Whole: true}
	for _, b := range d.Content {
		h.Text += b.Text
		h.Thinking += b.Thinking
		h.Signature += b.Signature
		if b.Type == "tool_use" {
			h.Calls = append(h.Calls, heardCall{b.ID, b.Name, string(b.Input)})
		}
	}
	return h
}
