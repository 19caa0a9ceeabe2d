package gemini_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/gemini"
)

const plainBody = `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"x"}}}]}],"tools":[{"functionDeclarations":[]}]}`

const wrappedBody = `{"model":"gemini-2.5-pro", "project":"p","request":` + plainBody + ` ,"user_prompt_id":"u"}`

// TestH9_AWrappedRequestIsSteeredAsAPlainOne: what stands around it stays byte for byte,
// and what is inside is what the plain format makes of it.
func TestH9_AWrappedRequestIsSteeredAsAPlainOne(t *testing.T) {
	var plain, wrapped wire.Body
	f, w := gemini.Format{}, gemini.Wrapped{}
	if err := errors.Join(f.Scan([]byte(plainBody), &plain, nil), w.Scan([]byte(wrappedBody), &wrapped, nil)); err != nil {
		t.Fatal(err)
	}
	if len(wrapped.Items) != 3 || wrapped.Model() != "gemini-2.5-pro" || wrapped.Hash(0) != plain.Hash(0) || w.Message(&wrapped, 0).Text() != "go" {
		t.Errorf("%+v, model %q", wrapped.Items, wrapped.Model())
	}
	edits := []wire.Edit{{At: 3, Texts: []string{"a note"}}}
	inner, err := f.Apply(nil, &plain, edits)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(wrappedBody, plainBody, string(inner), 1)
	if got, err := w.Apply(nil, &wrapped, edits); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	pieces, _, err := w.Pieces(nil, nil, &wrapped, edits)
	if got := string(bytes.Join(pieces, nil)); err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	var next wire.Body
	longer := strings.Replace(wrappedBody, `],"tools"`, `,{"role":"user","parts":[{"text":"more"}]}],"tools"`, 1)
	if err := w.Scan([]byte(longer), &next, &wrapped); err != nil || len(next.Items) != 4 || string(next.Before) != string(wrapped.Before) || string(next.After) != string(wrapped.After) {
		t.Errorf("%v: %d items", err, len(next.Items))
	}
	if _, err := f.Apply(nil, &wrapped, edits); !errors.Is(err, wire.ErrStale) {
		t.Errorf("a wrapped body was taken for a plain one: %v", err)
	}
}

func TestWrappedRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, raw := range []string{"", "{", "[]", "{}", plainBody, `{"request":1}`, `{"request":{}}`, `{"request":{"contents":[]},"request":{"contents":[]}}`, `{"request":{"contents":[]}}x`} {
		var b wire.Body
		if err := (gemini.Wrapped{}).Scan([]byte(raw), &b, nil); err == nil || len(b.Items) > 0 {
			t.Errorf("%s: %v, %d items", raw, err, len(b.Items))
		}
	}
}

func TestAWrappedReplyIsReadInsideItsResponse(t *testing.T) {
	r := gemini.Wrapped{}.NewReply(true)
	r.Write([]byte("data: {\"response\":{\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"he\"}]}}]},\"traceId\":\"t\"}\n\ndata: {\"response\":{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"llo\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":7}}}\n\n"))
	got := r.Close()
	if !got.Complete || got.Message.Text() != "hello" || got.Message.Usage == nil || got.Message.Usage.Input != 7 {
		t.Errorf("%+v", got)
	}
	r = gemini.Wrapped{}.NewReply(false)
	r.Write([]byte(`{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}`))
	if got := r.Close(); got.Fault != "RESOURCE_EXHAUSTED" {
		t.Errorf("%+v", got)
	}
}
