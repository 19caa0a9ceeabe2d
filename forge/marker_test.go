package forge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/trimtab/trimtab/forge"
)

var (
	keyA = []byte("key a, for tests only")
	keyB = []byte("key b, for tests only")
)

func signer(t testing.TB, keys ...[]byte) forge.Signer {
	t.Helper()
	s, err := forge.NewSigner(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sign(t testing.TB, s forge.Signer, text string, m forge.Marker) string {
	t.Helper()
	out, err := s.Sign(text, m)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOnlyOurOwnMarkersAreKnown(t *testing.T) {
	m := forge.Marker{Kind: "issue", ID: "error_patterns:9f86d081"}
	s := signer(t, keyA)
	text := sign(t, s, "The rudder sticks.", m)
	for name, c := range map[string]struct {
		signer forge.Signer
		text   string
		want   []forge.Marker
	}{
		"as it was signed":           {s, text, []forge.Marker{m}},
		"with other line ends":       {s, strings.ReplaceAll(text, "\n", "\r\n"), []forge.Marker{m}},
		"with text below":            {s, text + "\n\nEdited by a person.", []forge.Marker{m}},
		"twice":                      {s, text + text, []forge.Marker{m, m}},
		"by another key":             {signer(t, keyB), text, nil},
		"by an older key":            {signer(t, keyB, keyA), text, []forge.Marker{m}},
		"of another id":              {s, strings.ReplaceAll(text, "9f86d081", "9f86d082"), nil},
		"of another kind":            {s, strings.ReplaceAll(text, "1 issue", "1 pull"), nil},
		"of another form":            {s, strings.ReplaceAll(text, "trimtab:1", "trimtab:2"), nil},
		"without its end":            {s, strings.TrimSuffix(text, " -->"), nil},
		"without its signature":      {s, "<!-- trimtab:1 issue error_patterns:9f86d081 -->", nil},
		"with an empty signature":    {s, "<!-- trimtab:1 issue error_patterns:9f86d081  -->", nil},
		"behind many false ones":     {s, strings.Repeat("<!-- trimtab:1 issue x 00 -->", 10) + text, []forge.Marker{m}},
		"behind too many false ones": {s, strings.Repeat("<!-- trimtab:1 ", 100) + text, nil},
		"nothing":                    {s, "", nil},
	} {
		if d := cmp.Diff(c.want, c.signer.Markers(c.text)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestAMarkerIsHiddenAndCannotBreakOut(t *testing.T) {
	s := signer(t, keyA)
	for _, id := range []string{"", "a b", "a--b", "-a", "a-", "a\nb", "a>", "<a", strings.Repeat("a", 129), "ä"} {
		if out, err := s.Sign("text", forge.Marker{Kind: "issue", ID: id}); err == nil {
			t.Errorf("id %q gave %q", id, out)
		}
	}
	for _, kind := range []string{"", "Issue", "an issue", strings.Repeat("a", 17)} {
		if out, err := s.Sign("text", forge.Marker{Kind: kind, ID: "a"}); err == nil {
			t.Errorf("kind %q gave %q", kind, out)
		}
	}
	for _, id := range []string{"a", "workflow_20261115_101500_k3x9", "error_patterns:9f86d081", strings.Repeat("a", 128), "a/b@c.d-e"} {
		line := strings.TrimPrefix(sign(t, s, "", forge.Marker{Kind: "issue", ID: id}), "\n\n")
		if !strings.HasPrefix(line, "<!--") || strings.Index(line, "-->") != len(line)-3 || strings.Contains(line[4:len(line)-3], "--") {
			t.Errorf("id %q gave %q", id, line)
		}
	}
}

func TestAQuotedMarkerIsSpoilt(t *testing.T) {
	s := signer(t, keyA)
	one, two := forge.Marker{Kind: "issue", ID: "one"}, forge.Marker{Kind: "issue", ID: "two"}
	text := sign(t, s, "A transcript: "+sign(t, s, "", one)+"\n<!--TRIMTAB : 1\n", two)
	if d := cmp.Diff([]forge.Marker{two}, s.Markers(text)); d != "" {
		t.Error(d)
	}
	if !s.Has(text, two) || s.Has(text, one) {
		t.Error("Has does not agree")
	}
}

func TestAKeyIsNeeded(t *testing.T) {
	for name, keys := range map[string][][]byte{"none": nil, "an empty one": {nil}, "a short one": {[]byte("short")}, "a short second one": {keyA, []byte("short")}} {
		if _, err := forge.NewSigner(keys...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := (forge.Signer{}).Sign("text", forge.Marker{Kind: "issue", ID: "a"}); err == nil {
		t.Error("a signer without keys signed")
	}
}

func FuzzMarkers(f *testing.F) {
	s, other := signer(f, keyA), signer(f, keyB)
	m := forge.Marker{Kind: "issue", ID: "error_patterns:9f86d081"}
	good := sign(f, s, "text", m)
	for _, seed := range []string{"", "text", good, good[:len(good)-5], good + good, strings.ToUpper(good), "<!-- trimtab:1 ", "<!-- trimtab:1  -->", "<!-- trimtab:1 a b c -->", "<!--\ttrimtab:\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := other.Markers(text); len(got) != 0 {
			t.Fatalf("a marker that was never signed: %v", got)
		}
		for _, got := range s.Markers(text) {
			if got != m {
				t.Fatalf("a marker that was never signed: %v", got)
			}
		}
		signed := sign(t, s, text, forge.Marker{Kind: "pull", ID: "x"})
		if got := s.Markers(signed); len(signed) < 1<<20 && (len(got) != 1 || got[0].ID != "x") {
			t.Fatalf("%q holds %v", signed, got)
		}
	})
}
