package claude_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
)

func TestADamagedLineIsNamedAndTheRestIsRead(t *testing.T) {
	user := func(message string) string {
		return `{"type":"user","uuid":"x","parentUuid":"a1","message":` + message + `}`
	}
	for _, c := range []struct{ name, line, says string }{
		{"no JSON", "hello", "something else than an object at byte 1"},
		{"a list", "[]", "something else than an object at byte 1"},
		{"cut off", `{"type":"user","message":{"role":"us`, "what begins at byte 34 has no end"},
		{"cut off bookkeeping", `{"type":"api-request-blob","message":{`, "it breaks off"},
		{"two objects", `{"parentUuid":null} {}`, "something else than the end at byte 21"},
		{"no comma", `{"uuid":"a" "b":1}`, "something else than a comma or the end at byte 13"},
		{"NUL bytes", "{\"type\":\"user\",\"message\":{\"content\":\"x\"},\"cwd\":\"a\x00b\"}", "it holds NUL bytes"},
		{"NUL bytes only", "\x00\x00\x00", "something else than an object at byte 1"},
		{"not UTF-8", "{\"type\":\"user\",\"message\":{\"content\":\"x\"},\"cwd\":\"a\xffb\"}", "it is not valid UTF-8"},
		{"text that is not UTF-8", user("{\"content\":\"a\xffb\"}"), "content: it is not valid UTF-8"},
		{"text with NUL bytes", user("{\"content\":\"\x00\x00\"}"), "content: it holds NUL bytes"},
		{"a uuid that is a number", `{"type":"user","uuid":7,"parentUuid":"a1","message":{"content":"x"}}`, "not a string"},
		{"a flag that is a string", `{"type":"user","isMeta":"yes","message":{"content":"x"}}`, "isMeta: not true or false"},
		{"an origin that is a number", `{"type":"user","origin":7,"message":{"content":"x"}}`, "something else than an object at byte 1"},
		{"a message that is a list", user(`[]`), "message: not an object"},
		{"no message", `{"type":"user","uuid":"x","parentUuid":"a1"}`, "no message"},
		{"content that is a number", user(`{"content":7}`), "content: not a string"},
		{"a block that is a string", user(`{"content":["x"]}`), "content block 1: not an object"},
		{"text that is a number", user(`{"content":[{"type":"text","text":7}]}`), "content block 1: not a string"},
		{"a bad escape", user(`{"content":"\q"}`), `content: a string with the bad escape "\\q"`},
		{"a bad result", user(`{"content":[{"type":"tool_result","tool_use_id":"t","is_error":"x"}]}`), "content block 1: not true or false"},
		{"a bad input", `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"n","input":{"a":tru}}]}}`, "content block 1: not valid JSON"},
		{"usage that is text", `{"type":"assistant","message":{"usage":{"input_tokens":"x"},"content":[]}}`, "message.usage: input_tokens: not a whole number"},
		{"an attachment that is none", `{"type":"attachment","attachment":7}`, "attachment: something else than an object at byte 1"},
		{"rendered that is text", `{"type":"attachment","attachment":{},"rendered":"x"}`, "rendered: something else than an array at byte 1"},
		{"long", `{"type":"user","message":{"content":"` + strings.Repeat("x", 2000) + `"}}`, "it is longer than 1000 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := (&script{t: t}).prompt("p1", "before").says("a1", "m1", "one")
			s.lines = append(s.lines, "", c.line)
			s.says("a2", "m1", "two", after("x")).prompt("p2", "behind")
			for _, r := range []io.Reader{strings.NewReader(s.String()), pipe{strings.NewReader(s.String())}, iotest.OneByteReader(strings.NewReader(s.String()))} {
				items, damaged := read(t, r, transcript.Options{MaxLine: 1000})
				if diff := cmp.Diff([]string{"user before", "assistant one two", "user behind"}, gists(items)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if diff := cmp.Diff([]transcript.Damaged{{Line: 4, Text: c.says}}, damaged); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestATruncatedLastLineIsDamaged(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").prompt("p2", "two").String()
	for cut := range 40 {
		items, damaged := read(t, strings.NewReader(s[:len(s)-2-cut]), transcript.Options{})
		if len(items) != 1 || len(damaged) != 1 || damaged[0].Line != 2 {
			t.Fatalf("cut %d: %s", cut, show(items, damaged))
		}
	}
	items, damaged := read(t, strings.NewReader(s[:len(s)-1]), transcript.Options{}) // only the newline
	if len(items) != 2 || len(damaged) != 0 {
		t.Error(show(items, damaged))
	}
}

func TestOtherSystemsLineEndsAreRead(t *testing.T) {
	s := "\xef\xbb\xbf" + strings.ReplaceAll((&script{t: t}).prompt("p1", "one").prompt("p2", "two").String(), "\n", "\r\n")
	items, damaged := read(t, strings.NewReader(s), transcript.Options{})
	if len(items) != 2 || len(damaged) != 0 {
		t.Error(show(items, damaged))
	}
}

// endless is a long line.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.left -= n
	return n, nil
}

func TestALineThatIsTooLongIsNotHeld(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").String()
	r := io.MultiReader(strings.NewReader(s), &endless{left: 128 << 20}, strings.NewReader("\n"+s))
	var begin, end runtime.MemStats
	runtime.ReadMemStats(&begin)
	items, damaged := read(t, r, transcript.Options{MaxLine: 1 << 20})
	runtime.ReadMemStats(&end)
	if len(items) != 2 || len(damaged) != 1 || damaged[0].Line != 2 || items[1].Line != 3 {
		t.Error(show(items, damaged))
	}
	if used := end.TotalAlloc - begin.TotalAlloc; used > 16<<20 {
		t.Errorf("took %d bytes of memory", used)
	}
}

func TestAReadersErrorEndsTheReadingAfterWhatWasRead(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").calls("a1", "m1", "t1").String()
	broken := errors.New("broken disk")
	var got []string
	var last error
	for it, err := range claude.Read(io.MultiReader(strings.NewReader(s), iotest.ErrReader(broken)), transcript.Options{}) {
		if last = err; err == nil {
			got = append(got, gist(it.Message))
		}
	}
	if diff := cmp.Diff([]string{"user one", "assistant call t1"}, got); diff != "" || !errors.Is(last, broken) || errors.Is(last, trimtab.ErrDamaged) {
		t.Errorf("%v (-want +got):\n%s", last, diff)
	}
}

func TestAReaderThatStopsEarlyIsLeftAlone(t *testing.T) {
	s := (&script{t: t}).prompt("p1", "one").says("a1", "m1", "x").prompt("p2", "two").String() + "damaged\n"
	for stop := 1; stop <= 4; stop++ {
		n := 0
		for range claude.Read(strings.NewReader(s), transcript.Options{}) {
			if n++; n == stop {
				break
			}
		}
		if n != stop {
			t.Errorf("stopped at %d, wanted %d", n, stop)
		}
	}
}

func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	for _, err := range claude.Read(strings.NewReader(""), transcript.Options{MaxLine: 3}) {
		if err == nil || !strings.Contains(err.Error(), "maxLine") {
			t.Errorf("got %v", err)
		}
		return
	}
	t.Error("accepted")
}
