package cache

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var begin = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

// small are the known kinds with sizes that are easy to count with.
func small(name string) Provider {
	p := Provider{Name: name, Life: 5 * time.Minute, Lookback: 20}
	if name == "blocks" {
		p.Block = 10
	}
	return p
}

// spans makes blocks of ten bytes of a text, one for each letter; a capital has
// a mark, a digit stands in a row with its like, and a star is a note.
func spans(text string) []Span {
	var all []Span
	for _, r := range text {
		s := Span{Bytes: 10, Hash: uint64(r)}
		if r >= 'A' && r <= 'Z' {
			s.Hash, s.Mark = uint64(r-'A'+'a'), true
		}
		if r >= '0' && r <= '9' {
			s.Row = byte(r)
		}
		s.Ours = r == '*'
		all = append(all, s)
	}
	return all
}

func TestWhatACacheReads(t *testing.T) {
	type ask struct {
		after time.Duration
		text  string
		want  Bill
	}
	long := "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	for _, c := range []struct {
		name, provider string
		asks           []ask
	}{
		{"a prefix is read again and the rest written", "marks", []ask{
			{0, "SabC", Bill{Write: 40}}, {0, "SabcdE", Bill{Read: 40, Write: 20}},
		}},
		{"what is behind the last mark is plain", "marks", []ask{
			{0, "SaBc", Bill{Write: 30, Plain: 10}}, {0, "SabcD", Bill{Read: 30, Write: 20}},
		}},
		{"a note behind the mark is paid plain, then written, then read", "marks", []ask{
			{0, "SaB*", Bill{Write: 30, Plain: 10, OursPlain: 10}},
			{0, "Sab*cD", Bill{Read: 30, Write: 30, OursWrite: 10}},
			{0, "Sab*cdE", Bill{Read: 60, Write: 10, OursRead: 10}},
		}},
		{"a note that leaves takes with it what stood behind it", "marks", []ask{
			{0, "SaB*", Bill{Write: 30, Plain: 10, OursPlain: 10}},
			{0, "Sab*cD", Bill{Read: 30, Write: 30, OursWrite: 10}},
			{0, "SabcdE", Bill{Read: 30, Write: 30}},
		}},
		{"a prefix is only kept where a mark was", "marks", []ask{
			{0, "SaBcdE", Bill{Write: 60}}, {0, "SabxY", Bill{Read: 30, Write: 20}}, {0, "SabcZ", Bill{Read: 30, Write: 20}},
		}},
		{"nothing is found without a common beginning", "marks", []ask{
			{0, "SaB", Bill{Write: 30}}, {0, "xSaB", Bill{Write: 40}},
		}},
		{"it is forgotten after its life", "marks", []ask{
			{0, "SaB", Bill{Write: 30}}, {5*time.Minute + 1, "SaB", Bill{Write: 30}},
		}},
		{"reading keeps it alive, and the prefixes inside it", "marks", []ask{
			{0, "SaB", Bill{Write: 30}},
			{0, "SabC", Bill{Read: 30, Write: 10}},
			{4 * time.Minute, "SabC", Bill{Read: 40}},
			{4 * time.Minute, "SabX", Bill{Read: 30, Write: 10}},
		}},
		{"it is found at twenty positions, that of the mark included", "marks", []ask{
			{0, "SaB", Bill{Write: 30}}, {0, "sab" + long[:18] + "X", Bill{Read: 30, Write: 190}},
		}},
		{"but no further", "marks", []ask{
			{0, "SaB", Bill{Write: 30}}, {0, "sab" + long[:19] + "X", Bill{Write: 230}},
		}},
		{"results in a row are one position", "marks", []ask{
			{0, "SaB", Bill{Write: 30}}, {0, "sab" + "0000000000000000000000000000001111111111111111111111111111X", Bill{Read: 30, Write: 590}},
		}},
		{"a mark on the way brings it nearer", "marks", []ask{
			{0, "SaB", Bill{Write: 30}}, {0, "sab" + long[:10] + "X" + long[:18] + "Y", Bill{Read: 30, Write: 300}},
		}},
		{"blocks are read without a mark", "blocks", []ask{
			{0, "sab", Bill{Write: 30}}, {0, "sabcd", Bill{Read: 30, Write: 20}}, {0, "sabx", Bill{Read: 30, Write: 10}},
		}},
		{"and forgotten as well", "blocks", []ask{
			{0, "sab", Bill{Write: 30}}, {6 * time.Minute, "sab", Bill{Write: 30}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, now := New(small(c.provider)), begin
			for i, a := range c.asks {
				now = now.Add(a.after)
				if diff := cmp.Diff(a.want, m.Ask(now, spans(a.text))); diff != "" {
					t.Errorf("request %d, %s: %s", i+1, a.text, diff)
				}
			}
		})
	}
}

func TestOnlyFullBlocksAreKept(t *testing.T) {
	p := small("blocks")
	p.Block = 25
	m := New(p)
	if got := m.Ask(begin, spans("abcdef")); got != (Bill{Write: 50, Plain: 10}) {
		t.Errorf("first %+v", got)
	}
	if got := m.Ask(begin, spans("abcdxyz")); got != (Bill{Read: 25, Write: 25, Plain: 20}) {
		t.Errorf("the second block is another one, and yet %+v", got)
	}
}

func TestAShortPrefixIsNotKept(t *testing.T) {
	for _, name := range []string{"marks", "blocks"} {
		p := small(name)
		p.Least = 50
		m := New(p)
		for range 2 {
			if got := m.Ask(begin, spans("SaB")); got != (Bill{Plain: 30}) {
				t.Errorf("%s: %+v", name, got)
			}
		}
	}
}

func TestEveryByteIsChargedOnce(t *testing.T) {
	c := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{"marks", "blocks"} {
		p := small(name)
		p.Lookback = 3
		m, now := New(p), begin
		for range 2000 {
			now = now.Add(time.Duration(c.IntN(120)) * time.Second)
			request := make([]Span, c.IntN(12))
			total := 0
			for i := range request {
				request[i] = Span{Bytes: c.IntN(40), Hash: uint64(c.IntN(3)), Mark: c.IntN(4) == 0, Ours: c.IntN(4) == 0}
				total += request[i].Bytes
			}
			b := m.Ask(now, request)
			if b.Total() != total || min(b.Read, b.Write, b.Plain) < 0 || b.OursRead > b.Read || b.OursWrite > b.Write || b.OursPlain > b.Plain {
				t.Fatalf("%s: %d bytes were charged as %+v", name, total, b)
			}
		}
	}
}
