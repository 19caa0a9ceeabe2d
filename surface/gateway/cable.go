package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// cables are connections to providers that are spoken to in plain HTTP: models on
// this machine, and proxies to others. A request leaves in one piece, and its
// reply is read by the one who asked: no other goroutine has to be woken on the
// way, which is most of what a general client costs.
type cables struct {
	dialer net.Dialer
	direct map[string]bool // the hosts to which they go

	mu    sync.Mutex
	idle  map[string][]*cable // by host, the one used last at the end
	timer *time.Timer         // hangs up those that nobody uses; nil where none waits
}

const (
	maxIdle   = 128              // cables to one host that nobody uses
	idleTime  = 60 * time.Second // after which one is hung up
	maxHead   = 1 << 20          // bytes of a reply before its body
	maxInform = 8                // informational replies before the one that counts
	unasked   = 16 << 10         // what any connection takes at once
	slowWrite = 250 * time.Millisecond
	lastWords = 250 * time.Millisecond
)

// newCables returns the cables to those of the hosts that are spoken to in plain
// HTTP and without a proxy, or nil where there are none.
func newCables(d net.Dialer, upstreams map[string]*url.URL) *cables {
	p := &cables{dialer: d, direct: map[string]bool{}, idle: map[string][]*cable{}}
	for _, u := range upstreams {
		proxy, err := http.ProxyFromEnvironment(&http.Request{URL: u})
		if u.Scheme == "http" && err == nil && proxy == nil {
			p.direct[u.Host] = true
		}
	}
	if len(p.direct) == 0 || !canPeek {
		return nil
	}
	return p
}

// goes reports whether there are cables to where a request goes.
func (p *cables) goes(to *url.URL) bool { return p != nil && to.Scheme == "http" && p.direct[to.Host] }

// cable is one connection.
type cable struct {
	conn  net.Conn
	raw   syscall.RawConn
	in    *bufio.Reader
	out   bytes.Buffer // the head of a request
	left  int          // bytes that may come yet before a body; below 0 is no limit
	since time.Time    // when it was last used
	used  bool         // not for the first time
}

// Read reads from the connection for the cable's own reader.
func (l *cable) Read(b []byte) (int, error) {
	if l.left >= 0 {
		if l.left == 0 {
			return 0, errLongHead
		}
		b = b[:min(len(b), l.left)]
	}
	n, err := l.conn.Read(b)
	if l.left >= 0 {
		l.left -= n
	}
	return n, err
}

var errLongHead = errors.New("the head of the reply does not end")

// get returns a cable to a host: one that is idle and still open, or a new one.
func (p *cables) get(ctx context.Context, host string) (*cable, error) {
	for {
		p.mu.Lock()
		all := p.idle[host]
		if len(all) == 0 {
			p.mu.Unlock()
			return p.dial(ctx, host)
		}
		l := all[len(all)-1]
		all[len(all)-1] = nil
		p.idle[host] = all[:len(all)-1]
		p.mu.Unlock()
		if l.quiet() {
			return l, nil
		}
		_ = l.conn.Close() // the provider hung up
	}
}

