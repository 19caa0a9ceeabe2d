package trimtab

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"
)

// The JSON forms of the words. A variant of a sum is an object whose "type"
// names it.

type messageJSON struct {
	ID      string            `json:"id,omitempty"`
	Role    Role              `json:"role"`
	Content []json.RawMessage `json:"content"`
	Origin  string            `json:"origin,omitempty"`
	At      time.Time         `json:"at,omitzero"`
	Model   string            `json:"model,omitempty"`
	Usage   *Usage            `json:"usage,omitempty"`
	Via     Via               `json:"via,omitempty"`
	After   string            `json:"after,omitempty"`
}

// MarshalJSON writes the message in the form of the exports. The parts are put
// into their list by hand: encoding/json would read each of them again.
func (m Message) MarshalJSON() ([]byte, error) {
	raw, err := json.Marshal(messageJSON{ID: m.ID, Role: m.Role, Content: []json.RawMessage{}, Origin: m.From, At: m.At, Model: m.Model, Usage: m.Usage, Via: m.Via, After: m.After})
	if err != nil {
		return nil, err
	}
	head, tail, _ := bytes.Cut(raw, []byte(`"content":[]`)) // no string can hold it: its quotes would be escaped
	out := append(make([]byte, 0, len(raw)+m.Size()+len(m.Parts)*64), head...)
	out = append(out, `"content":[`...)
	for i, p := range m.Parts {
		if i > 0 {
			out = append(out, ',')
		}
		part, err := parts.encode(p)
		if err != nil {
			return nil, fmt.Errorf("message %s: %w", m.ID, err)
		}
		out = append(out, part...)
	}
	return append(append(out, ']'), tail...), nil
}

