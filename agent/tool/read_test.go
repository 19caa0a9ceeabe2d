package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestReadShowsLines(t *testing.T) {
	f := open(t, files(t, "a", "one\ntwo\nthree\nfour\n", "crlf", "one\r\ntwo\r\n", "bom", "\uFEFFone", "empty", "", "latin", "caf\xe9\n", "open", "a\nb"))
	for _, tt := range []struct{ input, want string }{
		{`{"path":"a"}`, "one\ntwo\nthree\nfour"},
		{`{"path":"a","offset":2}`, "two\nthree\nfour"},
		{`{"path":"a","limit":2}`, "one\ntwo\n[lines 1 to 2 shown; go on with offset=3]"},
		{`{"path":"a","offset":3,"limit":2}`, "three\nfour"},
		{`{"path":"a","offset":2,"limit":1}`, "two\n[lines 2 to 2 shown; go on with offset=3]"},
		{`{"path":"crlf"}`, "one\ntwo"},
		{`{"path":"bom"}`, "one"},
		{`{"path":"empty"}`, "[the file is empty]"},
		{`{"path":"latin"}`, "caf\uFFFD\n[bytes that are not UTF-8 are shown as \uFFFD]"},
		{`{"path":"open","offset":2}`, "b"},
	} {
		if diff := cmp.Diff(tt.want, call(t, f.Read(), tt.input)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.input, diff)
		}
	}
	wants(t, refused(t, f.Read(), `{"path":"a","offset":9}`), "ends at line 4")
	wants(t, refused(t, f.Read(), `{}`), `"path" is missing`)
	refused(t, f.Read(), `{"path":"a","offset":-1}`)
	refused(t, f.Read(), `{"path":"a","limit":1000000}`)
}

func TestReadIsCappedAndGoesOnWhereItSays(t *testing.T) {
	var text strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&text, "%d %s\n", i+1, strings.Repeat("x", 100))
	}
	f := open(t, files(t, "big", text.String()))
	var got strings.Builder
	offset, pieces := 1, 0
	for ; offset > 0; pieces++ {
		piece := call(t, f.Read(), fmt.Sprintf(`{"path":"big","offset":%d,"limit":100000}`, offset))
		if len(piece) > 257<<10 {
			t.Fatalf("a piece has %d bytes", len(piece))
		}
		body, note, more := strings.Cut(piece, "\n[")
		got.WriteString(body + "\n")
		offset = 0
		if more {
			_, tail, _ := strings.Cut(note, "offset=")
			if _, err := fmt.Sscanf(tail, "%d]", &offset); err != nil {
				t.Fatalf("note %q: %v", note, err)
			}
		}
	}
	if got.String() != text.String() {
		t.Error("the pieces do not make up the file")
	}
	if pieces != 4 {
		t.Errorf("%d pieces, want 4", pieces)
	}
}

func TestReadCutsALineThatNeverEnds(t *testing.T) {
	f := open(t, files(t, "long", "short\n"+strings.Repeat("é", 300<<10)))
	got := call(t, f.Read(), `{"path":"long"}`)
	wants(t, got, "short\n[lines 1 to 1 shown; go on with offset=2]")
	got = call(t, f.Read(), `{"path":"long","offset":2}`)
	if !utf8.ValidString(got) || len(got) > 257<<10 {
		t.Errorf("%d bytes, valid UTF-8: %v", len(got), utf8.ValidString(got))
	}
	wants(t, got[len(got)-100:], "line 2 is longer than can be shown")
	if strings.Contains(got, "\uFFFD") {
		t.Error("the cut went through a character")
	}
}

func TestReadSaysWhatABinaryFileIs(t *testing.T) {
	for content, want := range map[string]string{
		"\x89PNG\r\n\x1a\n\x00\x00": "a PNG image (10 bytes)",
		"%PDF-1.7\n":                "a PDF document",
		"PK\x03\x04xx":              "a ZIP archive",
		"\x7fELF\x02":               "an ELF program",
		"MZ\x90\x00":                "a Windows program",
		"SQLite format 3\x00xx":     "an SQLite database",
		"\xff\xfeh\x00i\x00":        "UTF-16 text",
		"some\x00thing":             "binary data",
		"wOF2\x00\x01":              "a web font",
	} {
		f := open(t, files(t, "f", content))
		wants(t, refused(t, f.Read(), `{"path":"f"}`), want)
	}
	for _, text := range []string{"MZ is a country code", "wOFFLE", "BZhang wrote this", "GIF89a in a comment", "12345678WEBPVP8"} {
		f := open(t, files(t, "f", text))
		if got := call(t, f.Read(), `{"path":"f"}`); got != text {
			t.Errorf("read = %q, want %q", got, text)
		}
	}
}
