package insight_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/session"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/insight"
)

// V4: of a long session only what is new is read, and it is told as if all of it had been;
// one that is removed and begun again is another.
func TestV4_ALongSessionIsReadOnAndToldWhole(t *testing.T) {
	engine, err := steer.New(steer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	service := session.New(engine, st, session.Options{})
	told := insight.New(insight.Options{Engine: engine})
	compare := func() {
		t.Helper()
		s, err := st.Load(t.Context(), "long")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := told.Timeline(t.Context(), st, s)
			if err != nil {
				t.Fatal(err)
			}
			want, err := timeline.Of(t.Context(), st, s)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(timeline.Item{})); diff != "" {
				t.Fatal(diff)
			}
		}
	}
	say := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			reply := trimtab.Message{Role: trimtab.RoleAssistant, Parts: []trimtab.Part{trimtab.Text{Text: fmt.Sprint("reply ", i), By: trimtab.Model}}}
			if _, _, err := service.Handle(t.Context(), "long", trimtab.Said{Message: trimtab.Prompt(fmt.Sprint("prompt ", i))}, trimtab.Calling{}, trimtab.Said{Message: reply}); err != nil {
				t.Fatal(err)
			}
		}
	}
	begin := func() {
		t.Helper()
		if _, err := service.Begin(t.Context(), trimtab.Info{ID: "long"}); err != nil {
			t.Fatal(err)
		}
	}
	begin()
	say(0, 300)
	compare()
	say(300, 310)
	compare()
	if err := st.Remove(t.Context(), "long"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Millisecond) // begun later
	begin()
	say(1000, 1400)
	compare()
}
