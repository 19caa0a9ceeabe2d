package row

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/store/storetest"
)

// FuzzItem: whatever a body holds, it is read or damaged, and the columns win.
func FuzzItem(f *testing.F) {
	good, err := json.Marshal(storetest.Item(1))
	if err != nil {
		f.Fatal(err)
	}
	for _, body := range []string{string(good), "", "{}", "null", "[]", `{"id":7}`, `{"state":"done","fence":99}`, `{"created":"x"}`, `{"evidence":[null]}`} {
		f.Add(body, "2026-11-15T09:00:00.000000000Z", int64(3))
	}
	f.Add("{}", "yesterday", int64(0))
	f.Fuzz(func(t *testing.T, body, until string, fence int64) {
		r := Item{ID: "x", State: "running", Updated: Stamp(time.Unix(1, 0)), Until: until, Worker: "w", Fence: fence, Body: body}
		it, err := r.Item()
		if err != nil {
			if !errors.Is(err, trimtab.ErrDamaged) {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		if it.ID != "x" || it.State != improve.Running || it.Worker != "w" || it.Fence != fence || !it.Updated.Equal(time.Unix(1, 0)) {
			t.Errorf("%q: the body won: %+v", body, it)
		}
	})
}

func TestStampsSortAsTimesDo(t *testing.T) {
	zone := time.FixedZone("", 5*3600)
	at := []time.Time{{}, time.Unix(0, 0), time.Unix(0, 1).In(zone), time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC), time.Date(2026, 11, 15, 14, 0, 0, 1, zone)}
	for i := range at[1:] {
		if Stamp(at[i]) >= Stamp(at[i+1]) {
			t.Errorf("%s does not come before %s", Stamp(at[i]), Stamp(at[i+1]))
		}
	}
	for _, want := range at {
		if got, err := Time(Stamp(want)); err != nil || !got.Equal(want) {
			t.Errorf("%v came back as %v, %v", want, got, err)
		}
	}
	if diff := cmp.Diff("", Stamp(time.Unix(1, 2))[len(StampForm):]); diff != "" {
		t.Error(diff)
	}
}
