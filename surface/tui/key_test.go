package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// M9, with the bytes that terminals send, through the whole program.
func TestM9_ShiftTabInItsThreeEncodings(t *testing.T) {
	for name, keys := range map[string]string{"legacy": "\x1b[Z", "xterm": "\x1b[1;2Z", "kitty": "\x1b[9;2u", "kitty with caps lock": "\x1b[9;66u", "kitty with num lock": "\x1b[9;130u"} {
		t.Run(name, func(t *testing.T) {
			p := begin(t)
			p.keys(keys)
			p.wait("trimtab · PLANNING")
			p.keys("\x1b[200~pasted " + keys + keys + "\x1b[201~")
			p.keys(keys)
			p.wait("trimtab · RESEARCH") // and not one further
			p.keys("\x1b[9;6u")          // Ctrl+Shift+Tab
			p.wait("trimtab · PLANNING")
			p.keys("\x03\x03\x03")
			if err := <-p.end; err != nil {
				t.Error(err)
			}
			if p.saw("CODE REVIEW") {
				t.Error("a paste changed the mode")
			}
		})
	}
}

// program is the whole chat between two pipes.
type program struct {
	t   *testing.T
	in  *io.PipeWriter
	out *tape
	end chan error
}

func begin(t *testing.T) *program {
	t.Helper()
	b := behind(t)
	opt := b.options(setup{})
	r, w := io.Pipe()
	p := &program{t: t, in: w, out: newTape(), end: make(chan error, 1)}
	opt.In, opt.Out, opt.Env = r, p.out, []string{"TERM=xterm-256color"}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	go func() {
		_, err := Run(ctx, opt)
		p.end <- err
	}()
	return p
}

func (p *program) keys(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, keys); err != nil {
		p.t.Fatal(err)
	}
}

// wait waits until something new is written that holds the text.
func (p *program) wait(text string) {
	p.t.Helper()
	if !p.out.wait(text) {
		p.t.Fatalf("%q never came:\n%q", text, p.out.all.String())
	}
}

func (p *program) saw(text string) bool {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	return strings.Contains(p.out.all.String(), text)
}

// tape keeps what a program writes, and lets others wait for it.
type tape struct {
	mu   sync.Mutex
	all  bytes.Buffer
	read int // up to here it was waited for
	more chan struct{}
}

func newTape() *tape { return &tape{more: make(chan struct{}, 1)} }

func (t *tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case t.more <- struct{}{}:
	default:
	}
	return t.all.Write(p)
}

func (t *tape) wait(text string) bool {
	for {
		t.mu.Lock()
		rest := t.all.Bytes()[t.read:]
		at := bytes.Index(rest, []byte(text))
		if at >= 0 {
			t.read += at + len(text)
		}
		t.mu.Unlock()
		if at >= 0 {
			return true
		}
		select {
		case <-t.more:
		case <-time.After(2 * time.Minute):
			return false
		}
	}
}

