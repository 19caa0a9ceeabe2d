package session_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
)

// A program that talks to a model itself tells the service what happens and sends
// the View of its history.
func ExampleService_Handle() {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	clock := func() time.Time { return time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC) }
	service := session.New(engine, memory.New(), session.Options{Clock: clock})
	ctx := context.Background()
	if _, err := service.Begin(ctx, trimtab.Info{ID: "demo", Host: "mine"}); err != nil {
		fmt.Println(err)
		return
	}
	prompt := trimtab.Prompt("add a login page")
	prompt.ID = "p1" // by which a note knows its place in the history
	s, out, err := service.Handle(ctx, "demo", trimtab.Asked{Command: "mode", Args: []string{"planning"}}, trimtab.Said{Message: prompt}, trimtab.Calling{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range out.Changes {
		fmt.Println(c.Kind, "by", c.By+":", c.Why)
	}
	for _, m := range s.View([]trimtab.Message{prompt}) {
		first, _, _ := strings.Cut(m.Text(), "\n")
		fmt.Printf("%s: %s\n", m.Role, first)
	}
	// Output:
	// injected by mode: first prompt in PLANNING
	// user: You are in PLANNING MODE. Before writing any code:
	// user: add a login page
}
