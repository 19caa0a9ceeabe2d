package claude

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// told is all that a line says, for comparing two ways of reading it.
type told struct {
	Facts  string
	Values []string
	Err    string
}

func tell(l *line, err error) (out told) {
	if err != nil {
		return told{Err: err.Error()}
	}
	out.Facts = fmt.Sprintf("%+v", l.facts)
	for _, at := range l.at {
		out.Values = append(out.Values, string(at.Of(l.b)))
	}
	return out
}

// walked parses and places a line that nothing is known of.
func walked(b string) [2]told {
	out, _ := behind(&reader{}, b)
	return out
}

// behind parses and places a line behind others, and says whether its shape was
// known.
func behind(r *reader, b string) (out [2]told, known bool) {
	hits := r.shapes.Hits()
	l, err := r.parse([]byte(b), 1)
	out[0] = tell(l, err)
	l, err = r.place([]byte(b), 1)
	out[1] = tell(l, err)
	return out, r.shapes.Hits() > hits
}

// lines are of all kinds, some of them nearly the same.
func lines(t testing.TB) (all []string) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for b := range bytes.Lines(data) {
			if b = bytes.TrimSpace(b); len(b) > 0 {
				all = append(all, string(b))
			}
		}
	}
	result := `{"parentUuid":"a","isSidechain":false,"type":"user","message":{"role":"user","content":[{"tool_use_id":"t1","type":"tool_result","content":"x \"y\" z","is_error":false}]},"uuid":"b","toolUseResult":{"stdout":"x \"y\" z"},"userType":"e","cwd":"/p"}`
	for _, change := range []string{
		`"b","b"`, `"b","\""`, `"b",""`, `"b",7`, `"b",null`, `"b",{"b":"c"}`, `false,true`, `"user",,"assistant",`, `"a","a","isMeta":true`, `{"stdout":,null,"x":{"stdout":`, `:[{,:[{"type":"text","text":"u"},{`,
		`[{"tool,[3,{"tool`, `{"stdout":"x \"y\" z"},{"stdout":"x \"y\" z"`, `"e",,"e","e":1,`, `"/p"},"/p"} {}`, `"/p"},"/p"} `, `"cwd","cvd"`, `"x \"y\" z","x \"y\" z\\"`, `"/p"},"/p","cwd":"/q"}`, `{"stdout":"x \"y\" z"},"isCompactSummary"`,
		`{"stdout":"x \"y\" z"},{},"isCompactSummary":true,"x":{}`, `{"role":"user",,"r",`, `{"role":,[{"role":`,
	} {
		old, to, _ := strings.Cut(change, ",")
		if k := strings.Index(change, ",,"); k >= 0 {
			old, to = change[:k+1], change[k+2:]
		}
		all = append(all, result, strings.Replace(result, old, to, 1), result)
	}
	return all
}

func TestALineOfAKnownShapeIsReadAsIfWalked(t *testing.T) {
	r := &reader{}
	known, all := 0, lines(t)
	for range 3 {
		for _, b := range all {
			got, hit := behind(r, b)
			if diff := cmp.Diff(walked(b), got); diff != "" {
				t.Errorf("%s (-walked +behind others):\n%s", b, diff)
			}
			if hit {
				known++
			}
		}
	}
	if known < 200 {
		t.Errorf("only %d lines of 3 times %d had a known shape", known, len(all))
	}
}

// FuzzShape reads a line behind two others and alone.
func FuzzShape(f *testing.F) {
	all := lines(f)
	for i, b := range all {
		f.Add(b, all[(i+1)%len(all)], all[(i+2)%len(all)])
		f.Add(b, b, all[(i+1)%len(all)])
	}
	f.Fuzz(func(t *testing.T, first, second, third string) {
		r := &reader{}
		for _, b := range []string{first, second, third, second, first} {
			if b == "" {
				return
			}
			got, _ := behind(r, b)
			if want := walked(b); !reflect.DeepEqual(want, got) {
				t.Fatalf("%q behind %q, %q (-alone +behind):\n%s", b, first, second, cmp.Diff(want, got))
			}
		}
	})
}

// FuzzChanged reads a line whose bytes were changed in one place behind the line
// that it was made of.
func FuzzChanged(f *testing.F) {
	for _, b := range lines(f) {
		f.Add(b, 10, 20, `"`)
		f.Add(b, len(b)/2, 0, `,"isMeta":true,"x":{"y":"z"}`)
	}
	f.Fuzz(func(t *testing.T, b string, at, n int, put string) {
		if b == "" || at < 0 || at > len(b) || n < 0 || n > len(b)-at {
			return
		}
		other := b[:at] + put + b[at+n:]
		if other == "" {
			return
		}
		r := &reader{}
		for _, b := range []string{b, other, b, other} {
			got, _ := behind(r, b)
			if want := walked(b); !reflect.DeepEqual(want, got) {
				t.Fatalf("%q (-alone +behind):\n%s", b, cmp.Diff(want, got))
			}
		}
	})
}
