package goose_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"testing"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/goose"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

type object = map[string]any

// database writes a session as goose would.
type database struct {
	tables  transcripttest.Tables
	n       int
	content []any // of the reply that is being written
}

func text(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (d *database) put(role string, meta object, content ...any) {
	d.n++
	d.tables["messages"] = append(d.tables["messages"], object{
		"id": d.n, "message_id": fmt.Sprint("msg_", d.n), "session_id": "s1", "role": role, "content_json": text(content),
		"created_timestamp": 1794709793 + d.n, "metadata_json": text(meta),
	})
}

func (d *database) flush() {
	if d.content != nil {
		d.put("assistant", object{
			"userVisible": true, "agentVisible": true, "inference": object{"requestedModel": "m"},
			"usage": object{"inputTokens": 100, "outputTokens": 7, "cacheReadTokens": 40},
		}, d.content...)
		d.content = nil
	}
}

func begin() *database {
	return &database{tables: transcripttest.Tables{
		"sessions": {{"id": "s1", "session_type": "user", "working_dir": "/p", "created_at": "2026-11-15 02:29:52", "updated_at": "2026-11-15 02:29:53", "parent_session_id": nil}},
		"messages": nil,
	}}
}

func shown() object { return object{"userVisible": true, "agentVisible": true} }

func says(s string) object { return object{"type": "text", "text": s} }

func write(turns []transcripttest.Turn) transcripttest.Tables {
	d := begin()
	for _, t := range turns {
		switch t.Kind {
		case transcripttest.Says:
			d.content = append(d.content, says(t.Text))
			continue
		case transcripttest.Calls:
			d.content = append(d.content, object{"type": "toolRequest", "id": t.Call, "toolCall": object{"status": "success", "value": object{"name": "shell", "arguments": object{"command": t.Text}}}})
			continue
		}
		d.flush()
		switch t.Kind {
		case transcripttest.Prompt:
			d.put("user", shown(), says(t.Text))
		case transcripttest.Aside:
			d.put("user", object{"userVisible": false, "agentVisible": true, "turnContext": true}, says(t.Text))
		case transcripttest.Result:
			d.put("user", shown(), object{"type": "toolResponse", "id": t.Call, "toolResult": object{
				"status": "success", "value": object{"content": []any{says(t.Text)}, "isError": t.Failed},
			}})
		}
	}
	d.flush()
	return d.tables
}

func open(ctx context.Context, path string) (transcript.Source, error) {
	src, err := goose.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func TestSuite(t *testing.T) {
	transcripttest.RunStored(t, transcripttest.Stored{Open: open, Write: write, Spoil: func(tables transcripttest.Tables) {
		tables["messages"][1]["content_json"] = `[{"type":"text","text":"one"`
	}})
}

func read(t *testing.T, tables transcripttest.Tables, opt transcript.Options) []transcript.Item {
	t.Helper()
	src := transcripttest.OpenTables(t, open, tables)
	items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", opt))
	return items
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	transcripttest.RecordedStored(t, open, 3, *update)
}

func TestASummaryStandsForWhatIsHidden(t *testing.T) {
	d := begin()
	d.put("user", object{"userVisible": true, "agentVisible": false}, says("one"))
	d.put("user", object{"userVisible": false, "agentVisible": true}, says("what came before"))
	d.put("user", shown(), says("two"))
	items := read(t, d.tables, transcript.Options{})
	if len(items) != 3 || items[0].Message.Typed() != "one" || !items[1].Compacted || items[1].Message.Typed() != "" || items[2].Compacted {
		t.Errorf("got %+v", items)
	}
}

func TestAnExitCodeIsAFailure(t *testing.T) {
	d := begin()
	answer := func(result object) object { return object{"type": "toolResponse", "id": "c", "toolResult": result} }
	d.put("user", shown(), answer(object{"status": "success", "value": object{"content": []any{says("x")}, "structuredContent": object{"exit_code": 1}}}))
	d.put("user", shown(), answer(object{"status": "error", "error": "no such tool"}))
	d.put("user", shown(), answer(object{"status": "success", "value": []any{says("old form")}}))
	want := []string{"result c true x", "result c true no such tool", "result c false old form"}
	for i, got := range transcripttest.Gist(read(t, d.tables, transcript.Options{})) {
		if got != want[i] {
			t.Errorf("got %q, want %q", got, want[i])
		}
	}
}

func TestASubAgentsSessionIsASideConversation(t *testing.T) {
	tables := write([]transcripttest.Turn{{Kind: transcripttest.Prompt, Text: "look"}, {Kind: transcripttest.Says, Text: "seen"}})
	tables["sessions"][0]["session_type"] = "sub_agent"
	if items := read(t, tables, transcript.Options{}); len(items) != 0 {
		t.Errorf("got %q", transcripttest.Gist(items))
	}
	items := read(t, tables, transcript.Options{Side: true})
	if len(items) != 2 || !items[0].Side || items[0].Agent != "s1" || items[0].Message.Typed() != "" {
		t.Errorf("got %+v", items)
	}
}

// FuzzRead puts anything into the rows.
func FuzzRead(f *testing.F) {
	for _, row := range transcripttest.Load(f, "testdata/plain.json")["messages"] {
		content, _ := json.Marshal(row["content_json"].(object)["$json"])
		meta, _ := json.Marshal(row["metadata_json"].(object)["$json"])
		f.Add(row["role"].(string), string(content), string(meta))
	}
	f.Add("user", "\x00\xff", "{")
	f.Fuzz(func(t *testing.T, role, content, meta string) {
		tables := begin().tables
		tables["messages"] = []map[string]any{{"id": 1, "session_id": "s1", "role": role, "content_json": content, "created_timestamp": 1, "metadata_json": meta}}
		transcripttest.Keepable(t, open, tables)
	})
}

func BenchmarkRead(b *testing.B) {
	transcripttest.BenchStored(b, transcripttest.Stored{Open: open, Write: write})
}
