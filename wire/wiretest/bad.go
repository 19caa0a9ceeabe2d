package wiretest

import (
	"errors"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/wire"
)

// key is the name of the message list.
func (s suite) key() string {
	switch s.Corpus.Name {
	case "responses":
		return "input"
	case "gemini":
		return "contents"
	}
	return "messages"
}

func (s suite) refuses(t *testing.T) {
	good := s.Wrap(s.Typed1("hello"))
	item, key := s.Typed1("x"), s.key()
	list := func(v string) string { return `{"` + key + `":` + v + `}` }
	deep := strings.Repeat("[", 600) + strings.Repeat("]", 600)
	bad := map[string]string{
		"nothing": "", "blanks": " \n", "no object": "[]", "a string": `"x"`, "null": "null", "no list": `{"model":"m"}`, "an empty object": "{}",
		"a null list": list("null"), "a list that is an object": list("{}"), "a list that is a number": list("7"), "items that are strings": list(`["x"]`), "items that are null": list(`[null]`),
		"a byte order mark": "\xef\xbb\xbf" + good, "something behind it": good + "x", "another object behind it": good + good, "a bracket too many": good + "}",
		"two lists": strings.Replace(good, `{"`, `{"`+key+`":[],"`, 1), "two lists, one escaped": strings.Replace(good, `{"`, `{"\u00`+hex(key[0])+key[1:]+`":[],"`, 1),
		"two roles": list(`[` + strings.Replace(item, `"role"`, `"role":"user","role"`, 1) + `]`), "two roles, one escaped": list(`[` + strings.Replace(item, `"role"`, `"r\u006fle":"user","role"`, 1) + `]`),
		"an unknown role": list(`[` + strings.Replace(item, `"user"`, `"wizard"`, 1) + `]`), "a role that is a number": list(`[` + strings.Replace(item, `"user"`, `1`, 1) + `]`),
		"deep nesting beside the list": `{"x":` + deep + `,` + list("[]")[1:], "deep nesting in an item": list(`[` + strings.Replace(item, `{`, `{"x":`+deep+`,`, 1) + `]`),
		"a trailing comma": list(`[` + item + `,]`), "a leading comma": list(`[,` + item + `]`), "no comma": list(`[` + item + item + `]`), "a comma in the object": `{"a":1,` + `}`,
		"single quotes": strings.ReplaceAll(good, `"`, `'`), "a comment": "/* */" + good, "no colon": strings.Replace(good, `":`, `" `, 1),
		"mixed brackets": list(`[` + item + `}`),
	}
	for _, v := range []string{"01", "1.", ".5", "+1", "1e", "1e+", "-", "NaN", "Infinity", "tru", "True", "nul", "undefined", "0x10", "'x'", "1 2", "{1:2}", "{\"a\" 1}", "[1 2]", "\"x", ""} {
		bad["the value "+v] = `{"x":` + v + `,` + list("[" + item + "]")[1:]
		bad["in an item the value "+v] = list(`[` + strings.Replace(item, `{`, `{"x":`+v+`,`, 1) + `]`)
	}
	for i := range good {
		bad["broken off at "+good[:i]] = good[:i]
	}
	b := s.scan(t, []byte(good))
	for name, raw := range bad {
		err := s.Scan([]byte(raw), b, nil)
		if !errors.Is(err, wire.ErrJSON) && !errors.Is(err, wire.ErrShape) {
			t.Errorf("%s: %v", name, err)
		}
		if len(raw) > 20 && err != nil && strings.Contains(err.Error(), "hello") {
			t.Errorf("%s: the error repeats the body: %v", name, err)
		}
		if _, err := s.Apply(nil, b, nil); !errors.Is(err, wire.ErrStale) {
			t.Errorf("%s: can be edited: %v", name, err)
		}
		if err := s.Scan([]byte(good), b, b); err != nil {
			t.Errorf("behind %s: %v", name, err)
		}
	}
}

func hex(b byte) string { return string("0123456789abcdef"[b>>4]) + string("0123456789abcdef"[b&15]) }

func (s suite) takes(t *testing.T) {
	item, key := s.Typed1("x"), s.key()
	list := func(v string) string { return `{"` + key + `":` + v + `}` }
	fits := strings.Repeat("[", 500) + strings.Repeat("]", 500)
	for name, raw := range map[string]string{
		"an empty list": list("[]"), "an empty list with blanks": list(" [ \n\t] "), "white space everywhere": " {\n\"" + key + "\"\t:\r[ " + item + " , " + item + " ] } \n",
		"an escaped name": strings.Replace(list(`[`+item+`]`), key, `\u00`+hex(key[0])+key[1:], 1), "an escaped name in an item": list(`[` + strings.Replace(item, `"role"`, `"r\u006fle"`, 1) + `]`),
		"half a surrogate pair": list(`[` + strings.Replace(item, `"x"`, `"\ud800 \udc00\ud83d"`, 1) + `]`), "bytes that are not UTF-8": list(`[` + strings.Replace(item, `"x"`, "\"\xff\xc3(\"", 1) + `]`),
		"raw control characters": list(`[` + strings.Replace(item, `"x"`, "\"\x00\n\"", 1) + `]`), "huge numbers": `{"n":` + strings.Repeat("9", 5000) + `e` + strings.Repeat("9", 500) + `,` + list(`[` + item + `]`)[1:],
		"nesting that fits": `{"x":` + fits + `,` + list("[" + item + "]")[1:], "backslashes before a quote": list(`[` + strings.Replace(item, `"x"`, `"\\\\\"\\"`, 1) + `]`),
		"an escaped role": list(`[` + strings.Replace(item, `"user"`, `"us\u0065r"`, 1) + `]`),
	} {
		b := s.scan(t, []byte(raw))
		for at := range len(b.Items) + 1 {
			out, err := s.Apply(nil, b, []wire.Edit{{At: at, Texts: []string{"a"}}, {At: at, Texts: []string{"b", "c"}}})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			s.kept(t, name, b, s.scan(t, out), []wire.Edit{{Texts: []string{"a", "b", "c"}}})
		}
		for i := range b.Items {
			s.Message(b, i)
		}
	}
	if testing.Short() {
		return
	}
	big := s.Wrap(s.Typed1(strings.Repeat("x\\\"", 64<<20/3)))
	b := s.scan(t, []byte(big))
	if out, err := s.Apply(nil, b, []wire.Edit{{At: len(b.Items), Texts: []string{"note"}}}); err != nil || len(out) < len(big) {
		t.Errorf("64 MB: %v", err)
	}
}
