// Command hook measures how long a host waits for a hook, side by side with a Go
// program that only says hello, in one run: the common call (a tool has run and
// nothing is due), a call that is answered from the database, and a stop that
// also leaves a request to reflect and starts the process that does. The last has
// rounds of its own, each of which waits until that process has taken the request: it
// would be in the way of the others.
//
// It builds all programs from this tree and asserts nothing: ratios count,
// times do not carry from machine to machine.
//
//	go run ./bench/hook -n 500
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	n := flag.Int("n", 500, "calls of each kind")
	flag.Parse()
	if err := measure(context.Background(), *n); err != nil {
		fmt.Fprintln(os.Stderr, "hook:", err)
		os.Exit(1)
	}
}

const hello = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"

// row is one program and how it is called.
type row struct {
	name  string
	args  []string
	input func(n int) []byte
	each  func() error // before each call, not measured
	env   []string     // beside that of this process
	took  []time.Duration
}

func measure(ctx context.Context, n int) error {
	dir, err := os.MkdirTemp("", "trimtab-bench-hook-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		return err
	}
	data := filepath.Join(dir, "data")
	at := func(name string) string { return filepath.Join(dir, name) }
	tool := func(n int) []byte { // no two alike: the same call again is looked at
		return fmt.Appendf(nil, `{"session_id":"bench","cwd":"/","hook_event_name":"PostToolBatch","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"ls %d"},"tool_use_id":"t1","tool_response":"a\nb\n"}]}`, n)
	}
	prompt := func(n int) []byte {
		return fmt.Appendf(nil, `{"session_id":"other","cwd":"/","hook_event_name":"UserPromptSubmit","prompt":"hello %d"}`, n)
	}
	stop := func(n int) []byte {
		return fmt.Appendf(nil, `{"session_id":"stops","cwd":%q,"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"That is all (%d)."}`, dir, n)
	}
	settings := at("trimtab.json")
	if err := os.WriteFile(settings, []byte(`{"automation":{"automation_enabled":true}}`), 0o600); err != nil {
		return err
	}
	emptied := func() error { return empty(filepath.Join(data, "hook", "claude-bench")) }
	rows := []*row{
		{name: "Go hello", args: []string{at("hello")}, input: func(int) []byte { return nil }},
		{name: "trimtab-hook, nothing due", args: []string{at("trimtab-hook"), "--data", data, "claude", "PostToolBatch"}, input: tool, each: emptied},
		{name: "trimtab hook, nothing due", args: []string{at("trimtab"), "--data", data, "hook", "claude", "PostToolBatch"}, input: tool, each: emptied},
		{name: "trimtab hook, from the database", args: []string{at("trimtab"), "--data", data, "hook", "claude", "UserPromptSubmit"}, input: prompt},
		{name: "trimtab-hook, from the database", args: []string{at("trimtab-hook"), "--data", data, "claude", "UserPromptSubmit"}, input: prompt},
		{name: "trimtab-hook, a stop", args: []string{at("trimtab-hook"), "--data", data, "claude", "Stop"}, input: stop},
	}
	stops := []*row{
		{name: "Go hello, between requests", args: rows[0].args, input: rows[0].input, each: func() error { return taken(filepath.Join(data, "hook", "reflect")) }},
		{name: "trimtab-hook, a stop with a request", args: rows[len(rows)-1].args, input: stop, env: []string{"TRIMTAB_CONFIG=" + settings}},
	}
	begin := &row{name: "begin", args: rows[3].args, input: func(int) []byte { return []byte(`{"session_id":"bench","cwd":"/","prompt":"hello"}`) }}
	if err := call(ctx, begin, 0, nil); err != nil { // the session of the tool calls, in which nothing else happens
		return err
	}
	for _, group := range [][]*row{rows, stops} {
		for i := range n {
			for _, r := range group { // in turn, so that what disturbs one disturbs all
				if err := call(ctx, r, i, &r.took); err != nil {
					return err
				}
			}
		}
	}
	print(append(rows, stops...))
	return nil
}

// taken waits until no request is left, and a moment more: whoever took the last one
// looks back, and ends.
func taken(dir string) error {
	for range 200 {
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
		if len(left) == 0 {
			return nil
		}
	}
	return fmt.Errorf("nobody takes the requests in %s", dir)
}

func build(ctx context.Context, dir string) error {
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte(hello), 0o600); err != nil {
		return err
	}
	for name, from := range map[string]string{"hello": source, "trimtab": "./cmd/trimtab", "trimtab-hook": "./cmd/trimtab-hook"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(dir, name), from)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// empty takes the calls out that were put aside, so that each call finds the
// same folder.
func empty(dir string) error {
	all, err := filepath.Glob(filepath.Join(dir, "[0-9]*"))
	for _, path := range all {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return err
}

func call(ctx context.Context, r *row, n int, took *[]time.Duration) error {
	if r.each != nil {
		if err := r.each(); err != nil {
			return err
		}
	}
	cmd := exec.CommandContext(ctx, r.args[0], r.args[1:]...)
	cmd.Stdin, cmd.Env = bytes.NewReader(r.input(n)), append(os.Environ(), r.env...)
	var out bytes.Buffer
	cmd.Stdout = &out
	begin := time.Now()
	err := cmd.Run()
	if took != nil {
		*took = append(*took, time.Since(begin))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}

func print(rows []*row) {
	fmt.Printf("%-34s %9s %9s %9s %7s\n", "", "p50", "p90", "p99", "ratio")
	base := at(rows[0].took, 50)
	for _, r := range rows {
		fmt.Printf("%-34s %9v %9v %9v %6.2fx\n", r.name, round(at(r.took, 50)), round(at(r.took, 90)), round(at(r.took, 99)), float64(at(r.took, 50))/float64(base))
	}
}

func at(all []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
