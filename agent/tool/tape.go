package tool

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// tape keeps the beginning and the end of an output of any length.
type tape struct {
	mu    sync.Mutex
	limit int // bytes kept
	head  []byte
	tail  []byte // a ring once it is full
	at    int    // where the ring begins
	total int64
}

func (t *tape) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	t.total += int64(n)
	if free := t.limit/2 - len(t.head); free > 0 {
		k := min(free, len(p))
		t.head, p = append(t.head, p[:k]...), p[k:]
	}
	size := t.limit - t.limit/2
	if len(p) > size {
		p = p[len(p)-size:]
	}
	if free := size - len(t.tail); free > 0 {
		k := min(free, len(p))
		t.tail, p = append(t.tail, p[:k]...), p[k:]
	}
	for len(p) > 0 {
		k := copy(t.tail[t.at:], p)
		t.at, p = (t.at+k)%size, p[k:]
	}
	return n, nil
}

// text is what a model reads of it: what is no text is shown as such.
func (t *tape) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	tail := append(append([]byte{}, t.tail[t.at:]...), t.tail[:t.at]...)
	left := t.total - int64(len(t.head)+len(tail))
	var b strings.Builder
	if left == 0 {
		b.Write(t.head)
		b.Write(tail)
	} else {
		b.Write(wholeRunes(t.head))
		fmt.Fprintf(&b, "\n[%d bytes left out here]\n", left)
		for len(tail) > 0 && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		b.Write(tail)
	}
	text := PlainOutput(strings.ReplaceAll(strings.ToValidUTF8(b.String(), "\uFFFD"), "\x00", "\uFFFD"))
	if text = strings.TrimRight(text, "\n"); text == "" {
		return "[no output]"
	}
	return text
}

// wholeRunes drops the beginning of a rune at the end.
func wholeRunes(p []byte) []byte {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if c := p[len(p)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(p[len(p)-n:]) {
				return p[:len(p)-n]
			}
			break
		}
	}
	return p
}
