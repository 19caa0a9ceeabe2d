package caller

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/owned"
)

// FuzzKey reads keys in every place that a request may have them. What is no key of the form
// stays; what is one never leaves for a provider.
func FuzzKey(f *testing.F) {
	secret, _ := made(Plan{Name: "n", User: "ann", Role: owned.Use}, "root", time.Unix(0, 0))
	for _, s := range []string{secret, "Bearer " + secret, "bearer  " + secret + " ", "sk-ant-123", prefix, prefix + "-", strings.Repeat("a", 200), secret + "x", ""} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, header, param string) {
		r := &http.Request{Method: http.MethodPost, Header: http.Header{"X-Api-Key": {header}, "Authorization": {header, param}}, URL: &url.URL{Path: "/v1/messages", RawQuery: "key=" + url.QueryEscape(param)}}
		id, ok := idOf(given(r))
		if given(r) != "" && (!ok || len(id) != idSize) {
			t.Errorf("%q is taken for a key", given(r))
		}
		takeOff(r)
		if left := given(r); left != "" {
			t.Errorf("%q would leave", left)
		}
	})
}

// FuzzRecord reads keys as a store may have them: what is damaged is no key.
func FuzzRecord(f *testing.F) {
	f.Add("k4m2xq7a", []byte(`{"id":"k4m2xq7a","name":"n","user":"ann","role":"use","sha256":"`+strings.Repeat("0", 64)+`"}`))
	f.Add("k4m2xq7a", []byte(`{"id":"other"}`))
	f.Add("", []byte(`[]`))
	f.Fuzz(func(t *testing.T, name string, body []byte) {
		r, ok := parse(improve.File{Name: name, Body: body})
		if ok && (r.ID != name || len(r.Hash) != 64 || CheckUser(r.User) != nil) {
			t.Errorf("%+v counts as a key", r)
		}
		if ok && r.fits("trimtab-"+name) {
			t.Errorf("%q opens it", name)
		}
	})
}
