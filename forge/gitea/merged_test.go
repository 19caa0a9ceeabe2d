package gitea

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/trimtab/trimtab/forge"
)

func TestWhenItWasMergedIsTold(t *testing.T) {
	for text, want := range map[string]forge.Pull{
		`{"state": "closed", "merged": true, "merged_at": "2026-11-20T10:00:00Z"}`: {State: forge.Merged, MergedAt: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)},
		`{"state": "open", "merged": false, "merged_at": null}`:                    {State: forge.Open},
	} {
		var p pull
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		if got := p.ours(); got.State != want.State || !got.MergedAt.Equal(want.MergedAt) {
			t.Errorf("%s: %s at %v", text, got.State, got.MergedAt)
		}
	}
}