func TestTheKeysOfTheContract(t *testing.T) {
	for _, tt := range []struct {
		name  string
		keys  []string
		check func(b *bench) error
	}{
		{"Enter sends", []string{"hello", "enter"}, func(b *bench) error { return asked1(b, "hello") }},
		{"Shift+Enter breaks the line", []string{"a", "shift+enter", "b", "enter"}, func(b *bench) error { return asked1(b, "a\nb") }},
		{"Alt+Enter breaks the line", []string{"a", "alt+enter", "b", "enter"}, func(b *bench) error { return asked1(b, "a\nb") }},
		{"Ctrl+J breaks the line", []string{"a", "ctrl+j", "b", "enter"}, func(b *bench) error { return asked1(b, "a\nb") }},
		{"a backslash before Enter breaks the line", []string{`a\`, "enter", "b", "enter"}, func(b *bench) error { return asked1(b, "a\nb") }},
		{"nothing is sent of nothing", []string{" ", "enter"}, func(b *bench) error { return want(len(b.asked) == 0, "something was sent") }},
		{"Ctrl+C clears", []string{"draft", "ctrl+c"}, func(b *bench) error { return want(b.text.Empty() && !b.gone, "not cleared, or left") }},
		{"Ctrl+C twice leaves", []string{"draft", "ctrl+c", "ctrl+c"}, func(b *bench) error { return want(b.gone, "still there") }},
		{"another key between two Ctrl+C stays", []string{"ctrl+c", "x", "ctrl+c"}, func(b *bench) error { return want(!b.gone, "left") }},
		{"what was cleared comes back", []string{"draft", "ctrl+c", "ctrl+z"}, func(b *bench) error { return wrote(b, "draft") }},
		{"Ctrl+D leaves when nothing is written", []string{"ctrl+d"}, func(b *bench) error { return want(b.gone, "still there") }},
		{"Ctrl+D takes a letter away when something is", []string{"ab", "home", "ctrl+d"}, func(b *bench) error { return wrote(b, "b") }},
		{"Up brings back what was sent", []string{"one", "enter", "two", "enter", "up", "up"}, func(b *bench) error { return wrote(b, "one") }},
		{"Down comes back to what was being written", []string{"one", "enter", "dra", "up", "down"}, func(b *bench) error { return wrote(b, "dra") }},
		{"Up reaches into earlier sessions", []string{"one", "enter", "up", "up"}, func(b *bench) error { return wrote(b, "an older prompt") }},
		{"Ctrl+R searches what was typed", []string{"one", "enter", "two", "enter", "ctrl+r", "on", "enter"}, func(b *bench) error { return wrote(b, "one") }},
		{"Tab completes a command", []string{"/res", "tab"}, func(b *bench) error { return wrote(b, "/resume ") }},
		{"Tab completes an argument", []string{"/mode deb", "tab"}, func(b *bench) error { return wrote(b, "/mode debugging ") }},
		{"Tab completes what a list has shown", []string{"/model", "enter", "esc", "/model de", "tab"}, func(b *bench) error { return wrote(b, "/model demo ") }},
		{"Tab takes the file that is marked", []string{"see @src/mil", "tab"}, func(b *bench) error { return wrote(b, "see @src/mill.go ") }},
		{"Tab completes a file", []string{"see @READ", "tab"}, func(b *bench) error { return wrote(b, "see @README.md ") }},
		{"Tab goes into a folder", []string{"see @sr", "tab", "tab"}, func(b *bench) error { return wrote(b, "see @src/") }},
		{"letters of a path find it", []string{"see @smilte", "tab"}, func(b *bench) error { return wrote(b, "see @src/mill_test.go ") }},
		{"a name with blanks is quoted", []string{"see @windm", "tab"}, func(b *bench) error { return wrote(b, `see @"docs/wind mill.md" `) }},
		{"a quoted name goes on over blanks", []string{`see @"wind m`, "tab"}, func(b *bench) error { return wrote(b, `see @"docs/wind mill.md" `) }},
		{"the arrows choose from the menu", []string{"see @src/mill", "down", "enter"}, func(b *bench) error { return wrote(b, "see @src/mill_test.go ") }},
		{"Esc closes the menu", []string{"/mo", "esc"}, func(b *bench) error { return want(len(b.menu.items) == 0 && b.text.String() == "/mo", "open") }},
		{"? on an empty line is help", []string{"?"}, func(b *bench) error { return want(b.dialog != nil, "no help") }},
		{"? in a text is a letter", []string{"why?"}, func(b *bench) error { return wrote(b, "why?") }},
		{"F1 is help", []string{"x", "f1"}, func(b *bench) error { return want(b.dialog != nil, "no help") }},
		{"Ctrl+W, Ctrl+Y", []string{"one two", "ctrl+w", "ctrl+y", "ctrl+y"}, func(b *bench) error { return wrote(b, "one twotwo") }},
		{"a path is no command", []string{"/etc/hosts is what?", "enter"}, func(b *bench) error { return asked1(b, "/etc/hosts is what?") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			on(t, setup{script: "reply\nsay 1\nreply\nsay 2\n"}, func(b *bench) {
				for _, k := range tt.keys {
					b.press(k)
					b.rest()
				}
				if err := tt.check(b); err != nil {
					t.Errorf("%v\n%s", err, b.screen())
				}
			})
		})
	}
}

func want(ok bool, text string) error {
	if ok {
		return nil
	}
	return errors.New(text)
}

func wrote(b *bench, text string) error {
	return want(b.text.String() == text, fmt.Sprintf("%q is written, want %q", b.text.String(), text))
}

func asked1(b *bench, text string) error {
	if len(b.asked) != 1 {
		return fmt.Errorf("the model was asked %d times", len(b.asked))
	}
	m := b.asked[0].Messages
	return want(m[len(m)-1].Text() == text, fmt.Sprintf("it was asked %q", m[len(m)-1].Text()))
}

func TestEveryKeyOfTheEditorIsNamedOnce(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		for name := range moves {
			if _, global := b.global(name); global && name != "ctrl+d" {
				t.Errorf("%s does something else already", name)
			}
		}
	})
}

func TestTheWheelScrollsAndAClickFolds(t *testing.T) {
	on(t, setup{script: "reply\nsay looking\ncall look {}\nreply\nsay " + strings.Repeat("word ", 600) + "\n"}, func(b *bench) {
		b.say("go")
		end := b.screen()
		b.tell(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
		if b.screen() == end {
			t.Error("the wheel moves nothing")
		}
		b.tell(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
		if got := b.screen(); got != end {
			t.Errorf("not back at the end:\n%s", got)
		}
		b.press("pgup", "ctrl+home")
		b.press("pgdown", "pgdown", "pgdown", "pgdown")
		if got := b.screen(); got != end {
			t.Errorf("not back at the end:\n%s", got)
		}
	})
}
