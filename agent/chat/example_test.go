package chat_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/chat"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
)

// onlyDemo finds the built-in model under every name; llm/registry finds real ones.
type onlyDemo struct{}

func (onlyDemo) Default(context.Context) (name, hint string) { return "demo", "" }
func (onlyDemo) Open(context.Context, string) (llm.Model, error) {
	return demo.New(demo.Options{}), nil
}

// A program has a steered agent with tools in a folder, and asks it one thing.
func Example() {
	dir, err := os.MkdirTemp("", "chat")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	engine, err := steer.New(steer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	store := memory.New()
	sessions := session.New(engine, store, session.Options{Clock: time.Now})
	c, err := chat.Open(chat.Options{Service: sessions, Archive: store, Models: onlyDemo{}, Dir: dir, Sandbox: sandbox.Config{Mode: "none"}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ctx := context.Background()
	chosen, err := c.Choose(ctx, "", nil) // nobody is asked: what would have to be is refused
	if err != nil {
		log.Fatal(err)
	}
	s, err := c.Begin(ctx, chosen.Name)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := agent.Once(ctx, chosen, s.ID, trimtab.Prompt("hello"), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(chosen.Name, answer.Stopped, answer.Answer != "")
	// Output: demo ended true
}
