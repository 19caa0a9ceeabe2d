package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/surface/server"
)

// X5: a balancer that asks with exclude=store leaves a gateway in while its store is away;
// one that is ending is taken out all the same.
func TestX5_AGatewayStaysInWithoutItsStore(t *testing.T) {
	f := &fakes{load: errors.New("no database")}
	s := newServer(t, f.options())
	if got := ask(s, "GET", "/readyz"); got.Code != http.StatusServiceUnavailable {
		t.Errorf("%d %s", got.Code, got.Body)
	}
	for _, path := range []string{"/readyz?exclude=store", "/healthz"} {
		if got := ask(s, "GET", path); got.Code != http.StatusOK {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
}

// X5, X8: the end of the certificate is among the metrics, and one that ends soon is told. A
// scrape under load is whole.
func TestX5_MetricsSayWhenTheCertificateEnds(t *testing.T) {
	end := time.Now().Add(48 * time.Hour).Truncate(time.Second)
	cert, key := certificate(t, t.TempDir(), 1, end)
	log := &logged{}
	cfg := server.Config{Listen: "127.0.0.1:0", Cert: cert, Key: key}
	l, err := cfg.Open(t.Context(), noenv, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	f := &fakes{load: trimtab.ErrNotFound}
	opt := f.options()
	opt.Hosts = cfg.Names(l.Addr())
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- newServer(t, opt).Serve(ctx, l) }()
	defer func() {
		stop()
		if err := <-over; err != nil {
			t.Error(err)
		}
	}()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // #nosec G402 -- a test's own certificate
	defer client.CloseIdleConnections()
	get := func(path string) (string, error) {
		reply, err := client.Get("https://" + l.Addr().String() + path)
		if err != nil {
			return "", err
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		return string(text), err
	}
	var load sync.WaitGroup
	for range 8 {
		load.Go(func() {
			for range 50 {
				if _, err := get("/v1/messages"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	want := fmt.Sprintf("# TYPE trimtab_certificate_expiry_timestamp_seconds gauge\ntrimtab_certificate_expiry_timestamp_seconds %d\n", end.Unix())
	for range 20 {
		if text, err := get("/metrics"); err != nil || !strings.HasSuffix(text, want) || !strings.Contains(text, "trimtab_store_waiting_bytes 0\n") {
			t.Fatalf("%v: no %s in %s", err, want, text)
		}
	}
	load.Wait()
	if !strings.Contains(log.String(), "expires soon") {
		t.Errorf("nobody was told: %s", log)
	}
}
