package server_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/server"
)

func noenv(string) string { return "" }

// certificate writes a chain of one for localhost, which ends then, and its key.
func certificate(t *testing.T, dir string, serial int64, ends time.Time) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	plan := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: ends.Add(-48 * time.Hour), NotAfter: ends, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, plan, plan, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: raw}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(serial, 0) // file systems with coarse times see the change too
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// X5: any address can be listened on, and what others can reach is encrypted by us or by
// a proxy.
func TestX5_WhatOthersCanReachIsEncrypted(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), 1, time.Now().Add(time.Hour))
	for _, c := range []struct {
		name string
		cfg  server.Config
		want string
	}{
		{"loopback", server.Config{Listen: "127.0.0.1:0"}, ""},
		{"all addresses in the clear", server.Config{Listen: "0.0.0.0:0"}, "--tls-cert"},
		{"all addresses in short", server.Config{Listen: ":0"}, "--trust-proxy"},
		{"with a certificate", server.Config{Listen: "0.0.0.0:0", Cert: cert, Key: key}, ""},
		{"behind a proxy", server.Config{Listen: ":0", TrustProxy: true}, ""},
		{"loopback with a certificate", server.Config{Listen: "127.0.0.1:0", Cert: cert, Key: key}, ""},
		{"a certificate without its key", server.Config{Listen: "0.0.0.0:0", Cert: cert}, "serve.key"},
		{"a key without its certificate", server.Config{Listen: "0.0.0.0:0", Key: key}, "serve.cert"},
		{"files that are not there", server.Config{Listen: "127.0.0.1:0", Cert: cert + "x", Key: key}, "no such file"},
		{"files in each other's place", server.Config{Listen: "127.0.0.1:0", Cert: key, Key: cert}, "TLS"},
		{"a name", server.Config{Listen: "gateway.example:443", TrustProxy: true}, "give an IP address"},
		{"no port", server.Config{Listen: "127.0.0.1"}, "give host:port"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := c.cfg.Open(t.Context(), noenv, slog.New(slog.DiscardHandler))
			if err == nil {
				_ = l.Close()
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v; want %q", err, c.want)
			}
		})
	}
}

// logged is a log that several goroutines write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// X5: a certificate that expires while the server runs is told, and a new one in its
// place is used without a restart; one that cannot be read changes nothing.
func TestX5_ANewCertificateIsUsedAtOnce(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir, 1, time.Now().Add(-time.Hour))
	f := &fakes{load: trimtab.ErrNotFound}
	cfg := server.Config{Listen: "127.0.0.1:0", Cert: cert, Key: key}
	log := &logged{}
	l, err := cfg.Open(t.Context(), noenv, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	opt := f.options()
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- newServer(t, opt).Serve(ctx, l) }()
	defer func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}()
	shake := func() (serial int64, protocol string) {
		t.Helper()
		raw, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}}) // #nosec G402 -- which one is served is the question
		defer conn.Close()
		if err := conn.HandshakeContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		st := conn.ConnectionState()
		return st.PeerCertificates[0].SerialNumber.Int64(), st.NegotiatedProtocol
	}
	if serial, protocol := shake(); serial != 1 || protocol != "h2" {
		t.Errorf("certificate %d, protocol %q", serial, protocol)
	}
	if !strings.Contains(log.String(), "has expired") {
		t.Errorf("nobody was told: %s", log)
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s; the log: %s", what, log)
			}
		}
	}
	certificate(t, dir, 2, time.Now().Add(time.Hour))
	until("the new certificate is not used", func() bool { serial, _ := shake(); return serial == 2 })
	if err := os.WriteFile(cert, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	until("a damaged certificate is not told", func() bool { shake(); return strings.Contains(log.String(), "cannot be read") })
	if serial, _ := shake(); serial != 2 {
		t.Errorf("certificate %d; want the one before", serial)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}} // #nosec G402 -- it was looked at above
	defer client.CloseIdleConnections()
	reply, err := client.Get("https://" + l.Addr().String() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	if err != nil || string(text) != "ok\n" || reply.ProtoMajor != 2 {
		t.Errorf("%q by HTTP %d, %v", text, reply.ProtoMajor, err)
	}
}

