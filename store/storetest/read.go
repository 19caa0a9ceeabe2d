package storetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
)

func messages(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), nil)
	var want []trimtab.Message
	for i := range 7 {
		var said []trimtab.Message
		for j := range i * 100 { // more than any store reads in one go
			m := trimtab.Message{
				ID: fmt.Sprintf("h%d-%d", i, j), Role: trimtab.RoleAssistant, Model: "m-1", At: start,
				Usage: &trimtab.Usage{Input: i, Output: j},
				Parts: []trimtab.Part{
					trimtab.Text{Text: "<thinking>", By: trimtab.Model},
					trimtab.ToolCall{ID: "c", Name: "bash", Input: []byte(`{"n":1}`)},
					trimtab.ToolResult{ID: "c", Text: "out", Failed: true},
					trimtab.Opaque{Kind: "image", By: trimtab.Host, Raw: []byte(`{"data":"AA=="}`)},
				},
			}
			if j%2 == 1 {
				m = trimtab.Note{By: "todo", Text: "ours"}.Message()
			}
			said = append(said, m)
		}
		want = append(want, said...)
		s = commit(t, store, s, said)
	}
	got := all(t, store.Messages(t.Context(), "ship", 0))
	same(t, got, want)
	for _, after := range []int{1, 255, 256, 257, len(want) - 1, len(want), len(want) + 1} {
		got := all(t, store.Messages(t.Context(), "ship", after))
		same(t, got, append([]trimtab.Message(nil), want[min(after, len(want)):]...))
	}
	same(t, all(t, store.Messages(t.Context(), "ship", -1)), want)
}

func journal(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), nil)
	want := []trimtab.Entry{
		{At: start, Event: trimtab.Said{Message: trimtab.Message{ID: "m1", Role: trimtab.RoleUser}}},
		{At: start, Event: trimtab.Calling{}},
		{At: start, Event: trimtab.Using{Call: trimtab.ToolCall{ID: "c", Name: "bash"}}},
		{At: start, Event: trimtab.Stopping{Continued: true}},
		entry("mode"),
		{At: start, Event: trimtab.Resumed{}},
		{At: start, Event: trimtab.Rewritten{Lost: []string{"m1"}, Size: 3}},
		{At: start, Event: trimtab.Reset{}},
	}
	for range 60 {
		want = append(want, entry("x"), entry("y"), entry("z"), entry("x"), entry("y"))
	}
	s = commit(t, store, s, nil, want[:8]...)
	for i := 8; i < len(want); i += 5 {
		s = commit(t, store, s, nil, want[i:i+5]...)
	}
	for i := range want {
		want[i].Seq = i + 1
	}
	same(t, all(t, store.Journal(t.Context(), "ship", 0)), want)
	same(t, all(t, store.Journal(t.Context(), "ship", 8)), want[8:])
	same(t, all(t, store.Journal(t.Context(), "ship", 300)), want[300:])
	if got := all(t, store.Journal(t.Context(), "ship", len(want))); len(got) != 0 {
		t.Errorf("%d entries after the last", len(got))
	}

	// The message of a Said is in the history, not once more in the journal.
	m := say("a secret only once")
	s.Seq++
	m.ID = "m1"
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: []trimtab.Message{m}, Entries: []trimtab.Entry{{At: start, Event: trimtab.Said{Message: m}}}}); err != nil {
		t.Fatal(err)
	}
	last := all(t, store.Journal(t.Context(), "ship", len(want)))[0].Event.(trimtab.Said)
	if last.Message.ID != "m1" || last.Message.Text() != "" {
		t.Errorf("journal has %q %q", last.Message.ID, last.Message.Text())
	}
}

func stops(t *testing.T, store trimtab.Archive) {
	s := session("ship")
	for range 300 {
		s = commit(t, store, s, []trimtab.Message{say("x")}, entry("x"))
	}
	for _, n := range []int{1, 255, 256, 257} {
		i := 0
		for range store.Messages(t.Context(), "ship", 0) {
			if i++; i == n {
				break
			}
		}
		for range store.Journal(t.Context(), "ship", 0) {
			break
		}
		for range store.List(t.Context(), trimtab.Query{}) {
			break
		}
	}
	commit(t, store, s, nil) // nothing is held
}

