package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
	"github.com/trimtab/trimtab/wire/anthropic"
	"github.com/trimtab/trimtab/wire/gemini"
	"github.com/trimtab/trimtab/wire/openaichat"
	"github.com/trimtab/trimtab/wire/responses"
	"github.com/trimtab/trimtab/wire/wiretest"
)

// dialect is a format and its corpus.
type dialect struct {
	wire.Format
	wiretest.Corpus
}

func dialects() []dialect {
	return []dialect{
		{anthropic.Format{}, wiretest.Anthropic()},
		{openaichat.Format{}, wiretest.OpenAIChat()},
		{responses.Format{}, wiretest.Responses()},
		{gemini.Format{}, wiretest.Gemini()},
	}
}

// FuzzScan holds all formats to what must be true of any bytes: no panic, no
// byte changed without an edit or outside one, JSON that stays JSON, and the same
// outcome whatever body was known before. The first byte picks the format, the
// second the seat.
func FuzzScan(f *testing.F) {
	for i, d := range dialects() {
		pick := byte(i)
		for _, raw := range d.Recorded() {
			f.Add(pick, byte(1), raw, raw[:len(raw)/2])
		}
		for seed := range uint64(6) {
			talk, c := wiretest.NewTalk(seed, 2)
			raw := d.Encode(talk, c, false)
			longer := talk
			longer.Entries = append(longer.Entries[:len(talk.Entries):len(talk.Entries)], wiretest.Entry{Who: wiretest.Reply, Texts: []string{"more"}})
			f.Add(pick, byte(seed), d.Encode(longer, wiretest.NewChance(1), true), d.Encode(talk, wiretest.NewChance(1), true))
			f.Add(pick, byte(seed), raw, raw)
		}
		for _, p := range d.Foreign("automata") {
			f.Add(pick, byte(2), []byte(d.Wrap(p.Item)), []byte(d.Wrap()))
		}
		f.Add(pick, byte(0), []byte(`{"messages":[],"input":"x","contents":[]}`), []byte("\xef\xbb\xbf{}"))
	}
	all := dialects()
	f.Fuzz(func(t *testing.T, pick, seat byte, raw, before []byte) {
		format := all[int(pick)%len(all)].Format
		var known, body, warm wire.Body
		keep := bytes.Clone(raw)
		err := format.Scan(raw, &body, nil)
		if format.Scan(before, &known, nil) == nil {
			if again := format.Scan(raw, &warm, &known); fmt.Sprint(again) != fmt.Sprint(err) || err == nil && !same(&warm, &body) {
				t.Fatalf("alone %v\n%+v\nknown %v\n%+v", err, body, again, warm)
			}
		}
		if !bytes.Equal(raw, keep) {
			t.Fatal("Scan changed the body")
		}
		if err != nil {
			return
		}
		if !json.Valid(tame(raw)) {
			t.Fatalf("taken, though it is no JSON:\n%s", raw)
		}
		decodes(t, format, &body)
		splices(t, format, &body, int(seat)%(len(body.Items)+1))
	})
}

func same(a, b *wire.Body) bool {
	x, y := *a, *b
	x.Items, x.Fields, y.Items, y.Fields = nil, nil, nil, nil
	return reflect.DeepEqual(x, y) && reflect.DeepEqual(append([]wire.Item{}, a.Items...), append([]wire.Item{}, b.Items...)) &&
		reflect.DeepEqual(append([]wire.Field{}, a.Fields...), append([]wire.Field{}, b.Fields...))
}

// tame replaces what stands inside strings, of which the scanner promises
// nothing, by letters.
func tame(raw []byte) []byte {
	out := bytes.Clone(raw)
	inside := false
	for i := 0; i < len(out); i++ {
		switch {
		case out[i] == '"':
			inside = !inside
		case inside && out[i] == '\\' && i+1 < len(out):
			out[i], out[i+1] = 'x', 'x'
			i++
		case inside && (out[i] < ' ' || out[i] >= 0x80):
			out[i] = 'x'
		}
	}
	return out
}

