package gateway

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
)

// TestG6_WithoutATracerNothingIsAllocated for it.
func TestG6_WithoutATracerNothingIsAllocated(t *testing.T) {
	g := &Steerer{opt: Options{Clock: time.Now}}
	r := httptest.NewRequest("POST", "/v1/messages", nil)
	to, body, out, result := route{format: anthropic.Format{}}, &wire.Body{}, trimtab.Outcome{}, wire.Result{}
	if n := testing.AllocsPerRun(100, func() {
		way := g.follow(r, to, "")
		defer g.traced(way)
		way.turn("s", "h", to, body)
		way.told(out)
		way.steered()
		way.replied(200)
		way.piece(g.opt.Clock)
		way.unreached(errNoHTTP)
		way.cut()
		way.left()
		way.read(result)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestG6_OnlyInjectedNotesAreCounted, and the prefix lost by all changes.
func TestG6_OnlyInjectedNotesAreCounted(t *testing.T) {
	way := &trail{}
	way.told(trimtab.Outcome{Changes: []trimtab.Change{
		{Kind: trimtab.Injected, Tokens: 10, Lost: 1}, {Kind: trimtab.Removed, Tokens: 100, Lost: 1000}, {Kind: trimtab.Injected, Tokens: 20},
	}})
	if way.Notes != 2 || way.Tokens != 30 || way.Lost != 1001 {
		t.Errorf("%d notes of %d tokens, %d lost", way.Notes, way.Tokens, way.Lost)
	}
}

func TestG6_ThePathNamesTheModel(t *testing.T) {
	for path, want := range map[string]string{
		"/v1beta/models/gemini-2.5-pro:generateContent":  "gemini-2.5-pro",
		"/v1beta/models/tuned%2Fx:streamGenerateContent": "tuned/x",
		"/v1beta/models/%zz:generateContent":             "%zz",
		"/v1/messages":                                   "",
		"/v1beta/tunedModels/x:generateContent":          "",
	} {
		if got := modelIn(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}
