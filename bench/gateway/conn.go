package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/crc32"
	"net"
	"strconv"
	"time"
)

// maxReply is the longest reply that is read.
const maxReply = 64 << 20

// target is a server under measurement and the connection to it.
type target struct {
	name, host string
	prefix     string // of every path
	pids       []int
	tls        *tls.Config // nil for plain HTTP
	conn       net.Conn
	in         *bufio.Reader
}

// request is what is sent to every target alike.
type request struct {
	session string
	headers string // further ones, each with its line end
	body    []byte
	each    func([]byte) // sees the pieces of the reply as they come
}

// reply is what was received.
type reply struct {
	status int
	took   time.Duration
	length int
	sum    uint32
}

func table() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// another is the same server for another client.
func (t *target) another() *target {
	return &target{name: t.name, host: t.host, prefix: t.prefix, pids: t.pids, tls: t.tls}
}

func (t *target) hangUp() {
	if t.conn != nil {
		_ = t.conn.Close()
		t.conn = nil
	}
}

// ask sends a request and reads the reply. The client is as thin as it can be,
// head and body in one system call, so that it adds little and to all the same.
// It presents itself as Claude Code: only then is a request a main turn.
func (t *target) ask(ctx context.Context, r request) (reply, error) {
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	if t.conn == nil {
		c, err := net.Dial("tcp", t.host)
		if err != nil {
			return reply{}, err
		}
		if t.tls != nil {
			c = tls.Client(c, t.tls)
		}
		t.conn, t.in = c, bufio.NewReaderSize(c, 64<<10)
	}
	head := fmt.Appendf(nil, "POST %s/v1/messages HTTP/1.1\r\nHost: %s\r\nUser-Agent: claude-cli/2.1.325 (external, cli)\r\nX-Claude-Code-Session-Id: %s\r\nContent-Type: application/json\r\nAnthropic-Version: 2023-06-01\r\nX-Api-Key: bench\r\nContent-Length: %d\r\n%s\r\n",
		t.prefix, t.host, r.session, len(r.body), r.headers)
	if err := t.conn.SetDeadline(time.Now().Add(90 * time.Second)); err != nil {
		return reply{}, err
	}
	conn := t.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) }) // what waits for it ends
	defer stop()
	began := time.Now()
	bufs := net.Buffers{head, r.body}
	if _, err := bufs.WriteTo(t.conn); err != nil {
		t.hangUp()
		return reply{}, err
	}
	rep, again, err := readReply(t.in, r.each)
	rep.took = time.Since(began)
	if err != nil || !again {
		t.hangUp()
	}
	return rep, err
}

// readReply reads one reply and reports whether the connection can be used again.
func readReply(in *bufio.Reader, each func([]byte)) (r reply, again bool, err error) {
	h, err := readHead(in)
	if err != nil {
		return r, false, err
	}
	r.status = h.status
	take := func(n int) error {
		for n > 0 {
			if _, err := in.Peek(1); err != nil {
				return err
			}
			b, err := in.Peek(min(n, in.Buffered()))
			if err != nil {
				return err
			}
			if r.length += len(b); r.length > maxReply {
				return errors.New("the reply does not end")
			}
			if each != nil {
				each(b)
			}
			r.sum = crc32.Update(r.sum, table(), b)
			n -= len(b)
			if _, err := in.Discard(len(b)); err != nil {
				return err
			}
		}
		return nil
	}
	if !h.chunked {
		if h.length < 0 {
			return r, false, errors.New("a reply of unknown length")
		}
		return r, !h.closes, take(h.length)
	}
	for {
		n, err := readChunk(in)
		if err != nil {
			return r, false, err
		}
		if err := take(n); err != nil {
			return r, false, err
		}
		if line, err := in.ReadSlice('\n'); err != nil || len(bytes.TrimSpace(line)) > 0 {
			return r, false, errors.Join(errors.New("a chunk without its end"), err)
		}
		if n == 0 {
			return r, !h.closes, nil
		}
	}
}

// head is what matters of the head of a reply.
type head struct {
	status, length  int
	chunked, closes bool
}

func readHead(in *bufio.Reader) (head, error) {
	h := head{length: -1}
	line, err := in.ReadSlice('\n')
	if err != nil {
		return h, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) {
		return h, errors.New("not a reply of HTTP/1")
	}
	if h.status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return h, fmt.Errorf("status: %w", err)
	}
	for range 1000 {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return h, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return h, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if h.length, err = strconv.Atoi(string(value)); err != nil || h.length < 0 {
				return h, errors.New("a length that is none")
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			h.chunked = bytes.EqualFold(value, []byte("chunked"))
		case bytes.EqualFold(name, []byte("Connection")):
			h.closes = bytes.EqualFold(value, []byte("close"))
		}
	}
	return h, errors.New("more than 1,000 header lines")
}

func readChunk(in *bufio.Reader) (int, error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	digits, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(";"))
	n, err := strconv.ParseUint(string(digits), 16, 31)
	if err != nil {
		return 0, fmt.Errorf("chunk: %w", err)
	}
	return int(n), nil
}
