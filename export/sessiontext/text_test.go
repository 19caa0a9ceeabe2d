package sessiontext_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/sessiontext"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/steer/frame"
)

// told is a message with a part of every kind.
func told() trimtab.Message {
	return trimtab.Message{ID: "m7", Parts: []trimtab.Part{
		trimtab.Text{Text: "look\nhere", By: trimtab.Person},
		trimtab.Text{Text: "Done.\x1b[2J", By: trimtab.Model},
		trimtab.Text{Text: "plan first", By: trimtab.Ours, From: "mode"},
		trimtab.Text{Text: "a hint"},
		trimtab.ToolCall{Name: "read", Input: json.RawMessage(`{"path":"a"}`)},
		trimtab.ToolResult{Text: "no such file", Failed: true},
		trimtab.ToolResult{Text: "text"},
		trimtab.Opaque{Kind: "image", By: trimtab.Person},
	}}
}

func TestMessage(t *testing.T) {
	for full, want := range map[bool]string{
		false: `   m7  you      look …
   m7  agent    Done.␛[2J
   m7  mode     plan first
   m7  host     a hint
   m7  agent    calls read {"path":"a"}
   m7  tool     failed: no such file
   m7  tool     text
   m7  person   (image)
`,
		true: `   m7  you     
       look
       here
   m7  agent   
       Done.␛[2J
   m7  mode    
       plan first
   m7  host    
       a hint
   m7  agent   
       calls read {"path":"a"}
   m7  tool    
       failed: no such file
   m7  tool    
       text
   m7  person  
       (image)
`,
	} {
		var out strings.Builder
		if err := sessiontext.Message(&out, told(), full); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("full %v (-want +got):\n%s", full, diff)
		}
	}
}

