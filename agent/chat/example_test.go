package chat_test

import (
	"context"
	"fmt"
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
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := ask(context.Background(), dir, "hello"); err != nil {
		fmt.Println(err)
	}
	// Output: demo ended true
}

func ask(ctx context.Context, dir, prompt string) error {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		return err
	}
	store := memory.New()
	sessions := session.New(engine, store, session.Options{Clock: time.Now})
	c, err := chat.Open(chat.Options{Service: sessions, Archive: store, Models: onlyDemo{}, Dir: dir, Sandbox: sandbox.Config{Mode: "none"}})
	if err != nil {
		return err
	}
	defer c.Close()
	chosen, err := c.Choose(ctx, "", nil) // nobody is asked: what would have to be is refused
	if err != nil {
		return err
	}
	s, err := c.Begin(ctx, chosen.Name)
	if err != nil {
		return err
	}
	answer, err := agent.Once(ctx, chosen, s.ID, trimtab.Prompt(prompt), nil)
	if err != nil {
		return err
	}
	fmt.Println(chosen.Name, answer.Stopped, answer.Answer != "")
	return nil
}
