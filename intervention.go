package trimtab

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// Intervention watches a session and now and then says something. It is pure:
// all it knows comes in the Turn and its memory, all it does is what it returns.
//
// Memory is a value that the engine keeps between steps and stores as JSON. Its
// zero value starts a session. Never write through a map or slice of the memory
// you were given: copy it first.
type Intervention[S any] interface {
	Name() string
	Steer(t Turn, memory S) (S, []Action)
}

// Commander is an Intervention that answers commands. Each becomes a slash
// command, a verb of the command line, an MCP tool and an HTTP call.
type Commander interface{ Commands() []Command }

// Statuser is an Intervention with a word for the status line.
type Statuser[S any] interface{ Status(memory S) string }

// Silencer is an Intervention by which a person keeps others from speaking: what one that
// it silences would say is withheld, and what stands or is kept waits for its seat.
type Silencer[S any] interface {
	Silences(memory S, by string) bool
}

// Command describes a command as data.
type Command struct {
	Name     string   `json:"name"`
	Usage    string   `json:"usage"`              // the arguments, as in "[NAME]"
	Short    string   `json:"short"`              // one line
	Values   []string `json:"values,omitempty"`   // what the first argument may be, for completion
	Examples []string `json:"examples,omitempty"` // arguments only
}

// Turn is what an intervention sees of one event.
type Turn struct {
	Now     time.Time
	Event   Event
	Session Info   // who and where
	Step    int    // replies of the model so far
	At      Ref    // the newest message; in Said, the one that was said
	Todos   Todos  // the agent's own list, as last written
	Gone    []Note // notes whose anchor the host's rewriting took away
	Notes   []Note // of all interventions, with what those before this one did in this step
	Silent  bool   // a person wants to hear nothing of this intervention now
}

// Sub reports whether the session belongs to a sub-agent.
func (t Turn) Sub() bool { return t.Session.Parent != "" }

// Steerer is an Intervention whose memory the engine can hold. Use makes one.
type Steerer interface {
	Name() string
	Commands() []Command
	steer(t Turn, memory Memory) (Memory, []Action, *Fault)
	status(memory Memory) string
	silences(s *Session, by string) bool
}

// Use puts an intervention into a lineup.
func Use[S any](iv Intervention[S]) Steerer { return seatOf[S]{iv} }

// Memory is what one intervention remembers, by its name.
type Memory struct {
	Name  string
	value any             // decoded; nil until first used
	raw   json.RawMessage // as loaded
}

// JSON returns the memory as it is stored.
func (m Memory) JSON() (json.RawMessage, error) {
	if m.value == nil {
		return m.raw, nil
	}
	return json.Marshal(m.value)
}

type seatOf[S any] struct{ Intervention[S] }

func (u seatOf[S]) Commands() []Command {
	if c, ok := u.Intervention.(Commander); ok {
		return c.Commands()
	}
	return nil
}

// open decodes the memory. An unreadable one is a fault and starts afresh.
func (u seatOf[S]) open(m Memory) (S, *Fault) {
	if v, ok := m.value.(S); ok {
		return v, nil
	}
	var v S
	if len(m.raw) == 0 {
		return v, nil
	}
	if err := json.Unmarshal(m.raw, &v); err != nil {
		var zero S
		return zero, &Fault{By: u.Name(), Text: fmt.Sprintf("memory unreadable, starting afresh: %v", err), Lost: m.raw}
	}
	return v, nil
}

func (u seatOf[S]) steer(t Turn, m Memory) (next Memory, acts []Action, fault *Fault) {
	before, fault := u.open(m)
	next = Memory{Name: u.Name(), value: m.value, raw: m.raw} // as it was, without another copy
	if fault != nil {
		next = Memory{Name: u.Name(), value: before}
	}
	defer func() {
		if p := recover(); p != nil {
			acts = nil
			fault = &Fault{By: u.Name(), Text: fmt.Sprintf("panic: %v", p), Stack: string(debug.Stack())}
		}
	}()
	after, acts := u.Steer(t, before)
	return Memory{Name: next.Name, value: after}, acts, fault
}

func (u seatOf[S]) status(m Memory) (text string) {
	if s, ok := u.Intervention.(Statuser[S]); ok {
		defer func() { _ = recover() }() // one that panics has no word
		v, _ := u.open(m)
		text = s.Status(v)
	}
	return text
}

// silences asks an intervention that can silence others. One that panics silences nobody.
func (u seatOf[S]) silences(s *Session, by string) (yes bool) {
	if one, ok := u.Intervention.(Silencer[S]); ok {
		defer func() { _ = recover() }()
		v, _ := u.open(s.recall(u.Name()))
		yes = one.Silences(v, by)
	}
	return yes
}

// Fault is something that went wrong in steering and was kept from the session.
type Fault struct {
	By    string          `json:"by"`
	Text  string          `json:"text"`
	Stack string          `json:"-"`              // differs from run to run, so it is no part of the record
	Lost  json.RawMessage `json:"lost,omitempty"` // what could not be read, kept for a person to look at
}

func (f Fault) Error() string { return f.By + ": " + f.Text }
