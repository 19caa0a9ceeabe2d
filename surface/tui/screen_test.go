package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/trimtab/trimtab"
)

// The states of the chat, each as a person would come to it.
var states = []struct {
	name   string
	setup  setup
	script func(b *bench)
}{
	{"start", setup{options: func(o *Options) {
		o.Notices = []string{"trimtab, with the built-in demo model: no key, no network."}
	}}, func(*bench) {}},
	{"mode", setup{}, func(b *bench) { b.press("shift+tab") }},
	{"write", setup{}, func(b *bench) {
		b.press("one line", "shift+enter", "and another that is long enough to be broken in two, if not in three")
	}},
	{"reply", setup{script: "reply\nsay A **mill** stands:\nsay\nsay - by a pond\nsay - with `sails`\n"}, func(b *bench) { b.say("what is here?") }},
	{"working", setup{script: "reply\nsay one two three four five six seven eight\n", delay: slow}, func(b *bench) {
		b.press("count", "enter")
		b.pass(3*slow + time.Millisecond)
		b.press("and then?", "enter", "I am still writ")
	}},
	{"tool", setup{script: "reply\nsay I look.\ncall look {\"path\":\".\"}\nreply\nsay A mill.\n"}, func(b *bench) { b.say("look") }},
	{"verbose", setup{script: "reply\nsay Fine.\n"}, func(b *bench) {
		b.press("shift+tab", "ctrl+o")
		b.say("plan")
	}},
	{"permit", setup{script: "reply\nsay I write.\ncall write {}\nreply\nsay done\n"}, func(b *bench) {
		b.press("go", "enter")
		b.pass(2 * time.Second)
	}},
	{"resume", setup{}, func(b *bench) {
		b.say("build a mill")
		b.pass(2 * time.Minute)
		b.press("ctrl+n")
		b.say("paint it")
		b.press("/resume", "enter")
	}},
	{"model", setup{}, func(b *bench) { b.press("/model", "enter") }},
	{"modes", setup{}, func(b *bench) { b.press("/mode", "enter") }},
	{"help", setup{}, func(b *bench) { b.press("f1") }},
	{"menu", setup{}, func(b *bench) { b.press("/") }},
	{"files", setup{}, func(b *bench) { b.press("look at @mi") }},
	{"typo", setup{}, func(b *bench) { b.press("/modle", "enter") }},
	{"fault", setup{script: "reply\nfail the line is dead\n"}, func(b *bench) { b.say("hello") }},
	{"unsaved", setup{}, func(b *bench) {
		b.press("shift+tab")
		b.service.breaks(errors.New("disk full"))
		b.press("shift+tab")
	}},
	{"status", setup{}, func(b *bench) {
		b.press("shift+tab")
		b.say("hello")
		b.press("/status", "enter", "/tools", "enter")
	}},
}

func TestScreens(t *testing.T) {
	for _, st := range states {
		for _, size := range []struct {
			name          string
			width, height int
			profile       colorprofile.Profile
		}{
			{"80", 80, 24, colorprofile.ASCII},
			{"40", 40, 20, colorprofile.ASCII},
			{"80-colour", 80, 24, colorprofile.ANSI},
		} {
			t.Run(st.name+"-"+size.name, func(t *testing.T) {
				s := st.setup
				s.width, s.height, s.profile = size.width, size.height, size.profile
				on(t, s, func(b *bench) {
					st.script(b)
					b.golden(st.name + "-" + size.name)
				})
			})
		}
	}
}

// Any size: every line fits, there are as many as the screen has, and the cursor
// is on it.
func TestAnySizeOfScreen(t *testing.T) {
	for _, st := range states {
		on(t, st.setup, func(b *bench) {
			st.script(b)
			for _, w := range []int{1, 2, 5, 12, 20, 39, 80, 200} {
				for _, h := range []int{1, 2, 3, 5, 8, 12, 50} {
					b.tell(tea.WindowSizeMsg{Width: w, Height: h})
					v := b.View()
					lines := strings.Split(v.Content, "\n")
					if len(lines) != h {
						t.Errorf("%s: %d lines at %dx%d", st.name, len(lines), w, h)
					}
					for _, l := range lines {
						if n := ansi.StringWidth(l); n > w {
							t.Errorf("%s: a line of %d cells at %dx%d: %q", st.name, n, w, h, l)
						}
					}
					if c := v.Cursor; c != nil && (c.X < 0 || c.X >= w || c.Y < 0 || c.Y >= h) {
						t.Errorf("%s: the cursor is at %d,%d at %dx%d", st.name, c.X, c.Y, w, h)
					}
				}
			}
		})
	}
}

