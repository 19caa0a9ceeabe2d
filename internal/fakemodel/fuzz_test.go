package fakemodel_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// FuzzServe sends any body to each format. It never panics, answers 200 or a
// refusal in JSON, accepts only what encoding/json reads too, and says the same
// twice.
func FuzzServe(f *testing.F) {
	for _, body := range conversation {
		f.Add([]byte(body))
	}
	for _, body := range []string{
		"", "{}", "[]", "null", `{"messages":[null]}`, `{"messages":[[]],"model":"m","max_tokens":1}`,
		claude(userHi, useAB, said(gotA, gotB)), claude(userHi, serverUse(""), said(gotA, note)),
		claude(userHi, reminder, useA, said(gotA), reminder), claude(`{"role":"system","content":[],"output_config":{}}`, userHi),
		strings.Replace(claude(userHi, `{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_reference","name":"late"}},{"type":"tool_removal","tool":1}]}`, useA, said(gotA)), "{", `{"cache_control":{"type":"ephemeral"},"tools":[{"name":"late","defer_loading":true,"input_schema":{}}],`, 1),
		`{"model":"claude-opus-5-5","max_tokens":9,"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"messages":[` + userHello + `,{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"Zm0x"},{"type":"text","text":"x"}]},` + userHi + `]}`,
		`{"model":"m","input":[{"type":"reasoning"},{"type":"function_call"},{"type":"function_call_output"}]}`,
		`{"contents":[{"parts":[{"functionCall":1}]},{"role":"model","parts":[{"function_call":{}}]}],"tools":[1]}`,
		`{"model":"m","messages":[{"role":"assistant","tool_calls":[1]}],"response_format":{"type":"json_object"}}`,
	} {
		f.Add([]byte(body))
	}
	model := fakemodel.New(fakemodel.Options{Keep: 1, MaxBody: 1 << 20})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, format := range fakemodel.Formats() {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, paths[format], strings.NewReader(string(body)))
			for _, h := range []string{"X-Api-Key", "X-Goog-Api-Key", "Anthropic-Version"} {
				r.Header.Set(h, "x")
			}
			r.Header.Set("Authorization", "Bearer x")
			r.Header["Anthropic-Beta"] = asking(fakemodel.BetaClearAt, fakemodel.BetaBinding, fakemodel.BetaInlineTools)["Anthropic-Beta"]
			model.ServeHTTP(w, r)
			if w.Code == http.StatusOK && !json.Valid(body) {
				t.Fatalf("%s accepted what is not JSON", format)
			}
			err := fakemodel.ValidateRequest(format, r.Header, body)
			var refusal *fakemodel.Refusal
			if err != nil && !errors.As(err, &refusal) {
				t.Fatalf("%s: %v is no refusal", format, err)
			}
			if (err != nil) && w.Code == http.StatusOK {
				t.Fatalf("%s: the server accepted what the rules refuse: %v", format, err)
			}
			if err != nil && fakemodel.Validate(format, body) == nil {
				t.Fatalf("%s: a header makes %v of what is taken without it", format, err)
			}
			last := model.Requests()[0]
			if n := len(last.Visible()); n > len(last.Items) {
				t.Fatalf("%s: %d items are seen of %d", format, n, len(last.Items))
			}
			last.Offered()
			if p := last.Prompt; p.Input < 0 || p.CacheRead < 0 || p.CacheWrite < 0 {
				t.Fatalf("%s: %+v", format, p)
			}
		}
	})
}

// FuzzInstance makes instances of any schema: in bounded time, and always JSON.
func FuzzInstance(f *testing.F) {
	for _, s := range []string{`{"$ref":"#"}`, `{"type":["null","string"]}`, `{"allOf":[{"required":["a"]}]}`, `{"items":{"$ref":"#/items"},"minItems":3}`, `{"minLength":-1}`, `{"maxLength":-1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, schema []byte) {
		if v, err := fakemodel.Instance(schema); err == nil && !json.Valid(v) {
			t.Fatalf("made %s", v)
		}
	})
}

// FuzzUnpack gives packed bodies to the server: none may take more than the
// limit or break it.
func FuzzUnpack(f *testing.F) {
	_, body := hello(fakemodel.Chat, "false")
	for name, pack := range packers {
		f.Add(name, pack(f, body))
		f.Add(name, []byte(body))
	}
	model := fakemodel.New(fakemodel.Options{Keep: 1, MaxBody: 1 << 16})
	f.Fuzz(func(t *testing.T, encoding string, body []byte) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, paths[fakemodel.Chat], strings.NewReader(string(body)))
		r.Header.Set("Authorization", "Bearer x")
		r.Header["Content-Encoding"] = []string{encoding}
		model.ServeHTTP(w, r)
		if got := model.Requests()[0]; len(got.Body) > 1<<16 {
			t.Fatalf("a body of %d bytes", len(got.Body))
		}
	})
}

// FuzzSignature sends any signature back: what this package did not write, or
// wrote for other words, is refused.
func FuzzSignature(f *testing.F) {
	for _, s := range []string{"", "Zm0x", "c2ln", strings.Repeat("Zm0x", 30), "\xff"} {
		f.Add(s, "so")
	}
	model := fakemodel.New(fakemodel.Options{Keep: 1, Script: looking})
	f.Fuzz(func(t *testing.T, signature, words string) {
		block, err := json.Marshal(map[string]string{"type": "thinking", "thinking": words, "signature": signature})
		if err != nil {
			t.Skip()
		}
		body := claude(userHi, `{"role":"assistant","content":[`+string(block)+`,{"type":"text","text":"x"}]}`, userHi)
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodPost, paths[fakemodel.Anthropic], strings.NewReader(body))
		r.Header.Set("X-Api-Key", "x")
		r.Header.Set("Anthropic-Version", "x")
		model.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Fatalf("%d for %q", w.Code, signature)
		}
	})
}
