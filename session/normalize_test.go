package session

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
)

func TestHandle_RefusesWhatIsTooLargeBeforeAnythingHappens(t *testing.T) {
	store := &shaky{Archive: memory.New()}
	h := New(engine(t), store, Options{Clock: still})
	begin(t, h, "ship")
	before := store.commits.Load()
	huge := strings.Repeat("x", 100<<20)
	_, _, err := h.Handle(t.Context(), "ship", said("small"), said(huge))
	is(t, err, trimtab.ErrTooLarge)
	for _, word := range []string{"104857600", "67108864", "event 2 of 2", "ship"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %.200q does not say %s", err, word)
		}
	}
	if store.commits.Load() != before || len(messages(t, store, "ship")) != 0 {
		t.Error("something was stored")
	}

	h = New(engine(t), store, Options{Clock: still, MaxMessage: 10})
	handle(t, h, "ship", said("0123456789"))
	for name, ev := range map[string]trimtab.Event{
		"text":   said("0123456789a"),
		"raw":    trimtab.Said{Message: trimtab.Message{Parts: []trimtab.Part{trimtab.Text{Raw: make([]byte, 11)}}}},
		"result": trimtab.Said{Message: trimtab.Message{Parts: []trimtab.Part{trimtab.ToolResult{Text: "0123456789a"}}}},
		"opaque": trimtab.Said{Message: trimtab.Message{Parts: []trimtab.Part{trimtab.Opaque{Raw: make([]byte, 11)}}}},
		"id":     trimtab.Said{Message: trimtab.Message{ID: "0123456789a"}},
		"using":  trimtab.Using{Call: trimtab.ToolCall{Input: make([]byte, 11)}},
		"asked":  trimtab.Asked{Command: "01234", Args: []string{"567", "89a"}},
		"lost":   trimtab.Rewritten{Lost: []string{"0123456789a"}},
	} {
		if _, _, err := h.Handle(t.Context(), "ship", ev); err == nil {
			t.Errorf("%s: took 11 bytes", name)
		}
	}
}

// TestHandle_TextThatIsNotUTF8 keeps what can be read, the bytes, and a record.
func TestHandle_TextThatIsNotUTF8(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		h := New(engine(t), store, Options{Clock: still})
		begin(t, h, "ship")
		parts := []trimtab.Part{
			trimtab.Text{Text: "caf\xe9 au lait", By: trimtab.Person},
			trimtab.Text{Text: "valid 船", By: trimtab.Person},
			trimtab.ToolResult{ID: "c1", Text: "bin\xff\xfe"},
			trimtab.ToolCall{ID: "c\xff", Name: "bash", Input: json.RawMessage(`{"cut":"shor`)},
			trimtab.ToolCall{ID: "c2", Name: "bash", Input: json.RawMessage("{ \"a\" :\t\"<b>\xff\" }")},
			trimtab.Opaque{Kind: "image", Raw: json.RawMessage(`{"ok": 1}`)},
		}
		given := trimtab.Said{Message: trimtab.Message{Role: trimtab.RoleUser, Parts: parts, At: time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)}}
		s, out := handle(t, h, "ship", given, trimtab.Asked{Command: "no\xffne", Args: []string{"\xff"}},
			trimtab.Using{Call: trimtab.ToolCall{Name: "b\xff"}}, trimtab.Rewritten{Lost: []string{"\xff"}})
		if parts[0].(trimtab.Text).Text != "caf\xe9 au lait" {
			t.Error("the caller's message was changed")
		}
		want := []trimtab.Part{
			trimtab.Text{Text: "caf\ufffd au lait", By: trimtab.Person, Raw: []byte("caf\xe9 au lait")},
			trimtab.Text{Text: "valid 船", By: trimtab.Person},
			trimtab.ToolResult{ID: "c1", Text: "bin\ufffd"},
			trimtab.ToolCall{ID: "c\ufffd", Name: "bash", Input: json.RawMessage(`"{\"cut\":\"shor"`)},
			trimtab.ToolCall{ID: "c2", Name: "bash", Input: json.RawMessage(`{"a":"\u003cb\u003e` + "\ufffd" + `"}`)},
			trimtab.Opaque{Kind: "image", Raw: json.RawMessage(`{"ok":1}`)},
		}
		if diff := cmp.Diff(want, messages(t, store, "ship")[0].Parts); diff != "" {
			t.Error(diff)
		}
		entries := journal(t, store, "ship")
		var texts []string
		for _, e := range entries {
			for _, f := range e.Faults {
				if f.By != "session" {
					t.Errorf("fault by %s: %s", f.By, f.Text)
				}
				texts = append(texts, f.Text+string(f.Lost))
			}
		}
		if diff := cmp.Diff([]string{
			"its time cannot be written",
			"a text was not UTF-8; its bytes are kept with it",
			`a tool result was not UTF-8"Ymlu//4="`,
			`a tool call's id was not UTF-8"Y/8="`,
			"a tool call's input was not JSON; it is kept as a string",
			`a tool call's input was not UTF-8"eyAiYSIgOgkiPGI+/yIgfQ=="`,
			`the command was not UTF-8"bm//bmU="`,
			`an argument was not UTF-8"/w=="`,
			`a tool's name was not UTF-8"Yv8="`,
			`a lost id was not UTF-8"/w=="`,
		}, texts); diff != "" {
			t.Error(diff)
		}
		if len(out.Faults) != len(texts) {
			t.Errorf("%d faults in the outcome, %d in the journal", len(out.Faults), len(texts))
		}
		if s.Title != "caf\ufffd au lait" {
			t.Errorf("title %q", s.Title)
		}
		same(t, engine(t), store, "ship")
	})
}

