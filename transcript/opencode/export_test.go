package opencode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/opencode"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// What the database of a session says, its export says too: opencode 1.18.33 wrote it.
func TestAnExportSaysWhatTheDatabaseSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "host.db")
	transcripttest.Database(t, path, transcripttest.Load(t, "testdata/plain.json"))
	src, err := opencode.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	raw, err := os.ReadFile("testdata/export.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range []transcript.Options{{}, {Brief: true, Branches: true}} {
		want := transcripttest.Show(transcripttest.All(t, src.Read(t.Context(), "ses_e22fb4e5affet6pyBHc6VzPZg3", opt)))
		got := transcripttest.Show(transcripttest.All(t, opencode.ReadExport(bytes.NewReader(raw), opt)))
		if diff := cmp.Diff(want, got); diff != "" || strings.Count(got, "\n") < 6 {
			t.Errorf("%+v (-database +export):\n%s", opt, diff)
		}
	}
}

// exported is a session as "opencode export" would write it.
func exported(info object, messages ...any) string {
	all := object{"id": "s1", "directory": "/p", "time": object{"created": 1}}
	for k, v := range info {
		all[k] = v
	}
	return text(object{"info": all, "messages": append([]any{}, messages...)})
}

func said(id, role, words string) object {
	return object{"info": object{"id": id, "role": role, "time": object{"created": 1794709435253}}, "parts": []object{{"type": "text", "text": words}}}
}

func TestReadExport(t *testing.T) {
	one, two, three := said("a", "user", "go"), said("b", "assistant", "gone"), said("c", "user", "on")
	for name, c := range map[string]struct {
		file    string
		opt     transcript.Options
		want    string
		damaged int
	}{
		"plain":               {exported(nil, one, two, three), transcript.Options{}, "person go,model gone,person on", 0},
		"who it is last":      {`{"messages":[` + text(one) + `],"info":{"id":"s1","directory":"/p"}}`, transcript.Options{}, "person go", 0},
		"taken back":          {exported(object{"revert": object{"messageID": "b"}}, one, two, three), transcript.Options{}, "person go", 0},
		"taken back, all":     {exported(object{"revert": object{"messageID": "b"}}, one, two, three), transcript.Options{Branches: true}, "person go,model gone,person on", 0},
		"a sub-agent's":       {exported(object{"parentID": "s0"}, one, two), transcript.Options{}, "", 0},
		"a sub-agent's, side": {exported(object{"parentID": "s0"}, one, two), transcript.Options{Side: true}, "host go,model gone", 0},
		"a bad message":       {exported(nil, one, object{"info": object{"id": "b", "role": "oracle"}}, three), transcript.Options{}, "person go,person on", 1},
		"a bad part":          {exported(nil, object{"info": one["info"], "parts": []any{7, object{"type": "text", "text": "go"}}}), transcript.Options{}, "person go", 1},
		"parts that are none": {exported(nil, object{"info": one["info"], "parts": 7}, two), transcript.Options{}, "model gone", 1},
		"a long message":      {exported(nil, said("a", "user", strings.Repeat("x", 600)), two), transcript.Options{MaxLine: 512}, "model gone", 1},
		"cut off":             {exported(nil, one, two)[:len(exported(nil, one, two))-40], transcript.Options{}, "person go", 1},
		"nobody's":            {`{"messages":[` + text(one) + `]}`, transcript.Options{}, "", 1},
		"no messages":         {exported(nil), transcript.Options{}, "", 0},
	} {
		items, damaged := transcripttest.All(t, opencode.ReadExport(strings.NewReader(c.file), c.opt))
		if got := strings.Join(transcripttest.Gist(items), ","); got != c.want || len(damaged) != c.damaged {
			t.Errorf("%s: got %q and %v, want %q and %d damaged", name, got, damaged, c.want, c.damaged)
		}
		for i, it := range items {
			if it.Session != "s1" || it.Line < 1 || i > 0 && it.Line < items[i-1].Line {
				t.Errorf("%s: item %+v", name, it)
			}
		}
	}
}

// FuzzReadExport reads anything: it ends, and every item can be kept as JSON.
func FuzzReadExport(f *testing.F) {
	raw, err := os.ReadFile("testdata/export.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw, false)
	f.Add([]byte(exported(object{"parentID": "s0"}, said("a", "user", "go"))), true)
	f.Add([]byte(`{"info":{"id":"\ud800"},"messages":[{"info":{"role":"assistant","tokens":{"input":1e99}},"parts":[{"type":"tool"}]}`), true)
	f.Fuzz(func(t *testing.T, data []byte, side bool) {
		for _, opt := range []transcript.Options{{Side: side}, {Side: side, Branches: true, Brief: true, MaxLine: 512}} {
			line := 0
			for it, err := range opencode.ReadExport(bytes.NewReader(data), opt) {
				if errors.Is(err, trimtab.ErrDamaged) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if it.Line < line || len(it.Message.Parts) == 0 || it.Side && it.Message.Typed() != "" {
					t.Fatalf("got %+v after line %d", it, line)
				}
				line = it.Line
				if _, err := json.Marshal(it.Message); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
