package main

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Headers by which a request says what the fake model should reply.
const (
	eventsHeader = "Bench-Events" // a stream of so many events
	gapHeader    = "Bench-Gap"    // microseconds between them
	seedHeader   = "Bench-Seed"   // events that follow from this number, instead of time marks
	gateHeader   = "Bench-Gate"   // NAME/N: no event before N streams of that name are open
)

const filler = "the quick brown fox jumps over the lazy dog and returns"

// model is the fake provider. It answers as soon as it has read a request.
type model struct {
	buffers sync.Pool
	mu      sync.Mutex
	gates   map[string]*gate
}

type gate struct {
	missing int
	open    chan struct{}
}

func newModel() *model {
	return &model{buffers: sync.Pool{New: func() any { return new([256 << 10]byte) }}, gates: map[string]*gate{}}
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	buf := m.buffers.Get().(*[256 << 10]byte)
	defer m.buffers.Put(buf)
	total := 0
	for {
		n, err := r.Body.Read(buf[:])
		total += n
		if err == io.EOF {
			break
		}
		if err != nil {
			return
		}
	}
	if r.Header.Get(eventsHeader) != "" {
		m.stream(w, r, total)
		return
	}
	text := document(total)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text)
}

// document is a reply that is no stream. The model counts four bytes a token.
func document(read int) []byte {
	return fmt.Appendf(nil, `{"id":"msg_01ABC","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"%s"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":200,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}`,
		strings.Repeat(filler+" ", 20), read/4)
}

func (m *model) stream(w http.ResponseWriter, r *http.Request, read int) {
	number := func(name string) int {
		n, err := strconv.Atoi(r.Header.Get(name))
		if err != nil {
			return 0
		}
		return n
	}
	events, gap, seed := min(number(eventsHeader), 100_000), time.Duration(number(gapHeader))*time.Microsecond, number(seedHeader)
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	flush := http.NewResponseController(w)
	send := func(b []byte) {
		_, _ = w.Write(b) // who no longer listens is not told
		_ = flush.Flush()
	}
	send(opening(read, seed))
	m.wait(r)
	var buf []byte
	for i := range events {
		if gap > 0 {
			time.Sleep(gap)
		}
		if r.Context().Err() != nil {
			return
		}
		text := "t=" + strconv.FormatInt(time.Now().UnixNano(), 10) + "; " + filler
		if seed != 0 {
			text = line(seed, i)
		}
		buf = event(buf[:0], text)
		send(buf)
	}
	send([]byte(closing))
}

func opening(read, seed int) []byte {
	if seed != 0 {
		read = 0 // the reply is to be known beforehand
	}
	return fmt.Appendf(nil, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":%d,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n", read/4)
}

const closing = "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":200}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

func event(dst []byte, text string) []byte {
	return fmt.Appendf(dst, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"%s\"}}\n\n", text)
}

// line is the text of one event of a seed.
func line(seed, i int) string {
	c := chance(uint64(seed)<<20 + uint64(i))
	return fmt.Sprintf("%d.%d %x %s", seed, i, c.next(), filler[:c.below(len(filler))])
}

// expected is the length and the checksum of the stream of a seed.
func expected(seed, events int) (length int, sum uint32) {
	b := opening(0, seed)
	for i := range events {
		b = event(b, line(seed, i))
	}
	b = append(b, closing...)
	return len(b), crc32.Checksum(b, table())
}

// wait holds a stream until all of its gate are open, but not for ever.
func (m *model) wait(r *http.Request) {
	name, count, _ := strings.Cut(r.Header.Get(gateHeader), "/")
	n, err := strconv.Atoi(count)
	if name == "" || err != nil {
		return
	}
	m.mu.Lock()
	g := m.gates[name]
	if g == nil {
		g = &gate{missing: n, open: make(chan struct{})}
		m.gates[name] = g
	}
	if g.missing--; g.missing == 0 {
		close(g.open)
	}
	m.mu.Unlock()
	timer := time.NewTimer(60 * time.Second)
	defer timer.Stop()
	select {
	case <-g.open:
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// serve serves on a port of loopback, says which, and ends when the input does:
// with the process that started it. With a certificate it speaks TLS.
func serve(in io.Reader, says io.Writer, h http.Handler, certFile, keyFile string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, in)
		_ = srv.Close()
	}()
	fmt.Fprintf(says, "listening on http://%s\n", l.Addr())
	if certFile != "" {
		err = srv.ServeTLS(l, certFile, keyFile)
	} else {
		err = srv.Serve(l)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
