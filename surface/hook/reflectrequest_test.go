package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestR15_ReflectRequestsGoToOneAndTheNewestCounts(t *testing.T) {
	data, now := t.TempDir(), time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	leave := func(session, project string, at time.Time) ReflectRequest {
		t.Helper()
		w := ReflectRequest{Session: session, Host: "claude", Project: project, Transcript: "/x/" + session + ".jsonl", At: at}
		if err := w.Leave(data, 7); err != nil {
			t.Fatal(err)
		}
		return w
	}
	if got, err := TakeReflectRequests(data, "/p", now, 1); err != nil || got != nil {
		t.Errorf("no folder: %v %v", got, err)
	}
	leave("claude:a", "/p", now)
	b := leave("claude:b", "/p", now.Add(1))
	a := leave("claude:a", "/p", now.Add(2))
	other := leave("claude:c", "/q", now.Add(3))
	leave("claude:d", "/p", now.Add(-oldRequest-time.Hour))
	got, err := TakeReflectRequests(data, "/p", now, 1)
	if diff := cmp.Diff([]ReflectRequest{b, a}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := TakeReflectRequests(data, "/p", now, 2); err != nil || got != nil {
		t.Errorf("taken twice: %v %v", got, err)
	}
	if got, err := TakeReflectRequests(data, "/q", now, 2); err != nil || cmp.Diff([]ReflectRequest{other}, got) != "" {
		t.Errorf("those of another project: %v %v", got, err)
	}
	left, err := os.ReadDir(requestFolder(data))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestR15_AReflectRequestThatIsUnreadableIsSaidAndGone: it is in nobody's way for ever.
func TestR15_AReflectRequestThatIsUnreadableIsSaidAndGone(t *testing.T) {
	data, now := t.TempDir(), time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	good := ReflectRequest{Session: "claude:a", Project: "/p", At: now}
	if err := good.Leave(data, 7); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"1-1.json": `{"session":`, "2-1.json": `{"session":"../../etc","at":"2026-11-15T10:00:00Z"}`, "3-1.json": strings.Repeat("x", maxRequest+1), "4-1.json": `{}`,
	} {
		if err := os.WriteFile(filepath.Join(requestFolder(data), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := TakeReflectRequests(data, "/p", now, 1)
	if err == nil || strings.Count(err.Error(), "a request to reflect") != 4 || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := TakeReflectRequests(data, "/p", now, 1); err != nil || got != nil {
		t.Errorf("again: %v %v", got, err)
	}
}

func TestR15_AReflectRequestIsPrivateAndBounded(t *testing.T) {
	data := t.TempDir()
	if err := (ReflectRequest{Session: "claude:a", Transcript: strings.Repeat("x", maxRequest)}).Leave(data, 7); err == nil {
		t.Error("one over the limit was written")
	}
	if err := (ReflectRequest{Session: "claude:a"}).Leave(data, 7); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(requestFolder(data))
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if info, err := all[0].Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

func FuzzParseReflectRequest(f *testing.F) {
	f.Add([]byte(`{"session":"claude:a","host":"claude","project":"/p","transcript":"/x","at":"2026-11-15T10:00:00Z"}`))
	f.Add([]byte(`{}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ParseReflectRequest(text)
		if err == nil && (w.Session == "" || len(w.Session) > 128) {
			t.Errorf("%q", w.Session)
		}
	})
}
