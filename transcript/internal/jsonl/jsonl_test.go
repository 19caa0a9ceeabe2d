package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLinesAreTheSameHoweverTheyArrive(t *testing.T) {
	long := strings.Repeat("y", 3*chunk)
	in := "one\r\n\n" + long + "\nlast"
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in)),
		"halves": iotest.HalfReader(strings.NewReader(in)), "end with data": iotest.DataErrReader(strings.NewReader(in)),
	} {
		if diff := cmp.Diff([]string{"one", "", long, "last"}, lines(t, NewLines(r, 4*chunk))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		r = strings.NewReader(in)
		if diff := cmp.Diff([]string{"one", "", ErrLong.Error(), "last"}, lines(t, NewLines(r, 100))); diff != "" {
			t.Errorf("%s, with a limit (-want +got):\n%s", name, diff)
		}
	}
}

func lines(t *testing.T, l *Lines) (out []string) {
	t.Helper()
	for {
		line, err := l.Next()
		switch {
		case err == io.EOF:
			return out
		case errors.Is(err, ErrLong):
			out = append(out, err.Error())
		case err != nil:
			t.Fatal(err)
		default:
			out = append(out, string(line))
		}
		if l.N != len(out) {
			t.Fatalf("number %d, line %d", l.N, len(out))
		}
	}
}

func TestALongLastLineIsLong(t *testing.T) {
	for _, size := range []int{101, chunk, chunk + 1, 3 * chunk} {
		if got := lines(t, NewLines(strings.NewReader("a\n"+strings.Repeat("x", size)), 100)); len(got) != 2 || got[1] != ErrLong.Error() {
			t.Errorf("%d bytes: %.40q", size, got)
		}
	}
}

func TestALargeBufferIsGivenBack(t *testing.T) {
	l := NewLines(strings.NewReader(strings.Repeat("x", 2*large)+"\n"+strings.Repeat("short\n", chunk)), 4*large)
	if got := len(lines(t, l)); got != chunk+1 || len(l.buf) != chunk {
		t.Errorf("%d lines, buffer of %d bytes", got, len(l.buf))
	}
}

// stuck never reads anything.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

func TestAReaderThatGivesNothingEnds(t *testing.T) {
	if _, err := NewLines(stuck{}, 100).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nbb\r\n\nccc"), 2)
	f.Fuzz(func(t *testing.T, data []byte, max int) {
		if max < 1 {
			return
		}
		l := NewLines(iotest.HalfReader(bytes.NewReader(data)), max)
		for _, want := range bytes.Split(data, []byte("\n")) {
			if l.N == bytes.Count(data, []byte("\n")) && len(want) == 0 {
				break // nothing behind the last newline
			}
			got, err := l.Next()
			if (len(want) > max) != errors.Is(err, ErrLong) {
				t.Fatalf("%q: %v", want, err)
			}
			if l.N == 1 {
				want = bytes.TrimPrefix(want, []byte("\xef\xbb\xbf"))
			}
			if err == nil && string(got) != string(bytes.TrimSuffix(want, []byte("\r"))) {
				t.Fatalf("%q, want %q", got, want)
			}
		}
		if _, err := l.Next(); err != io.EOF {
			t.Fatalf("no end: %v", err)
		}
	})
}

