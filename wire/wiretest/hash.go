package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/wire"
)

// last returns the hash of the last item of a request.
func (s suite) last(t *testing.T, item string) uint64 {
	t.Helper()
	b := s.scan(t, []byte(s.Wrap(item)))
	return b.Items[len(b.Items)-1].Hash
}

func (s suite) hashes(t *testing.T) {
	typed := s.last(t, s.Typed1("hello"))
	spaced := strings.NewReplacer(`{"`, "{ \n\"", `":`, "\" :\t", `,"`, " ,\r\"").Replace(s.Typed1("hello"))
	for name, item := range map[string]string{
		"an array of one text":  s.Typed("hello"),
		"white space":           spaced,
		"a cache mark":          strings.Replace(s.Typed("hello"), `"text":"hello"`, `"text":"hello","cache_control":{"type":"ephemeral"}`, 1),
		"a cache mark in front": strings.Replace(s.Typed("hello"), `"text":"hello"`, `"cache_control":{"type":"ephemeral"},"text":"hello"`, 1),
		"another order":         reverse(s.Typed("hello")),
		"a member that is null": strings.Replace(s.Typed("hello"), `{"`, `{"nothing":null,"`, 1),
	} {
		if got := s.last(t, item); got != typed {
			t.Errorf("%s counts: %s", name, item)
		}
	}
	seen := map[uint64]string{}
	for _, item := range []string{
		s.Typed1("hello"), s.Typed1("hello "), s.Typed1(""), s.Typed("hello", "hello"), s.Typed("hel", "lo"), s.Typed("lo", "hel"), s.Typed("hello", ""),
		strings.Replace(s.Typed1("hello"), `"user"`, s.model(), 1), strings.Replace(s.Typed1("hello"), `{`, `{"name":"x",`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"name":"y",`, 1),
		strings.Replace(s.Typed1("hello"), `{`, `{"n":1,`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"n":"1",`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"n":[1],`, 1),
		strings.Replace(s.Typed1("hello"), `{`, `{"n":{"1":1},`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"n":{},`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"n":[],`, 1),
		strings.Replace(s.Typed1("hello"), `{`, `{"n":true,`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"n":[[1],2],`, 1), strings.Replace(s.Typed1("hello"), `{`, `{"n":[1,[2]],`, 1),
	} {
		h := s.last(t, item)
		if old, ok := seen[h]; ok || h == 0 {
			t.Errorf("one hash for %s and %s", old, item)
		}
		seen[h] = item
	}
	for i, p := range s.Foreign("word") { // each place counts, but for thinking and names of its own
		a, b := s.scan(t, []byte(s.Wrap(p.Item))), s.scan(t, []byte(s.Wrap(s.Foreign("other")[i].Item)))
		n := len(a.Items) - 1
		changed := a.Items[n].Hash != b.Items[n].Hash || a.Items[n-1].Hash != b.Items[n-1].Hash
		if silent := a.Items[n].Hash == 0 || a.Items[n].Holds&wire.HoldsThought != 0 || p.Where == "a signature"; changed == silent {
			t.Errorf("%s: counts is %v", p.Where, changed)
		}
		for name, item := range map[string]string{"another order": reverse(p.Item), "cache marks": marked(p.Item)} {
			c := s.scan(t, []byte(s.Wrap(item)))
			for j := range c.Items {
				if c.Items[j].Hash != a.Items[j].Hash {
					t.Errorf("%s: %s counts: %s", p.Where, name, item)
				}
			}
		}
	}
}

// marked puts cache marks on what may have one.
func marked(items string) string {
	mark := `{"cache_control":{"type":"ephemeral"},`
	return strings.NewReplacer(`{"type":"tool_`, mark+`"type":"tool_`, `{"role":`, mark+`"role":`, `{"type":"function`, mark+`"type":"function`, `{"role":"model"`, `{"role":"model"`,
		`{"type":"document`, mark+`"type":"document`).Replace(items)
}

// model is the role of the model's messages, quoted.
func (s suite) model() string {
	if s.Corpus.Name == "gemini" {
		return `"model"`
	}
	return `"assistant"`
}

// reverse writes the members of all objects in another order.
func reverse(items string) string {
	v, err := decode([]byte("[" + items + "]"))
	if err != nil {
		panic(err)
	}
	var turn func(v any) any
	turn = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			var o obj
			for k, x := range v {
				o = o.add(k, turn(x))
			}
			sort.Slice(o, func(i, j int) bool { return o[i].K > o[j].K })
			return o
		case []any:
			var a arr
			for _, x := range v {
				a = append(a, turn(x))
			}
			return a
		case json.Number:
			return lit(v)
		}
		return v
	}
	out := string(plain(NewChance(1)).value(nil, turn(v)))
	return out[1 : len(out)-1]
}

// resumes checks that a body scanned in the light of another is what it is when
// scanned alone: for bodies that grow, are edited, are compacted or broken.
func (s suite) resumes(t *testing.T) {
	var known, warm, cold wire.Body
	took := 0
	for seed := range uint64(3 * bodies / 10 / share()) {
		talk, c := NewTalk(seed+5e6, 6)
		tidy := c.One(2)
		raw := s.Encode(talk, NewChance(seed), tidy)
		if err := s.Scan(raw, &known, nil); err != nil {
			t.Fatal(err)
		}
		for step := range 6 {
			next := s.evolve(talk, raw, c, seed, tidy)
			errCold := s.Scan(next, &cold, nil)
			errWarm := s.Scan(next, &warm, &known)
			if fmt.Sprint(errCold) != fmt.Sprint(errWarm) {
				t.Fatalf("seed %d, step %d: alone %v, known %v\n%s\n%s", seed, step, errCold, errWarm, known.Raw, next)
			}
			if errCold == nil && !reflect.DeepEqual(view(&cold), view(&warm)) {
				t.Fatalf("seed %d, step %d: alone\n%+v\nknown\n%+v\n%s\n%s", seed, step, view(&cold), view(&warm), known.Raw, next)
			}
			if errCold != nil {
				continue
			}
			if bytes.HasPrefix(next, known.Raw[:known.List.End-1]) {
				took++
			}
			if c.One(2) {
				known, warm = warm, known
			} else if err := s.Scan(next, &known, &known); err != nil || !reflect.DeepEqual(view(&cold), view(&known)) {
				t.Fatalf("seed %d, step %d: onto itself %v\n%+v\n%+v", seed, step, err, view(&cold), view(&known))
			}
			raw = next
		}
	}
	if took < bodies/20/share() {
		t.Errorf("only %d bodies grew", took)
	}
}

// view is a body without what its slices have in reserve.
func view(b *wire.Body) wire.Body {
	v := *b
	v.Items = append([]wire.Item(nil), b.Items...)
	v.Fields = append([]wire.Field(nil), b.Fields...)
	return v
}

// evolve makes the next body of a session.
func (s suite) evolve(talk Talk, raw []byte, c *Chance, seed uint64, tidy bool) []byte {
	switch c.N(8) {
	case 0: // the same again
		return bytes.Clone(raw)
	case 1: // a byte changes
		next := bytes.Clone(raw)
		next[c.N(len(next))] = Pick[byte](c, 'x', '"', '{', ']', ',', '\\', ' ', '0')
		return next
	case 2: // it breaks off
		return bytes.Clone(raw[:c.N(len(raw))])
	case 3: // something is put in or taken out
		i, j := c.N(len(raw)), c.N(len(raw))
		if i > j {
			i, j = j, i
		}
		return append(bytes.Clone(raw[:i]), raw[min(j, i+9):]...)
	case 4: // compaction
		talk.Entries = talk.Entries[len(talk.Entries)-1:]
		talk.Entries[0].Results = nil
		return s.Encode(Talk{System: talk.System, Entries: []Entry{{Who: Prompt, Texts: []string{"summary"}}}}, NewChance(seed), tidy)
	case 5: // an item inside is edited
		b := wire.Body{}
		if s.Scan(raw, &b, nil) == nil && len(b.Items) > 0 && !b.Bare {
			it := b.Items[c.N(len(b.Items))]
			at := bytes.Index(raw[it.Start:], []byte(`":`))
			return append(append(bytes.Clone(raw[:it.Start+at+2]), ' '), raw[it.Start+at+2:]...)
		}
	}
	// It grows.
	b := wire.Body{}
	if s.Scan(raw, &b, nil) != nil || b.Bare {
		return bytes.Clone(raw)
	}
	out, err := s.Apply(nil, &b, []wire.Edit{{At: len(b.Items), Texts: []string{c.Words(c.N(20))}}})
	if err != nil {
		return bytes.Clone(raw)
	}
	return out
}
