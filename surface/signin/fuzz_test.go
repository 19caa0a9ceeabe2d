package signin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/store/owned"
)

func fuzzed(tb testing.TB) *SignIn {
	tb.Helper()
	s, err := New(Options{Config: Config{Issuer: "http://127.0.0.1:1", ClientID: "trimtab", Groups: "groups", Roles: map[string]string{"eve@example.com": "approve", "group:leads": "steer"}}, URL: "https://gateway.example", Files: memory.New().Queue()})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// FuzzCookie: nobody makes a cookie that counts, whatever they send.
func FuzzCookie(f *testing.F) {
	s := fuzzed(f)
	w := httptest.NewRecorder()
	if err := s.set(w, httptest.NewRequest(http.MethodGet, "/", nil), visitCookie, visit{User: "eve@example.com", Checked: time.Now(), Until: time.Now().Add(1000 * time.Hour)}, time.Hour); err != nil {
		f.Fatal(err)
	}
	good := w.Result().Cookies()[0].Value
	for _, text := range []string{good, "", "x", strings.Repeat("A", 5000), good[:len(good)-2], "e30"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{visitCookie, attemptCookie} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Cookie", name+"="+text)
			if _, ok := s.Person(r); ok && (name != visitCookie || strings.TrimRight(strings.Trim(strings.TrimSpace(text), `"`), ";") != good && !strings.Contains(text, good)) {
				t.Errorf("%s=%q signs somebody in", name, text)
			}
		}
	})
}

// FuzzToken reads tokens of nobody: without a provider that vouches for them none counts.
func FuzzToken(f *testing.F) {
	s := fuzzed(f)
	s.opt.Issuer = "http://127.0.0.1:0" // nobody answers, at once
	f.Add("a.b.c")
	f.Add("eyJhbGciOiJub25lIn0.eyJlbWFpbCI6ImV2ZUBleGFtcGxlLmNvbSJ9.")
	f.Fuzz(func(t *testing.T, token string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Authorization", "Bearer "+token)
		if p, ok := s.Person(r); ok {
			t.Errorf("%q is %+v", token, p)
		}
	})
}

// FuzzClaims reads what a provider says of a person: whoever is let in has a name and a role
// of the settings.
func FuzzClaims(f *testing.F) {
	s := fuzzed(f)
	f.Add("eve@example.com", true, "leads")
	f.Add("*", true, "*")
	f.Add("group:leads", true, "")
	f.Add("all", true, "leads")
	f.Fuzz(func(t *testing.T, email string, verified bool, group string) {
		said, err := s.understand(map[string]any{"email": email, "email_verified": verified, "groups": []any{group, 7}})
		if err != nil {
			return
		}
		want := owned.Role("")
		if email == "eve@example.com" {
			want = owned.Approve
		} else if group == "leads" {
			want = owned.Steer
		}
		if !verified || said.User != email || email == "" || said.Role != want && email != "group:leads" {
			t.Errorf("%q (%v) in %q is %+v", email, verified, group, said)
		}
	})
}
