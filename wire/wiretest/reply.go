package wiretest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/wire"
)

// feed writes a reply in pieces of at most n bytes; 0 is all at once.
func (s suite) feed(raw []byte, c *Chance, n int, stream bool) wire.Result {
	r := s.NewReply(stream)
	for len(raw) > 0 {
		k := len(raw)
		if n > 0 {
			k = min(k, 1+c.N(n))
		}
		piece := bytes.Clone(raw[:k])
		r.Write(piece)
		clear(piece) // the reader may keep nothing of it
		raw = raw[k:]
	}
	return r.Close()
}

// holds checks a result against what was said.
func (said Said) holds(t *testing.T, r wire.Result) {
	t.Helper()
	var text, thought string
	var calls []Call
	for _, p := range r.Message.Parts {
		switch p := p.(type) {
		case trimtab.Text:
			text += p.Text
			if p.By != trimtab.Model {
				t.Errorf("text by %q", p.By)
			}
		case trimtab.ToolCall:
			calls = append(calls, Call{ID: p.ID, Name: p.Name, Input: canonical(string(p.Input))})
		case trimtab.Opaque:
			thought += string(p.Raw)
		}
	}
	want := append([]Call(nil), said.Calls...)
	for i := range want {
		want[i].Input = canonical(want[i].Input)
	}
	u := r.Message.Usage
	if text != said.Text || !reflect.DeepEqual(calls, want) || u == nil || *u != (trimtab.Usage{Input: said.Usage[0], Output: said.Usage[1], CacheRead: said.Usage[2], CacheWrite: said.Usage[3]}) {
		t.Fatalf("said\n%+v\nread\n%+v\nusage %+v", said, r, u)
	}
	if said.Thought != "" && !strings.Contains(canonical(thought), strings.Trim(encode(said.Thought), `"`)) {
		t.Fatalf("thought %q, read %s", said.Thought, thought)
	}
	if !r.Complete || r.Cut || r.Fault != "" || r.Stop != said.Stop || r.Reason == "" || r.Message.Role != trimtab.RoleAssistant || r.Message.Model == "" {
		t.Fatalf("said %+v, read %+v", said, r)
	}
	if _, err := json.Marshal(r.Message); err != nil {
		t.Fatal(err)
	}
}

func (s suite) chunks(t *testing.T) {
	for seed := range uint64(replies / share()) {
		c := NewChance(seed)
		said := NewSaid(c)
		stream, doc := s.Stream(said, c), s.Document(said)
		whole := s.feed(stream, c, 0, true)
		said.holds(t, whole)
		said.holds(t, s.feed(doc, c, 0, false))
		for _, n := range []int{1, 2, 5, 64, 1000} {
			if got := s.feed(stream, c, n, true); !reflect.DeepEqual(got, whole) {
				t.Fatalf("seed %d, pieces of %d:\n%+v\nnot\n%+v", seed, n, got, whole)
			}
			said.holds(t, s.feed(doc, c, n, c.One(2)))
		}
		s.watched(t, said, stream)
	}
}

// watched checks that what is handed on joins to what was said.
func (s suite) watched(t *testing.T, said Said, stream []byte) {
	t.Helper()
	if stream[0] == '[' {
		return // one document: nothing is known before its end
	}
	r := s.NewReply(true)
	var text, thought string
	inputs, names := map[string]string{}, map[string]string{}
	r.Watch(func(d wire.Delta) {
		text += d.Text
		thought += d.Thought
		if d.Call != "" {
			inputs[d.Call] += d.Input
			names[d.Call] += d.Name
		}
	})
	r.Write(stream)
	r.Close()
	if text != said.Text || thought != said.Thought {
		t.Fatalf("handed on %q and %q of %+v", text, thought, said)
	}
	for _, c := range said.Calls {
		if canonical(inputs[c.ID]) != canonical(c.Input) || names[c.ID] != c.Name {
			t.Fatalf("handed on %s %q, not %+v", names[c.ID], inputs[c.ID], c)
		}
	}
}

func (s suite) cuts(t *testing.T) {
	for seed := range uint64(5) {
		c := NewChance(seed + 9e6)
		said := NewSaid(c)
		for _, raw := range [][]byte{s.Stream(said, c), s.Document(said)} {
			for i := int(seed) % share(); i < len(raw); i += share() {
				if r := s.feed(raw[:i], c, 0, raw[0] != '{'); r.Complete {
					t.Fatalf("seed %d: complete after %d of %d bytes\n%s", seed, i, len(raw), raw[:i])
				}
			}
			if r := s.feed(raw, c, 0, raw[0] != '{'); !r.Complete {
				t.Fatalf("seed %d: not complete\n%s", seed, raw)
			}
			// A byte that is wrong never makes more of it than there is.
			for range 200 / share() {
				bad := bytes.Clone(raw)
				bad[c.N(len(bad))] = byte(c.N(256))
				r := s.feed(bad, c, 7, c.One(2))
				if _, err := json.Marshal(r.Message); err != nil {
					t.Fatalf("%v\n%s", err, bad)
				}
			}
		}
	}
}

func (s suite) bounded(t *testing.T) {
	if testing.Short() {
		t.Skip("17 MB of reply: without -short")
	}
	said := Said{Text: strings.Repeat("0123456789abcdef", (wire.MaxReply+1<<20)/16), Stop: wire.StopEnd, Usage: [4]int{1, 2, 3, 0}}
	r := s.feed(s.Document(said), NewChance(1), 0, false)
	if r.Complete || !r.Cut {
		t.Errorf("a document that is too long: complete %v, cut %v", r.Complete, r.Cut)
	}
	reply := s.NewReply(true)
	small := Said{Text: said.Text[:1<<20], Stop: wire.StopEnd, Usage: said.Usage}
	stream := s.Stream(small, NewChance(3))
	for range wire.MaxReply/len(small.Text) + 2 {
		reply.Write(stream)
	}
	if r := reply.Close(); r.Message.Size() > wire.MaxReply {
		t.Errorf("%d bytes were kept", r.Message.Size())
	}
}
