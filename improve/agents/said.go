package agents

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The limits of what is read from an agent.
const (
	maxLine  = 8 << 20 // of one event; longer ones are in the log and nowhere else
	maxWords = 1 << 20
	maxID    = 200
)

// said reads what an agent writes on its standard output, event by event, and
// keeps its last words, its session and its cost. It is given any bytes and never
// fails: what it does not know it passes over.
type said struct {
	read  func(*said, event) // nil: the output is the words themselves
	whole bool               // or one object with them
	over  func(cost float64) // told each time the cost grows

	text    string
	part    string // what the words are a part of: words of another one begin anew
	session string
	cost    float64
	ended   bool   // it said that it came to an end
	fault   string // what it says went wrong

	line  []byte
	skip  bool // the rest of a line that is too long
	plain []byte
}

// event has the fields that the agents' events are told by; none has all of them.
type event struct {
	Type      string          `json:"type"`
	Subtype   string          `json:"subtype"`
	SessionID string          `json:"session_id"`
	Session   string          `json:"sessionID"`
	ThreadID  string          `json:"thread_id"`
	Result    string          `json:"result"`
	IsError   bool            `json:"is_error"`
	Cost      float64         `json:"total_cost_usd"`
	Message   json.RawMessage `json:"message"`
	Item      struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Part struct {
		ID        string  `json:"id"`
		MessageID string  `json:"messageID"`
		Text      string  `json:"text"`
		Cost      float64 `json:"cost"`
	} `json:"part"`
	Role    string          `json:"role"`
	Content string          `json:"content"`
	Status  string          `json:"status"`
	Error   json.RawMessage `json:"error"`
}

// message is what Claude Code, Qwen and goose have for one message.
type message struct {
	ID      string          `json:"id"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (s *said) Write(b []byte) (int, error) {
	n := len(b)
	if s.read == nil {
		s.plain = last(append(s.plain, b...), maxWords)
		return n, nil
	}
	for len(b) > 0 {
		piece, rest, whole := bytes.Cut(b, []byte("\n"))
		if !s.skip {
			s.line = append(s.line, piece...)
			if len(s.line) > maxLine {
				s.skip, s.line = true, nil
			}
		}
		if whole {
			s.take()
		}
		b = rest
	}
	return n, nil
}

// take reads the line that is whole.
func (s *said) take() {
	line := bytes.TrimSpace(s.line)
	var e event
	if !s.skip && len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &e) == nil {
		s.read(s, e)
	}
	s.line, s.skip = s.line[:0], false
}

// close reads what has no line end, and returns the last words.
func (s *said) close() string {
	if s.read == nil {
		s.text = string(s.plain)
		var own struct {
			Session string `json:"sessionId"`
			Answer  string `json:"answer"`
		}
		if s.whole && json.Unmarshal(s.plain, &own) == nil {
			s.named(own.Session)
			s.text = own.Answer
		}
	} else {
		s.take()
	}
	return strings.TrimSpace(strings.ToValidUTF8(s.text, "\uFFFD"))
}

// say adds words. Those of another part take the place of what was there.
func (s *said) say(part, text string) {
	if text == "" {
		return
	}
	if part != s.part {
		s.part, s.text = part, ""
	}
	s.text = string(last([]byte(s.text+text), maxWords))
}

// named takes a session id that is one.
func (s *said) named(id string) {
	if s.session != "" || id == "" || len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return
	}
	s.session = id
}

// paid takes the sum of what it cost so far.
func (s *said) paid(sum float64) {
	if sum > s.cost { // not one that is no number
		s.cost = sum
		if s.over != nil {
			s.over(sum)
		}
	}
}

// wrong takes what went wrong.
func (s *said) wrong(text string) { s.fault = string(last([]byte(text), 4<<10)) }

func last(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// readClaude reads Claude Code's stream-json, and Qwen's, which is made after it.
func readClaude(s *said, e event) {
	s.named(e.SessionID)
	switch e.Type {
	case "assistant":
		id, text := words(e.Message)
		s.say(id, text)
	case "result":
		s.paid(e.Cost)
		s.ended = true
		switch {
		case e.IsError || strings.HasPrefix(e.Subtype, "error"):
			s.wrong(strings.TrimSpace(e.Subtype + " " + e.Result + " " + errorText(e.Error)))
		case e.Result != "":
			s.say("result", e.Result)
		}
	}
}

// readCodex reads the events of codex exec --json.
func readCodex(s *said, e event) {
	switch e.Type {
	case "thread.started":
		s.named(e.ThreadID)
	case "item.completed":
		if e.Item.Type == "agent_message" {
			s.part = "" // each is whole
			s.text = ""
			s.say("message", e.Item.Text)
		}
	case "turn.completed":
		s.ended, s.fault = true, ""
	case "turn.failed":
		s.ended = true
		s.wrong(errorText(e.Error))
	case "error":
		s.wrong(errorText(e.Message))
	}
}

// readGemini reads Gemini CLI's stream-json. Its words come in pieces, and belong
// together until it uses a tool.
func readGemini(s *said, e event) {
	s.named(e.SessionID)
	switch e.Type {
	case "message":
		if e.Role == "assistant" {
			s.say("reply", e.Content)
		}
	case "tool_use", "tool_result":
		s.part = ""
	case "error":
		s.wrong(errorText(e.Message))
	case "result":
		s.ended = true
		if e.Status == "error" {
			s.wrong(errorText(e.Error))
		}
	}
}

// readOpencode reads the events of opencode run --format json. Each step tells its
// own cost.
func readOpencode(s *said, e event) {
	s.named(e.Session)
	switch e.Type {
	case "text":
		s.say(e.Part.MessageID, e.Part.Text)
	case "step_finish":
		s.ended = true
		s.paid(s.cost + max(e.Part.Cost, 0))
	case "error":
		s.wrong(errorText(e.Error))
	}
}

// readGoose reads goose's stream-json. Pieces of one message have one id.
func readGoose(s *said, e event) {
	switch e.Type {
	case "message":
		var m message
		if json.Unmarshal(e.Message, &m) == nil && m.Role == "assistant" {
			id, text := words(e.Message)
			s.say(id, text)
		}
	case "complete":
		s.ended = true
	case "error":
		s.wrong(errorText(e.Error))
	}
}

// words are the texts of a message.
func words(raw json.RawMessage) (id, text string) {
	var m message
	if json.Unmarshal(raw, &m) != nil {
		return "", ""
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Content, &parts) != nil {
		return m.ID, ""
	}
	for _, p := range parts {
		if p.Type == "text" {
			text += p.Text
		}
	}
	return m.ID, text
}

// errorText is the text of an error that is a text, or an object with one.
func errorText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var o struct {
		Name    string `json:"name"`
		Message string `json:"message"`
		Data    struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	if json.Unmarshal(raw, &o) != nil {
		return ""
	}
	return strings.TrimSpace(o.Name + " " + o.Message + " " + o.Data.Message)
}
