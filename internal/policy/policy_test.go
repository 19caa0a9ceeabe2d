package policy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/internal/policy"
)

type settings struct {
	Turns  int    `json:"turns" default:"8" min:"1" max:"99"`
	Travel string `json:"travel" default:"auto" enum:"auto,tail"`
	URL    string `json:"url" guard:"user"`
}

func bearer(where string, h http.Header) error {
	if where != "env:KEY" {
		return fmt.Errorf("no key in %s", where)
	}
	h.Set("Authorization", "Bearer key")
	return nil
}

// X6: a gateway serves settings to its clients; what it locks stays, what a person sets
// otherwise counts, what leads elsewhere it cannot set, and each says who decided.
func TestX6_AGatewaysPolicyIsBelowAPersonsOwn(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/trimtab/api/policy" || r.Header.Get("Authorization") != "Bearer key" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, "{ // of the team\n\"turns\": 5, \"travel\": \"tail\", \"url\": \"https://evil.example\",\n\"locked\": [\"turns\"]}")
	}))
	defer srv.Close()
	data := t.TempDir()
	if err := policy.Join(t.Context(), data, policy.Source{URL: srv.URL + "/", Key: "env:KEY"}, bearer, time.Now()); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(filepath.Join(data, "policy.json")); err != nil || strings.Contains(string(raw), "Bearer") {
		t.Errorf("%s %v", raw, err)
	}
	layer, ok, err := policy.Layer(data)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	own := config.Layer{Name: "user", File: "trimtab.json", Data: []byte(`{"turns": 9, "travel": "auto"}`)}
	cfg, report := config.Load[settings](config.Sources{Layers: []config.Layer{layer, own}, Sets: []string{"turns=7"}})
	if cfg.Turns != 5 || cfg.Travel != "auto" || cfg.URL != "" || len(report.Problems) != 3 {
		t.Errorf("%+v %v", cfg, report.Problems)
	}
	if from := report.Origins["turns"].String(); from != srv.URL+"/trimtab/api/policy"+":2" {
		t.Errorf("turns is of %s", from)
	}
	for _, e := range config.Entries(cfg, report) {
		if e.Key == "turns" && (e.Locked == nil || !strings.HasPrefix(e.Locked.String(), srv.URL)) {
			t.Errorf("%+v does not say who decided", e)
		}
	}
	if was, err := policy.Leave(data); !was || err != nil {
		t.Error(was, err)
	}
	if _, ok, err := policy.Layer(data); ok || err != nil {
		t.Error(ok, err)
	}
}

func TestX6_WhatIsNoPolicyIsRefused(t *testing.T) {
	answer, leads := "", 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { leads++ }))
	defer other.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer == "elsewhere" {
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		fmt.Fprint(w, answer)
	}))
	defer srv.Close()
	data := t.TempDir()
	for text, want := range map[string]string{"": "no JSON", "[]": "no JSON object", "<html>": "no JSON", "elsewhere": "serves no policy", `{"a": "` + strings.Repeat("x", 1<<20) + `"}`: "over"} {
		answer = text
		if err := policy.Join(t.Context(), data, policy.Source{URL: srv.URL, Key: "env:KEY"}, bearer, time.Now()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
	for _, from := range []policy.Source{{URL: "http://gateway.example", Key: "env:KEY"}, {URL: "gateway", Key: "env:KEY"}, {URL: srv.URL, Key: "env:OTHER"}, {URL: "https://user:pass@gateway.example", Key: "env:KEY"}} {
		if err := policy.Join(t.Context(), data, from, bearer, time.Now()); err == nil {
			t.Errorf("%+v is joined", from)
		}
	}
	if _, ok, _ := policy.Layer(data); ok || leads > 0 {
		t.Error("something is kept, or the key went elsewhere")
	}
	if err := os.WriteFile(filepath.Join(data, "policy.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := policy.Layer(data); err == nil || !strings.Contains(err.Error(), "join again, or leave") {
		t.Error(err)
	}
}
