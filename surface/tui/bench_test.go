package tui

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/agent"
	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/llm"
	"github.com/trimtab/trimtab/llm/demo"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer/mode"
	"github.com/trimtab/trimtab/steer/todo"
	"github.com/trimtab/trimtab/store/memory"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// bench is a chat without a terminal: the loop of the program, in a time of its
// own, with a real service, store, lineup and agent behind it.
type bench struct {
	*chat
	t       testing.TB
	store   *memory.Store
	service *service
	inbox   chan tea.Msg
	gone    bool // it was left
	asked   []llm.Request
}

// service is the session service, with a lock that a test can put on it.
type service struct {
	*session.Service
	slow time.Duration // before anything is handled
	mu   sync.Mutex
	err  error
}

func (d *service) breaks(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func (d *service) broken() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

func (d *service) Handle(ctx context.Context, id string, events ...trimtab.Event) (trimtab.Session, trimtab.Outcome, error) {
	time.Sleep(d.slow) // of the bubble's time
	if err := d.broken(); err != nil {
		return trimtab.Session{}, trimtab.Outcome{}, err
	}
	return d.Service.Handle(ctx, id, events...)
}

// setup is how a bench differs from the usual.
type setup struct {
	script  string // of the model
	delay   time.Duration
	width   int
	height  int
	profile colorprofile.Profile // ASCII if not given
	options func(*Options)
}

// on runs a test on a bench.
func on(t *testing.T, s setup, test func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := newBench(ctx, t, s)
		defer func() {
			cancel()
			b.runs.Wait()
			time.Sleep(time.Minute) // of the bubble's time: what waits for a tick ends
		}()
		test(b)
	})
}

// behind is what stands behind the chat. The lineup is a small one, so that a new
// intervention does not change every screen.
func behind(t testing.TB) *bench {
	t.Helper()
	modes, err1 := mode.New(mode.Config{})
	reminder, err2 := todo.New(todo.Config{})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	engine, err := trimtab.New(trimtab.Config{}, trimtab.Use(modes), trimtab.Use(reminder))
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, store: memory.New(), inbox: make(chan tea.Msg, 1000)}
	b.service = &service{Service: session.New(engine, b.store, session.Options{})}
	return b
}

func newBench(ctx context.Context, t *testing.T, s setup) *bench {
	b := behind(t)
	opt, err := b.options(s).ready()
	if err != nil {
		t.Fatal(err)
	}
	b.chat = newChat(ctx, opt)
	b.send = func(m tea.Msg) { b.inbox <- m }
	if s.profile == 0 {
		s.profile = colorprofile.ASCII
	}
	b.do(b.Init())
	b.tell(tea.ColorProfileMsg{Profile: s.profile})
	b.tell(tea.WindowSizeMsg{Width: max(s.width, 20), Height: max(s.height, 5)})
	if s.width == 0 {
		b.tell(tea.WindowSizeMsg{Width: 80, Height: 24})
	}
	return b
}

func (b *bench) options(s setup) Options {
	if s.script == "" {
		s.script = "reply\nsay So be it.\n"
	}
	script, err := demo.Parse([]byte(s.script))
	if err != nil {
		b.t.Fatal(err)
	}
	n := 0
	opt := Options{
		Service: b.service, Folder: "/home/ann/mill", Home: "/home/ann", Model: "demo", Messages: b.store.Messages,
		Begin: func(ctx context.Context, model string) (trimtab.Session, error) {
			n++
			if err := b.service.broken(); err != nil {
				return trimtab.Session{}, err
			}
			return b.service.Begin(ctx, trimtab.Info{ID: fmt.Sprintf("s%d", n), Host: "trimtab", Project: "/home/ann/mill", Model: model})
		},
		Agent: func(_ context.Context, name string, permit Permit) (Chosen, error) {
			if name == "gone" {
				return Chosen{}, errors.New("model gone: not known")
			}
			model := watched{demo.Play("test", script, demo.Options{Delay: s.delay}), b}
			a := agent.New(b.service, model, agent.Options{History: b.store, Tools: benchTools(), Permit: permit})
			return Chosen{Runner: a, Name: name}, nil
		},
		Sessions: func(ctx context.Context, all bool) ([]trimtab.Info, error) {
			var out []trimtab.Info
			for i, err := range b.store.List(ctx, trimtab.Query{}) {
				if err != nil {
					return nil, err
				}
				out = append(out, i)
			}
			return out, nil
		},
		Models: func(context.Context) ([]Item, error) {
			return []Item{{Name: "demo", Text: "built in"}, {Name: "anthropic/large", Text: "a large one", Off: "ANTHROPIC_API_KEY is not set"}}, nil
		},
		Tools: func(trimtab.Session) []Item {
			return []Item{{Name: "read", Text: "reads a file"}, {Name: "write", Text: "writes a file", Off: "not in PLANNING"}, {Name: "flame_activate", Text: "Starts work on a planned frame."}}
		},
		Export: func(_ context.Context, _, file string) (string, error) { return "/home/ann/mill/" + file, nil },
		Files: func(context.Context) ([]string, error) {
			return []string{"README.md", "src/", "src/mill.go", "src/mill_test.go", "docs/mill.md", "docs/wind mill.md"}, nil
		},
		Recall: func(context.Context) ([]string, error) { return []string{"an older prompt"}, nil },
		Branch: func(context.Context) string { return "trunk" },
	}
	if s.options != nil {
		s.options(&opt)
	}
	return opt
}

