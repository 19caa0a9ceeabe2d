package claude_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/claude"
)

// session is a transcript of about 24 MB with the mix of a long one: tools'
// results (each written twice, as Claude Code does), replies, attachments and
// recorded requests. Without blobs, the requests are left out: older versions
// write none.
func session(b *testing.B, blobs bool) []byte {
	b.Helper()
	code := strings.Repeat("func walk(b []byte) error {\n\treturn fmt.Errorf(\"line %d: %w\", n, err)\n}\n", 40)
	s := &script{t: b}
	for i := range 1200 {
		id := fmt.Sprintf("00000000-0000-4000-8000-%012d", 8*i)
		n := func(k int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", 8*i+k) }
		reply, call := fmt.Sprint("msg_", i), fmt.Sprint("toolu_", i)
		if i%20 == 0 {
			s.prompt(id, "please look at this once more, it still does not work")
		}
		s.block(n(1), reply, fields{"type": "thinking", "thinking": "", "signature": strings.Repeat("c2lnbmF0dXJl", 40)})
		s.says(n(2), reply, "I will look at the file and run the tests again.")
		s.calls(n(3), reply, call)
		s.result(n(4), call, n(3), said([]any{fields{"type": "tool_result", "tool_use_id": call, "content": code}}),
			fields{"toolUseResult": fields{"stdout": code, "stderr": ""}})
		s.shown(n(5), strings.Repeat("context ", 60))
		if blobs {
			s.lines = append(s.lines, `{"type":"api-request-blob","sessionId":"s1","hash":"h","message":{"role":"user","content":"`+strings.Repeat("text of a request ", 500)+`"}}`)
		}
	}
	return []byte(s.String())
}

// BenchmarkRead reads from memory, and tells the share of the speed of a scan for
// newlines over the same bytes in the same run.
func BenchmarkRead(b *testing.B) {
	for _, blobs := range []bool{true, false} {
		data := session(b, blobs)
		for name, r := range map[string]func() io.Reader{
			"tree": func() io.Reader { return bytes.NewReader(data) },
			"file": func() io.Reader { return pipe{bytes.NewReader(data)} },
		} {
			b.Run(fmt.Sprintf("%s/requests=%v", name, blobs), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				var scan, read time.Duration
				for b.Loop() {
					begin := time.Now()
					lines := 0
					for rest := data; len(rest) > 0; lines++ {
						rest = rest[bytes.IndexByte(rest, '\n')+1:]
					}
					scanned := time.Now()
					items := 0
					for range claude.Read(r(), transcript.Options{}) {
						items++
					}
					scan, read = scan+scanned.Sub(begin), read+time.Since(scanned)
					if lines < 5000 || items < 3000 {
						b.Fatal(lines, items)
					}
				}
				b.ReportMetric(float64(len(data))*float64(b.N)/1e6/read.Seconds(), "MB/s-read")
				b.ReportMetric(float64(len(data))*float64(b.N)/1e6/scan.Seconds(), "MB/s-scan")
				b.ReportMetric(100*scan.Seconds()/read.Seconds(), "%scan")
			})
		}
	}
}

// BenchmarkTreeMemory tells how much of memory a line takes while a file is read
// by its tree.
func BenchmarkTreeMemory(b *testing.B) {
	const lines = 200_000
	var out bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&out, `{"type":"system","uuid":"%08d-0000-4000-8000-000000000000","parentUuid":"%08d-0000-4000-8000-000000000000"}`+"\n", i+1, i)
	}
	out.WriteString(`{"type":"user","uuid":"x","message":{"content":"x"}}` + "\n")
	for b.Loop() {
		var before, within runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range claude.Read(bytes.NewReader(out.Bytes()), transcript.Options{}) {
			runtime.GC()
			runtime.ReadMemStats(&within)
		}
		b.ReportMetric(float64(within.HeapAlloc-before.HeapAlloc)/lines, "B/line")
	}
}

// BenchmarkFile reads the file that TRIMTAB_TRANSCRIPT names.
func BenchmarkFile(b *testing.B) {
	name := os.Getenv("TRIMTAB_TRANSCRIPT")
	if name == "" {
		b.Skip("set TRIMTAB_TRANSCRIPT to a session of your own")
	}
	for b.Loop() {
		f, err := os.Open(name)
		if err != nil {
			b.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(info.Size())
		for range claude.Read(f, transcript.Options{}) {
		}
		f.Close()
	}
}