func (p *cables) dial(ctx context.Context, host string) (*cable, error) {
	address := host
	if _, _, err := net.SplitHostPort(host); err != nil {
		address = net.JoinHostPort((&url.URL{Host: host}).Hostname(), "80")
	}
	conn, err := p.dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	l := &cable{conn: conn}
	l.in = bufio.NewReader(l)
	if tcp, ok := conn.(*net.TCPConn); ok {
		if l.raw, err = tcp.SyscallConn(); err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return l, nil
}

// put keeps a cable whose reply is over.
func (p *cables) put(host string, l *cable) {
	l.since, l.used = time.Now(), true
	if l.out.Cap() > 16<<10 {
		l.out = bytes.Buffer{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle[host]) >= maxIdle {
		_ = l.conn.Close() // as well as any other
		return
	}
	p.idle[host] = append(p.idle[host], l)
	if p.timer == nil {
		p.timer = time.AfterFunc(idleTime, p.sweep)
	}
}

// sweep hangs up cables that nobody has used for long.
func (p *cables) sweep() { p.hangUp(idleTime, maxIdle) }

// hangUp hangs up those that were not used for so long, and of the others all but
// so many to each host.
func (p *cables) hangUp(unused time.Duration, keep int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waits := false
	for host, all := range p.idle {
		n := 0
		for n < len(all) && (n < len(all)-keep || time.Since(all[n].since) >= unused) { // the oldest stand first
			_ = all[n].conn.Close()
			n++
		}
		if all = append([]*cable(nil), all[n:]...); len(all) == 0 {
			delete(p.idle, host)
			continue
		}
		p.idle[host], waits = all, true
	}
	if p.timer != nil {
		p.timer.Stop() // it may be this one
	}
	if p.timer = nil; waits {
		p.timer = time.AfterFunc(idleTime, p.sweep)
	}
}

// send sends a request with this body and returns the reply. sent is false where
// the body is still being sent, to a provider that replied before it had it all.
func (p *cables) send(ctx context.Context, q *http.Request, body *parcel) (reply *http.Response, sent bool, err error) {
	for {
		l, err := p.get(ctx, q.URL.Host)
		if err != nil {
			return nil, true, err
		}
		a := &asked{cable: l, cables: p, host: q.URL.Host}
		conn := l.conn
		a.stop = context.AfterFunc(ctx, func() { _ = conn.Close() }) // who waits for it wakes
		reply, err = a.ask(q, body)
		if err == nil {
			return reply, !a.writing.Load(), nil
		}
		a.end(false)
		if again := l.used && !a.answered && (a.written == 0 || repeatable(q)); !again || ctx.Err() != nil {
			return nil, !a.writing.Load(), err
		}
	}
}

// repeatable reports whether a request that may have arrived can be sent again.
func repeatable(q *http.Request) bool {
	return q.Method == http.MethodGet || q.Method == http.MethodHead
}

// asked is a request on a cable, and then the body of its reply.
type asked struct {
	cable    *cable
	cables   *cables
	host     string
	body     io.Reader // of the reply
	stop     func() bool
	keep     bool // the cable can be used again
	over     bool
	answered bool // something came back
	written  int64
	writing  atomic.Bool
}

func (a *asked) ask(q *http.Request, body *parcel) (*http.Response, error) {
	l := a.cable
	if err := l.head(q, body.size); err != nil {
		return nil, err
	}
	failed := a.write(body)
	if failed != nil { // it may have said why
		if a.written == 0 || l.conn.SetReadDeadline(time.Now().Add(lastWords)) != nil {
			return nil, failed
		}
	}
	l.left = maxHead
	for range maxInform {
		reply, err := http.ReadResponse(l.in, q)
		if err != nil {
			a.answered = l.left < maxHead
			return nil, errors.Join(failed, err)
		}
		if reply.StatusCode < http.StatusContinue || reply.StatusCode == http.StatusSwitchingProtocols {
			return nil, errNoHTTP
		}
		if reply.StatusCode >= http.StatusOK {
			l.left = -1
			if failed != nil {
				_ = l.conn.SetReadDeadline(time.Time{}) // what is there of the reply can be read
			}
			a.keep = failed == nil && !reply.Close
			a.body, reply.Body = reply.Body, a
			if a.body == http.NoBody {
				a.end(true)
			}
			return reply, nil
		}
	}
	return nil, errNoHTTP
}

// head writes the head of a request to its buffer.
func (l *cable) head(q *http.Request, size int) error {
	uri := q.URL.RequestURI()
	for i := range len(uri) {
		if uri[i] <= ' ' || uri[i] == 0x7F {
			return errors.New("the path holds a control character")
		}
	}
	w := &l.out
	w.Reset()
	for _, s := range []string{q.Method, " ", uri, " HTTP/1.1\r\nHost: ", q.Host, "\r\n"} {
		w.WriteString(s)
	}
	if size > 0 || q.Method == http.MethodPost || q.Method == http.MethodPut || q.Method == http.MethodPatch {
		w.WriteString("Content-Length: ")
		w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(size), 10))
		w.WriteString("\r\n")
	}
	if err := q.Header.Write(w); err != nil { // it makes line ends in a value harmless
		return err
	}
	w.WriteString("\r\n")
	return nil
}

// write writes head and body. A provider that does not take them may have
// replied already, so what it is slow to take is written while its reply is read.
func (a *asked) write(body *parcel) error {
	l := a.cable
	pieces := append(make(net.Buffers, 0, 8), l.out.Bytes())
	pieces = append(pieces, body.pieces...)
	slow := body.size > unasked
	if slow {
		if err := l.conn.SetWriteDeadline(time.Now().Add(slowWrite)); err != nil {
			return err
		}
	}
	n, err := pieces.WriteTo(l.conn)
	a.written = n
	if slow && (err == nil || errors.Is(err, os.ErrDeadlineExceeded)) {
		if clearing := l.conn.SetWriteDeadline(time.Time{}); clearing != nil {
			return clearing
		}
	}
	if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	a.writing.Store(true)
	conn := l.conn
	go func() { // it ends with the connection
		if _, err := pieces.WriteTo(conn); err == nil {
			a.writing.Store(false)
		}
	}()
	return nil
}

// Read reads the body of the reply.
func (a *asked) Read(b []byte) (int, error) {
	if a.over {
		return 0, io.EOF
	}
	n, err := a.body.Read(b)
	if err != nil {
		a.end(err == io.EOF)
	}
	return n, err
}

// Close ends the reply, also where not all of it was read.
func (a *asked) Close() error {
	a.end(false)
	return nil
}

// end gives the cable back, or hangs it up.
func (a *asked) end(whole bool) {
	if a.over {
		return
	}
	a.over = true
	free := a.stop()
	if whole && free && a.keep && !a.writing.Load() && a.cable.in.Buffered() == 0 {
		a.cables.put(a.host, a.cable)
		return
	}
	_ = a.cable.conn.Close()
}
