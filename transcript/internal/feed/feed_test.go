package feed

import (
	"slices"
	"strings"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/transcript"
)

func TestTheLastLineDecidesWhatIsLive(t *testing.T) {
	for _, c := range []struct{ name, lines, live string }{
		{"a chain", "a- ba cb", "abc"},
		{"a branch", "a- ba cb da ed", "ade"},
		{"two roots", "a- b- cb", "bc"},
		{"a lost parent goes on at the line before", "a- ba dc ed", "abde"},
		{"a circle ends", "ac ba cb", "abc"},
		{"a line written twice is the first", "a- ba b- cb", "abc"},
		{"itself as a parent", "a- bb", "b"},
	} {
		var tree Tree
		for i, l := range strings.Fields(c.lines) {
			tree.Add(i+1, Link{ID: []byte(l[:1]), Parent: []byte(strings.Trim(l[1:], "-"))})
		}
		tree.Decide()
		live := ""
		for i, l := range strings.Fields(c.lines) {
			if tree.Takes(i+1, []byte(l[:1])) {
				live += l[:1]
			}
		}
		if live != c.live {
			t.Errorf("%s: %s, want %s", c.name, live, c.live)
		}
	}
	var none Tree
	for range 2 {
		if !none.Takes(1, []byte("a")) {
			t.Error("an empty tree leaves something out")
		}
	}
}

func TestHeldItemsAreBounded(t *testing.T) {
	var got []string
	var q Queue
	q.yield = func(it transcript.Item, _ error) bool {
		got = append(got, it.Message.Text())
		return true
	}
	say := func(text string) transcript.Item {
		return transcript.Item{Message: trimtab.Say(trimtab.RoleUser, trimtab.Host, text)}
	}
	if err := q.Reply(say("reply"), "1", 10); err != nil {
		t.Fatal(err)
	}
	if err := q.Put(say("large"), maxHeldBytes); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []string{"reply", "large"}) || len(q.held) != 0 || q.bytes != 0 {
		t.Errorf("got %q, %d held of %d bytes", got, len(q.held), q.bytes)
	}
}

func TestItemsStopWhenNobodyWantsThem(t *testing.T) {
	n := 0
	seq := Run(transcript.Options{}, func(f *Feed) error {
		for {
			n++
			if err := f.Put(transcript.Item{}, 0); err != nil {
				return err
			}
		}
	})
	for range seq {
		break
	}
	if n != 1 {
		t.Errorf("%d items", n)
	}
}
