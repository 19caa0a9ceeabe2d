package tui

import (
	"context"
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/trimtab/trimtab/agent"
)

// quick is a chat for measuring, without a loop.
func quick(b *testing.B, n int) (*bench, opened) {
	b.Helper()
	w := behind(b)
	opt, err := w.options(setup{}).ready()
	if err != nil {
		b.Fatal(err)
	}
	w.chat = newChat(context.Background(), opt)
	w.take(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
	w.take(tea.WindowSizeMsg{Width: 100, Height: 40})
	long(b, w, n)
	cmd := w.open("long")
	o := cmd().(done).msg.(opened)
	return w, o
}

func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w, o := quick(b, n)
			for b.Loop() {
				w.opened(o)
				_ = w.View()
			}
		})
	}
}

func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{10, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w, o := quick(b, n)
			w.opened(o)
			r := &run{}
			for b.Loop() {
				w.draw(r, agent.Delta{Text: "and some more words of a reply, "})
				_ = w.View()
			}
		})
	}
}
