package jsonscan

import (
	"strings"
	"testing"
)

// FuzzClip holds the beginning of a string against the whole of it.
func FuzzClip(f *testing.F) {
	for _, s := range []string{`"a\u00e9\n\\\\\"xyz"`, `"ééé漢字🎉"`, `"\ud83d\ude00\ud83d\ude00"`, `"\\\\\\\\"`, `""`, `"x`, `null`} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, v []byte, n int) {
		if n < 0 {
			return
		}
		var d Decoder
		whole, err := d.String(v)
		part, bad := d.Clip(v, n)
		if err != nil {
			return
		}
		if half := strings.TrimSuffix(part, "\ufffd"); bad != nil || !strings.HasPrefix(whole, half) || len(part) > len(v)+3 {
			t.Fatalf("%q to %d: %q, %v", v, n, part, bad)
		}
	})
}

func TestAWordIsAllocatedOnce(t *testing.T) {
	var d Decoder
	v := []byte(`"claude-opus"`)
	if n := testing.AllocsPerRun(10, func() {
		if s, err := d.Word(v); err != nil || s != "claude-opus" {
			t.Fatal(s, err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestWhatIsKeptDoesNotChange(t *testing.T) {
	var d Decoder
	var texts []string
	var raws [][]byte
	for i := range 3000 {
		text := strings.Repeat(string(rune('a'+i%26)), i%1500)
		s, err := d.String([]byte(`"` + text + `"`))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := d.Raw([]byte(`["` + text + `"]`))
		if err != nil {
			t.Fatal(err)
		}
		texts, raws = append(texts, s), append(raws, raw)
	}
	for _, raw := range raws {
		_ = append(raw, "over"...) // a caller's own business
	}
	for i, s := range texts {
		want := strings.Repeat(string(rune('a'+i%26)), i%1500)
		if s != want || string(raws[i]) != `["`+want+`"]` {
			t.Fatalf("value %d is %.40q and %.40q", i, s, raws[i])
		}
	}
}
