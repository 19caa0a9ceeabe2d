package transcripttest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/transcript"
)

// Long is a conversation with the mix of a long one: many calls, whose results are
// some kilobytes of code.
func Long(turns int) []Turn {
	code := strings.Repeat("func walk(b []byte) error {\n\treturn fmt.Errorf(\"line %d: %w\", n, err)\n}\n", 40)
	var out []Turn
	for i := range turns {
		if i%20 == 0 {
			out = append(out, Turn{Kind: Prompt, Text: "please look at this once more, it still does not work"})
		}
		call := fmt.Sprint("call_", i)
		out = append(out, Turn{Kind: Says, Text: "I will look at the file and run the tests again."},
			Turn{Kind: Calls, Call: call, Text: "sed -n 1,40p walk.go"}, Turn{Kind: Result, Call: call, Text: code})
	}
	return out
}

// pipe hides that a reader can seek.
type pipe struct{ io.Reader }

// Bench reads from memory, and tells the share of the speed of a scan for newlines
// over the same bytes in the same run. The best of all rounds counts on both
// sides: on a busy machine the mean of the longer one holds others' work.
func Bench(b *testing.B, read transcript.Reader, data []byte) {
	for _, c := range []struct {
		name string
		r    func() io.Reader
		opt  transcript.Options
	}{
		{"whole", func() io.Reader { return bytes.NewReader(data) }, transcript.Options{}},
		{"piped", func() io.Reader { return pipe{bytes.NewReader(data)} }, transcript.Options{}},
		{"brief", func() io.Reader { return bytes.NewReader(data) }, transcript.Options{Brief: true}},
		{"brief-piped", func() io.Reader { return pipe{bytes.NewReader(data)} }, transcript.Options{Brief: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			scan, took := time.Hour, time.Hour
			for b.Loop() {
				begin := time.Now()
				for rest := data; len(rest) > 0; {
					rest = rest[bytes.IndexByte(rest, '\n')+1:]
				}
				scanned := time.Now()
				items := 0
				for range read(c.r(), c.opt) {
					items++
				}
				scan, took = min(scan, scanned.Sub(begin)), min(took, time.Since(scanned))
				if items < 100 {
					b.Fatal(items)
				}
			}
			b.ReportMetric(float64(len(data))/1e6/took.Seconds(), "MB/s-read")
			b.ReportMetric(float64(len(data))/1e6/scan.Seconds(), "MB/s-scan")
			b.ReportMetric(100*scan.Seconds()/took.Seconds(), "%scan")
		})
	}
}

// BenchStored reads a long session from a database, whole and brief, and tells the
// share of the speed of a scan for newlines over the bytes of the file.
func BenchStored(b *testing.B, s Stored) {
	path := filepath.Join(b.TempDir(), "host.db")
	Database(b, path, s.Write(Long(500)))
	index(b, path)
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	src := s.open(b, path)
	for name, opt := range map[string]transcript.Options{"whole": {}, "brief": {Brief: true}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			scan, took := time.Hour, time.Hour
			for b.Loop() {
				begin := time.Now()
				lines := bytes.Count(data, []byte{'\n'})
				scanned := time.Now()
				items := 0
				for range src.Read(b.Context(), "s1", opt) {
					items++
				}
				scan, took = min(scan, scanned.Sub(begin)), min(took, time.Since(scanned))
				if items < 100 {
					b.Fatal(items, lines)
				}
			}
			b.ReportMetric(float64(len(data))/1e6/took.Seconds(), "MB/s-read")
			b.ReportMetric(100*scan.Seconds()/took.Seconds(), "%scan")
		})
	}
}

// index adds the keys that hosts' databases have and those of the tests have not,
// and brings all into one file.
func index(b *testing.B, path string) {
	b.Helper()
	db, err := openDatabase(path)
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	for _, by := range []string{"message (id)", "message (session_id)", "part (id)", "part (message_id)", "messages (session_id)"} {
		table, _, _ := strings.Cut(by, " ")
		var there int
		if err := db.QueryRowContext(b.Context(), "SELECT count(*) FROM sqlite_master WHERE name = ?", table).Scan(&there); err != nil {
			b.Fatal(err)
		}
		if there == 0 {
			continue
		}
		if _, err := db.ExecContext(b.Context(), fmt.Sprintf("CREATE INDEX %q ON %s", "by "+by, by)); err != nil {
			b.Fatal(err)
		}
	}
	if _, err := db.ExecContext(b.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		b.Fatal(err)
	}
}

// repeat gives the head once and then the body again and again.
type repeat struct {
	head, body []byte
	left       int
	at         int
}

func (r *repeat) Read(p []byte) (int, error) {
	if len(r.head) > 0 {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.body[r.at:])
	if r.at += n; r.at == len(r.body) {
		r.at, r.left = 0, r.left-1
	}
	return n, nil
}

// Flat reads a stream of a good many megabytes and fails where the memory in use
// grows with it. The head is written once and the body again and again.
func Flat(t *testing.T, read transcript.Reader, head, body []byte) {
	t.Helper()
	const size, most = 20 << 20, 10 << 20
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	items, peak := 0, uint64(0)
	for it, err := range read(&repeat{head: head, body: body, left: size / len(body)}, transcript.Options{Branches: true}) {
		if err != nil {
			t.Fatal(err)
		}
		if items++; items%1000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		runtime.KeepAlive(it)
	}
	if items < 1000 || peak > before.HeapAlloc+most {
		t.Errorf("%d items, %d bytes in use over the %d before", items, peak, before.HeapAlloc)
	}
}
