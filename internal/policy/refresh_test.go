package policy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/policy"
)

// X6: a policy is asked for again by itself, an hour after it was had, and where that fails
// every ten minutes, however many commands are run; what was had counts on meanwhile.
func TestX6_APolicyIsDueAgain(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"turns": 5}`) }))
	defer srv.Close()
	data, at := t.TempDir(), time.Date(2026, 11, 17, 12, 0, 0, 0, time.UTC)
	if policy.Due(data, at) {
		t.Error("nobody joined")
	}
	if err := policy.Join(t.Context(), data, policy.Source{URL: srv.URL, Key: "env:KEY"}, bearer, at); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		want  bool
	}{
		{time.Minute, false},
		{59 * time.Minute, false},
		{61 * time.Minute, true},
		{62 * time.Minute, false},
		{70 * time.Minute, false},
		{72 * time.Minute, true},
		{73 * time.Minute, false},
		{24 * time.Hour, true},
		{-time.Hour, true},
	} {
		if got := policy.Due(data, at.Add(c.after)); got != c.want {
			t.Errorf("after %v: %v", c.after, got)
		}
	}
	if _, ok, err := policy.Layer(data); !ok || err != nil {
		t.Errorf("what was had does not count: %v", err)
	}
	if err := os.WriteFile(filepath.Join(data, "policy.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if policy.Due(data, at.Add(48*time.Hour)) {
		t.Error("a damaged one is asked for by itself; a person is to look at it")
	}
}
