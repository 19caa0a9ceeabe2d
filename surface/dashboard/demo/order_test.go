package demo_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/export"
	"github.com/trimtab/trimtab/export/timeline"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/store/memory"
	"github.com/trimtab/trimtab/surface/dashboard/demo"
)

// A session is told in the same order from the store, as pages have it, and from a file
// that it was exported to.
func TestPagesAndExportsTellTheSame(t *testing.T) {
	cfg, _ := config.Load[steer.Config](config.Sources{})
	engine, err := steer.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	st := memory.New()
	if err := demo.Play(t.Context(), engine, st, time.Date(2026, 11, 17, 9, 0, 0, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	for info, err := range st.List(t.Context(), trimtab.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		s, err := st.Load(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := export.FromArchive(t.Context(), st, s)
		if err != nil {
			t.Fatal(err)
		}
		line, err := timeline.Of(t.Context(), st, s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(doc.Timeline(), line, cmpopts.IgnoreUnexported(timeline.Item{})); diff != "" {
			t.Errorf("%s: %s", info.ID, diff)
		}
	}
}
