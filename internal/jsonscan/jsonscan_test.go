package jsonscan_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/jsonscan"
)

// values are JSON and what only looks like it.
var values = []string{
	`{}`, `[]`, `""`, `0`, `-0`, `1.5e+10`, `1E5`, `true`, `false`, `null`, ` {"a" : [1 , {"b":null}], "c":"\u0041\n\"\\"} `, `[[[]],{}]`, `"\ud83d\ude00 \ud800"`,
	``, ` `, `{`, `}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{1:2}`, `01`, `1.`, `.5`, `+1`, `-`, `1e`, `tru`, `nulll`, `"`, `"\"`, `"\x"`, `"\u12"`, `"\u12G4"`, "\"\n\"", "\"\x7f\xff\"",
	`[1 2]`, `{"a" 1}`, `{"a":1 "b":2}`, `[}`, `{]`, `1 2`, `"a""b"`, "\xef\xbb\xbf{}", "{\"a\":1}\x00", `{"a":1}}`, `'a'`, `/**/1`, "[\v]", `"\\\\\\"`, `"\\\\\\\"`,
	"\"aaaaaaaa\x1fbbbbbbbb\"", `"aaaaaaaaaaaaaa\qbbbbbbbb"`, "\"a\x1fb\"",
}

func TestWhatIsTakenIsJSON(t *testing.T) {
	for _, v := range values {
		if got, want := jsonscan.Strict([]byte(v)), json.Valid([]byte(v)); got != want {
			t.Errorf("%q: %v, by encoding/json %v", v, got, want)
		}
	}
}

func TestNestingHasALimit(t *testing.T) {
	nest := func(n int) []byte { return []byte(strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2)) }
	for _, n := range []int{jsonscan.MaxDepth, jsonscan.MaxDepth + 2} {
		skip, value := jsonscan.Scanner{B: nest(n)}, jsonscan.Scanner{B: nest(n)}
		end := skip.Skip(0, 0)
		hashed, _ := value.Value(0, 0)
		if ok := n <= jsonscan.MaxDepth; end >= 0 != ok || hashed >= 0 != ok {
			t.Errorf("%d deep: %v, %v", n, skip.Err(), value.Err())
		}
		if n > jsonscan.MaxDepth && !errors.Is(skip.Err(), jsonscan.ErrJSON) {
			t.Errorf("%v", skip.Err())
		}
	}
}

// texts are strings in the forms that matter for quoting.
var texts = []string{
	"", "plain", "\"\\/\b\f\n\r\t", "\x00\x01\x1f\x7f", "\u2028\u2029", "ünïcödé 漢字 🎉", "\xff\xfe", "a\xc3(b", "\xed\xa0\x80", "\ufffd", "\ufeff", "</script>", strings.Repeat("x", 100) + "\"",
}

func TestQuotedTextReadsBack(t *testing.T) {
	for _, text := range texts {
		literal := jsonscan.AppendQuote([]byte("x"), text)[1:]
		var want string
		if err := json.Unmarshal(literal, &want); err != nil || !utf8.Valid(literal) || bytes.ContainsAny(literal, "\u2028\u2029\x00\n") {
			t.Fatalf("%q became %s: %v", text, literal, err)
		}
		if got, ok := jsonscan.Unquote(literal); !ok || got != want || want != string([]rune(text)) {
			t.Errorf("%q became %q, by encoding/json %q", text, got, want)
		}
	}
}

func TestUnquoteAgreesWithEncodingJSON(t *testing.T) {
	for _, literal := range []string{
		`"\u0041\u00e9\u20ac\ud83c\udf89"`, `"\ud800"`, `"\ud800x"`, `"\ud800\ud800\udc00"`, `"\udc00\ud800"`, `"\uD83D\uDE00"`, `"\/\b\f\n\r\t\"\\"`, "\"\xff\xc3(\"", "\"\xed\xa0\x80\"", `"x\\u0041"`,
	} {
		var want string
		if err := json.Unmarshal([]byte(literal), &want); err != nil {
			t.Fatal(err)
		}
		if got, ok := jsonscan.Unquote([]byte(literal)); !ok || got != want {
			t.Errorf("%s: %q, by encoding/json %q", literal, got, want)
		}
	}
}

