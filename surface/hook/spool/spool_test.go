package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func batch(n int) []byte {
	return fmt.Appendf(nil, `{"session_id":"s1","cwd":"/p","tool_calls":[{"tool_name":"Bash","tool_input":{"command":"echo %d"},"tool_use_id":"t","tool_response":"ok"}]}`, n)
}

func read(t *testing.T, host, event string, input []byte) Call {
	t.Helper()
	c, err := Read(host, event, input)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParseArgs(t *testing.T) {
	for _, c := range []struct {
		args []string
		want Args
		ok   bool
	}{
		{[]string{"claude", "Stop"}, Args{Host: "claude", Event: "Stop"}, true},
		{[]string{"--data", "d", "claude", "Stop"}, Args{"d", "claude", "Stop"}, true},
		{[]string{"--data", "claude"}, Args{Data: "claude"}, false},
		{[]string{"--data"}, Args{}, false},
		{[]string{"claude"}, Args{}, false},
		{[]string{"claude", "Stop", "more"}, Args{}, false},
		{nil, Args{}, false},
	} {
		if got, ok := ParseArgs(c.args); ok != c.ok || ok && got != c.want {
			t.Errorf("%q: %+v, %v", c.args, got, ok)
		}
	}
}

func TestFind_KnowsAHostsEventsByItsNamesAndByOurs(t *testing.T) {
	for _, h := range Hosts() {
		for _, e := range h.Hooks.Events {
			for _, name := range []string{e.Name, strings.ToLower(e.Name), e.Kind.String()} {
				if _, got, ok := Find(h.Name, name); !ok || got != e {
					t.Errorf("%s %s: got %v", h.Name, name, got)
				}
			}
		}
	}
	if _, e, ok := Find("claude", "PostToolUse"); !ok || e.Kind != None {
		t.Errorf("claude PostToolUse is answered as %v: each tool of a step would count as a step", e.Kind)
	}
	if _, e, _ := Find("gemini", "PreCompress"); e.Kind != None {
		t.Error("gemini PreCompress comes before every request, and is no compaction")
	}
	if _, err := Read("emacs", "Stop", nil); err == nil || !strings.Contains(err.Error(), "claude codex opencode gemini qwen goose pi") {
		t.Errorf("an unknown host: %v", err)
	}
}

func TestRead_TakesOnlyWhatAHostWrites(t *testing.T) {
	for input, want := range map[string]error{
		"":                                errNoObject,
		"null":                            errNoObject,
		"[]":                              errNoObject,
		`{"session_id":"a"`:               errNoObject,
		`{"session_id":"a"} x`:            errNoObject,
		`{}`:                              errNoSession,
		`{"session_id":7}`:                errNoSession,
		`{"session_id":"a"}`:              nil,
		" \n{\"session_id\":\"\\u0061\"}": nil,
	} {
		c, err := Read("claude", "Stop", []byte(input))
		if !errors.Is(err, want) || err == nil && c.Session != "a" {
			t.Errorf("%q: %v, session %q", input, err, c.Session)
		}
	}
	if _, err := Read("claude", "Stop", make([]byte, MaxInput+1)); !errors.Is(err, errTooLong) {
		t.Errorf("too long: %v", err)
	}
	if _, err := Input(strings.NewReader(strings.Repeat(" ", MaxInput+1))); !errors.Is(err, errTooLong) {
		t.Errorf("too long: %v", err)
	}
}

// TestP17_TheCommonCallNeedsNoDatabase: while nothing can be due, a call is put
// aside; the first one that may be answered is not.
func TestP17_TheCommonCallNeedsNoDatabase(t *testing.T) {
	data := t.TempDir()
	box := At(data, read(t, "claude", "PostToolBatch", batch(0)))
	light := func(event string, input []byte) bool {
		return box.Defer(read(t, "claude", event, input), int64(len(input)), 7)
	}
	if light("PostToolBatch", batch(1)) {
		t.Error("put aside before anything is known of the session")
	}
	if err := box.Leave(State{Quiet: 2}, 7); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false} {
		if got := box.Defer(read(t, "claude", "PostToolBatch", batch(i)), int64(i), 7); got != want {
			t.Errorf("call %d: %v", i, got)
		}
	}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"} {
		if light(event, []byte(`{"session_id":"s1"}`)) {
			t.Errorf("%s was put aside", event)
		}
	}
	if !light("Notification", []byte(`{"session_id":"s1"}`)) {
		t.Error("an event that is not answered went the long way")
	}
	if !light("Stop", []byte(`{"session_id":"s1","agent_id":"a"}`)) {
		t.Error("a sub-agent's event went the long way")
	}
}

func TestTheSameCallAgainIsLookedAt(t *testing.T) {
	box := At(t.TempDir(), read(t, "claude", "PostToolBatch", batch(0)))
	seen := read(t, "claude", "PostToolBatch", batch(1))
	if err := box.Leave(State{Quiet: 5}.Saw(seen.Mark), 7); err != nil {
		t.Fatal(err)
	}
	if box.Defer(seen, 1, 7) {
		t.Error("the same call as before was put aside: a loop goes unnoticed")
	}
	if !box.Defer(read(t, "claude", "PostToolBatch", batch(2)), 2, 7) {
		t.Error("another call was not put aside")
	}
	if box.Defer(read(t, "claude", "PostToolBatch", batch(2)), 3, 7) {
		t.Error("the same call as one that waits was put aside")
	}
}

