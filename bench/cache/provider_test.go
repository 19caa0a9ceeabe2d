package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var begin = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// small are the known kinds with sizes that are easy to count with.
func small(name string) provider {
	p := provider{name: name, life: 5 * time.Minute, lookback: 20}
	if name == "blocks" {
		p.block = 10
	}
	return p
}

// spans makes blocks of ten bytes of a text, one for each letter; a capital has
// a mark, and a star is a note.
func spans(text string) []span {
	var all []span
	for _, r := range text {
		s := span{bytes: 10, hash: uint64(r)}
		if r >= 'A' && r <= 'Z' {
			s.hash, s.mark = uint64(r-'A'+'a'), true
		}
		s.ours = r == '*'
		all = append(all, s)
	}
	return all
}

func TestWhatACacheReads(t *testing.T) {
	type ask struct {
		after time.Duration
		text  string
		want  bill
	}
	long := "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	for _, c := range []struct {
		name, provider string
		asks           []ask
	}{
		{"a prefix is read again and the rest written", "marks", []ask{
			{0, "SabC", bill{write: 40}}, {0, "SabcdE", bill{read: 40, write: 20}},
		}},
		{"what is behind the last mark is plain", "marks", []ask{
			{0, "SaBc", bill{write: 30, plain: 10}}, {0, "SabcD", bill{read: 30, write: 20}},
		}},
		{"a note behind the mark is paid plain, then written, then read", "marks", []ask{
			{0, "SaB*", bill{write: 30, plain: 10, oursPlain: 10}},
			{0, "Sab*cD", bill{read: 30, write: 30, oursWrite: 10}},
			{0, "Sab*cdE", bill{read: 60, write: 10, oursRead: 10}},
		}},
		{"a note that leaves takes with it what stood behind it", "marks", []ask{
			{0, "SaB*", bill{write: 30, plain: 10, oursPlain: 10}},
			{0, "Sab*cD", bill{read: 30, write: 30, oursWrite: 10}},
			{0, "SabcdE", bill{read: 30, write: 30}},
		}},
		{"a prefix is only kept where a mark was", "marks", []ask{
			{0, "SaBcdE", bill{write: 60}}, {0, "SabxY", bill{read: 30, write: 20}}, {0, "SabcZ", bill{read: 30, write: 20}},
		}},
		{"nothing is found without a common beginning", "marks", []ask{
			{0, "SaB", bill{write: 30}}, {0, "xSaB", bill{write: 40}},
		}},
		{"it is forgotten after its life", "marks", []ask{
			{0, "SaB", bill{write: 30}}, {5*time.Minute + 1, "SaB", bill{write: 30}},
		}},
		{"reading keeps it alive, and the prefixes inside it", "marks", []ask{
			{0, "SaB", bill{write: 30}},
			{0, "SabC", bill{read: 30, write: 10}},
			{4 * time.Minute, "SabC", bill{read: 40}},
			{4 * time.Minute, "SabX", bill{read: 30, write: 10}},
		}},
		{"it is found twenty blocks before a mark", "marks", []ask{
			{0, "SaB", bill{write: 30}}, {0, "sab" + long[:19] + "X", bill{read: 30, write: 200}},
		}},
		{"but no further", "marks", []ask{
			{0, "SaB", bill{write: 30}}, {0, "sab" + long[:20] + "X", bill{write: 240}},
		}},
		{"a mark on the way brings it nearer", "marks", []ask{
			{0, "SaB", bill{write: 30}}, {0, "sab" + long[:10] + "X" + long[:19] + "Y", bill{read: 30, write: 310}},
		}},
		{"blocks are read without a mark", "blocks", []ask{
			{0, "sab", bill{write: 30}}, {0, "sabcd", bill{read: 30, write: 20}}, {0, "sabx", bill{read: 30, write: 10}},
		}},
		{"and forgotten as well", "blocks", []ask{
			{0, "sab", bill{write: 30}}, {6 * time.Minute, "sab", bill{write: 30}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, now := newMemory(small(c.provider)), begin
			for i, a := range c.asks {
				now = now.Add(a.after)
				if diff := cmp.Diff(a.want, m.ask(now, spans(a.text)), cmp.AllowUnexported(bill{})); diff != "" {
					t.Errorf("request %d, %s: %s", i+1, a.text, diff)
				}
			}
		})
	}
}

func TestOnlyFullBlocksAreKept(t *testing.T) {
	p := small("blocks")
	p.block = 25
	m := newMemory(p)
	if got := m.ask(begin, spans("abcdef")); got != (bill{write: 50, plain: 10}) {
		t.Errorf("first %+v", got)
	}
	if got := m.ask(begin, spans("abcdxyz")); got != (bill{read: 25, write: 25, plain: 20}) {
		t.Errorf("the second block is another one, and yet %+v", got)
	}
}

func TestAShortPrefixIsNotKept(t *testing.T) {
	for _, name := range []string{"marks", "blocks"} {
		p := small(name)
		p.least = 50
		m := newMemory(p)
		for range 2 {
			if got := m.ask(begin, spans("SaB")); got != (bill{plain: 30}) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestEveryByteIsChargedOnce(t *testing.T) {
	c := chance(1)
	for _, name := range []string{"marks", "blocks"} {
		p := small(name)
		p.lookback = 3
		m, now := newMemory(p), begin
		for range 2000 {
			now = now.Add(time.Duration(c.below(120)) * time.Second)
			request := make([]span, c.below(12))
			total := 0
			for i := range request {
				request[i] = span{bytes: c.below(40), hash: uint64(c.below(3)), mark: c.below(4) == 0, ours: c.below(4) == 0}
				total += request[i].bytes
			}
			b := m.ask(now, request)
			if b.total() != total || min(b.read, b.write, b.plain) < 0 || b.oursRead > b.read || b.oursWrite > b.write || b.oursPlain > b.plain {
				t.Fatalf("%s: %d bytes were charged as %+v", name, total, b)
			}
		}
	}
}
