package key

import (
	"net/http"
	"strings"
)

// Key is a secret that is used and never seen. The zero Key is none.
type Key struct {
	// A function, because whatever prints a value by its fields prints the
	// address of a function and not what it returns.
	secret func() string
	from   string
}

// New makes a key of a secret. from is where a person finds it: the name of a
// variable of the environment, or words.
func New(secret, from string) Key {
	secret = strings.TrimSpace(secret)
	if secret == "" || strings.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return Key{from: from}
	}
	return Key{secret: func() string { return secret }, from: from}
}

// Empty reports whether there is no key.
func (k Key) Empty() bool { return k.secret == nil }

// From is where the key was found, or looked for.
func (k Key) From() string { return k.from }

// String says where the key is from.
func (k Key) String() string {
	switch {
	case k.Empty():
		return "no key"
	case k.from == "":
		return "a key"
	}
	return "the key in " + k.from
}

// Set puts the key into a header, behind a prefix such as "Bearer ". Without a
// key it does nothing.
func (k Key) Set(h http.Header, name, prefix string) {
	if !k.Empty() {
		h.Set(name, prefix+k.secret())
	}
}

// least is how much of a key must stand in a text to be hidden: less gives
// nothing away and may be an ordinary word.
const least = 8

// Hide returns the text with the key, and every long enough piece of it, blotted
// out: providers quote what they were sent.
func (k Key) Hide(text string) string {
	if k.Empty() {
		return text
	}
	secret := k.secret()
	if len(secret) < least { // what a server of one's own may take for a key
		if len(secret) < 4 {
			return text
		}
		return strings.ReplaceAll(text, secret, "***")
	}
	var b strings.Builder
	for text != "" {
		n := 0
		for n < len(text) && strings.Contains(secret, text[:n+1]) {
			n++
		}
		if n >= least {
			b.WriteString("***")
			text = text[n:]
			continue
		}
		b.WriteByte(text[0])
		text = text[1:]
	}
	return b.String()
}
