// Package trimtab steers long AI agent sessions with small, well-timed messages.
//
// It holds the words that every other package speaks (Message, Event, Action,
// Note, Session) and the pure Engine. It never reads a clock, a file or the
// network, starts no goroutine and keeps no global state: the same session,
// event and time always give the same outcome.
//
// An Engine is a lineup of interventions. Each Step hands one Event to each of
// them in order and gathers what they want done:
//
//	reminder, err := todo.New(todo.Config{})
//	…
//	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(reminder))
//	…
//	s := trimtab.NewSession("demo", now)
//	s, _ = engine.Step(s, trimtab.Said{Message: prompt}, now)
//	s, out = engine.Step(s, trimtab.Calling{}, now)
//	request := s.View(history) // what the model should see
//
// Notes take their seats only at Calling, when the history is whole, and keep
// them until their life ends. Surfaces (chat, gateway, hooks) turn what happens
// into events and apply what the session then holds; they never talk to an
// intervention directly.
package trimtab
