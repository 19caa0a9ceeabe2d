package relay_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/hook/relay"
)

func TestTheGatewayHearsWhatTheHookTells(t *testing.T) {
	sent := relay.Call{Session: "claude:s1", Events: []trimtab.Event{
		trimtab.Said{Message: trimtab.Prompt("hello")}, trimtab.Rewritten{All: true},
	}}
	var got relay.Call
	path := ""
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path = r.URL.Path
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = w.Write([]byte(`{"hosted":true,"notes":["one"]}`))
	}))
	defer srv.Close()
	run := map[string]string{"TRIMTAB_RUN_URL": srv.URL, "TRIMTAB_RUN_KEY": "SECRET", "HTTP_PROXY": "http://127.0.0.1:1"}
	t.Setenv("HTTP_PROXY", run["HTTP_PROXY"])
	a, err := relay.Ask(t.Context(), relay.Address(func(name string) string { return run[name] }), sent)
	if err != nil || !a.Hosted || len(a.Notes) != 1 || path != "/k/SECRET"+relay.Path {
		t.Errorf("%+v %v at %s", a, err, path)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Error(diff)
	}
}

// TestWhatGoesWrongIsAnError, and does not show the secret of the address.
func TestWhatGoesWrongIsAnError(t *testing.T) {
	status, body := http.StatusForbidden, "{}"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	ask := func(at string) {
		t.Helper()
		if a, err := relay.Ask(t.Context(), at, relay.Call{Session: "s"}); err == nil || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%s: %+v, %v", at, a, err)
		}
	}
	ask(srv.URL + "/k/SECRET")
	status, body = http.StatusOK, "no JSON"
	ask(srv.URL + "/k/SECRET")
	ask("http://127.0.0.1:1/k/SECRET")
	ask(":bad:/k/SECRET")
	srv.Close()
	ask(srv.URL + "/k/SECRET")
	if at := relay.Address(func(string) string { return "" }); at != "" {
		t.Errorf("there is no run, and its address is %q", at)
	}
}
