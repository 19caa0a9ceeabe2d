package claude_test

import (
	"bytes"
	"encoding/json"
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

// session is a transcript of about 24 MB with the mix of a long one, its fields in
// the order in which Claude Code writes them: tools' results (each written twice,
// as it does), replies, attachments and recorded requests. Without blobs, the
// requests are left out: older versions write none.
func session(b *testing.B, blobs bool) []byte {
	b.Helper()
	code, err := json.Marshal(strings.Repeat("func walk(b []byte) error {\n\treturn fmt.Errorf(\"line %d: %w\", n, err)\n}\n", 40))
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	id := func(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
	tail := `"userType":"external","entrypoint":"cli","cwd":"/home/user/project","sessionId":"eac2f056-132a-4ed1-b0a0-f51509662c82","version":"2.1.325","gitBranch":"master"}`
	line := func(n int, body string) {
		fmt.Fprintf(&out, `{"parentUuid":%q,"isSidechain":false,%s,"uuid":%q,"timestamp":"2026-11-15T02:18:37.107Z",%s`+"\n", id(n-1), body, id(n), tail)
	}
	reply := func(n, turn int, block string) {
		line(n, fmt.Sprintf(`"message":{"model":"claude-opus-5-5","id":"msg_%d","type":"message","role":"assistant","content":[%s],"stop_reason":null,"usage":{"input_tokens":10,"cache_creation_input_tokens":5000,"cache_read_input_tokens":90000,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":5000},"output_tokens":300,"service_tier":"standard"}},"requestId":"req_%d","type":"assistant"`, turn, block, turn))
	}
	n := 1
	for i := range 1200 {
		if i%20 == 0 {
			line(n, `"promptId":"p","type":"user","message":{"role":"user","content":"please look at this once more, it still does not work"},"promptSource":"typed","turnOrigin":"human"`)
			n++
		}
		reply(n, i, `{"type":"thinking","thinking":"","signature":"`+strings.Repeat("c2lnbmF0dXJl", 40)+`"}`)
		reply(n+1, i, `{"type":"text","text":"I will look at the file and run the tests again."}`)
		reply(n+2, i, fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{"command":"sed -n 1,40p walk.go","description":"Look at the file"}}`, i))
		line(n+3, fmt.Sprintf(`"promptId":"p","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":%s,"is_error":false}]}`, i, code))
		out.Truncate(out.Len() - len(tail) - 1)
		fmt.Fprintf(&out, `"toolUseResult":{"stdout":%s,"stderr":"","interrupted":false,"isImage":false},"sourceToolAssistantUUID":%q,%s`+"\n", code, id(n+2), tail)
		text := strings.Repeat("context ", 60)
		line(n+4, `"attachment":{"type":"hook_additional_context","content":["`+text+`"],"hookName":"x"},"rendered":[{"content":"<system-reminder>`+text+`</system-reminder>"}],"renderedRole":"system","type":"attachment"`)
		n += 5
		if blobs {
			out.WriteString(`{"type":"api-request-blob","sessionId":"s1","hash":"h","message":{"role":"user","content":"` + strings.Repeat("text of a request ", 500) + `"}}` + "\n")
		}
	}
	return out.Bytes()
}

// BenchmarkRead reads from memory, and tells the share of the speed of a scan for
// newlines over the same bytes in the same run. The best of all rounds counts on
// both sides: on a busy machine the mean of the longer one holds others' work.
func BenchmarkRead(b *testing.B) {
	for _, blobs := range []bool{true, false} {
		data := session(b, blobs)
		for _, c := range []struct {
			name string
			r    func() io.Reader
			opt  transcript.Options
		}{
			{"tree", func() io.Reader { return bytes.NewReader(data) }, transcript.Options{}},
			{"file", func() io.Reader { return pipe{bytes.NewReader(data)} }, transcript.Options{}},
			{"tree-brief", func() io.Reader { return bytes.NewReader(data) }, transcript.Options{Brief: true}},
			{"file-brief", func() io.Reader { return pipe{bytes.NewReader(data)} }, transcript.Options{Brief: true}},
		} {
			b.Run(fmt.Sprintf("%s/requests=%v", c.name, blobs), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				scan, read := time.Hour, time.Hour
				for b.Loop() {
					begin := time.Now()
					lines := 0
					for rest := data; len(rest) > 0; lines++ {
						rest = rest[bytes.IndexByte(rest, '\n')+1:]
					}
					scanned := time.Now()
					items := 0
					for range claude.Read(c.r(), c.opt) {
						items++
					}
					scan, read = min(scan, scanned.Sub(begin)), min(read, time.Since(scanned))
					if lines < 5000 || items < 3000 {
						b.Fatal(lines, items)
					}
				}
				b.ReportMetric(float64(len(data))/1e6/read.Seconds(), "MB/s-read")
				b.ReportMetric(float64(len(data))/1e6/scan.Seconds(), "MB/s-scan")
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
