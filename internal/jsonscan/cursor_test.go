package jsonscan

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

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

func TestFindFirstTakesTheFirst(t *testing.T) {
	v := []byte(`{"a":{"b":[1]},"a":2,"c":null}`)
	for path, want := range map[string]string{"a b": "[1]", "a": `{"b":[1]}`, "c": "null", "x": "", "c x": "", "a b x": "", "": string(v)} {
		if got := FindFirst(v, strings.Fields(path)...); string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestTimesAreReadAsHostsWriteThem(t *testing.T) {
	at := time.Date(2026, 11, 15, 2, 21, 42, 904e6, time.UTC)
	for v, want := range map[string]time.Time{
		`"2026-11-15T02:21:42.904Z"`: at, `"2026-11-15T02:21:42.904000Z"`: at, `"2026-11-15T03:21:42.904+01:00"`: at, `"2026-11-15T02:21:42Z"`: at.Truncate(time.Second),
		`"2026-02-30T02:21:42.904Z"`: {}, `"2026-11-15"`: {}, `1763173302904`: {}, `"x"`: {}, `null`: {}, ``: {},
	} {
		if got := Time([]byte(v)); !got.Equal(want) {
			t.Errorf("%s became %v, want %v", v, got, want)
		}
	}
}