// FuzzCursor compares with encoding/json: whatever that reads, this reads alike.
func FuzzCursor(f *testing.F) {
	for _, s := range []string{
		`{"a":1,"b":[true,null,"x\"]"],"c":{"d":"\\"}}`, ` { "a" : "\u00e9\ud83d\ude00\ud800x" , "a" : -1.5e3 } `, `["\ud800\u0041","\udc00\ud800"]`, `{}`, `[]`, `[1,[2,[3]],"\/\b\f\n\r\t"]`,
		`{"a":"` + strings.Repeat(`\\`, 50) + `"}`, `{"a"`, `{"a":`, `{"a":"`, `{"a":1,}`, `{"a":1}x`, `[1 2]`, `{"a":"\u12"}`, `"`, ``, "\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if !utf8.Valid(b) {
			return // encoding/json changes such bytes
		}
		var object map[string]json.RawMessage
		var array []json.RawMessage
		isObject := json.Unmarshal(b, &object) == nil && object != nil
		isArray := json.Unmarshal(b, &array) == nil && array != nil
		got := map[string][]byte{}
		c := Object(b)
		for c.Next() {
			key, err := String(append(append([]byte{'"'}, c.Key...), '"'))
			if err != nil && isObject {
				t.Fatal(err)
			}
			got[key] = c.Value
		}
		if isObject {
			if c.Err() != nil || len(got) != len(object) {
				t.Fatalf("%q: %v, %q", b, c.Err(), got)
			}
			for k, want := range object {
				same(t, got[k], want)
			}
		}
		n := 0
		for c = Array(b); c.Next(); n++ {
			if isArray {
				same(t, c.Value, array[n])
			}
		}
		if isArray && (c.Err() != nil || n != len(array)) {
			t.Fatalf("%q: %v, %d items", b, c.Err(), n)
		}
	})
}

