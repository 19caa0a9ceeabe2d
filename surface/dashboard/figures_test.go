package dashboard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/chrome"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/sqlite"
	"github.com/trimtab/trimtab/surface/dashboard"
	"github.com/trimtab/trimtab/surface/insight"
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
	began := time.Now()
	if status, _ := s.do("GET", s.Link(), nil, nil); status != 200 {
		t.Fatal(status)
	}
	t.Logf("the first page for the first time, with the link: %s", time.Since(began).Round(time.Millisecond))
	long, err := st.Load(t.Context(), "s00000")
	if err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	if _, err := insight.New(insight.Options{Engine: engine}).Timeline(t.Context(), st, long); err != nil {
		t.Fatal(err)
	}
	t.Logf("reading the long session for the first time: %s", time.Since(began).Round(time.Millisecond))
	for _, path := range []string{"/", "/s/s00000", "/s/s00000?until=5000", "/s/s05000", "/effect", "/reflect", "/improve", "/assets/page.css", "/assets/live.js"} {
		var all []time.Duration
		size := 0
		for range 9 {
			began := time.Now()
			_, text := s.get(path)
			all, size = append(all, time.Since(began)), len(text)
		}
		first := all[0]
		slices.Sort(all)
		t.Logf("%-20s first %8s, median of 9 %8s, %7d bytes", path, first.Round(100*time.Microsecond), all[4].Round(100*time.Microsecond), size)
	}
	if os.Getenv("TRIMTAB_IDLE") != "0" {
		measureIdle(t, s)
	}
}

// measureIdle says what a page in a browser and its server use in a minute in which nothing
// happens.
func measureIdle(t *testing.T, s *site) {
	t.Helper()
	b, err := chrome.Launch()
	if err != nil {
		t.Logf("no browser: %v", err)
		return
	}
	t.Cleanup(b.Close)
	w := s.windowIn(b, nil)
	w.until(`document.getElementById("live").textContent === "live"`)
	page, server := cpuOf(t, b.Process()), cpuOf(t, os.Getpid())
	time.Sleep(time.Minute)
	t.Logf("idle for a minute: the browser with all its processes %s of CPU, the server with this test %s", cpuOf(t, b.Process())-page, cpuOf(t, os.Getpid())-server)
}

// cpuOf is the time that a process and those below it took, where /proc says so.
func cpuOf(t *testing.T, pid int) (sum time.Duration) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	type process struct {
		parent int
		ticks  int64
	}
	all := map[int]process{}
	for _, file := range stats {
		raw, err := os.ReadFile(file) // #nosec G304 -- of /proc
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(raw), ") ")
		f := strings.Fields(rest)
		id, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		parent, _ := strconv.Atoi(f[1])
		user, _ := strconv.ParseInt(f[11], 10, 64)
		system, _ := strconv.ParseInt(f[12], 10, 64)
		all[id] = process{parent, user + system}
	}
	for id, p := range all {
		for at := id; at > 1; at = all[at].parent {
			if at == pid && (id == pid || pid != os.Getpid()) { // the browser is below this process
				sum += time.Duration(p.ticks) * 10 * time.Millisecond // 100 a second on Linux
				break
			}
		}
	}
	return sum
}