type stranger struct{ trimtab.Event }

func TestHandle_AnEventThatCannotBeStoredIsRefused(t *testing.T) {
	store := memory.New()
	h := New(engine(t), store, Options{Clock: still})
	begin(t, h, "ship")
	for _, ev := range []trimtab.Event{
		stranger{},
		&trimtab.Calling{},
		trimtab.Said{Message: trimtab.Message{Parts: []trimtab.Part{nil}}},
		trimtab.Said{Message: trimtab.Message{Parts: []trimtab.Part{&trimtab.Text{}}}},
	} {
		if _, _, err := h.Handle(t.Context(), "ship", ev); err == nil {
			t.Errorf("took %#v", ev)
		}
	}
	if s, _ := handle(t, h, "ship", said("x")); s.Seq != 1 {
		t.Errorf("seq %d, want 1", s.Seq)
	}
}

func TestAPanicInAnInterventionIsAFaultInTheJournal(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		var log bytes.Buffer
		h := New(engine(t), store, Options{Clock: still, Log: slog.New(slog.NewJSONHandler(&log, nil))})
		begin(t, h, "ship")
		_, out := handle(t, h, "ship", said("boom"))
		if len(out.Faults) != 1 || out.Faults[0].By != "mine" {
			t.Errorf("faults %+v", out.Faults)
		}
		const secret = "the treasure lies under the palm\xff"
		result := trimtab.Message{Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: secret}}}
		s, out := handle(t, h, "ship", said(secret), said("break it"), trimtab.Said{Message: result})
		if s.Seq != 4 {
			t.Errorf("seq %d: the session did not go on", s.Seq)
		}
		if len(out.Actions) != 1 || len(out.Faults) != 3 {
			t.Errorf("outcome %+v", out)
		}
		entries := journal(t, store, "ship")
		for i, want := range []string{"mine: panic: stepped on", "session: a text was not UTF-8; its bytes are kept with it", "vandal: trimtab.Enqueue left out: it has no JSON form", "session: a tool result was not UTF-8"} {
			if len(entries[i].Faults) != 1 || entries[i].Faults[0].Error() != want {
				t.Errorf("entry %d: faults %v, want %q", i+1, entries[i].Faults, want)
			}
		}
		for _, word := range []string{`"level":"WARN"`, `"session":"ship"`, `"by":"mine"`, "stepped on", `"by":"session"`, `"by":"vandal"`} {
			if !strings.Contains(log.String(), word) {
				t.Errorf("the log does not say %s:\n%s", word, log.String())
			}
		}
		if n := strings.Count(log.String(), "\n"); n != 4 {
			t.Errorf("%d lines in the log, want 4", n)
		}
		if strings.Contains(log.String(), "treasure") || strings.Contains(log.String(), base64.StdEncoding.EncodeToString([]byte(secret))) {
			t.Error("the log tells what was said")
		}
		same(t, engine(t), store, "ship")
	})
}

func TestAClockThatGoesBackStandsStill(t *testing.T) {
	on(t, func(t *testing.T, store trimtab.Archive) {
		now := start()
		h := New(engine(t), store, Options{Clock: func() time.Time { return now }})
		begin(t, h, "ship")
		now = start().Add(time.Hour)
		handle(t, h, "ship", said("later"))
		now = start()
		s, out := handle(t, h, "ship", said("earlier?"))
		if !s.Updated.Equal(start().Add(time.Hour)) {
			t.Errorf("updated %v: time ran backwards", s.Updated)
		}
		if len(out.Faults) != 1 || !strings.Contains(out.Faults[0].Text, "clock") {
			t.Errorf("faults %v", out.Faults)
		}
		if e := journal(t, store, "ship")[1]; len(e.Faults) != 1 || !e.At.Equal(now) {
			t.Errorf("entry %+v", e)
		}
		same(t, engine(t), store, "ship")
	})
}

// FuzzHandle says and uses anything: it is taken, and replays to the same bytes.
func FuzzHandle(f *testing.F) {
	f.Add("hello", []byte(`{"a":1}`), "id")
	f.Add("caf\xe9 \u2028<&>", []byte("{ \"a\" : [\n1, \"<\\u003c\xff\"] }"), "\xff")
	f.Add("", []byte(`{"cut":"shor`), "")
	f.Add("\x00\ufffd", []byte("null"), "m2")
	f.Add("\ud7ff", []byte("\"\\ud83d\" "), "..")
	f.Fuzz(func(t *testing.T, text string, raw []byte, id string) {
		store := memory.New()
		h := New(engine(t), store, Options{Clock: still})
		begin(t, h, "ship")
		m := trimtab.Message{ID: id, Role: trimtab.Role(id), Model: text, From: id, Parts: []trimtab.Part{
			trimtab.Text{Text: text, By: trimtab.Person},
			trimtab.ToolCall{ID: id, Name: text, Input: raw},
			trimtab.ToolResult{ID: id, Text: text},
			trimtab.Opaque{Kind: id, Raw: raw},
		}}
		handle(t, h, "ship", trimtab.Said{Message: m}, trimtab.Calling{}, trimtab.Using{Call: trimtab.ToolCall{ID: id, Name: text, Input: raw}},
			trimtab.Asked{Command: "tally", Args: []string{text}}, trimtab.Rewritten{Lost: []string{id}}, trimtab.Said{Message: trimtab.Prompt(text)})
		same(t, engine(t), store, "ship")
	})
}
