package policy

import "testing"

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"turns": 5, "locked": ["*"]}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(_ *testing.T, raw []byte) { _ = check(raw) })
}