func same(t *testing.T, got, want []byte) {
	t.Helper()
	if string(got) != string(want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	var s string
	if json.Unmarshal(want, &s) != nil {
		return
	}
	if mine, err := String(got); err != nil || mine != s {
		t.Fatalf("%q: got %q, %v, want %q", got, mine, err, s)
	}
}

func TestValuesOfTheWrongKindAreRefused(t *testing.T) {
	for _, v := range []string{`7`, `"x`, `"\x"`, `{}`, `"\u00"`, `"\`} {
		if s, err := String([]byte(v)); err == nil {
			t.Errorf("String(%s) = %q", v, s)
		}
	}
	for _, v := range []string{`1`, `"true"`, `truex`} {
		if b, err := Bool([]byte(v)); err == nil {
			t.Errorf("Bool(%s) = %v", v, b)
		}
	}
	for _, v := range []string{`1.5`, `"1"`, `99999999999999999999`, `true`} {
		if n, err := Int([]byte(v)); err == nil {
			t.Errorf("Int(%s) = %v", v, n)
		}
	}
	for _, v := range []string{``, `null`} {
		s, err1 := String([]byte(v))
		b, err2 := Bool([]byte(v))
		n, err3 := Int([]byte(v))
		if err := errors.Join(err1, err2, err3); err != nil || s != "" || b || n != 0 || !Null([]byte(v)) {
			t.Errorf("%q: %v", v, err)
		}
	}
}

func TestAValueCanBeGoneIntoOrPassed(t *testing.T) {
	b := []byte(` {"a" : {"x":1,"y":[{"z":2},3]} , "b":[1,2], "c":"d"} tail`)
	c := Object(b[:len(b)-5])
	var got []string
	for c.Field() {
		if string(c.Key) != "a" {
			got = append(got, string(c.Key))
			continue // neither gone into nor taken
		}
		in := c.Down('{')
		for in.Field() {
			if in.Peek() == '[' {
				list := in.Down('[')
				list.Next() // and no further
				got = append(got, string(list.Value))
				in.Up(&list)
			}
		}
		c.Up(&in)
		got = append(got, string(c.Value))
	}
	if diff := cmp.Diff([]string{`{"z":2}`, `{"x":1,"y":[{"z":2},3]}`, "b", "c"}, got); diff != "" || c.Err() != nil {
		t.Errorf("%v (-want +got):\n%s", c.Err(), diff)
	}
	for _, bad := range []string{`{"a":{"x":1`, `{"a":{"x":1]}`, `{"a":{"x" 1}}`, `{"a":}`, `{"a":{"x":"}`} {
		c := Object([]byte(bad))
		for c.Field() {
			in := c.Down('{')
			c.Up(&in)
		}
		if c.Err() == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestFindTakesTheFirst(t *testing.T) {
	v := []byte(`{"a":{"b":[1]},"a":2,"c":null}`)
	for path, want := range map[string]string{"a b": "[1]", "a": `{"b":[1]}`, "c": "null", "x": "", "c x": "", "a b x": "", "": string(v)} {
		if got := Find(v, strings.Fields(path)...); string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

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

func TestAStringThatCameBeforeEndsWhereItDid(t *testing.T) {
	long := strings.Repeat(`say \"x\" and \\`, 20)
	for _, c := range []string{
		long, long + "more", long[:len(long)-2] + "xx", long[:200], strings.Repeat("y", 500), "", long + `\\`, long + `\"`,
	} {
		in := `{"a":"` + long + `","b":{"c":["` + c + `"]},"d":"` + c + `","e":1}`
		var twice Twice
		a, b := Object([]byte(in)), Line([]byte(in), &twice)
		for a.Next() {
			if !b.Next() || string(a.Key) != string(b.Key) || string(a.Value) != string(b.Value) {
				t.Fatalf("%.40q: %s = %s, want %s = %s", c, b.Key, b.Value, a.Key, a.Value)
			}
		}
		if b.Next() || (a.Err() == nil) != (b.Err() == nil) { // some do not end
			t.Errorf("%.40q: %v, %v", c, a.Err(), b.Err())
		}
	}
}

// FuzzTwice walks a line with and without what is known of its strings.
func FuzzTwice(f *testing.F) {
	long := strings.Repeat(`x \"y\" `, 20)
	f.Add([]byte(`{"a":"`+long+`","b":{"c":"`+long+`"},"d":"`+long+`z"}`), 3)
	f.Add([]byte(`{"a":"`+long+`\\","b":["`+long+`\\",2]}`), 1)
	f.Fuzz(func(t *testing.T, in []byte, times int) {
		if times > 0 && times < 5 { // the same again, so that there is something to know
			in = []byte(`{"x":` + strings.Repeat(string(in)+`,"x":`, times) + `1}`)
		}
		var twice Twice
		a, b := Object(in), Line(in, &twice)
		for a.Next() {
			if !b.Next() || string(a.Value) != string(b.Value) {
				t.Fatalf("%q: %q, want %q", in, b.Value, a.Value)
			}
		}
		if b.Next() || (a.Err() == nil) != (b.Err() == nil) {
			t.Fatalf("%q: %v, %v", in, a.Err(), b.Err())
		}
	})
}

func TestWhatIsKeptDoesNotChange(t *testing.T) {
	var d Decoder
	var texts []string
	var raws []json.RawMessage
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

func TestTimesOfAllYears(t *testing.T) {
	for at := time.Date(0, 1, 1, 23, 59, 58, 7e6, time.UTC); at.Year() < 10_000; at = at.AddDate(0, 0, 13) {
		if got := Time(at.AppendFormat(nil, `"2006-01-02T15:04:05.000Z"`)); got != at {
			t.Fatalf("%v became %v", at, got)
		}
	}
}

func TestATimeWithAnyByteChangedIsReadAsTheLibraryDoes(t *testing.T) {
	const at = "2026-11-15T02:21:42.904Z"
	for i := range len(at) {
		for c := range 256 {
			text := at[:i] + string([]byte{byte(c)}) + at[i+1:]
			want, err := time.Parse(time.RFC3339Nano, text)
			if err != nil {
				want = time.Time{}
			}
			if got := Time([]byte(`"` + text + `"`)); !got.Equal(want) {
				t.Fatalf("%q became %v, want %v", text, got, want)
			}
		}
	}
}

func TestCountsAreReadAsIfWalked(t *testing.T) {
	n := NewCounts("in", "out")
	for range 3 {
		for object, want := range map[string]string{
			`{"in":1,"x":7,"out":23}`: "1 23", `{"in":999999,"x":8,"out":0}`: "999999 0", `{"out":4}`: "0 4", `{}`: "0 0", `{"in":null,"out":5}`: "0 5", `{ "in" : 1 , "out" : 2 }`: "1 2",
			`{"in":"1","x":7,"out":23}`: "", `{"in":1.5,"x":7,"out":23}`: "", `{"in":1,"in":2}`: "", `{"in":1`: "", `[]`: "", `3`: "", `{"in":1}}`: "", ``: "",
		} {
			got := ""
			if all, ok := n.Read([]byte(object)); ok {
				got = fmt.Sprint(all[0], all[1])
			}
			if got != want {
				t.Errorf("%s: %q, want %q", object, got, want)
			}
		}
	}
}
