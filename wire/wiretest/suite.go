package wiretest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// How much of each is tried. What P7 and P8 promise is tried in full without
// -short; make check sees to that.
const (
	bodies        = 10000
	conversations = 20000
	replies       = 300
)

// Run holds a format to its promises.
func Run(t *testing.T, f wire.Format, c Corpus) {
	s := suite{f, c}
	if f.Name() != c.Name {
		t.Fatalf("the format is called %q, its corpus %q", f.Name(), c.Name)
	}
	t.Run("P7_WithoutAnEditTheBytesAreTheSame", s.identical)
	t.Run("P8_NoRequestIsMadeInvalid", s.valid)
	t.Run("P8_FoldsKeepTheRequestValid", s.folds)
	t.Run("ASeatKeepsItsBytesAsTheSessionGrows", s.stable)
	t.Run("ScanAndMessageAgreeWithEncodingJSON", s.agrees)
	t.Run("RecordedRequests", s.fixtures)
	t.Run("HashesAreOfWhatIsSaid", s.hashes)
	t.Run("AKnownSessionScansLikeANewOne", s.resumes)
	t.Run("P14_OnlyWhatAPersonTypedIsAPersons", s.foreign)
	t.Run("P14_WhatAPersonTypedIsFound", s.typed)
	t.Run("BadBodiesAreRefused", s.refuses)
	t.Run("OddBodiesAreTaken", s.takes)
	t.Run("BadEditsAreRefused", s.edits)
	t.Run("P11_AnyChunkingGivesTheSameReply", s.chunks)
	t.Run("P11_ACutReplyIsNeverComplete", s.cuts)
	t.Run("ALongReplyIsBounded", s.bounded)
}

type suite struct {
	wire.Format
	Corpus
}

var errPieces = errors.New("the pieces are not what Apply writes")

// Apply applies edits, and holds the format to making the same in pieces.
func (s suite) Apply(dst []byte, b *wire.Body, edits []wire.Edit) ([]byte, error) {
	out, err := s.Format.Apply(bytes.Clone(dst), b, edits)
	pieces, own, failed := s.Pieces([][]byte{dst}, []byte("taken"), b, edits)
	if (err == nil) != (failed == nil) || !bytes.HasPrefix(own, []byte("taken")) {
		return out, errors.Join(errPieces, err, failed)
	}
	if err == nil && !bytes.Equal(bytes.Join(pieces, nil), out) {
		return out, fmt.Errorf("%w:\n%q", errPieces, pieces)
	}
	return out, err
}

// scan scans a body that the format must take.
func (s suite) scan(t testing.TB, raw []byte) *wire.Body {
	t.Helper()
	var b wire.Body
	if err := s.Scan(raw, &b, nil); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return &b
}

func (s suite) identical(t *testing.T) {
	var b wire.Body
	said := map[uint64]string{}
	for seed := range uint64(bodies / share()) {
		talk, c := NewTalk(seed, 2)
		raw := s.Encode(talk, c, false)
		before := bytes.Clone(raw)
		if err := s.Scan(raw, &b, nil); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, raw)
		}
		for _, edits := range [][]wire.Edit{nil, {}, {{At: 0}}, {{At: len(b.Items), Texts: []string{"", " \n"}}}} {
			out, err := s.Apply([]byte("kept"), &b, edits)
			if err != nil || string(out) != "kept"+string(raw) || !bytes.Equal(raw, before) {
				t.Fatalf("seed %d: %v\n%s\nbecame\n%s", seed, err, raw, out)
			}
		}
		if seed%4 == 0 {
			s.collide(t, &b, said)
		}
	}
}

