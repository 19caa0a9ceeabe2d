package front

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// BenchmarkRequest is one request after the other on a connection, with a body of
// 10 KB and a small reply, on the standard server and on ours.
func BenchmarkRequest(b *testing.B) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "2")
		_, _ = w.Write([]byte("{}"))
		_ = http.NewResponseController(w).Flush()
	})
	raw := []byte(fmt.Sprintf("POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:8787\r\nUser-Agent: claude-cli/2.1.325 (external, cli)\r\nX-Claude-Code-Session-Id: 0123456789\r\nContent-Type: application/json\r\nAnthropic-Version: 2023-06-01\r\nX-Api-Key: bench\r\nContent-Length: %d\r\n\r\n%s", 10_000, strings.Repeat("x", 10_000)))
	for name, s := range map[string]server{"standard": theirs(h), "front": ours(h)} {
		b.Run(name, func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			end := make(chan error, 1)
			go func() { end <- s.Serve(l) }()
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			in := bufio.NewReader(c)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.Write(raw); err != nil {
					b.Fatal(err)
				}
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						b.Fatal(err)
					}
					if len(line) == 2 {
						break
					}
				}
				if _, err := in.Discard(2); err != nil {
					b.Fatal(err)
				}
			}
			_ = s.Close()
			<-end
		})
	}
}