// UnmarshalJSON reads what MarshalJSON writes, and content that is one string.
// A part of a type it does not know is kept as Opaque.
func (m *Message) UnmarshalJSON(b []byte) error {
	var j struct {
		messageJSON
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*m = Message{ID: j.ID, Role: j.Role, From: j.Origin, At: j.At, Model: j.Model, Usage: j.Usage, Via: j.Via, After: j.After}
	var content []json.RawMessage
	switch raw := bytes.TrimSpace(j.Content); {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
	case raw[0] == '"':
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
		m.Parts = []Part{Text{Text: text}}
	default:
		if err := json.Unmarshal(raw, &content); err != nil {
			return fmt.Errorf("content: %w", err)
		}
	}
	for _, raw := range content {
		p, err := parts.decode(raw)
		if errors.Is(err, errUnknownType) {
			kind, _ := tag(raw)
			p, err = Opaque{Kind: kind, Raw: slices.Clone(raw)}, nil
		}
		if err != nil {
			return fmt.Errorf("message %s: %w", j.ID, err)
		}
		m.Parts = append(m.Parts, p)
	}
	return nil
}

// EncodeEvent writes an event as JSON.
func EncodeEvent(ev Event) ([]byte, error) { return events.encode(ev) }

// DecodeEvent reads what EncodeEvent writes.
func DecodeEvent(raw []byte) (Event, error) { return events.decode(raw) }

type takenJSON struct {
	By     string          `json:"by,omitempty"`
	Action json.RawMessage `json:"action"`
}

// MarshalJSON writes the action under the name of who asked for it.
func (t Taken) MarshalJSON() ([]byte, error) {
	raw, err := actions.encode(t.Action)
	if err != nil {
		return nil, err
	}
	return json.Marshal(takenJSON{t.By, raw})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Taken) UnmarshalJSON(b []byte) (err error) {
	var j takenJSON
	if err = json.Unmarshal(b, &j); err != nil {
		return err
	}
	t.By = j.By
	t.Action, err = actions.decode(j.Action)
	return err
}

type entryJSON struct {
	Seq     int             `json:"seq,omitempty"`
	At      time.Time       `json:"at"`
	Event   json.RawMessage `json:"event"`
	Actions []Taken         `json:"actions,omitempty"`
	Changes []Change        `json:"changes,omitempty"`
	Faults  []Fault         `json:"faults,omitempty"`
}

// MarshalJSON writes a line of the journal. The message of Said is named, not
// repeated: the history has it. The data of a reply can be asked for again.
func (e Entry) MarshalJSON() ([]byte, error) {
	ev := e.Event
	if said, ok := ev.(Said); ok {
		ev = Said{Message: Message{ID: said.Message.ID, Role: said.Message.Role}, Vouched: said.Vouched}
	}
	raw, err := EncodeEvent(ev)
	if err != nil {
		return nil, err
	}
	taken := slices.Clone(e.Actions)
	for i, t := range taken {
		if r, ok := t.Action.(Reply); ok {
			r.Data = nil
			taken[i].Action = r
		}
	}
	return json.Marshal(entryJSON{e.Seq, e.At, raw, taken, e.Changes, e.Faults})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Entry) UnmarshalJSON(b []byte) error {
	var j entryJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	ev, err := DecodeEvent(j.Event)
	if err != nil {
		return fmt.Errorf("journal entry %d: %w", j.Seq, err)
	}
	*e = Entry{j.Seq, j.At, ev, j.Actions, j.Changes, j.Faults}
	return nil
}

// plainSession is a Session without its methods: its fields and their tags.
type plainSession Session

type sessionJSON struct {
	plainSession
	Memory map[string]json.RawMessage `json:"memory,omitempty"`
}

// MarshalJSON writes the session with every intervention's memory. One that has
// no JSON form is left out, and starts afresh when the session is loaded: it must
// not keep the session from being stored.
func (s Session) MarshalJSON() ([]byte, error) {
	j := sessionJSON{plainSession(s), map[string]json.RawMessage{}}
	for _, m := range s.memory {
		if raw, err := m.JSON(); err == nil && len(raw) > 0 {
			j.Memory[m.Name] = raw
		}
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Session) UnmarshalJSON(b []byte) error {
	var j sessionJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	*s = Session(j.plainSession)
	for _, name := range slices.Sorted(maps.Keys(j.Memory)) {
		s.memory = append(s.memory, Memory{Name: name, raw: j.Memory[name]})
	}
	return nil
}

// sum is the JSON form of a sealed interface: an object that begins with the
// name of its type.
type sum[T any] map[string]reflect.Type

var (
	parts = sum[Part]{
		"text": reflect.TypeFor[Text](), "tool_call": reflect.TypeFor[ToolCall](),
		"tool_result": reflect.TypeFor[ToolResult](), "opaque": reflect.TypeFor[Opaque](),
	}
	events = sum[Event]{
		"said": reflect.TypeFor[Said](), "calling": reflect.TypeFor[Calling](), "using": reflect.TypeFor[Using](),
		"stopping": reflect.TypeFor[Stopping](), "asked": reflect.TypeFor[Asked](), "advised": reflect.TypeFor[Advised](),
		"checked": reflect.TypeFor[Checked](), "resumed": reflect.TypeFor[Resumed](), "rewritten": reflect.TypeFor[Rewritten](), "reset": reflect.TypeFor[Reset](),
	}
	actions = sum[Action]{
		"inject": reflect.TypeFor[Inject](), "retract": reflect.TypeFor[Retract](), "fold": reflect.TypeFor[Fold](),
		"unfold": reflect.TypeFor[Unfold](), "reply": reflect.TypeFor[Reply](), "notify": reflect.TypeFor[Notify](),
		"pause": reflect.TypeFor[Pause](), "continue": reflect.TypeFor[Continue](), "enqueue": reflect.TypeFor[Enqueue](),
		"deny": reflect.TypeFor[Deny](), "check": reflect.TypeFor[Check](),
	}
)

// errUnknownType is a variant that this version does not know.
var errUnknownType = errors.New("unknown type")

func (s sum[T]) encode(v T) ([]byte, error) {
	for kind, t := range s {
		if t != reflect.TypeOf(v) {
			continue
		}
		raw, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		head := `{"type":"` + kind + `"`
		if len(raw) > 2 { // not {}
			head += ","
		}
		return append([]byte(head), raw[1:]...), nil
	}
	return nil, fmt.Errorf("%T has no JSON form", v)
}

func (s sum[T]) decode(raw []byte) (none T, err error) {
	kind, err := tag(raw)
	if err != nil {
		return none, err
	}
	t, ok := s[kind]
	if !ok {
		return none, fmt.Errorf("%w %q; a newer trimtab may have written it", errUnknownType, kind)
	}
	v := reflect.New(t)
	if err := json.Unmarshal(raw, v.Interface()); err != nil {
		return none, fmt.Errorf("%s: %w", kind, err)
	}
	return v.Elem().Interface().(T), nil
}

func tag(raw []byte) (string, error) {
	var t struct{ Type string }
	err := json.Unmarshal(raw, &t)
	return t.Type, err
}
