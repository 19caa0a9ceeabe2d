package transcripttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

// junk are lines that no host wrote.
func junk(line string) []string {
	return []string{"hello", "[]", "{", `{"type":`, "\x00\x00\x00", "{\"type\":\"user\",\"id\":\"\xff", line[:len(line)*2/3], line + line, `{"a":1}}`}
}

// damage puts each kind of junk between all lines of a conversation, one by one.
func (f Format) damage(t *testing.T) {
	data := f.Write(t, talk())
	whole, _ := All(t, f.Read(t, data, transcript.Options{}))
	lines := strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n")
	for at := 1; at <= len(lines); at++ {
		for _, bad := range junk(strings.TrimSpace(lines[at-1])) {
			file := strings.Join(lines[:at], "")
			file = strings.TrimSuffix(file, "\n") + "\n" + bad + "\n" + strings.Join(lines[at:], "")
			items, damaged := All(t, f.Read(t, []byte(file), transcript.Options{}))
			if diff := cmp.Diff(Gist(whole), Gist(items)); diff != "" {
				t.Errorf("%.40q as line %d (-want +got):\n%s", bad, at+1, diff)
			}
			if len(damaged) != 1 || damaged[0].Line != at+1 || damaged[0].Text == "" {
				t.Errorf("%.40q as line %d: damaged %v", bad, at+1, damaged)
			}
		}
	}
}

// cut ends a file at any byte of it: what stands before the line that was cut is
// read, and that line is damaged or was nothing.
func (f Format) cut(t *testing.T) {
	data := f.Write(t, talk())
	for n := 1; n < len(data); n += 7 {
		items, damaged := All(t, f.Read(t, data[:n], transcript.Options{}))
		last := bytes.Count(data[:n], []byte("\n")) + 1
		for _, d := range damaged {
			if d.Line != last {
				t.Errorf("cut at %d, in line %d: %v", n, last, d)
			}
		}
		if len(damaged) == 0 && data[n-1] != '\n' && data[n] != '\n' {
			t.Errorf("cut at %d, in line %d: not damaged, %v", n, last, Gist(items))
		}
	}
}

// Seed adds a file and its lines to the corpus.
func Seed(f *testing.F, file []byte) {
	f.Add(file, false)
	for line := range bytes.Lines(file) {
		if len(line) < 1500 {
			f.Add(line, true)
		}
	}
}

// Fuzz reads anything: it ends, lines do not go back, and every item can be kept
// as JSON. And it does not matter how a line is written: read by encoding/json and
// written anew, in other escapes and with blanks, it says the same. A brief reading
// says the beginning of what a whole one says.
func Fuzz(f *testing.F, read transcript.Reader) {
	f.Add([]byte("{\"type\":\"user\"\n\x00\n\xff\n{}\n[]\n{\"id\":\"\\ud800\\\\\"}"), true)
	f.Fuzz(func(t *testing.T, data []byte, side bool) {
		for _, opt := range []transcript.Options{{Side: side}, {Side: side, Branches: true, Brief: true, MaxLine: 512}} {
			sound(t, read(bytes.NewReader(data), opt), bytes.Count(data, []byte("\n"))+1)
		}
		opt := transcript.Options{Side: side}
		whole := kept(t, read(bytes.NewReader(data), opt))
		if again, ok := Rewrite(data); ok {
			if diff := cmp.Diff(whole, kept(t, read(bytes.NewReader(again), opt))); diff != "" {
				t.Fatalf("%q, written anew as %q (-as it was +anew):\n%s", data, again, diff)
			}
		}
		opt.Brief = true
		brief := kept(t, read(bytes.NewReader(data), opt))
		if len(brief) < len(whole) { // what is cut off is not looked at, so more may be read
			t.Fatalf("%d items, brief %d", len(whole), len(brief))
		}
	})
}

// sound checks what holds for any file.
func sound(t *testing.T, seq iter.Seq2[transcript.Item, error], lines int) {
	t.Helper()
	last := 0
	for it, err := range seq {
		if err != nil && !errors.Is(err, trimtab.ErrDamaged) {
			t.Fatal(err)
		}
		if err != nil {
			continue
		}
		if it.Line < last || it.Line > lines {
			t.Fatalf("line %d after %d of %d", it.Line, last, lines)
		}
		if last = it.Line; len(it.Message.Parts) == 0 || it.Side && it.Message.Typed() != "" {
			t.Fatalf("got %+v", it)
		}
		if _, err := json.Marshal(it.Message); err != nil {
			t.Fatal(err)
		}
	}
}

// kept returns the items of a file as generic JSON, so that a value that is passed
// on as it was written is the same however it was.
func kept(t *testing.T, seq iter.Seq2[transcript.Item, error]) (out []any) {
	t.Helper()
	for it, err := range seq {
		if err != nil {
			continue
		}
		it.Message.At = it.Message.At.UTC()
		raw, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// Rewrite writes each line of a file anew, by encoding/json and with blanks
// between. It reports false where a line cannot be: one that is no JSON, that has a
// name twice or in escapes, or that encoding/json would change.
func Rewrite(data []byte) ([]byte, bool) {
	var out bytes.Buffer
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			out.WriteByte('\n')
			continue
		}
		if !utf8.Valid(line) || !json.Valid(line) || bytes.Contains(line, []byte(`\u`)) || bytes.ContainsAny(line, "\x00\r") {
			return nil, false
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if !rewrite(&out, d) {
			return nil, false
		}
		out.WriteByte('\n')
	}
	return out.Bytes(), true
}

// rewrite writes the next value, its fields in their order.
func rewrite(out *bytes.Buffer, d *json.Decoder) bool {
	token, err := d.Token()
	if err != nil {
		return false
	}
	open, ok := token.(json.Delim)
	if !ok {
		raw, err := json.Marshal(token) // escapes <, > and & as well
		out.Write(raw)
		return err == nil
	}
	out.WriteString(open.String() + " ")
	names := map[string]bool{}
	for n := 0; d.More(); n++ {
		if n > 0 {
			out.WriteString(" ,\t")
		}
		if open == '{' {
			name, err := d.Token()
			s, ok := name.(string)
			if err != nil || !ok || names[s] || strings.ContainsAny(s, "<>&\"\\\u2028\u2029") || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0xfffd }) {
				return false
			}
			names[s] = true
			out.WriteString(strconv.Quote(s) + " : ")
		}
		if !rewrite(out, d) {
			return false
		}
	}
	closing, err := d.Token()
	if err != nil {
		return false
	}
	out.WriteString(" " + closing.(json.Delim).String())
	return true
}
