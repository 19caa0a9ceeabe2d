//go:build unix

package scan

import (
	"bytes"
	"os"
	"syscall"
	"testing"
)

// TestNothingBehindASliceIsTouched scans and decodes strings at the end of a page
// behind which no byte may be read or written.
func TestNothingBehindASliceIsTouched(t *testing.T) {
	page := os.Getpagesize()
	mem, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mem) //nolint:errcheck // the test is over
	if err := syscall.Mprotect(mem[page:], syscall.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	for size := 1; size < 300; size++ {
		b := mem[page-size : page : page]
		for _, fill := range []byte{'x', '\\', '{'} {
			copy(b, bytes.Repeat([]byte{fill}, size))
			checkBrackets(t, b)
			b[0] = '"'
			checkEnds(t, b)
			b[size-1] = '"'
			checkEnds(t, b)
			checkText(t, b)
			if blocks {
				blockText(b, bytes.Clone(b))
			}
		}
	}
}
