package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Bar shows on a terminal how far a scan has come: files and bytes. It is a
// scan.Progress.
type Bar struct {
	out   io.Writer
	width int
	now   func() time.Time

	mu    sync.Mutex
	files int
	total int
	done  int64 // bytes of files that were read
	part  int64 // bytes of those that are being read
	size  int64
	drawn time.Time
	lines bool // something is drawn
}

// barEvery is how often the bar is drawn at most.
const barEvery = 100 * time.Millisecond

// NewBar returns a bar for a terminal of so many columns.
func NewBar(out io.Writer, columns int, now func() time.Time) *Bar {
	return &Bar{out: out, width: columns, now: now}
}

// Begin notes how much there is to read.
func (b *Bar) Begin(files int, bytes int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.total, b.size = files, bytes
}

// Bytes notes progress inside a file.
func (b *Bar) Bytes(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.part += int64(n)
	b.draw()
}

// File notes that a file of this size was read.
func (b *Bar) File(size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.files++
	b.done += size
	b.part = max(0, b.part-size)
	b.draw()
}

func (b *Bar) draw() {
	now := b.now()
	if now.Sub(b.drawn) < barEvery {
		return
	}
	b.drawn, b.lines = now, true
	fmt.Fprintf(b.out, "\r%s\x1b[K", b.line())
}

// line is the bar in one line of the terminal.
func (b *Bar) line() string {
	read := min(b.size, b.done+b.part)
	share := float64(b.files) / float64(max(1, b.total))
	if b.size > 0 {
		share = float64(read) / float64(b.size)
	}
	words := fmt.Sprintf(" %3.0f %%  %d of %d files, %s of %s", 100*share, b.files, b.total, megabytes(read), megabytes(b.size))
	width := min(30, b.width-len(words)-3)
	if width < 5 {
		return strings.TrimSpace(words)[:min(len(strings.TrimSpace(words)), max(0, b.width-1))]
	}
	full := int(share * float64(width))
	return "[" + strings.Repeat("=", full) + strings.Repeat(" ", width-full) + "]" + words
}

// End takes the bar away.
func (b *Bar) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lines {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

// megabytes tells a size to a person.
func megabytes(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%.0f GB", float64(n)/(1<<30))
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 10<<20:
		return fmt.Sprintf("%.0f MB", float64(n)/(1<<20))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d KB", (n+1023)/1024)
}
