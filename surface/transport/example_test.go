package transport_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/transport"
)

// A client whose requests are steered. An SDK takes it as its HTTP client; here the
// request is written by hand, and the provider is a server that looks for the note.
func Example() {
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println("the model reads the note:", strings.Contains(string(body), "You are in PLANNING MODE"))
		fmt.Fprint(w, `{"type":"message","role":"assistant","content":[{"type":"text","text":"First, a plan."}],"stop_reason":"end_turn"}`)
	}))
	defer provider.Close()

	engine, err := steer.New(steer.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	service := session.New(engine, memory.New(), session.Options{})
	ctx := context.Background()
	if _, err := service.Begin(ctx, trimtab.Info{ID: "demo"}); err != nil {
		fmt.Println(err)
		return
	}
	if _, _, err := service.Handle(ctx, "demo", trimtab.Asked{Command: "mode", Args: []string{"planning"}}); err != nil {
		fmt.Println(err)
		return
	}

	steered := transport.New(transport.Options{Sessions: service, Session: func(*http.Request) string { return "demo" }})
	client := http.Client{Transport: steered}
	reply, err := client.Post(provider.URL+"/v1/messages", "application/json", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"add a login page"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, _ := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	fmt.Println(len(text) > 0, steered.Flush(ctx))
	for m := range service.Messages(ctx, "demo", 0) {
		fmt.Println(m.Role+":", m.Text())
	}
	// Output:
	// the model reads the note: true
	// true <nil>
	// user: add a login page
	// assistant: First, a plan.
}