func newest(t *testing.T, store trimtab.Archive) {
	for i, id := range []string{"c", "a", "d", "b"} {
		s := trimtab.NewSession(id, start)
		s.Updated = start.Add(time.Duration(i) * time.Nanosecond)
		commit(t, store, s, nil)
	}
	tie := trimtab.NewSession("aa", start) // as old as c: by name
	commit(t, store, tie, nil)
	list := func(q trimtab.Query) []string { return ids(all(t, store.List(t.Context(), q))) }
	if diff := cmp.Diff([]string{"b", "d", "a", "aa", "c"}, list(trimtab.Query{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b", "d"}, list(trimtab.Query{Limit: 2})); diff != "" {
		t.Error(diff)
	}
	s := load(t, store, "c")
	s.Updated = start.Add(time.Minute)
	commit(t, store, s, nil)
	if diff := cmp.Diff([]string{"c", "b", "d", "a", "aa"}, list(trimtab.Query{Limit: 10})); diff != "" {
		t.Error(diff)
	}
}

func filtered(t *testing.T, store trimtab.Archive) {
	zone := time.FixedZone("", -7*3600)
	for i, s := range []struct{ id, host, project string }{
		{"s0", "claude", "/a"}, {"s1", "codex", "/a"}, {"s2", "claude", "/b"}, {"s3", "", ""}, {"s4", "claude", "/a/"},
	} {
		n := trimtab.NewSession(s.id, start.Add(time.Duration(i)*time.Hour).In(zone))
		n.Host, n.Project = s.host, s.project
		commit(t, store, n, nil)
	}
	for _, test := range []struct {
		q    trimtab.Query
		want []string
	}{
		{trimtab.Query{Project: "/a"}, []string{"s1", "s0"}},
		{trimtab.Query{Host: "claude"}, []string{"s4", "s2", "s0"}},
		{trimtab.Query{Host: "claude", Project: "/a"}, []string{"s0"}},
		{trimtab.Query{Before: start.Add(2 * time.Hour)}, []string{"s1", "s0"}},
		{trimtab.Query{Before: start.Add(2*time.Hour + 1)}, []string{"s2", "s1", "s0"}},
		{trimtab.Query{Host: "claude", Before: start.Add(3 * time.Hour), Limit: 1}, []string{"s2"}},
		{trimtab.Query{Project: "/none"}, nil},
		{trimtab.Query{Project: "/a' OR '1'='1"}, nil},
	} {
		if diff := cmp.Diff(test.want, ids(all(t, store.List(t.Context(), test.q)))); diff != "" {
			t.Errorf("%+v: %s", test.q, diff)
		}
	}
	full := session("full")
	commit(t, store, full, nil)
	for _, info := range all(t, store.List(t.Context(), trimtab.Query{Project: full.Project})) {
		if info != full.Info {
			t.Errorf("listed %+v, want %+v", info, full.Info)
		}
	}
}

// ofPeople: whose sessions are is a filter of its own, and a repository is the same
// wherever it lies; a session of which no repository is known is its folder's.
func ofPeople(t *testing.T, store trimtab.Archive) {
	for i, s := range []struct{ id, user, project, repo string }{
		{"s0", "ann", "/a", "host/x"}, {"s1", "bob", "/b", "host/x"}, {"s2", "", "/a", ""}, {"s3", "ann", "/a", "host/y"}, {"s4", "ann", "/c", ""},
	} {
		n := trimtab.NewSession(s.id, start.Add(time.Duration(i)*time.Hour))
		n.User, n.Project, n.Repo = s.user, s.project, s.repo
		commit(t, store, n, nil)
	}
	for _, test := range []struct {
		q    trimtab.Query
		want []string
	}{
		{trimtab.Query{Users: []string{"ann"}}, []string{"s4", "s3", "s0"}},
		{trimtab.Query{Users: []string{"ann", ""}}, []string{"s4", "s3", "s2", "s0"}},
		{trimtab.Query{Users: []string{""}}, []string{"s2"}},
		{trimtab.Query{Users: []string{"'; --"}}, nil},
		{trimtab.Query{Project: "/a"}, []string{"s3", "s2", "s0"}},
		{trimtab.Query{Repo: "host/x"}, []string{"s1", "s0"}},
		{trimtab.Query{Project: "/a", Repo: "host/x"}, []string{"s2", "s1", "s0"}},
		{trimtab.Query{Project: "/a", Repo: "host/x", Users: []string{"bob"}, Limit: 1}, []string{"s1"}},
	} {
		if diff := cmp.Diff(test.want, ids(all(t, store.List(t.Context(), test.q)))); diff != "" {
			t.Errorf("%+v: %s", test.q, diff)
		}
	}
	s := load(t, store, "s2")
	s.User, s.Repo = "ann", "host/z"
	commit(t, store, s, nil)
	if diff := cmp.Diff([]string{"s2"}, ids(all(t, store.List(t.Context(), trimtab.Query{Repo: "host/z", Users: []string{"ann"}})))); diff != "" {
		t.Error("a session that was taken over:", diff)
	}
}

func pruned(t *testing.T, store trimtab.Archive) {
	const n = 300 // more than any store reads in one go
	for i := range n {
		s := trimtab.NewSession(fmt.Sprintf("s%d", i), start.Add(time.Duration(i)*time.Second))
		commit(t, store, s, nil)
	}
	seen := 0
	for info, err := range store.List(t.Context(), trimtab.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if seen == 1 { // the oldest becomes the newest while we are on our way to it
			s := load(t, store, "s0")
			s.Updated = start.Add(time.Hour)
			commit(t, store, s, nil)
		}
		if err := store.Remove(t.Context(), info.ID); err != nil {
			t.Fatal(err)
		}
	}
	if seen != n {
		t.Errorf("saw %d of %d sessions", seen, n)
	}
	if left := all(t, store.List(t.Context(), trimtab.Query{})); len(left) != 0 {
		t.Errorf("left: %v", ids(left))
	}
}

func unicode(t *testing.T, store trimtab.Archive) {
	text := "héllo – 你好 🚢 \u202eright to left\u202c nul:\x00 quote:'\" back:\\ line:\u2028 tag:\U000E0041 fffd:\ufffd <b>&amp;</b>"
	s := session("ship")
	s.Title, s.Project = text, "/home/ädä/船"
	s = commit(t, store, s, []trimtab.Message{say(text)}, trimtab.Entry{At: start, Event: trimtab.Asked{Command: text}})
	same(t, load(t, store, "ship"), s)
	if got := all(t, store.Messages(t.Context(), "ship", 0))[0].Text(); got != text {
		t.Errorf("got %q\nwant %q", got, text)
	}
	if got := all(t, store.Journal(t.Context(), "ship", 0))[0].Event.(trimtab.Asked).Command; got != text {
		t.Errorf("got %q\nwant %q", got, text)
	}
	infos := all(t, store.List(t.Context(), trimtab.Query{Project: s.Project}))
	if len(infos) != 1 || infos[0].Title != text {
		t.Errorf("listed %+v", infos)
	}
}

func large(t *testing.T, store trimtab.Archive) {
	text := strings.Repeat("0123456789abcde\n", 1<<16)
	s := session("ship")
	commit(t, store, s, []trimtab.Message{say(text), say("small"), say(text)})
	got := texts(all(t, store.Messages(t.Context(), "ship", 0)))
	if len(got) != 3 || got[0] != text || got[1] != "small" || got[2] != text {
		t.Errorf("%d messages came back, not as they were", len(got))
	}
}

// readers loads and reads while another commits: a session's count, its
// messages and its journal always belong together.
func readers(t *testing.T, store trimtab.Archive) {
	s := commit(t, store, session("ship"), nil)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for {
				if err := consistent(t, store); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 100 {
		s = commit(t, store, s, []trimtab.Message{say("a"), say("b")}, entry("x"))
	}
	close(done)
	wg.Wait()
}

func consistent(t *testing.T, store trimtab.Archive) error {
	s, err := store.Load(t.Context(), "ship")
	if err != nil {
		return err
	}
	said, done := 0, 0
	for _, err := range store.Messages(t.Context(), "ship", 0) {
		if err != nil {
			return err
		}
		said++
	}
	for _, err := range store.Journal(t.Context(), "ship", 0) {
		if err != nil {
			return err
		}
		done++
	}
	if said < s.Seq || said%2 != 0 || 2*done < said {
		return fmt.Errorf("session counts %d messages; read %d, then %d entries", s.Seq, said, done)
	}
	return nil
}

// nested reads inside of reading, more deeply and more often than there are
// connections.
func nested(t *testing.T, store trimtab.Archive) {
	for i := range 3 {
		s := trimtab.NewSession(fmt.Sprintf("s%d", i), start)
		commit(t, store, s, []trimtab.Message{say("a"), say("b")}, entry("x"), entry("y"))
	}
	var wg sync.WaitGroup
	for range 12 {
		wg.Go(func() {
			n := 0
			for info := range store.List(t.Context(), trimtab.Query{}) {
				for range store.Messages(t.Context(), info.ID, 0) {
					for range store.Journal(t.Context(), info.ID, 0) {
						if _, err := store.Load(t.Context(), info.ID); err != nil {
							t.Error(err)
						}
						n++
					}
				}
			}
			if n != 12 {
				t.Errorf("read %d, want 12", n)
			}
		})
	}
	wg.Wait()
}

func cancelled(t *testing.T, store trimtab.Archive) {
	s := session("ship")
	for range 3 {
		s = commit(t, store, s, []trimtab.Message{say("x")}, entry("x"))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for _, err := range store.Messages(ctx, "ship", 0) {
		if n++; n == 1 {
			cancel()
			continue
		}
		is(t, err, ctx.Err())
	}
	if n != 2 {
		t.Errorf("%d turns after a cancelled one, want 1", n-1)
	}
	next := s
	next.Seq++
	_, err := store.Commit(ctx, trimtab.Commit{Session: next, Messages: []trimtab.Message{say("late")}})
	is(t, err, ctx.Err())
	_, err = store.Load(ctx, "ship")
	is(t, err, ctx.Err())
	is(t, store.Remove(ctx, "ship"), ctx.Err())
	is(t, first(store.List(ctx, trimtab.Query{})), ctx.Err())
	is(t, first(store.Journal(ctx, "ship", 0)), ctx.Err())
	same(t, load(t, store, "ship"), s)
	commit(t, store, s, []trimtab.Message{say("in time")})
}
