package fakemodel_test

import (
	"testing"

	"github.com/trimtab/trimtab/internal/fakemodel"
)

// prefixes posts bodies and returns them as a cache reads them.
func prefixes(t *testing.T, f fakemodel.Format, bodies ...string) [][]string {
	t.Helper()
	s := fakemodel.Start(t, fakemodel.Options{})
	var all [][]string
	for _, b := range bodies {
		post(t, s, f, paths[f], b, 200)
	}
	for _, r := range s.Requests() {
		all = append(all, r.Prefix())
	}
	return all
}

// A client moves its cache mark on with each request, and writes the message that
// bore it as a string again.
func TestAMovedCacheMarkKeepsThePrefix(t *testing.T) {
	all := prefixes(
		t, fakemodel.Anthropic,
		`{"model":"m","max_tokens":9,"system":[{"type":"text","text":"x-anthropic-billing-header: 1"},{"type":"text","text":"be good"}],
			"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]}]}`,
		`{"model":"m","max_tokens":9,"system":[{"type":"text","text":"x-anthropic-billing-header: 2"},{"type":"text","text":"be good"}],
			"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"yes"},{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}`,
	)
	if got := fakemodel.Reused(all[0], all[1]); got.Share() != 1 || got.Blocks != 2 {
		t.Errorf("%v, %d blocks stay:\n%q\n%q", got, got.Blocks, all[0], all[1])
	}
}

func TestAChangeCostsAllBehindIt(t *testing.T) {
	bodies := map[fakemodel.Format][3]string{
		fakemodel.Anthropic: {`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"},`, `{"role":"user","content":"note"},`, `{"role":"user","content":"go"}]}`},
		fakemodel.Chat:      {`{"model":"m","messages":[{"role":"user","content":"hi"},`, `{"role":"user","content":"note"},`, `{"role":"user","content":"go"}]}`},
		fakemodel.Responses: {`{"model":"m","input":[{"role":"user","content":"hi"},`, `{"role":"user","content":"note"},`, `{"role":"user","content":"go"}]}`},
		fakemodel.Gemini:    {`{"contents":[{"role":"user","parts":[{"text":"hi"}]},`, `{"role":"user","parts":[{"text":"note"}]},`, `{"role":"user","parts":[{"text":"go"}]}]}`},
	}
	for _, f := range fakemodel.Formats() {
		b := bodies[f]
		all := prefixes(t, f, b[0]+b[1]+b[2], b[0]+b[2])
		if got := fakemodel.Reused(all[0], all[1]); got.Blocks != 1 || got.Same != len(all[0][0]) || got.All != len(all[0][0])+len(all[0][1])+len(all[0][2]) {
			t.Errorf("%s: %v, %d blocks stay:\n%q\n%q", f, got, got.Blocks, all[0], all[1])
		}
		if got := fakemodel.Reused(all[1], all[1]); got.Share() != 1 {
			t.Errorf("%s: of itself, %v stays", f, got)
		}
	}
}

func TestToolsStandInFront(t *testing.T) {
	all := prefixes(
		t, fakemodel.Chat,
		`{"model":"m","tools":[`+bashTool+`],"messages":[{"role":"user","content":"hi"}]}`,
		`{"model":"m","messages":[{"role":"user","content":"hi"}]}`,
	)
	if got := fakemodel.Reused(all[0], all[1]); got.Same != 0 {
		t.Errorf("without the tools %v stays", got)
	}
}

func TestIDsOfItemsAreNotRead(t *testing.T) {
	all := prefixes(
		t, fakemodel.Responses,
		`{"model":"m","input":[{"id":"msg_1","type":"message","role":"user","content":"hi"}]}`,
		`{"model":"m","input":[{"id":"msg_2","type":"message","role":"user","content":"hi"}]}`,
	)
	if got := fakemodel.Reused(all[0], all[1]); got.Share() != 1 {
		t.Errorf("%v stays", got)
	}
}
