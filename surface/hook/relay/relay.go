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
}

// Answer is what the gateway answers.
type Answer struct {
	Hosted bool     `json:"hosted"` // notes of this session are the host's to add: ask before each request
	Notes  []string `json:"notes,omitempty"`
}

type callJSON struct {
	Session string            `json:"session"`
	Events  []json.RawMessage `json:"events"`
}

// MarshalJSON writes the call.
func (c Call) MarshalJSON() ([]byte, error) {
	out := callJSON{Session: c.Session}
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
	*c = Call{Session: in.Session}
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
	body, err := json.Marshal(c)
	if err != nil {
		return a, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+Path, bytes.NewReader(body))
	if err != nil {
		return a, fmt.Errorf("the address of the gateway is unusable")
	}
	r.Header.Set("Content-Type", "application/json")
	direct := &http.Transport{DisableKeepAlives: true} // a proxy of the environment is not for loopback
	reply, err := direct.RoundTrip(r)
	if err != nil {
		return a, fmt.Errorf("the gateway of the run did not answer: %w", err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(reply.Body, maxAnswer))
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("the gateway of the run answered %d", reply.StatusCode)
	}
	if err == nil {
		err = json.Unmarshal(raw, &a)
	}
	return a, err
}
