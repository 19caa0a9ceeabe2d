package pi_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/pi"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func items(t *testing.T, s *session, opt transcript.Options) []transcript.Item {
	t.Helper()
	items, damaged := transcripttest.All(t, pi.Read(bytes.NewReader(s.bytes()), opt))
	if len(damaged) > 0 {
		t.Error(damaged)
	}
	return items
}

func TestWhatWasTakenBackIsLeftOut(t *testing.T) {
	s := begin()
	user := func(text_ string) object { return object{"message": object{"role": "user", "content": text(text_)}} }
	s.put("message", user("one"))       // e1
	s.put("message", user("wrong way")) // e2
	right := user("other way")
	right["parentId"] = "e1"
	s.put("message", right)
	if diff := cmp.Diff([]string{"person one", "person other way"}, transcripttest.Gist(items(t, s, transcript.Options{}))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := items(t, s, transcript.Options{Branches: true}); len(got) != 3 {
		t.Errorf("with branches %q", transcripttest.Gist(got))
	}
}

func TestSummariesAndCommandsAreTheHosts(t *testing.T) {
	s := begin()
	s.message(object{"role": "user", "content": "one"})
	s.put("compaction", object{"summary": "what came before", "firstKeptEntryId": "e1"})
	s.put("branch_summary", object{"summary": "what was tried"})
	s.message(object{"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 0})
	s.message(object{"role": "assistant", "content": []any{}, "stopReason": "error", "errorMessage": "overloaded"})
	s.message(object{"role": "user", "content": "two"})
	got := items(t, s, transcript.Options{})
	want := []string{"person one", "host what came before", "host what was tried", "host $ ls\na", "host overloaded", "person two"}
	if diff := cmp.Diff(want, transcripttest.Gist(got)); diff != "" || !got[1].Compacted || got[2].Compacted {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
