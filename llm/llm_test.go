package llm_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/llm"
)

func stream(err error, chunks ...llm.Chunk) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

func TestCollectReturnsTheWholeReply(t *testing.T) {
	want := trimtab.Say(trimtab.RoleAssistant, trimtab.Model, "one two")
	got, stop, err := llm.Collect(stream(nil, llm.TextDelta{Text: "one "}, llm.ThinkingDelta{Text: "hm"}, llm.TextDelta{Text: "two"},
		llm.CallDelta{ID: "a", Name: "list"}, llm.Done{Message: want, Stop: llm.StopCalls}))
	if err != nil {
		t.Fatal(err)
	}
	if stop != llm.StopCalls {
		t.Errorf("stop = %q, want %q", stop, llm.StopCalls)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reply (-want +got):\n%s", diff)
	}
}

// P11: a cut stream never counts as finished.
func TestP11_CollectNeverTakesACutStreamForAReply(t *testing.T) {
	broken := errors.New("connection reset")
	for name, tt := range map[string]struct {
		stream iter.Seq2[llm.Chunk, error]
		want   error
	}{
		"nothing":    {stream(nil), llm.ErrCut},
		"text only":  {stream(nil, llm.TextDelta{Text: "half a"}), llm.ErrCut},
		"with error": {stream(broken, llm.TextDelta{Text: "half a"}), broken},
	} {
		t.Run(name, func(t *testing.T) {
			got, stop, err := llm.Collect(tt.stream)
			if !errors.Is(err, tt.want) {
				t.Errorf("err = %v, want %v", err, tt.want)
			}
			if stop != "" || len(got.Parts) != 0 {
				t.Errorf("got a reply (%v, %q) of a stream that broke off", got, stop)
			}
		})
	}
}

func TestCallsKeepTheirOrder(t *testing.T) {
	m := trimtab.Message{Parts: []trimtab.Part{trimtab.ToolCall{ID: "b"}, trimtab.Text{Text: "x"}, trimtab.ToolCall{ID: "a"}}}
	want := []trimtab.ToolCall{{ID: "b"}, {ID: "a"}}
	if diff := cmp.Diff(want, llm.Calls(m)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}
