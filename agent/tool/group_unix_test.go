//go:build unix

package tool

import (
	"context"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A command that does not hear SIGTERM is ended all the same.
func TestACommandThatIgnoresBeingToldIsEnded(t *testing.T) {
	cmd := exec.Command("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 300; done")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := runGroup(ctx, cmd, writer(func(p []byte) { cancel() }), 20*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("err = %v, want killed", err)
	}
}

// One that hears it may tidy up, and what it says then is kept.
func TestACommandThatIsToldMayTidyUp(t *testing.T) {
	cmd := exec.Command("sh", "-c", "trap 'echo tidied; exit 5' TERM; echo ready; while :; do sleep 0.01; done")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out strings.Builder
	err := runGroup(ctx, cmd, writer(func(p []byte) { out.Write(p); cancel() }), time.Minute)
	if err == nil || err.Error() != "exit status 5" || !strings.HasSuffix(out.String(), "tidied\n") {
		t.Errorf("err = %v, said %q", err, out.String())
	}
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

var _ io.Writer = writer(nil)

func FuzzTape(f *testing.F) {
	f.Add("abc", 2, 1)
	f.Add(strings.Repeat("漢", 50), 20, 7)
	f.Fuzz(func(t *testing.T, text string, limit, chunk int) {
		if limit < 2 || limit > 1000 || chunk < 1 {
			return
		}
		tp := &tape{limit: limit}
		for rest := text; rest != ""; {
			k := min(chunk, len(rest))
			_, _ = tp.Write([]byte(rest[:k]))
			rest = rest[k:]
		}
		whole := &tape{limit: limit}
		_, _ = whole.Write([]byte(text))
		if tp.text() != whole.text() {
			t.Errorf("in pieces of %d: %q, at once: %q", chunk, tp.text(), whole.text())
		}
		if len(tp.head)+len(tp.tail) > limit {
			t.Errorf("%d bytes kept of %d", len(tp.head)+len(tp.tail), limit)
		}
		if len(text) <= limit && strings.ToValidUTF8(text, "\uFFFD") == text && !strings.ContainsAny(text, "\x00\n") && text != "" && tp.text() != text {
			t.Errorf("%q became %q", text, tp.text())
		}
	})
}
