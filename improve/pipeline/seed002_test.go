package pipeline

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/forge/local"
	"github.com/trimtab/trimtab/improve"
)

// emptyForge is a forge on which nothing is filed.
func emptyForge(t *testing.T) forge.Forge {
	t.Helper()
	f, err := local.New(t.Context(), local.Config{Folder: t.TempDir()}, local.Options{Git: git.New(os.Environ())})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f.Roles()
}

// TestSeed002_32_LiteralIdsAreASetting: with automation.form literal an id is that of the
// seed, and of two in one second the other has our own; 002-21: its description is the
// seed's, too.
func TestSeed002_32_LiteralIdsAreASetting(t *testing.T) {
	b := newFixture(t, pattern(1), pattern(2))
	b.cfg = improve.Config{Form: improve.FormLiteral}
	var filed []improve.Item
	b.opt.Filed = func(it improve.Item) { filed = append(filed, it) }
	for _, n := range []string{"1", "2"} {
		it, err := b.New(t.Context(), Query{Project: project, Offline: true}, n, true)
		if err != nil || !strings.HasPrefix(it.ID, "workflow_20261115_101500") {
			t.Fatalf("%s: %+v, %v", n, it, err)
		}
		want := "Detected " + it.Request.Pattern.Suggestion + "\n\nPattern occurs 6 times.\n\nContext: {}"
		if it.Request.Description != want {
			t.Errorf("%q, want %q", it.Request.Description, want)
		}
	}
	if len(filed) != 2 || filed[0].ID != "workflow_20261115_101500" || len(filed[1].ID) != len("workflow_20261115_101500_k3x9") || filed[0].State != improve.Queued {
		t.Errorf("%+v", filed)
	}
}

// TestSeed002_89_WithApprovalNeverARequestIsQueuedAtOnce, and told as filed in that state.
func TestSeed002_89_WithApprovalNeverARequestIsQueuedAtOnce(t *testing.T) {
	b := newFixture(t, pattern(1))
	b.cfg = improve.Config{Enabled: true, Approval: "never"}
	var filed []improve.Item
	b.opt.Filed = func(it improve.Item) { filed = append(filed, it) }
	// Nothing starts by itself without the forge's answer.
	out, err := b.Stopped(t.Context(), improve.StoppedSession{Session: "s0", Project: project})
	if err != nil || out.ID != "" || len(filed) != 0 {
		t.Errorf("without a forge: %+v, %v", out, err)
	}
	b.opt.Keys = func(context.Context) ([][]byte, error) { return [][]byte{make([]byte, 32)}, nil }
	b.opt.Forge = func(context.Context, string) (Forge, error) { return &hub{Forge: emptyForge(t)}, nil }
	out, err = b.Stopped(t.Context(), improve.StoppedSession{Session: "s0", Project: project})
	if err != nil || out.State != improve.Queued || len(filed) != 1 || filed[0].ID != out.ID || filed[0].State != improve.Queued || filed[0].Metrics == nil {
		t.Errorf("%+v, filed %+v, %v", out, filed, err)
	}
}