// X5: probes call a server by any name; its other routes only by its own. Behind a proxy
// that is the name which the client gave.
func TestX5_NamesAndProbes(t *testing.T) {
	f := &fakes{load: trimtab.ErrNotFound}
	opt := f.options()
	opt.API, opt.Hosts = named("api"), server.Config{TrustProxy: true, Hosts: []string{" Gateway.example"}}.Names(&net.TCPAddr{IP: net.IPv4zero, Port: 8787})
	opt.Viewer = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer good" }
	proxied := opt
	proxied.TrustProxy = true
	for _, c := range []struct {
		name, path string
		opt        server.Options
		header     []string
		want       int
	}{
		{"a probe by address", "/healthz", opt, []string{"Host: 10.1.2.3:8787"}, 200},
		{"readiness by address", "/readyz", opt, []string{"Host: 10.1.2.3:8787"}, 200},
		{"by its name", "/trimtab/api/x", opt, []string{"Host: gateway.example"}, 200},
		{"by another name", "/trimtab/api/x", opt, []string{"Host: evil.example"}, 403},
		{"from its page", "/trimtab/api/x", opt, []string{"Host: gateway.example", "Origin: https://gateway.example"}, 200},
		{"from a page in the clear", "/trimtab/api/x", opt, []string{"Host: gateway.example", "Origin: http://gateway.example"}, 403},
		{"from another page", "/trimtab/api/x", opt, []string{"Host: gateway.example", "Origin: https://evil.example"}, 403},
		{"from a file", "/trimtab/api/x", opt, []string{"Host: gateway.example", "Origin: null"}, 403},
		{"forwarded, and no proxy is trusted", "/trimtab/api/x", opt, []string{"Host: 10.1.2.3:8787", "X-Forwarded-Host: gateway.example"}, 403},
		{"forwarded", "/trimtab/api/x", proxied, []string{"Host: 10.1.2.3:8787", "X-Forwarded-Host: gateway.example"}, 200},
		{"forwarded by another name", "/trimtab/api/x", proxied, []string{"Host: gateway.example", "X-Forwarded-Host: evil.example"}, 403},
		{"metrics without a token", "/metrics", opt, []string{"Host: gateway.example"}, 401},
		{"metrics with one, by address", "/metrics", opt, []string{"Host: 10.1.2.3:8787", "Authorization: Bearer good"}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w := ask(newServer(t, c.opt), "GET", c.path, c.header...); w.Code != c.want {
				t.Errorf("%d %s; want %d", w.Code, w.Body, c.want)
			}
		})
	}
}

// X5: a server that ends says so first, and answers for a while.
func TestX5_ItDrains(t *testing.T) {
	for drain := time.Second; !drained(t, drain); drain *= 4 { // the machine was too busy to ask in time
		if drain > time.Minute {
			t.Fatal("it does not answer while it drains")
		}
	}
}

// drained ends a server and asks it meanwhile. It says whether there was an answer in the time
// that the server drains.
func drained(t *testing.T, drain time.Duration) bool {
	t.Helper()
	f := &fakes{load: trimtab.ErrNotFound}
	opt := f.options()
	opt.Drain = drain
	l, err := server.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	opt.Hosts = server.AllowedHosts(l.Addr())
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- newServer(t, opt).Serve(ctx, l) }()
	get := func(path string) int {
		reply, err := http.Get("http://" + l.Addr().String() + path)
		if err != nil {
			return 0
		}
		_ = reply.Body.Close()
		return reply.StatusCode
	}
	if got := get("/readyz"); got != 200 {
		t.Errorf("before: %d", got)
	}
	stop()
	said := get("/readyz")
	for said == 200 { // the context's end is seen a moment later
		time.Sleep(time.Millisecond)
		said = get("/readyz")
	}
	answer := get("/v1/messages")
	if err := <-over; err != nil {
		t.Error(err)
	}
	if get("/healthz") != 0 {
		t.Error("it still answers")
	}
	if said == 0 || answer == 0 {
		return false
	}
	if said != 503 || answer != 200 {
		t.Errorf("while it drains: %d and %d", said, answer)
	}
	return true
}
