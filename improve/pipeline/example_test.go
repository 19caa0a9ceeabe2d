package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/registry"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/improve/scan"
	"github.com/trimtab/trimtab/store/memory"
)

// session is a conversation in which one command fails again and again.
func session() []trimtab.Message {
	at := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	messages := []trimtab.Message{{ID: "m0", Role: trimtab.RoleUser, At: at, Parts: []trimtab.Part{trimtab.Text{Text: "make it build", By: trimtab.Person}}}}
	for i := range 6 {
		call := fmt.Sprint("call", i)
		messages = append(messages,
			trimtab.Message{ID: fmt.Sprint("a", i), Role: trimtab.RoleAssistant, At: at, Parts: []trimtab.Part{trimtab.ToolCall{ID: call, Name: "Bash", Input: []byte(`{"command":"make"}`)}}},
			trimtab.Message{ID: fmt.Sprint("r", i), Role: trimtab.RoleUser, At: at, Parts: []trimtab.Part{trimtab.ToolResult{ID: call, Text: "make: *** No rule to make target 'all'.  Stop.", Failed: true}}},
		)
	}
	return messages
}

// Reflecting on messages needs no store and no settings.
func Example_reflection() {
	r, err := improve.NewReflector(improve.Options{Session: "s1", Redact: func(s string) string { return s }})
	if err != nil {
		panic(err)
	}
	for _, m := range session() {
		if !r.See(m) {
			return // a session of our own workflow
		}
	}
	result, _ := r.Result(time.Date(2026, 11, 15, 11, 0, 0, 0, time.UTC))
	for _, p := range result.Patterns {
		fmt.Println(p.Severity, p.Type, p.Count)
	}
	// Output:
	// high error_patterns 6
	// medium repeated_tool_use 6
	// low loop 4
}

// A request is made of what a stored session shows, as trimtab improve new does,
// with a store in memory and a forge in a folder.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	store := memory.New()
	info := trimtab.Info{ID: "s1", Project: "/home/a/mill"}
	if _, err := store.Commit(ctx, trimtab.Commit{Session: trimtab.Session{Info: info, Seq: len(session())}, Messages: session()}); err != nil {
		panic(err)
	}
	keep := func(s string) string { return s }
	p, err := pipeline.New(pipeline.Options{
		Queue:    func(context.Context) (improve.Queue, error) { return store.Queue(), nil },
		Sessions: scan.New(scan.Options{Redact: keep, Store: scan.OpenStore(store)}),
		Redact:   keep,
		Keys:     func(context.Context) ([][]byte, error) { return [][]byte{make([]byte, 32)}, nil },
		Forge: func(ctx context.Context, project string) (pipeline.Forge, error) {
			return registry.Find(ctx, registry.Config{Kind: "local"}, registry.Options{Git: git.New(os.Environ()), Project: project, Local: filepath.Join(folder, "forge")})
		},
	})
	if err != nil {
		panic(err)
	}
	item, err := p.New(ctx, pipeline.Query{Project: "/home/a/mill"}, "", false)
	fmt.Println(item.State, err)
	fmt.Println(item.Request.Title)
	// Output:
	// awaiting_approval <nil>
	// Recurring error: Bash make fails and says nothing
}