func TestAToolIsLetThroughWhereNoneIsRefused(t *testing.T) {
	c := read(t, "codex", "PreToolUse", []byte(`{"session_id":"s","tool_name":"Bash","tool_input":{}}`))
	box := At(t.TempDir(), c)
	for _, guard := range []bool{false, true} {
		if err := box.Leave(State{Guard: guard}, 7); err != nil {
			t.Fatal(err)
		}
		if got := box.Defer(c, 1, 7); got == guard {
			t.Errorf("guard %v: light %v", guard, got)
		}
	}
}

func TestTake_EachCallGoesToOneProcess(t *testing.T) {
	c := read(t, "claude", "PostToolBatch", batch(0))
	box := At(t.TempDir(), c)
	const all = 50
	for i := range all {
		if err := box.Put(read(t, "claude", "PostToolBatch", batch(i)), int64(i), 7); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	got := map[string]int{}
	for pid := range 4 {
		wg.Go(func() {
			a := box.Take(pid + 1)
			mu.Lock()
			for _, c := range a.Calls {
				got[string(c.Input)]++
			}
			mu.Unlock()
			a.Done()
		})
	}
	wg.Wait()
	for i := range all {
		if got[string(batch(i))] != 1 {
			t.Errorf("call %d was taken %d times", i, got[string(batch(i))])
		}
	}
	if rest := box.Take(9); len(rest.Calls) != 0 {
		t.Errorf("%d calls are left after all were taken", len(rest.Calls))
	}
}

func TestTake_InOrderAndBack(t *testing.T) {
	c := read(t, "claude", "PostToolBatch", batch(0))
	box := At(t.TempDir(), c)
	for _, i := range []int{3, 1, 2} {
		if err := box.Put(read(t, "claude", "PostToolBatch", batch(i)), int64(i), 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(box.dir, "9999999999999999999-1-0"), []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := box.Take(7)
		var got []string
		for _, c := range a.Calls {
			got = append(got, string(c.Input))
		}
		if diff := cmp.Diff([]string{string(batch(1)), string(batch(2)), string(batch(3))}, got); diff != "" {
			t.Error(diff)
		}
		if n := len(box.Take(8).Calls); n != 0 {
			t.Errorf("%d calls were taken twice", n)
		}
		a.Back()
	}
}

func TestNoIdLeavesTheFolder(t *testing.T) {
	data := t.TempDir()
	for _, id := range []string{"../../etc", "a/b", `a\b`, "..", ".", strings.Repeat("x", 500), "\x00", "ü", "CON:"} {
		raw, err := json.Marshal(map[string]string{"session_id": id})
		if err != nil {
			t.Fatal(err)
		}
		box := At(data, read(t, "claude", "Stop", raw))
		if filepath.Dir(box.dir) != Folder(data) {
			t.Errorf("%q: %s", id, box.dir)
		}
	}
}

func TestState_ComesBackAsItWasLeft(t *testing.T) {
	box := At(t.TempDir(), read(t, "claude", "Stop", []byte(`{"session_id":"s"}`)))
	want := State{Quiet: -1, Guard: true, Since: 3}
	for i := range uint64(20) {
		want = want.Saw(i)
	}
	if len(want.Recent) != maxRecent {
		t.Errorf("%d marks are kept", len(want.Recent))
	}
	if err := box.Leave(want, 7); err != nil {
		t.Fatal(err)
	}
	got, err := box.State()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../testdata/*-hook-stdin.json")
	if err != nil || len(files) == 0 {
		f.Fatal("no samples", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		var sample struct {
			Host   string                       `json:"host"`
			Events map[string][]json.RawMessage `json:"stdin_by_event"`
		}
		if err := json.Unmarshal(raw, &sample); err != nil {
			f.Fatal(err)
		}
		for event, all := range sample.Events {
			for _, input := range all {
				f.Add(sample.Host, event, []byte(input))
			}
		}
	}
	f.Add("claude", "Stop", []byte(`{"session_id":"\ud800","tool_calls":[{},null,7]}`))
	f.Fuzz(func(t *testing.T, host, event string, input []byte) {
		c, err := Read(host, event, input)
		var whole struct {
			Session string `json:"session_id"`
		}
		if _, _, known := Find(host, event); known && json.Unmarshal(input, &whole) == nil && whole.Session != "" && errors.Is(err, errNoObject) {
			t.Errorf("refused what a host may write: %q", input)
		}
		if err != nil {
			return
		}
		if box := At("data", c); filepath.Dir(box.dir) != Folder("data") {
			t.Errorf("left the folder: %s", box.dir)
		}
	})
}

func FuzzState(f *testing.F) {
	f.Add("trimtab 2 5 0 0 7 ff\n")
	f.Add("trimtab 2 5 0\n")
	f.Add("trimtab 2 5 0 0 7 ff")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parse(text)
		if err == nil && len(s.Recent) > maxRecent {
			t.Errorf("%d marks", len(s.Recent))
		}
	})
}
