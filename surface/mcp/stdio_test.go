package mcp

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

func TestWhatWasAskedBeforeTheClientHungUpIsAnswered(t *testing.T) {
	in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	for i := range 10 {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":"call %d","method":"tools/call","params":{"name":"test_simple_text"}}`+"\n", i)
	}
	for _, in := range []string{in, strings.TrimSuffix(in, "\n")} {
		var out bytes.Buffer
		if err := newFixture().Run(t.Context(), io.NopCloser(strings.NewReader(in)), unclosed{&out}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(out.String(), "A simple text."); n != 10 {
			t.Errorf("%d of 10 calls were answered:\n%s", n, out.String())
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("{\"id\":1}\n{\"id\"\n\n"), 3)
	f.Add([]byte("a"), 1)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		size = 1 + max(0, size%64)
		var got [][]byte
		var l lines
		for p := text; len(p) > 0; p = p[min(size, len(p)):] {
			l.feed(p[:min(size, len(p))], func(line []byte) { got = append(got, bytes.Clone(line)) })
		}
		want := bytes.SplitAfter(text, []byte("\n"))
		if diff := cmp.Diff(want[:len(want)-1], append([][]byte{}, got...)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	var l lines
	var got []string
	for range 3 {
		l.feed(bytes.Repeat([]byte("x"), maxFrame/2), func([]byte) { t.Error("half a line") })
	}
	l.feed([]byte("\nshort\n"), func(line []byte) { got = append(got, string(line)) })
	if diff := cmp.Diff([]string{"short\n"}, got); diff != "" {
		t.Error(diff)
	}
}