func TestStringsOfEveryLengthEnd(t *testing.T) {
	for n := range 100 {
		for slashes := range 8 {
			for _, rest := range []string{"", ",", strings.Repeat("x", 40) + `"`} {
				v := `"` + strings.Repeat("y", n) + strings.Repeat(`\`, slashes) + `"` + rest
				s := jsonscan.Scanner{B: []byte(v)}
				want := 1 + n + slashes + 1
				if slashes%2 == 1 { // the quote is escaped
					want = -1
					if len(rest) > 1 {
						want = len(v)
					}
				}
				if got := s.String(0); got != want {
					t.Fatalf("%s ends at %d, want %d", v, got, want)
				}
			}
		}
	}
}

func TestFindTakesTheLaterOfTwo(t *testing.T) {
	v := []byte(`{"a":{"b":1,"\u0062":[2]},"c":null,"d":{}}`)
	for path, want := range map[string]string{"a b": "[2]", "c": "null", "x": "", "a b x": "", "d": "{}", "": string(v)} {
		if got := jsonscan.Find(v, strings.Fields(path)...); string(got) != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestCommonPrefix(t *testing.T) {
	a := bytes.Repeat([]byte("0123456789abcdef"), 10000)
	for _, n := range []int{0, 1, 7, 31, 32, 33, 1023, 1024, 32767, 32768, 40001, len(a) - 1, len(a)} {
		b := bytes.Clone(a)
		if n < len(b) {
			b[n] ^= 1
		}
		if got := jsonscan.CommonPrefix(a, b); got != n {
			t.Errorf("%d, want %d", got, n)
		}
		if got := jsonscan.CommonPrefix(a, a[:n]); got != n {
			t.Errorf("of a shorter one %d, want %d", got, n)
		}
	}
}

// FuzzStrict holds the scanner against encoding/json.
func FuzzStrict(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v))
	}
	for _, text := range texts {
		f.Add(jsonscan.AppendQuote(nil, text))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		if depth(v) > jsonscan.MaxDepth {
			return
		}
		valid := json.Valid(v)
		if got := jsonscan.Strict(v); got != valid {
			t.Fatalf("%q: %v, by encoding/json %v", v, got, valid)
		}
		skip, value := jsonscan.Scanner{B: v}, jsonscan.Scanner{B: v}
		end := skip.Skip(skip.Space(0), 0)
		if hashed, _ := value.Value(value.Space(0), 0); hashed != end {
			t.Fatalf("%q: skipped to %d, hashed to %d", v, end, hashed)
		}
		if !valid {
			return
		}
		var want any
		if err := json.Unmarshal(v, &want); err != nil {
			return // a number that is too large
		}
		if s, ok := want.(string); ok {
			if got, ok := jsonscan.Unquote(bytes.TrimSpace(v)); !ok || got != s {
				t.Fatalf("%q: %q, by encoding/json %q", v, got, s)
			}
		}
		n := 0
		for range jsonscan.Elements(v) {
			n++
		}
		if list, ok := want.([]any); ok && len(list) != n {
			t.Fatalf("%q: %d elements, by encoding/json %d", v, n, len(list))
		}
		last := map[string]bool{}
		for name := range jsonscan.Members(v) {
			last[string([]rune(string(name)))] = true
		}
		if m, ok := want.(map[string]any); ok && len(last) != len(m) {
			t.Fatalf("%q: %d names, by encoding/json %d", v, len(last), len(m))
		}
	})
}

func depth(v []byte) int {
	n, most := 0, 0
	for _, c := range v {
		switch c {
		case '{', '[':
			n++
		case '}', ']':
			n--
		}
		most = max(most, n)
	}
	return most
}
