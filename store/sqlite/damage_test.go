package sqlite

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/store/storetest"
)

// filled returns a closed file with three sessions of 100 messages.
func filled(t *testing.T) string {
	path := fresh(t)
	store := opened(t, path)
	for _, id := range []string{"a", "b", "c"} {
		s := trimtab.NewSession(id, start())
		var said []trimtab.Message
		var did []trimtab.Entry
		for i := range 100 {
			m := trimtab.Prompt(fmt.Sprintf("%s%03d %s", id, i+1, strings.Repeat("word ", 300)))
			m.ID = trimtab.MessageID(i + 1)
			said = append(said, m)
			did = append(did, trimtab.Entry{At: start(), Event: trimtab.Said{Message: m}})
		}
		s.Seq = 100
		if _, err := store.Commit(t.Context(), trimtab.Commit{Session: s, Messages: said, Entries: did}); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func bytesOf(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestADamagedFileIsRefusedAndLeftAsItIs(t *testing.T) {
	whole := bytesOf(t, filled(t))
	garbage := bytes.Clone(whole)
	copy(garbage, "this was a database once, before something wrote over it")
	for name, b := range map[string][]byte{
		"garbage header":     garbage,
		"no database":        []byte("dear diary"),
		"two bytes":          whole[:2], // SQLite takes a file of one byte for an empty one
		"header only":        whole[:100],
		"first page only":    whole[:pageSize],
		"half":               whole[:len(whole)/2/pageSize*pageSize],
		"half a page":        whole[:len(whole)/2/pageSize*pageSize+pageSize/2],
		"without its end":    whole[:len(whole)-pageSize],
		"zeros":              make([]byte, len(whole)),
		"schema overwritten": append(append(bytes.Clone(whole[:100]), bytes.Repeat([]byte{0xa5}, pageSize-100)...), whole[pageSize:]...),
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			if err := private(path); err != nil {
				t.Fatal(err)
			}
			write(t, path, b)
			store, err := Open(t.Context(), path, Config{})
			if err == nil {
				t.Error(store.Close())
			}
			is(t, err, trimtab.ErrDamaged)
			for _, word := range []string{path, "not changed", "backup", "move the file"} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("error %q does not say %q", err, word)
				}
			}
			if !bytes.Equal(bytesOf(t, path), b) {
				t.Error("the damaged file was changed")
			}
		})
	}
}

// TestADamagedPageCostsOnlyWhatWasOnIt overwrites a page in the middle of a
// session's messages.
func TestADamagedPageCostsOnlyWhatWasOnIt(t *testing.T) {
	path := filled(t)
	b := bytesOf(t, path)
	at := bytes.Index(b, []byte("b050 word")) / pageSize * pageSize
	if at <= 0 {
		t.Fatal("message b050 is not in the file")
	}
	for i := range pageSize {
		b[at+i] ^= 0xff
	}
	write(t, path, b)

	store := opened(t, path)
	good, bad := map[string]bool{}, 0
	for m, err := range store.Messages(t.Context(), "b", 0) {
		switch {
		case err == nil:
			good[m.ID] = true
		case !errors.Is(err, trimtab.ErrDamaged) || !strings.Contains(err.Error(), "message ") || !strings.Contains(err.Error(), path):
			t.Fatalf("error %v", err)
		default:
			bad++
		}
	}
	if bad == 0 || good["m50"] || !good["m1"] || !good["m100"] || len(good)+bad != 100 {
		t.Errorf("%d good, %d bad, first %v, last %v", len(good), bad, good["m1"], good["m100"])
	}
	if n := len(said(t, store, "a")) + len(said(t, store, "c")); n != 200 {
		t.Errorf("%d messages of the other sessions, want 200", n)
	}
	is(t, store.Check(t.Context()), trimtab.ErrDamaged)
	is(t, storetest.Say(t.Context(), store, "a", "one more"), trimtab.ErrDamaged)
	is(t, store.Remove(t.Context(), "b"), trimtab.ErrDamaged)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if !bytes.Equal(bytesOf(t, path), b) {
		t.Error("the damaged file was changed")
	}
}

func TestCheckFindsADamagedPage(t *testing.T) {
	path := filled(t)
	store := opened(t, path)
	if err := store.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	b := bytesOf(t, path)
	at := bytes.Index(b, []byte("c077 word")) / pageSize * pageSize
	copy(b[at:], make([]byte, 64))
	write(t, path, b)
	store = opened(t, path)
	is(t, store.Check(t.Context()), trimtab.ErrDamaged)
	is(t, storetest.Say(t.Context(), store, "a", "one more"), trimtab.ErrDamaged)
	if !bytes.Equal(bytesOf(t, path), b) {
		t.Error("the damaged file was changed")
	}
}

// TestADamagedRowHidesNoOther breaks what is inside of rows, which SQLite does
// not look at.
func TestADamagedRowHidesNoOther(t *testing.T) {
	store := opened(t, filled(t))
	for _, text := range []string{
		`UPDATE messages SET body = '{"role":"us' WHERE session = 'a' AND seq IN (2, 3, 100)`,
		`UPDATE messages SET body = x'00ff' WHERE session = 'b' AND seq = 1`,
		`UPDATE journal SET body = '{"event":{"type":"unheard of"}}' WHERE session = 'a' AND seq = 50`,
		`UPDATE sessions SET state = '[]' WHERE id = 'a'`,
		`UPDATE sessions SET updated = 'yesterday' WHERE id = 'b'`,
	} {
		if _, err := store.write.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	note := func(err error) {
		if err != nil {
			is(t, err, trimtab.ErrDamaged)
			where, _, _ := strings.Cut(err.Error(), " in ")
			names = append(names, where)
		}
	}
	good := 0
	for _, id := range []string{"a", "b", "c"} {
		for _, err := range store.Messages(t.Context(), id, 0) {
			if note(err); err == nil {
				good++
			}
		}
		for _, err := range store.Journal(t.Context(), id, 0) {
			if note(err); err == nil {
				good++
			}
		}
	}
	for _, err := range store.List(t.Context(), trimtab.Query{}) {
		if note(err); err == nil {
			good++
		}
	}
	want := "session a: message 2|session a: message 3|session a: message 100|session a: journal entry 50|session b: message 1|session b"
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("named %s\nwant  %s", got, want)
	}
	if good != 297+298+2-1+1 {
		t.Errorf("%d good ones", good)
	}
	_, err := store.Load(t.Context(), "a")
	is(t, err, trimtab.ErrDamaged)
	storetest.MustSay(t, store, "c", "the store goes on")
}
