package gateway

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"
)

func TestEverySizeHasAShelf(t *testing.T) {
	var s stock
	for size := 0; size <= most; size += 997 {
		i, room := shelfOf(size)
		if i < 0 || i >= len(s.shelves) || room < size || room > max(least, size+size/steps+1) {
			t.Fatalf("size %d: shelf %d of %d, room %d", size, i, len(s.shelves), room)
		}
	}
	if i, room := shelfOf(most); i != len(s.shelves)-1 || room != most {
		t.Errorf("the largest: shelf %d of %d, room %d", i, len(s.shelves), room)
	}
}

// A buffer that somebody holds is never given to somebody else.
func TestABufferIsSharedOnlyByThoseWhoHoldIt(t *testing.T) {
	var s stock
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for range 2000 {
				b := s.get(least)
				b.b = append(b.b, bytes.Repeat([]byte{byte(n)}, 100)...)
				other := b.hold()
				b.release()
				if !bytes.Equal(other.b, bytes.Repeat([]byte{byte(n)}, 100)) {
					t.Error("somebody else wrote to it")
				}
				other.release()
			}
		})
	}
	all.Wait()
}

func TestReadAllReadsWhatComesUpToItsLimit(t *testing.T) {
	var s stock
	text := bytes.Repeat([]byte("0123456789"), 5000)
	for _, limit := range []int{0, 1, 16 << 10, len(text) - 1, len(text), len(text) + 1, 1 << 20} {
		for name, r := range map[string]io.Reader{"plain": bytes.NewReader(text), "byte by byte": iotest.OneByteReader(bytes.NewReader(text)), "end with data": iotest.DataErrReader(bytes.NewReader(text))} {
			b, err := s.readAll(r, 10, limit)
			if err != nil || !bytes.Equal(b.b, text[:min(limit, len(text))]) {
				t.Errorf("%s, limit %d: %d bytes, %v", name, limit, len(b.b), err)
			}
		}
	}
	if _, err := s.readAll(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(io.ErrUnexpectedEOF)), 10, 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err = %v", err)
	}
}