// The help is for reading: nothing of it is cut, whatever the width and however
// often it changes while the help is open.
func TestNoWordOfTheHelpIsCut(t *testing.T) {
	on(t, setup{width: 120, height: 200}, func(b *bench) {
		b.press("f1")
		for _, width := range []int{120, 100, 80, 72, 60, 40, 100} {
			b.tell(tea.WindowSizeMsg{Width: width, Height: 200})
			b.sees("Ctrl+L", "/mode [NAME | + | -]")
			for line := range strings.Lines(b.screen()) {
				line = strings.TrimRight(line, " \n")
				if strings.HasSuffix(line, "…") && !strings.Contains(line, "GOAL…") {
					t.Errorf("at %d columns: %q", width, line)
				}
			}
		}
	})
}

func TestANarrowFooterKeepsTheMode(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		b.press("shift+tab")
		b.say("hello")
		for _, w := range []int{200, 80, 60, 40, 30, 20, 12} {
			b.tell(tea.WindowSizeMsg{Width: w, Height: 24})
			if f := b.footer(); !strings.Contains(f, "PLANNING") {
				t.Errorf("at %d: %q", w, f)
			}
		}
		b.tell(tea.WindowSizeMsg{Width: 200, Height: 24})
		if f := b.footer(); !strings.Contains(f, "~/mill") || !strings.Contains(f, "trunk") || !strings.Contains(f, "demo") || !strings.Contains(f, "context") {
			t.Errorf("%q", f)
		}
	})
}

func TestTheFooterCounts(t *testing.T) {
	on(t, setup{options: func(o *Options) {
		o.Window = func(string) int { return 1000 }
		o.Cost = func(string, trimtab.Usage) (float64, bool) { return 0.25, true }
	}}, func(b *bench) {
		b.tell(tea.WindowSizeMsg{Width: 120, Height: 24})
		b.say("hello")
		b.chat.replied(&run{}, trimtab.Message{ID: "x", Usage: &trimtab.Usage{Input: 1200, Output: 30, CacheRead: 11000}})
		b.chat.replied(&run{}, trimtab.Message{ID: "y", Usage: &trimtab.Usage{Input: 10}})
		b.chat.used = 121
		b.chat.agent.Sandbox = "sandbox: none"
		b.sees("context 13%", "12.2k in ", " out", "$0.", "sandbox: none")
	})
}

func TestNoColour(t *testing.T) {
	for _, st := range states {
		on(t, st.setup, func(b *bench) {
			st.script(b)
			if v := b.View(); strings.Contains(v.Content, "\x1b") {
				t.Errorf("%s: there is a colour in %q", st.name, v.Content)
			}
		})
	}
}

func TestLightAndDarkDiffer(t *testing.T) {
	on(t, setup{profile: colorprofile.TrueColor}, func(b *bench) {
		b.say("hello")
		b.tell(tea.BackgroundColorMsg{Color: ansi.BasicColor(0)})
		dark := b.screen()
		b.tell(tea.BackgroundColorMsg{Color: ansi.BasicColor(15)})
		if light := b.screen(); light == dark {
			t.Error("a light screen looks like a dark one")
		}
	})
}

// A session of ten thousand messages opens whole, and is drawn from its end.
func TestALongSessionIsResumed(t *testing.T) {
	on(t, setup{}, func(b *bench) {
		long(t, b, 2000)
		b.press("/resume long", "enter")
		b.sees("resumed, 2000 messages", "reply 1999")
		b.press("ctrl+home")
		b.sees("prompt 0")
	})
}

func long(t testing.TB, b *bench, n int) {
	t.Helper()
	ctx := context.Background()
	if _, err := b.service.Begin(ctx, trimtab.Info{ID: "long", Host: "trimtab"}); err != nil {
		t.Fatal(err)
	}
	var events []trimtab.Event
	for i := 0; i < n; i += 2 {
		events = append(events, trimtab.Said{Message: trimtab.Prompt(fmt.Sprintf("prompt %d", i))},
			trimtab.Said{Message: trimtab.Say(trimtab.RoleAssistant, trimtab.Model, fmt.Sprintf("reply %d\n\n- with\n- `items`\n\n%s", i+1, strings.Repeat("and words ", 30)))})
	}
	if _, _, err := b.service.Handle(ctx, "long", events...); err != nil {
		t.Fatal(err)
	}
}