// watched notes what the model is asked.
type watched struct {
	llm.Model
	*bench
}

func (w watched) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	w.bench.asked = append(w.bench.asked, r)
	return w.Model.Stream(ctx, r)
}

func benchTools() []tool.Tool {
	look := tool.Tool{Tool: llm.Tool{Name: "look", ReadOnly: true}, Run: func(context.Context, json.RawMessage) (string, error) { return "a mill\nand a pond", nil }}
	write := tool.Tool{Tool: llm.Tool{Name: "write"}, Run: func(context.Context, json.RawMessage) (string, error) { return "written", nil }}
	write.Ask = func(context.Context, json.RawMessage) (tool.Ask, bool) {
		return tool.Ask{Tool: "write", Title: "src/mill.go", Detail: "--- src/mill.go\n+++ src/mill.go\n@@ -1,2 +1,2 @@\n package mill\n-var wind = 1\n+var wind = 2", Rule: "write: src/*"}, true
	}
	return []tool.Tool{look, write}
}

// do runs a command as the program does: beside the loop.
func (b *bench) do(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for _, c := range batch {
				b.do(c)
			}
			return
		}
		b.inbox <- msg
	}()
}

// tell gives the chat a message and lets everything come to rest.
func (b *bench) tell(msg tea.Msg) {
	b.t.Helper()
	b.do(b.take(msg))
	b.settle()
}

func (b *bench) settle() {
	for {
		synctest.Wait()
		select {
		case msg := <-b.inbox:
			if _, ok := msg.(tea.QuitMsg); ok {
				b.gone = true
			}
			b.do(b.take(msg))
		default:
			return
		}
	}
}

// pass lets time go by.
func (b *bench) pass(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); b.settle() {
		time.Sleep(10 * time.Millisecond) // of the bubble's time
	}
}

// rest waits until nothing is under way.
func (b *bench) rest() {
	b.t.Helper()
	for range 1000 {
		if b.settle(); !b.busy() && len(b.queue) == 0 {
			return
		}
		b.pass(50 * time.Millisecond)
	}
	b.t.Fatal("it does not end")
}

// press types keys by their names; a word that is no name is typed letter by letter.
func (b *bench) press(keys ...string) {
	b.t.Helper()
	for _, k := range keys {
		if msg, ok := keyOf(k); ok {
			b.tell(msg)
			continue
		}
		for _, r := range k {
			b.tell(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// say sends a prompt and waits for the reply.
func (b *bench) say(prompt string) {
	b.t.Helper()
	b.press(prompt, "enter")
	b.rest()
}

var named = map[string]rune{
	"enter": tea.KeyEnter, "tab": tea.KeyTab, "esc": tea.KeyEscape, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "home": tea.KeyHome, "end": tea.KeyEnd, "f1": tea.KeyF1,
}

func keyOf(name string) (tea.KeyPressMsg, bool) {
	var mod tea.KeyMod
	rest := name
	for _, m := range []struct {
		name string
		mod  tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if after, ok := strings.CutPrefix(rest, m.name); ok {
			rest, mod = after, mod|m.mod
		}
	}
	if code, ok := named[rest]; ok {
		return tea.KeyPressMsg{Code: code, Mod: mod}, true
	}
	if mod != 0 && len(rest) == 1 {
		return tea.KeyPressMsg{Code: rune(rest[0]), Mod: mod}, true
	}
	return tea.KeyPressMsg{}, false
}

// screen is what is seen, line by line.
func (b *bench) screen() string {
	b.t.Helper()
	v := b.View()
	lines := strings.Split(v.Content, "\n")
	if len(lines) != b.height {
		b.t.Fatalf("%d lines on a screen of %d", len(lines), b.height)
	}
	for i, l := range lines {
		if w := ansi.StringWidth(l); w > b.width {
			b.t.Fatalf("line %d is %d cells wide on a screen of %d: %q", i, w, b.width, l)
		}
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// sees checks that something is on the screen.
func (b *bench) sees(want ...string) {
	b.t.Helper()
	got := b.screen()
	for _, w := range want {
		if !strings.Contains(got, w) {
			b.t.Errorf("%q is not on the screen:\n%s", w, got)
		}
	}
}

func (b *bench) misses(want ...string) {
	b.t.Helper()
	got := b.screen()
	for _, w := range want {
		if strings.Contains(got, w) {
			b.t.Errorf("%q is on the screen:\n%s", w, got)
		}
	}
}

// golden compares the screen with the one that is kept.
func (b *bench) golden(name string) {
	b.t.Helper()
	v := b.View()
	head := "title: " + v.WindowTitle + "\n"
	if v.Cursor != nil {
		head += fmt.Sprintf("cursor: %d,%d\n", v.Cursor.X, v.Cursor.Y)
	}
	got := head + strings.ReplaceAll(b.screen(), "\x1b", "␛") + "\n"
	file := filepath.Join("testdata", name+".screen")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			b.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		b.t.Fatalf("%v; go test -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		b.t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
