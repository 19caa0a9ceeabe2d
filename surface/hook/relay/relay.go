// Package relay is how a host's hook and the gateway of the same session speak to each
// other: the hook tells what the host is about to send, and the gateway answers with the
// notes that the host is to add to it. The gateway stays the one that steers.
//
// Where the gateway is, the environment says: trimtab run names the address of the run
// in two variables, of which the one with the secret has a name that hosts keep from the
// programs of the model.
//
//	answer, err := relay.Ask(ctx, relay.Address(os.Getenv), relay.Call{Session: id, Events: events})
//
// It steers nothing and stores nothing.
package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/address"
)

// Path is where a gateway answers hooks, behind its address.
const Path = "/trimtab/hook"

// The variables of a run.
const (
	originVariable = "TRIMTAB_RUN_URL"
	keyVariable    = "TRIMTAB_RUN_KEY"
)

// Address is that of the run's gateway, with its secret; "" where there is none.
func Address(getenv func(string) string) string {
	origin, key := getenv(originVariable), getenv(keyVariable)
	if origin == "" || key == "" {
		return ""
	}
	return address.URL(origin, key)
}

// Call is what a hook tells of the request that its host is about to send.
type Call struct {
	Session string          // its id on every surface
	Events  []trimtab.Event // what the request will tell that the one before it did not
	Vouch   bool            // it only says what was typed: the host adds no notes of ours
	Store   bool            // it only has stored what the gateway knows of the session: the hook reads the store
}

// Answer is what the gateway answers.
type Answer struct {
	Hosted bool     `json:"hosted"` // notes of this session are the host's to add: ask before each request
	Notes  []string `json:"notes,omitempty"`
}

type callJSON struct {
	Session string            `json:"session"`
	Events  []json.RawMessage `json:"events"`
	Vouch   bool              `json:"vouch,omitempty"`
	Store   bool              `json:"store,omitempty"`
}

// MarshalJSON writes the call.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{Session: c.Session, Vouch: c.Vouch, Store: c.Store}
	for _, ev := range c.Events {
		raw, err := trimtab.EncodeEvent(ev)
		if err != nil {
			return nil, err
		}
		out.Events = append(out.Events, raw)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (c *Call) UnmarshalJSON(raw []byte) error {
	var in callJSON
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	*c = Call{Session: in.Session, Vouch: in.Vouch, Store: in.Store}
	for _, raw := range in.Events {
		ev, err := trimtab.DecodeEvent(raw)
		if err != nil {
			return err
		}
		c.Events = append(c.Events, ev)
	}
	return nil
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// Ask asks the gateway at an address.
func Ask(ctx context.Context, address string, c Call) (a Answer, err error) {
	return a, post(ctx, address+Path, c, &a)
}

// TypedPath is where a gateway says what was typed, behind its address.
const TypedPath = "/trimtab/typed"

// Question is whether a person typed a command of the host, such as "/trimtab:mode
// planning", in a session.
type Question struct {
	Session string `json:"session"` // its id on every surface
	Command string `json:"command"` // as it is typed, with its arguments
}

// Typed asks the gateway at an address whether the host's prompt hook told that a person
// typed a command. Each time that it was typed is answered yes once, so that what a model
// runs later is not vouched for by what was typed before. A program that such a command
// starts asks before it switches anything: the model can start it, too.
//
//	ok, err := relay.Typed(ctx, relay.Address(os.Getenv), relay.Question{Session: id, Command: "/trimtab:mode planning"})
func Typed(ctx context.Context, address string, q Question) (bool, error) {
	var a struct {
		Typed bool `json:"typed"`
	}
	err := post(ctx, address+TypedPath, q, &a)
	return a.Typed, err
}

func post(ctx context.Context, url string, question, answer any) error {
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the address of the gateway is unusable")
	}
	r.Header.Set("Content-Type", "application/json")
	direct := &http.Transport{DisableKeepAlives: true} // a proxy of the environment is not for loopback
	reply, err := direct.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("the gateway of the run did not answer: %w", err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(reply.Body, maxAnswer))
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("the gateway of the run answered %d", reply.StatusCode)
	}
	if err == nil {
		err = json.Unmarshal(raw, answer)
	}
	return err
}
