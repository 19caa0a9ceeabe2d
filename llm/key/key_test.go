package key_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/llm/key"
)

const secret = "sk-canary-0123456789-abcdefghij"

type ring map[string]string

func (r ring) Get(account string) (string, bool) { s, ok := r[account]; return s, ok }

func TestTheEnvironmentComesBeforeTheKeyring(t *testing.T) {
	env := map[string]string{"B": "from the environment"}
	s := key.Source{Env: func(n string) string { return env[n] }, Ring: ring{"A": "from the ring", "C": "c"}}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{"A", "B"}, "the key in B"},
		{[]string{"A"}, "the key in the keyring as trimtab A"},
		{[]string{"X", "C"}, "the key in the keyring as trimtab C"},
		{[]string{"X"}, "no key"},
		{nil, "no key"},
	} {
		if got := s.Find(c.names...).String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.names, got, c.want)
		}
	}
	if from := s.Find("X", "Y").From(); from != "X" {
		t.Errorf("looked for in %q", from)
	}
	if k := (key.Source{}).Find("A"); !k.Empty() {
		t.Error("a key from nowhere")
	}
}

func TestP15_AKeyCannotBePrinted(t *testing.T) {
	k := key.New(" "+secret+"\n", "X")
	holder := struct {
		inner  key.Key
		Public key.Key
		Ptr    *key.Key
	}{k, k, &k}
	coded, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(k), fmt.Sprintf("%v %+v %#v %s %q %x", k, k, k, k, k, k), fmt.Sprintf("%v %+v %#v", holder, holder, holder), string(coded)} {
		if strings.Contains(text, "canary") || strings.Contains(text, fmt.Sprintf("%x", "canary")) {
			t.Errorf("the key is in %q", text)
		}
	}
	h := http.Header{}
	if k.Set(h, "Authorization", "Bearer "); h.Get("Authorization") != "Bearer "+secret {
		t.Error("the header has no key")
	}
}

func TestHideFindsPiecesOfAKey(t *testing.T) {
	k := key.New(secret, "X")
	for in, want := range map[string]string{
		"": "", "nothing here": "nothing here", secret: "***", "a " + secret + " b": "a *** b",
		"Incorrect key: " + secret[:14] + "...": "Incorrect key: ***...", "tail " + secret[20:] + "!": "tail ***!", "sk-": "sk-",
	} {
		if got := k.Hide(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestAKeyThatCannotBeAHeaderIsNone(t *testing.T) {
	for _, s := range []string{"", "  ", "a\nb", "a\x00b"} {
		if !key.New(s, "X").Empty() {
			t.Errorf("%q is a key", s)
		}
	}
}

func FuzzHide(f *testing.F) {
	f.Add(secret, "x "+secret+" y")
	f.Add("short", "so short")
	f.Fuzz(func(t *testing.T, secret, text string) {
		k := key.New(secret, "X")
		if got := k.Hide(text); len(strings.TrimSpace(secret)) >= 8 && !k.Empty() && strings.Contains(got, strings.TrimSpace(secret)) && !strings.Contains(secret, "*") {
			t.Errorf("%q is in %q", secret, got)
		}
	})
}
