package gemini_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/gemini"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func gist(t *testing.T, data string, opt transcript.Options) []string {
	t.Helper()
	items, damaged := transcripttest.All(t, gemini.Read(strings.NewReader(data), opt))
	if len(damaged) > 0 {
		t.Error(damaged)
	}
	return transcripttest.Gist(items)
}

func TestOlderFilesAreOneObject(t *testing.T) {
	old := `{"sessionId":"s0","projectHash":"h","startTime":"2025-09-01T00:00:00Z","messages":[
 {"id":"1","timestamp":"2025-09-01T00:00:00Z","type":"user","content":"go"},
 {"id":"2","timestamp":"2025-09-01T00:00:01Z","type":"gemini","content":"ok","model":"m","toolCalls":[
   {"id":"c1","name":"shell","args":{"command":"ls"},"status":"error","result":[{"functionResponse":{"id":"c1","name":"shell","response":{"error":"no"}}}]},
   {"id":"c2","name":"read","args":{},"status":"success","result":"text"}]},
 {"id":"3","timestamp":"2025-09-01T00:00:02Z","type":"info","content":"shown to the person only"},
 {"id":"4","timestamp":"2025-09-01T00:00:02Z","type":"error","content":"[API Error]"},
 {"id":"5","timestamp":"2025-09-01T00:00:03Z","type":"user","content":"on"}]}`
	want := []string{"person go", "model ok", `call c1 shell {"command":"ls"}`, "call c2 read {}", "result c1 true no", "result c2 false text", "host [API Error]", "person on"}
	pretty := strings.NewReplacer(`{"sessionId"`, "{\n  \"sessionId\"", `"messages":[`, "\"messages\": [\n").Replace(old)
	for name, data := range map[string]string{"on one line": strings.ReplaceAll(old, "\n", ""), "on many": pretty} {
		if diff := cmp.Diff(want, gist(t, data, transcript.Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	_, damaged := transcripttest.All(t, gemini.Read(strings.NewReader(pretty[:len(pretty)-3]), transcript.Options{}))
	if len(damaged) != 1 {
		t.Errorf("cut off: %v", damaged)
	}
}

func TestWhatWasTakenBackIsLeftOut(t *testing.T) {
	c := begin()
	say := func(text string) {
		c.record("user", object{"content": []any{object{"text": text}}})
		c.record("gemini", object{"content": "re " + text})
	}
	say("one")
	say("two")
	c.put(`{"$rewindTo":"r3"}`)
	say("three")
	data := strings.Join(c.lines, "\n")
	if diff := cmp.Diff([]string{"person one", "model re one", "person three", "model re three"}, gist(t, data, transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := gist(t, data, transcript.Options{Branches: true}); len(got) != 6 {
		t.Errorf("with branches %q", got)
	}
}

func TestAReplacedHistoryIsACompaction(t *testing.T) {
	c := begin()
	c.record("user", object{"content": []any{object{"text": "one"}}})
	c.record("gemini", object{"content": "first"})
	c.put(`{"$set":{"messages":[{"id":"n1","timestamp":"2026-11-15T02:27:07.521Z","type":"user","content":[{"text":"<state_snapshot>what came before</state_snapshot>"}]},{"id":"r2","type":"gemini","content":"first"}]}}`)
	c.record("user", object{"content": []any{object{"text": "two"}}})
	items, _ := transcripttest.All(t, gemini.Read(bytes.NewReader([]byte(strings.Join(c.lines, "\n"))), transcript.Options{}))
	want := []string{"person one", "model first", "host <state_snapshot>what came before</state_snapshot>", "person two"}
	if diff := cmp.Diff(want, transcripttest.Gist(items)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for i, it := range items {
		if it.Compacted != (i == 2) {
			t.Errorf("item %d: compacted is %v", i, it.Compacted)
		}
	}
}

func TestASubAgentsChatIsASideConversation(t *testing.T) {
	c := begin()
	c.lines[0] = strings.Replace(c.lines[0], `"main"`, `"subagent"`, 1)
	c.record("user", object{"content": []any{object{"text": "look"}}})
	c.record("gemini", object{"content": "seen"})
	data := strings.Join(c.lines, "\n")
	if got := gist(t, data, transcript.Options{}); len(got) != 0 {
		t.Errorf("got %q", got)
	}
	items, _ := transcripttest.All(t, gemini.Read(strings.NewReader(data), transcript.Options{Side: true}))
	if len(items) != 2 || !items[0].Side || items[0].Agent != "s1" || items[0].Message.Typed() != "" {
		t.Errorf("got %+v", items)
	}
}

func TestARecordWrittenAgainIsReadOnce(t *testing.T) {
	c := begin()
	c.record("user", object{"content": []any{object{"text": "one"}}})
	c.record("gemini", object{"content": "first"})
	c.again("r1", "user", object{"content": []any{object{"text": "one"}}})
	c.record("gemini", object{"content": "second"})
	c.again("r2", "gemini", object{"content": "first"})
	want := []string{"person one", "model first", "model second"}
	if diff := cmp.Diff(want, gist(t, strings.Join(c.lines, "\n"), transcript.Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A hook's words are the host's however the file escapes them.
func TestP14_AHooksContextIsTheHostsHoweverItIsEscaped(t *testing.T) {
	for _, tag := range []string{"<hook_context>", `\u003chook_context\u003e`, ` \u003Chook_context>`} {
		data := `{"sessionId":"s1","projectHash":"h","kind":"main"}
{"id":"1","timestamp":"2026-11-15T02:27:41.647Z","type":"user","content":[{"text":"keep going"},{"text":"` + tag + `x</hook_context>"}]}
`
		for _, g := range gist(t, data, transcript.Options{}) {
			if !strings.HasPrefix(g, "host ") {
				t.Errorf("with %s: %q", tag, g)
			}
		}
	}
}
