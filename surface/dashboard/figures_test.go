package dashboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/dashboard"
)

// TestV4_Figures measures what docs/howto/dashboard.md says of 10,000 sessions and of a session of
// 10,000 messages. It asserts nothing: machines differ.
func TestV4_Figures(t *testing.T) {
	if os.Getenv("TRIMTAB_FIGURES") == "" {
		t.Skip("it measures, and fails on nothing: TRIMTAB_FIGURES=1 runs it")
	}
	s := open(t)
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "trimtab.db"), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	cfg, _ := config.Load[steer.Config](config.Sources{})
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	service := session.New(engine, st, session.Options{Clock: func() time.Time { return noon }})
	for i := range 10_000 {
		one := trimtab.NewSession(fmt.Sprintf("s%05d", i), noon.Add(-time.Duration(i)*time.Minute))
		one.Info = trimtab.Info{ID: one.ID, Host: "claude", Project: "/home/ada/shop", Title: fmt.Sprint("Session ", i), Created: one.Created, Updated: one.Created}
		if _, err := st.Commit(t.Context(), trimtab.Commit{Session: one}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 100 { // 100 turns of 100 messages
		events := []trimtab.Event{trimtab.Said{Message: trimtab.Prompt(fmt.Sprint("Turn ", i)), Vouched: true}}
		for j := range 33 {
			id := fmt.Sprintf("c%d-%d", i, j)
			events = append(events, trimtab.Calling{}, trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: id, Name: "Read", Input: []byte(fmt.Sprintf(`{"file_path":"f%d-%d.go"}`, i, j))}}}},
				trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: id, Text: "package f\n" + fmt.Sprint(i*j)}}}}, trimtab.Calling{}, trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: "Next.", By: trimtab.Model}}}})
		}
		if _, _, err := service.Handle(t.Context(), "s00000", events...); err != nil {
			t.Fatal(err)
		}
	}
	s.opt = dashboard.Options{Service: service, Archive: st, Feed: st, Hosts: s.opt.Hosts, Done: s.opt.Done, Clock: s.opt.Clock}
	s.reload()
	if status, _ := s.get(s.Link()); status != 200 {
		t.Fatal(status)
	}
	for _, path := range []string{"/", "/s/s00000", "/s/s00000?all=1", "/s/s05000", "/effect", "/assets/page.css", "/assets/live.js"} {
		best, size := time.Hour, 0
		for range 5 {
			began := time.Now()
			_, text := s.get(path)
			best, size = min(best, time.Since(began)), len(text)
		}
		t.Logf("%-20s %8s %7d bytes", path, best.Round(100*time.Microsecond), size)
	}
}
