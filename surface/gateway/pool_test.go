package gateway

import (
	"bytes"
	"sync"
	"testing"
)

func TestEverySizeHasAClass(t *testing.T) {
	var p bufferPool
	for size := smallest; size <= largest; size += 997 {
		i, room := sizeClass(size)
		if i < 0 || i >= len(p.classes) || room < size || room > size+size/steps+1 {
			t.Fatalf("size %d: class %d of %d, room %d", size, i, len(p.classes), room)
		}
	}
	if i, room := sizeClass(largest); i != len(p.classes)-1 || room != largest {
		t.Errorf("the largest: class %d of %d, room %d", i, len(p.classes), room)
	}
}

// A buffer that somebody holds is never given to somebody else.
func TestABufferIsSharedOnlyByThoseWhoHoldIt(t *testing.T) {
	var p bufferPool
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			want := bytes.Repeat([]byte{byte(n)}, 100)
			for range 2000 {
				b := p.get(smallest)
				b.b = append(b.b, want...)
				other := b.retain()
				b.release()
				if !bytes.Equal(other.b, want) {
					t.Error("somebody else wrote to it")
				}
				other.release()
			}
		})
	}
	all.Wait()
}

// TestAClosedBodyReadsNothing: a transport that gives a request up may be reading its
// body; the bytes may belong to another request by then.
func TestAClosedBodyReadsNothing(t *testing.T) {
	var p bufferPool
	b := p.get(smallest)
	b.b = append(b.b, "of this session"...)
	o := newOutgoing(b, b.b)
	r := o.reader()
	b.release()
	o.release()
	if b.refs.Load() != 1 {
		t.Fatalf("%d hold it while it is on its way", b.refs.Load())
	}
	_ = r.Close()
	_ = r.Close() // as transports may
	if n, err := r.Read(make([]byte, 10)); n != 0 || err == nil || b.refs.Load() != 0 {
		t.Errorf("%d bytes, %v, held by %d", n, err, b.refs.Load())
	}
}