func TestEntry(t *testing.T) {
	messages := map[string]trimtab.Message{"m1": {ID: "m1", Parts: []trimtab.Part{trimtab.Text{Text: "hello", By: trimtab.Person}}}}
	for _, c := range []struct {
		name  string
		entry trimtab.Entry
		full  bool
		want  string
	}{
		{"said", trimtab.Entry{Event: trimtab.Said{Message: trimtab.Message{ID: "m1"}}}, false, "   m1  you      hello\n"},
		{"said, and lost since", trimtab.Entry{Event: trimtab.Said{Message: trimtab.Message{ID: "m2"}}}, false, ""},
		{"a command", trimtab.Entry{Event: trimtab.Asked{Command: "mode", Args: []string{"planning", "now"}}}, false, "       command  /mode planning now\n"},
		{"resumed", trimtab.Entry{Event: trimtab.Resumed{}}, false, "       resumed \n"},
		{"rewritten", trimtab.Entry{Event: trimtab.Rewritten{}}, false, "       host     the host rewrote its history\n"},
		{"reset", trimtab.Entry{Event: trimtab.Reset{}}, false, "       reset   \n"},
		{"a note", trimtab.Entry{Event: trimtab.Calling{}, Changes: []trimtab.Change{{Kind: trimtab.Injected, By: "mode", Slot: "entry", Why: "it begins", Text: "Plan.\nDo nothing.", Tokens: 2}}}, false, "       + mode/entry: it begins (2 tokens)\n         Plan. …\n"},
		{"sent on", trimtab.Entry{Event: trimtab.Stopping{}, Actions: []trimtab.Taken{{By: "stop", Action: trimtab.Continue{Text: "Before you stop: run it.", Why: "nothing was run"}}}}, false, "       > stop: sent on: nothing was run\n         Before you stop: run it.\n"},
		{"a note, whole", trimtab.Entry{Event: trimtab.Calling{}, Changes: []trimtab.Change{{Kind: trimtab.Injected, By: "mode", Slot: "entry", Why: "it begins", Text: "Plan.", Tokens: 2}}}, true, "       + mode/entry: it begins (2 tokens)\n       Plan.\n"},
		{"a copy of a note", trimtab.Entry{Event: trimtab.Calling{}, Changes: []trimtab.Change{{Kind: trimtab.Copied, By: "todo", Slot: "reminder", Text: "Mind it."}}}, true, ""},
		{
			"a notice and a fault", trimtab.Entry{
				Event: trimtab.Calling{}, Actions: []trimtab.Taken{{Action: trimtab.Notify{Text: "be\x1bware"}}}, Faults: []trimtab.Fault{{By: "todo", Text: "broke"}},
			}, false, "       notice   be␛ware\n       fault    " + trimtab.Fault{By: "todo", Text: "broke"}.Error() + "\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			if err := sessiontext.Entry(&out, c.entry, messages, c.full); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestChange(t *testing.T) {
	for want, c := range map[string]trimtab.Change{
		"+ a/b: why (1 token, 30 tokens of cached prefix)": {Kind: trimtab.Injected, By: "a", Slot: "b", Why: "why", Tokens: 1, Lost: 30},
		"- a/b: why (5 tokens of cached prefix)":           {Kind: trimtab.Removed, By: "a", Slot: "b", Why: "why", Lost: 5},
		"~ a/b: why":                                       {Kind: trimtab.Retired, By: "a", Slot: "b", Why: "why"},
		"x a/b: why":                                       {Kind: trimtab.Withheld, By: "a", Slot: "b", Why: "why"},
		"> a/b: why":                                       {Kind: trimtab.FoldedUp, By: "a", Slot: "b", Why: "why"},
		"< a/b: why":                                       {Kind: trimtab.Unfolded, By: "a", Slot: "b", Why: "why"},
	} {
		if got := sessiontext.Change(c); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

func TestFirstLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "one\n": "one", "one\ntwo": "one …", "äöüß": "äöü …", "a\x1bb": "a␛b"} {
		if got := termsafe.FirstLine(in, 3); got != want {
			t.Errorf("%q: %q; want %q", in, got, want)
		}
	}
}

// tree is a frame f1 of the messages 2 to the newest, in which f2 holds 4 and 5.
func tree() frame.Tree {
	f1 := frame.View{}
	f1.ID, f1.Goal, f1.Status, f1.First.Seq = "f1", "the harbour", frame.InProgress, 2
	f2 := frame.View{}
	f2.ID, f2.Goal, f2.Status, f2.Parent, f2.First.Seq, f2.Last.Seq, f2.Messages = "f2", "the quay\nof stone", frame.Completed, "f1", 4, 5, 2
	return frame.Tree{Frames: []frame.View{f1, f2}}
}

func run(n int) []sessiontext.Numbered {
	var out []sessiontext.Numbered
	for seq := 1; seq <= n; seq++ {
		out = append(out, sessiontext.Numbered{Message: trimtab.Message{ID: trimtab.MessageID(seq), Parts: []trimtab.Part{trimtab.Text{Text: "word\nmore", By: trimtab.Model}}}, Seq: seq})
	}
	return out
}

// TestFrameLogNamesFramesBelow in the place of their messages, once each.
func TestFrameLogNamesFramesBelow(t *testing.T) {
	lines := sessiontext.FrameLog(tree(), tree().Frames[0], run(6))
	var out strings.Builder
	if err := sessiontext.WriteLog(&out, lines, false); err != nil {
		t.Fatal(err)
	}
	want := `   m2  agent    word …
   m3  agent    word …
       ✓ frame f2: the quay … (2 messages; trimtab frame log f2)
   m6  agent    word …
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := lines[0].String(); got != "m2  agent    word …" {
		t.Errorf("%q", got)
	}
	if below := sessiontext.FrameLog(tree(), tree().Frames[1], run(6)); len(below) != 2 || below[0].Message.ID != "m4" {
		t.Errorf("%+v", below)
	}
}

func TestWhyALogIsEmpty(t *testing.T) {
	planned, silent := frame.View{}, frame.View{}
	planned.Status, silent.Status = frame.Planned, frame.InProgress
	for want, f := range map[string]frame.View{
		"It has not begun: it has no messages.": planned,
		"Nothing was said in it.":               silent,
		"Its messages are not in the store.":    tree().Frames[0],
	} {
		if got := sessiontext.WhyEmpty(f, sessiontext.FrameLog(tree(), f, nil)); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
	if got := sessiontext.WhyEmpty(planned, make([]sessiontext.LogLine, 1)); got != "" {
		t.Errorf("%q of a log that is not empty", got)
	}
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestAWriterThatFailsIsTold(t *testing.T) {
	for name, err := range map[string]error{
		"message": sessiontext.Message(full{}, told(), false),
		"entry":   sessiontext.Entry(full{}, trimtab.Entry{Event: trimtab.Resumed{}}, nil, false),
		"log":     sessiontext.WriteLog(full{}, sessiontext.FrameLog(tree(), tree().Frames[0], run(3)), true),
	} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
