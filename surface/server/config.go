package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"

	"github.com/trimtab/trimtab/surface/address"
)

// Config says where a server listens and who can reach it.
type Config struct {
	Listen       string            `json:"listen" default:"127.0.0.1:8787" guard:"user" doc:"address to listen on, as in 0.0.0.0:8787"`
	Cert         string            `json:"cert" guard:"user" doc:"file with the certificate chain for TLS, in PEM; read again when it changes"`
	Key          string            `json:"key" guard:"user" doc:"file with the key of the certificate, in PEM"`
	TrustProxy   bool              `json:"trustProxy" guard:"user" doc:"a proxy before it ends TLS: plain HTTP is served beyond loopback, and X-Forwarded-Host counts"`
	Hosts        []string          `json:"hosts" guard:"user" doc:"names under which it is called, with their port unless it is 443 or 80, as in gateway.example"`
	ProviderKeys map[string]string `json:"providerKeys" guard:"user" doc:"keys of providers that the gateway holds, so that callers need only their own: where each is, as in env:ANTHROPIC_API_KEY, file:/run/secrets/openai or keyring:GEMINI_API_KEY"`
	MetricsToken string            `json:"metricsToken" guard:"user" doc:"where the token is with which /metrics may be read, as in file:/run/secrets/metrics; the management token always may"`
	Policy       string            `json:"policy" guard:"user" doc:"settings file that is served to clients who join it (trimtab config policy)"`
	Keep         int               `json:"keep" default:"0" min:"0" max:"36500" guard:"user" doc:"days after which sessions that did not change are removed, of all users; 0 keeps them"`
	KeepRecords  int               `json:"keepRecords" default:"0" min:"0" max:"36500" guard:"user" doc:"days after which the audit and the counts of what keys used are removed; 0 keeps them"`
	Drain        int               `json:"drain" default:"0" min:"0" max:"600" guard:"user" doc:"seconds that it goes on answering at its end, while /readyz says that it is ending"`
}

// With is the settings with what a command line says in their place.
func (c Config) With(said Config) Config {
	c.Listen, c.Cert, c.Key = cmp.Or(said.Listen, c.Listen), cmp.Or(said.Cert, c.Cert), cmp.Or(said.Key, c.Key)
	c.TrustProxy = c.TrustProxy || said.TrustProxy
	if len(said.Hosts) > 0 {
		c.Hosts = said.Hosts
	}
	return c
}

// Check says what is wrong with the settings together. What others can reach is
// encrypted, by us or by a proxy: requests hold people's keys and work.
func (c Config) Check() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("the address to listen on: %w; give host:port", err)
	}
	switch ip := net.ParseIP(host); {
	case (c.Cert == "") != (c.Key == ""):
		return errors.New("TLS needs a certificate and its key: set both serve.cert and serve.key")
	case ip == nil && host != "localhost" && host != "":
		return fmt.Errorf("%s is no address of this machine: give an IP address, as in 0.0.0.0 for all", host)
	case c.Loopback() || c.Cert != "" || c.TrustProxy:
		return nil
	}
	return fmt.Errorf("%s can be reached by others: give a certificate (--tls-cert, --tls-key), or say that a proxy before it ends TLS (--trust-proxy)", c.Listen)
}

// Loopback reports whether only this machine can reach the server.
func (c Config) Loopback() bool { return CheckLoopback(c.Listen) == nil }

// Open listens, and encrypts where there is a certificate. Port 0 takes a free one.
func (c Config) Open(ctx context.Context, getenv func(string) string, log *slog.Logger) (net.Listener, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	l, err := c.listen(ctx, getenv)
	if err != nil || c.Cert == "" {
		return l, err
	}
	certs, err := openCerts(c.Cert, c.Key, log)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return secured{tls.NewListener(l, &tls.Config{
		GetCertificate: certs.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	}), certs}, nil
}

// Public reports whether others than the programs of this machine come to the server, also
// by way of a proxy on it.
func (c Config) Public() bool { return !c.Loopback() || c.TrustProxy || len(c.Hosts) > 0 }

func (c Config) listen(ctx context.Context, getenv func(string) string) (net.Listener, error) {
	l, err := Inherited(getenv)
	if err != nil {
		return nil, err
	}
	if l == nil {
		var lc net.ListenConfig
		return lc.Listen(ctx, "tcp", c.Listen)
	}
	c.Listen = l.Addr().String()
	if err := c.Check(); err != nil {
		return nil, errors.Join(fmt.Errorf("the socket of the service manager: %w", err), l.Close())
	}
	return l, nil
}

// Names are the hosts that requests may name: see package address.
func (c Config) Names(a net.Addr) []string {
	here := AllowedHosts(a)
	if c.Cert != "" {
		here = address.Secure(here...)
	}
	if c.Cert != "" || c.TrustProxy {
		return append(here, address.Secure(c.Hosts...)...)
	}
	return append(here, c.Hosts...)
}

// URL is the address for clients: the first name that was set, or what is listened on.
func (c Config) URL(listening string) string {
	name, scheme := listening, c.Scheme()
	if len(c.Hosts) > 0 {
		name = cmp.Or(strings.TrimSpace(c.Hosts[0]), name)
	}
	if c.TrustProxy {
		scheme = "https"
	}
	return scheme + "://" + name
}

// Flag says to trimtab serve address where this server is.
func (c Config) Flag(a net.Addr) string {
	if len(c.Hosts) > 0 {
		return "--url " + c.URL("")
	}
	return "--listen " + a.String()
}

// Scheme is how the listener itself is spoken to.
func (c Config) Scheme() string {
	if c.Cert != "" {
		return "https"
	}
	return "http"
}