// collide checks that no two items that say different things have one hash.
func (s suite) collide(t *testing.T, b *wire.Body, said map[uint64]string) {
	t.Helper()
	seen, err := s.Read(b.Raw)
	if err != nil {
		t.Fatal(err)
	}
	for i, it := range b.Items {
		seen[i].Others = 0
		seen[i].Inside = false
		what := fmt.Sprintf("%+v", seen[i])
		if old, ok := said[it.Hash]; ok && old != what && it.Hash != 0 && !strings.Contains(string(b.Bytes(it.Span)), `\`) {
			t.Fatalf("one hash for\n%s\n%s", old, what)
		}
		if len(said) < 50000 {
			said[it.Hash] = what
		}
	}
}

func (s suite) agrees(t *testing.T) {
	for seed := range uint64(bodies / 4 / share()) {
		talk, c := NewTalk(seed+1e6, 3)
		s.compare(t, fmt.Sprint("seed ", seed), s.Encode(talk, c, false))
	}
}

func (s suite) fixtures(t *testing.T) {
	all := s.Recorded()
	if len(all) < 4 {
		t.Fatalf("only %d recorded requests", len(all))
	}
	for name, raw := range all {
		s.compare(t, name, raw)
		b := s.scan(t, raw)
		if s.Check(raw) != nil {
			t.Errorf("%s: %v", name, s.Check(raw))
		}
		for at := range len(b.Items) + 1 {
			s.insert(t, name, b, []wire.Edit{{At: at, Texts: []string{"note"}}})
		}
	}
}

// compare holds Scan and Message against the second reader.
func (s suite) compare(t *testing.T, name string, raw []byte) {
	t.Helper()
	b := s.scan(t, raw)
	want, err := s.Read(raw)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if len(want) != len(b.Items) {
		t.Fatalf("%s: %d items, %d by encoding/json", name, len(b.Items), len(want))
	}
	for i := range want {
		m := s.Message(b, i)
		got := gist(m)
		got.Model, got.Inside = m.Role == trimtab.RoleAssistant, b.Items[i].Continues
		for _, list := range [][]Call{got.Calls, want[i].Calls} {
			for j := range list {
				list[j].Input = canonical(list[j].Input)
			}
		}
		if m.Role != b.Items[i].Role || !reflect.DeepEqual(got, want[i]) {
			t.Fatalf("%s, item %d:\n%+v\nby encoding/json\n%+v\n%s", name, i, got, want[i], b.Bytes(b.Items[i].Span))
		}
		if _, err := json.Marshal(m); err != nil {
			t.Fatalf("%s, item %d: %v", name, i, err)
		}
	}
}

// gist is a message in the words of the second reader.
func gist(m trimtab.Message) Seen {
	s := Seen{Role: string(m.Role)}
	for _, p := range m.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			s.Text += p.Text
		case trimtab.ToolCall:
			s.Calls = append(s.Calls, Call{ID: p.ID, Name: p.Name, Input: string(p.Input)})
		case trimtab.ToolResult:
			s.Results = append(s.Results, Result{ID: p.ID, Text: p.Text, Failed: p.Failed})
		case trimtab.Opaque:
			s.Others++
		}
	}
	return s
}

// canonical writes JSON in one way.
func canonical(raw string) string {
	v, err := decode([]byte(raw))
	if err != nil {
		return raw
	}
	return encode(v)
}

// insert applies edits that only insert. It checks that they are refused exactly
// where they would part what belongs together, that the result is valid, and
// that taking our messages out again gives the original back. It reports whether
// they could be made.
func (s suite) insert(t *testing.T, name string, b *wire.Body, edits []wire.Edit) bool {
	t.Helper()
	seen, err := s.Read(b.Raw)
	if err != nil {
		t.Fatal(err)
	}
	parts := false
	for _, e := range edits {
		parts = parts || apart(seen, e.At)
	}
	out, err := s.Apply(nil, b, edits)
	if parts {
		if !errors.Is(err, wire.ErrSeat) {
			t.Fatalf("%s: edits %+v part a call and its result, or a reply: %v\n%s", name, edits, err, out)
		}
		return false
	}
	if err != nil {
		t.Fatalf("%s: edits %+v: %v\n%s", name, edits, err, b.Raw)
	}
	if err := s.Check(out); err != nil {
		t.Fatalf("%s: edits %+v make it invalid: %v\n%s\nwas\n%s", name, edits, err, out, b.Raw)
	}
	s.kept(t, name, b, s.scan(t, out), edits)
	return true
}

// apart reports whether the list may not be cut before an item.
func apart(seen []Seen, at int) bool {
	if at < len(seen) && seen[at].Inside && at > 0 && seen[at-1].Model {
		return true
	}
	for i, a := range seen[:at] {
		for _, c := range a.Calls {
			if answered(seen[i:], at-i, c.ID) {
				return true
			}
		}
	}
	return false
}

// answered reports whether the result of a call comes at or behind an item.
func answered(seen []Seen, at int, id string) bool {
	for i, s := range seen {
		for _, r := range s.Results {
			if r.ID == id {
				return i >= at
			}
		}
	}
	return false
}

// kept checks that all but our messages is as it was, and that those say what
// they should, in order.
func (s suite) kept(t *testing.T, name string, b, out *wire.Body, edits []wire.Edit) {
	t.Helper()
	if !bytes.Equal(b.Bytes(b.System), out.Bytes(out.System)) || !bytes.Equal(b.Bytes(b.Tools), out.Bytes(out.Tools)) || b.Marks != out.Marks {
		t.Fatalf("%s: system, tools or marks changed", name)
	}
	var want, got string
	for _, e := range edits {
		want += strings.Join(e.Texts, "")
	}
	back := bytes.Clone(out.Raw)
	left := len(b.Items)
	for i := len(out.Items) - 1; i >= 0; i-- {
		it := out.Items[i]
		if left > 0 && original(b, out.Bytes(it.Span), left-1) {
			left--
			continue
		}
		got = gist(s.Message(out, i)).Text + got
		switch {
		case left < len(b.Items):
			back = append(back[:it.Start:it.Start], back[it.End+1:]...)
		case i > 0:
			back = append(back[:it.Start-1:it.Start-1], back[it.End:]...)
		default:
			back = append(back[:it.Start:it.Start], back[it.End:]...)
		}
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(string([]rune(s))), "") }
	if squeeze(want) != squeeze(got) || left > 0 {
		t.Fatalf("%s: the notes %q arrive as %q, and %d items are missing", name, want, got, left)
	}
	if !b.Bare && !bytes.Equal(back, b.Raw) {
		t.Fatalf("%s: without our messages it is\n%s\nnot\n%s", name, back, b.Raw)
	}
}

// original reports whether v is item i as it was; a bare text may have become a
// message.
func original(b *wire.Body, v []byte, i int) bool {
	if b.Bare {
		return bytes.Contains(v, b.Bytes(b.List))
	}
	return bytes.Equal(v, b.Bytes(b.Items[i].Span))
}