// decodes reads every message, as far as it can be read.
func decodes(t *testing.T, format wire.Format, b *wire.Body) {
	end := b.List.Start
	for i, it := range b.Items {
		if it.Start < end || it.End <= it.Start || it.End > b.List.End {
			t.Fatalf("item %d is at %v, behind %d and in %v", i, it.Span, end, b.List)
		}
		end = it.End
		m := wire.Whole(format, b, i)
		if _, err := json.Marshal(m); err != nil {
			t.Fatalf("item %d: %v", i, err)
		}
		if m.Role != it.Role || m.IsPrompt() && m.Role != trimtab.RoleUser {
			t.Fatalf("item %d: role %q, and a person's: %v", i, m.Role, m.IsPrompt())
		}
		b.Hash(i)
	}
	_, _, _ = b.Session(), b.Model(), b.Previous()
}

// splices puts a note at a seat, and in the place of an item.
func splices(t *testing.T, format wire.Format, b *wire.Body, at int) {
	out, err := format.Apply(nil, b, nil)
	if err != nil || !bytes.Equal(out, b.Raw) {
		t.Fatalf("without an edit: %v\n%s", err, out)
	}
	for _, edit := range []wire.Edit{{At: at, Texts: []string{"n\xffote\n\"\u2028"}}, {At: at, Texts: []string{"a", "b"}, Drop: min(1, len(b.Items)-at)}} {
		out, err := format.Apply(nil, b, []wire.Edit{edit})
		if err != nil {
			continue
		}
		if pieces, _, err := format.Pieces(nil, nil, b, []wire.Edit{edit}); err != nil || !bytes.Equal(bytes.Join(pieces, nil), out) {
			t.Fatalf("in pieces: %v\n%q\nand not\n%s", err, pieces, out)
		}
		if json.Valid(b.Raw) && !json.Valid(out) {
			t.Fatalf("no JSON any more:\n%s", out)
		}
		if !bytes.HasPrefix(out, b.Raw[:b.List.Start]) || !bytes.HasSuffix(out, b.Raw[b.List.End:]) {
			t.Fatalf("changed outside the list:\n%s", out)
		}
		var after wire.Body
		if err := format.Scan(out, &after, nil); err != nil {
			t.Fatalf("cannot be read any more: %v\n%s", err, out)
		}
		if len(after.Items) != len(b.Items)+1-edit.Drop || after.Bare {
			t.Fatalf("%d items became %d", len(b.Items), len(after.Items))
		}
		if b.Bare {
			continue
		}
		next := 0
		for i, it := range b.Items {
			if edit.At <= i && i < edit.At+edit.Drop {
				continue
			}
			for next < len(after.Items) && !bytes.Equal(after.Bytes(after.Items[next].Span), b.Bytes(it.Span)) {
				next++
			}
			if next++; next > len(after.Items) {
				t.Fatalf("item %d is gone\n%s", i, out)
			}
		}
	}
}

// FuzzReply holds all readers of replies to what must be true of any bytes: no
// panic, the same result however they are cut, and messages that can be encoded.
func FuzzReply(f *testing.F) {
	for i, d := range dialects() {
		for seed := range uint64(4) {
			c := wiretest.NewChance(seed)
			said := wiretest.NewSaid(c)
			f.Add(byte(i), byte(seed), d.Corpus.Stream(said, c))
			f.Add(byte(i), byte(seed), d.Document(said))
		}
		f.Add(byte(i), byte(3), []byte(`{"type":"error","error":{"type":"overloaded_error","message":"x"}}`))
		f.Add(byte(i), byte(3), []byte("event: error\rdata: {\"type\":\"error\",\"error\":{\"code\":\"x\"}}\r\r"))
		f.Add(byte(i), byte(4), []byte("<html>502</html>"))
	}
	all := dialects()
	f.Fuzz(func(t *testing.T, pick, n byte, raw []byte) {
		format := all[int(pick)%len(all)].Format
		stream := n&0x80 == 0
		read := func(step int) wire.Result {
			r := format.NewReply(stream)
			for rest := raw; len(rest) > 0; {
				k := min(step, len(rest))
				r.Write(rest[:k])
				rest = rest[k:]
			}
			return r.Close()
		}
		whole := read(len(raw) + 1)
		if got := read(1 + int(n&0x7f)); !reflect.DeepEqual(got, whole) {
			t.Fatalf("in pieces\n%+v\nwhole\n%+v", got, whole)
		}
		if _, err := json.Marshal(whole.Message); err != nil {
			t.Fatal(err)
		}
		if whole.Complete && (whole.Fault != "" || whole.Message.Role != trimtab.RoleAssistant) {
			t.Fatalf("complete: %+v", whole)
		}
	})
}
