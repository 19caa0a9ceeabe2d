package plural

import "testing"

func TestCounts(t *testing.T) {
	for want, got := range map[string]string{
		"0 files": Count(0, "file"), "1 file": Count(1, "file"), "12345 files": Count(12345, "file"),
		"1 entry": Irregular(1, "entry", "entries"), "2 entries": Irregular(2, "entry", "entries"),
		"1 token": Grouped(1, "token"), "12,345 tokens": Grouped(12345, "token"),
		"0": Thousands(0), "999": Thousands(999), "1,000": Thousands(1000), "1,234,567": Thousands(1234567),
		"-100": Thousands(-100), "-1,000": Thousands(-1000), "-123,456": Thousands(-123456),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
