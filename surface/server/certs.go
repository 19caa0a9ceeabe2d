package server

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// certs is a certificate in two files. Whoever renews it need not restart the server.
type certs struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	now    *tls.Certificate
	stamp  [2]time.Time // of the files, when they were read
	looked time.Time
	warned time.Time
}

// openCerts reads the files. Those that do not fit together stop the start; later they
// only stop the change.
func openCerts(cert, key string, log *slog.Logger) (*certs, error) {
	c := &certs{cert: cert, key: key, log: log}
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return c, nil
}

func (c *certs) load() error {
	stamp := c.stamps()
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.now, c.stamp = &pair, stamp
	return nil
}

func (c *certs) stamps() (at [2]time.Time) {
	for i, file := range []string{c.cert, c.key} {
		if info, err := os.Stat(file); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

// The pause between looks at the files, and between warnings of one that has expired or is
// about to.
const (
	lookAgain = time.Second
	warnAgain = time.Hour
	endsSoon  = 7 * 24 * time.Hour
)

// get is the certificate for a handshake.
func (c *certs) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.look(time.Now()), nil
}

// look is the certificate as its files are now. It warns of one that ends: clients would only
// say that they cannot connect.
func (c *certs) look(now time.Time) *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now.Sub(c.looked) >= lookAgain {
		c.looked = now
		if at := c.stamps(); at != c.stamp {
			if err := c.load(); err != nil {
				c.log.Warn("the certificate was changed and cannot be read; the one before it is used", "error", err)
				c.stamp = at // told once
			} else {
				c.log.Info("a new certificate is used", "until", c.now.Leaf.NotAfter)
				c.warned = time.Time{}
			}
		}
	}
	end := c.now.Leaf.NotAfter
	if now.Add(endsSoon).Before(end) || now.Sub(c.warned) < warnAgain {
		return c.now
	}
	c.warned = now
	if now.After(end) {
		c.log.Error("the certificate has expired: clients refuse it; put a new one in its place, and it is used at once", "file", c.cert, "since", end)
	} else {
		c.log.Warn("the certificate expires soon; put a new one in its place, and it is used at once", "file", c.cert, "at", end)
	}
	return c.now
}

// secured is a listener that knows until when its certificate is good.
type secured struct {
	net.Listener
	certs *certs
}

// expires is when the certificate that is used now ends.
func (l secured) expires() time.Time { return l.certs.look(time.Now()).Leaf.NotAfter }
