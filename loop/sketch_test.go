package loop

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sketchOf(hashes []uint32) sketch {
	var p pile
	for _, h := range hashes {
		p.take(h)
	}
	return p.sketch()
}

// jaccard is the similarity by its definition.
func jaccard(a, b map[string]bool) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	shared := 0
	for k := range a {
		if b[k] {
			shared++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// runs are the runs of three words of a text, as shingles takes them.
func runs(text string) map[string]bool {
	set := map[string]bool{}
	words := strings.Fields(text)
	for i := 2; i < len(words); i++ {
		set[strings.Join(words[i-2:i+1], " ")] = true
	}
	return set
}

// recall makes pairs of texts that differ in a few places and counts those whose
// Jaccard similarity is 0.9 or more, and how many of them are found.
func recall(pairs int) (found, all int) {
	r := rand.New(rand.NewPCG(5, 6))
	for all < pairs {
		words := strings.Fields(prose(r, 20+r.IntN(380)))
		other := slices.Clone(words)
		for range r.IntN(1 + len(words)/50) {
			switch i := r.IntN(len(other)); r.IntN(3) {
			case 0:
				other[i] = "changed"
			case 1:
				other = slices.Delete(other, i, i+1)
			default:
				other = slices.Insert(other, i, "inserted")
			}
		}
		a, b := strings.Join(words, " "), strings.Join(other, " ")
		if jaccard(runs(a), runs(b)) < 0.9 {
			continue
		}
		all++
		x, y := digestOf(a), digestOf(b)
		if x.near(&y.sketch, defaultProgress().cfg.Similarity) {
			found++
		}
	}
	return found, all
}

func TestD3_NearDuplicatesAreFound(t *testing.T) {
	found, all := recall(600)
	t.Logf("%d of %d pairs with a Jaccard similarity of 0.9 or more: %.2f %%", found, all, 100*float64(found)/float64(all))
	if float64(found) < 0.99*float64(all) {
		t.Errorf("recall %.4f, want 0.99", float64(found)/float64(all))
	}
}

func TestD3_DifferentTextsAreNotNear(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 150 {
		words := strings.Fields(prose(r, 100))
		other := slices.Clone(words)
		for range 40 { // of 100 words, a third or so is another
			other[r.IntN(len(other))] = "changed"
		}
		a, b := strings.Join(words, " "), strings.Join(other, " ")
		x, y := digestOf(a), digestOf(b)
		if j := jaccard(runs(a), runs(b)); j < 0.6 && x.near(&y.sketch, 0.8) {
			t.Errorf("texts with a similarity of %.2f were taken for the same", j)
		}
	}
}

// The quick look at the bits must never lose a pair that the hashes would show.
func TestNearIsLikeAboveTheThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hash := rapid.Uint32Range(0, 200)
		if rapid.Bool().Draw(t, "wide") {
			hash = rapid.Uint32()
		}
		base := rapid.SliceOfN(hash, 0, 120).Draw(t, "base")
		a := sketchOf(append(slices.Clone(base), rapid.SliceOfN(hash, 0, 20).Draw(t, "a")...))
		b := sketchOf(append(slices.Clone(base), rapid.SliceOfN(hash, 0, 20).Draw(t, "b")...))
		above := rapid.Float64Range(0.01, 1).Draw(t, "above")
		if got, want := a.near(&b, above), a.like(&b) > above; got != want {
			t.Fatalf("near is %t, like is %.3f, the threshold %.3f", got, a.like(&b), above)
		}
		if a.like(&b) != b.like(&a) {
			t.Fatalf("like is %.3f one way and %.3f the other", a.like(&b), b.like(&a))
		}
	})
}

func TestSmallSetsAreComparedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hash := rapid.Uint32Range(0, 60)
		a, b := rapid.SliceOfN(hash, 1, 40).Draw(t, "a"), rapid.SliceOfN(hash, 1, 40).Draw(t, "b")
		all, shared := map[uint32]bool{}, map[uint32]bool{}
		for _, h := range slices.Concat(a, b) {
			all[h] = true
			if slices.Contains(a, h) && slices.Contains(b, h) {
				shared[h] = true
			}
		}
		x, y := sketchOf(a), sketchOf(b)
		if got, want := x.like(&y), float64(len(shared))/float64(len(all)); got != want {
			t.Fatalf("like is %v, want %v", got, want)
		}
	})
}

func TestTheSmallestHashesAreKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.SliceOfN(rapid.Uint32Range(0, rapid.SampledFrom([]uint32{30, 3000, 1 << 31}).Draw(t, "most")), 0, 3*pileSize).Draw(t, "hashes")
		want := slices.Compact(slices.Sorted(slices.Values(hashes)))
		part := len(want) > sketchSize
		want = want[:min(len(want), sketchSize)]
		if got := sketchOf(hashes); !slices.Equal(got.hash, want) || got.part != part {
			t.Fatalf("kept %d hashes (more: %t), want %d (%t)", len(got.hash), got.part, len(want), part)
		}
	})
}
