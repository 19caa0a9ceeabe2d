package own_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/own"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

// stored is a store with one session, in which the host rewrote its history.
func stored(t *testing.T, parent string) *own.Source {
	t.Helper()
	store := memory.New()
	long := strings.Repeat("x", 1000)
	now := time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)
	messages := []trimtab.Message{
		{ID: "m1", Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: "go", By: trimtab.Person}}},
		{ID: "m2", Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.ToolCall{ID: "c", Name: "shell"}}},
		{ID: "m3", Role: trimtab.RoleTool, Parts: []trimtab.Part{trimtab.ToolResult{ID: "c", Text: long}}},
		{ID: "m4", Role: trimtab.RoleUser, From: "todo", Parts: []trimtab.Part{trimtab.Text{Text: "a note", By: trimtab.Ours}}},
		{ID: "m5", Role: trimtab.RoleUser, Parts: []trimtab.Part{trimtab.Text{Text: "summary", By: trimtab.Host}}},
	}
	s := trimtab.NewSession("s1", now)
	s.Project, s.Parent, s.Seq = "/p", parent, len(messages)
	var entries []trimtab.Entry
	for _, m := range messages {
		entries = append(entries, trimtab.Entry{At: now, Event: trimtab.Said{Message: trimtab.Message{ID: m.ID}}})
	}
	entries = append(entries, trimtab.Entry{At: now, Event: trimtab.Rewritten{All: true}})
	if _, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: messages, Entries: entries}); err != nil {
		t.Fatal(err)
	}
	return own.New(store)
}

func TestOurOwnStoreReadsAsATranscript(t *testing.T) {
	src := stored(t, "")
	for info, err := range src.Sessions(t.Context()) {
		if err != nil || info.ID != "s1" {
			t.Fatal(info, err)
		}
	}
	items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{Brief: true}))
	want := []string{"person go", "call c shell ", "result c false " + strings.Repeat("x", transcript.BriefText), "host summary"}
	if diff := cmp.Diff(want, transcripttest.Gist(items)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if last := items[len(items)-1]; !last.Compacted || last.Project != "/p" || last.Line != 5 {
		t.Errorf("got %+v", last)
	}
	items, _ = transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{}))
	if r := items[2].Message.Parts[0].(trimtab.ToolResult); len(r.Text) != 1000 {
		t.Errorf("got %d bytes", len(r.Text))
	}
}

func TestASessionWithAParentIsASideConversation(t *testing.T) {
	src := stored(t, "s0")
	if items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{})); len(items) != 0 {
		t.Errorf("got %q", transcripttest.Gist(items))
	}
	items, _ := transcripttest.All(t, src.Read(t.Context(), "s1", transcript.Options{Side: true}))
	if len(items) != 4 || !items[0].Side || items[0].Agent != "s1" {
		t.Errorf("got %+v", items)
	}
}

func TestASessionThatIsNotThereIsNotFound(t *testing.T) {
	for _, err := range stored(t, "").Read(t.Context(), "nobody", transcript.Options{}) {
		if !errors.Is(err, trimtab.ErrNotFound) {
			t.Errorf("got %v", err)
		}
	}
}
