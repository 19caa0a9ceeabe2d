package gateway

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/trimtab/trimtab/wire"
)

// faulty is a format whose readers of replies have a bug.
type faulty struct {
	wire.Format
	write, close bool
}

func (f faulty) NewReply(bool) wire.Reply { return broken{f} }

type broken struct{ faulty }

func (b broken) Write([]byte) {
	if b.write {
		panic("a bug")
	}
}

func (broken) Watch(func(wire.Delta)) {}

func (b broken) Close() wire.Result {
	if b.close {
		panic("a bug")
	}
	return wire.Result{}
}

// TestP6_ABugInReadingARepliesCopy: the reply passes whole, and it is counted.
func TestP6_ABugInReadingARepliesCopy(t *testing.T) {
	plain := strings.Repeat("data: {}\n\n", 10000)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := io.WriteString(z, plain); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for encoding, body := range map[string]string{"": plain, "gzip": packed.String()} {
		for _, f := range []faulty{{write: true}, {close: true}} {
			g := &Gateway{Steerer: &Steerer{opt: Options{Log: slog.New(slog.DiscardHandler)}}}
			w := httptest.NewRecorder()
			reply := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": {encoding}}, ContentLength: -1, Body: io.NopCloser(strings.NewReader(body))}
			g.pass(w, httptest.NewRequest(http.MethodPost, "/", nil), reply, &turn{format: f, ledger: &ledger{}}, nil)
			if w.Body.String() != body || g.Stats.Faults.Load() != 1 {
				t.Errorf("%q, %+v: %d of %d bytes passed, %d faults", encoding, f, w.Body.Len(), len(body), g.Stats.Faults.Load())
			}
		}
	}
}

// away is a client that is gone.
type away struct{ http.ResponseWriter }

func (away) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// TestP12_NothingReadsOnWhenTheClientIsGone: what unpacks the copy ends with it.
func TestP12_NothingReadsOnWhenTheClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which ends only when all its goroutines have
		g := &Gateway{Steerer: &Steerer{opt: Options{Log: slog.New(slog.DiscardHandler)}}}
		for _, encoding := range []string{"gzip", "zstd"} {
			reply := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Encoding": {encoding}}, ContentLength: -1, Body: io.NopCloser(strings.NewReader("begun"))}
			g.pass(away{httptest.NewRecorder()}, httptest.NewRequest(http.MethodPost, "/", nil), reply, &turn{format: faulty{}, ledger: &ledger{}}, nil)
		}
	})
}
