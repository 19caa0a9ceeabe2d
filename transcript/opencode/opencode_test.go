package opencode_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"testing"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/opencode"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

type object = map[string]any

// database writes a session as opencode would.
type database struct {
	tables transcripttest.Tables
	n      int
	reply  string // the message that is being written
}

func text(v object) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

func (d *database) message(data object) string {
	d.n++
	id := fmt.Sprintf("msg_%04d", d.n)
	d.tables["message"] = append(d.tables["message"], object{"id": id, "session_id": "s1", "time_created": 1794709435253 + d.n, "time_updated": 0, "data": text(data)})
	return id
}

func (d *database) part(message string, data object) object {
	d.n++
	row := object{"id": fmt.Sprintf("prt_%04d", d.n), "message_id": message, "session_id": "s1", "data": text(data)}
	d.tables["part"] = append(d.tables["part"], row)
	return row
}

func (d *database) replying() string {
	if d.reply == "" {
		d.reply = d.message(object{
			"role": "assistant", "modelID": "m", "providerID": "p",
			"tokens": object{"input": 60, "output": 7, "reasoning": 1, "cache": object{"read": 40, "write": 0}},
		})
		d.part(d.reply, object{"type": "step-start"})
	}
	return d.reply
}

func begin() *database {
	return &database{tables: transcripttest.Tables{
		"session": {{"id": "s1", "parent_id": nil, "directory": "/p", "title": "t", "revert": nil, "time_created": 1794709434789, "time_updated": 1794709448445}},
		"message": nil, "part": nil,
	}}
}

func write(turns []transcripttest.Turn) transcripttest.Tables {
	d := begin()
	calls := map[string]object{}
	inputs := map[string]string{}
	for _, t := range turns {
		switch t.Kind {
		case transcripttest.Prompt:
			d.reply = ""
			d.part(d.message(object{"role": "user"}), object{"type": "text", "text": t.Text})
		case transcripttest.Aside:
			d.reply = ""
			d.part(d.message(object{"role": "user"}), object{"type": "text", "text": t.Text, "synthetic": true})
		case transcripttest.Says:
			if len(calls) > 0 {
				d.reply = ""
			}
			d.part(d.replying(), object{"type": "text", "text": t.Text})
		case transcripttest.Calls:
			inputs[t.Call] = t.Text
			calls[t.Call] = d.part(d.replying(), object{"type": "tool", "tool": "shell", "callID": t.Call, "state": object{"status": "running", "input": object{"command": t.Text}}})
		case transcripttest.Result:
			state := object{"status": "completed", "input": object{"command": inputs[t.Call]}, "output": t.Text, "metadata": object{"exit": 0}}
			if t.Failed {
				state = object{"status": "error", "input": object{"command": inputs[t.Call]}, "error": t.Text}
			}
			calls[t.Call]["data"] = text(object{"type": "tool", "tool": "shell", "callID": t.Call, "state": state})
		}
	}
	return d.tables
}

func open(ctx context.Context, path string) (transcript.Source, error) {
	src, err := opencode.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return src, nil
}

func TestSuite(t *testing.T) {
	transcripttest.RunStored(t, transcripttest.Stored{Open: open, Write: write, Spoil: func(tables transcripttest.Tables) {
		tables["message"][1]["data"] = `{"role":"assistant","tokens":{"input":"x"`
	}})
}

func TestADamagedPartDoesNotHideTheOthers(t *testing.T) {
	tables := write([]transcripttest.Turn{{Kind: transcripttest.Prompt, Text: "go"}, {Kind: transcripttest.Says, Text: "one"}, {Kind: transcripttest.Says, Text: "two"}})
	tables["part"][2]["data"] = "{"
	src := transcripttest.OpenTables(t, open, tables)
	items, damaged := transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{}))
	if got := transcripttest.Gist(items); len(got) != 2 || got[1] != "model two" || len(damaged) != 1 || damaged[0].Row != tables["part"][2]["id"] {
		t.Errorf("got %q, damaged %v", got, damaged)
	}
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	transcripttest.RecordedStored(t, open, 2, *update)
}

func TestWhatWasTakenBackIsLeftOut(t *testing.T) {
	tables := write([]transcripttest.Turn{
		{Kind: transcripttest.Prompt, Text: "one"},
		{Kind: transcripttest.Says, Text: "first"},
		{Kind: transcripttest.Prompt, Text: "wrong way"},
		{Kind: transcripttest.Says, Text: "oh"},
	})
	tables["session"][0]["revert"] = text(object{"messageID": tables["message"][2]["id"]})
	src := transcripttest.OpenTables(t, open, tables)
	for opt, want := range map[transcript.Options]int{{}: 2, {Branches: true}: 4} {
		if items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", opt)); len(items) != want {
			t.Errorf("%+v: %q", opt, transcripttest.Gist(items))
		}
	}
}

func TestASubAgentsSessionIsASideConversation(t *testing.T) {
	tables := write([]transcripttest.Turn{{Kind: transcripttest.Prompt, Text: "look"}, {Kind: transcripttest.Says, Text: "seen"}})
	tables["session"][0]["parent_id"] = "ses_0"
	src := transcripttest.OpenTables(t, open, tables)
	if items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{})); len(items) != 0 {
		t.Errorf("got %q", transcripttest.Gist(items))
	}
	items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{Side: true}))
	if len(items) != 2 || !items[0].Side || items[0].Agent != "s1" || items[0].Message.Typed() != "" {
		t.Errorf("got %+v", items)
	}
}

// FuzzRead puts anything into the rows.
func FuzzRead(f *testing.F) {
	for _, row := range transcripttest.Load(f, "testdata/plain.json")["part"] {
		raw, _ := json.Marshal(row["data"].(object)["$json"])
		f.Add(`{"role":"assistant","tokens":{"input":1}}`, string(raw))
	}
	f.Add(`{"role":"user"`, "\x00\xff")
	f.Fuzz(func(t *testing.T, message, part string) {
		tables := begin().tables
		tables["message"] = []map[string]any{{"id": "a", "session_id": "s1", "time_created": 1, "data": message}}
		tables["part"] = []map[string]any{{"id": "b", "message_id": "a", "data": part}}
		transcripttest.Keepable(t, open, tables)
	})
}

func BenchmarkRead(b *testing.B) {
	transcripttest.BenchStored(b, transcripttest.Stored{Open: open, Write: write})
}
