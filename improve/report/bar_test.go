package report

import (
	"strings"
	"testing"
	"time"
)

func TestTheBarFitsItsLine(t *testing.T) {
	for _, width := range []int{30, 45, 80, 120} {
		b := &Bar{width: width, total: 1200, files: 700, size: 5 << 30, done: 3 << 30}
		if line := b.line(); len(line) >= width || !strings.Contains(line, "%") {
			t.Errorf("width %d: %q", width, line)
		}
	}
	if line := (&Bar{width: 80}).line(); !strings.Contains(line, "0 %") {
		t.Errorf("nothing to read: %q", line)
	}
}

func TestTheBarIsDrawnNowAndThenAndTakenAway(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)
	b := NewBar(&out, 80, func() time.Time { return now })
	b.End()
	if out.Len() > 0 {
		t.Errorf("what was not drawn is taken away: %q", out.String())
	}
	b.Begin(2, 2<<20)
	b.Bytes(1 << 20)
	b.Bytes(1 << 20) // at the same moment
	now = now.Add(time.Second)
	b.File(2 << 20)
	b.End()
	if got := out.String(); strings.Count(got, "files") != 2 || !strings.Contains(got, "1 of 2 files, 2.0 MB of 2.0 MB") || !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("%q", got)
	}
}
