package loop

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/trimtab/trimtab"
)

func content(w window, size int) []uint64 {
	var out []uint64
	w.each(size, func(e *entry) bool { out = append(out, e.exact); return true })
	return out
}

func TestAWindowKeepsTheNewestAndLeavesOldOnesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 100).Draw(t, "size")
		var w window
		var all []uint64
		olds := map[int]window{}
		for i := range rapid.IntRange(0, 300).Draw(t, "n") {
			olds[i] = w
			if w = w.add(entry{exact: uint64(i)}, size); w.len() > size+2*block {
				t.Fatalf("%d entries in a window of %d", w.len(), size)
			}
			all = append(all, uint64(i))
		}
		for n, w := range olds {
			want := slices.Clone(all[max(0, n-size):n])
			slices.Reverse(want)
			if got := content(w, size); !slices.Equal(got, want) {
				t.Fatalf("after %d entries: %v, want %v", n, got, want)
			}
		}
	})
}

func TestTwoFuturesOfAWindowDoNotMeet(t *testing.T) {
	var w window
	for i := range 3 * block {
		one, two := w.add(entry{exact: 1}, 100), w.add(entry{exact: 2}, 100)
		if content(one, 1)[0] != 1 || content(two, 1)[0] != 2 {
			t.Fatalf("after %d entries one future wrote into the other", i)
		}
		w = w.add(entry{exact: 3}, 100)
	}
}

func TestAWindowSurvivesBeingStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w window
		for range rapid.IntRange(0, 80).Draw(t, "n") {
			w = w.add(entry{exact: rapid.Uint64().Draw(t, "exact"), tag: rapid.Uint64().Draw(t, "tag"), sketch: sketchOf(rapid.SliceOfN(rapid.Uint32(), 0, 90).Draw(t, "hashes"))}, 60)
		}
		raw, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var back window
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		var a, b []entry
		w.each(60, func(e *entry) bool { a = append(a, *e); return true })
		back.each(60, func(e *entry) bool { b = append(b, *e); return true })
		if !slices.EqualFunc(a, b, func(x, y entry) bool {
			return x.exact == y.exact && x.tag == y.tag && slices.Equal(x.hash, y.hash) && x.bits == y.bits && x.lost == y.lost && x.part == y.part
		}) {
			t.Fatal("a window came back otherwise")
		}
	})
}

func TestADamagedWindowIsRefused(t *testing.T) {
	enc := func(b ...byte) string { return `"` + base64.RawStdEncoding.EncodeToString(b) + `"` }
	head := make([]byte, 16)
	for name, raw := range map[string]string{
		"left over":     enc(1, 2, 3),
		"too many":      enc(append(slices.Clone(head), 65<<1)...),
		"cut off":       enc(append(slices.Clone(head), 2<<1, 1, 0, 0, 0)...),
		"out of order":  enc(append(slices.Clone(head), 2<<1, 2, 0, 0, 0, 1, 0, 0, 0)...),
		"not base64":    `"*"`,
		"not a string":  `7`,
		"not even JSON": `{`,
	} {
		var w window
		err := json.Unmarshal([]byte(raw), &w)
		if err == nil {
			t.Errorf("%s: taken for a window", name)
		}
		if name[:3] != "not" && !errors.Is(err, trimtab.ErrDamaged) {
			t.Errorf("%s: %v is not ErrDamaged", name, err)
		}
	}
}
