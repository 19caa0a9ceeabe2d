package gateway_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/trimtab/trimtab/wire/wiretest"
)

// digest is a provider that answers with the checksum of what arrived.
func digest(t *testing.T) *provider {
	t.Helper()
	return newProvider(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		fmt.Fprint(w, sum(raw))
	})
}

func sum(raw []byte) string {
	h := sha256.Sum256(raw)
	return hex.EncodeToString(h[:])
}

// bodies is how many bodies of each format are sent.
const bodies = 10000

// TestP7_GeneratedBodiesArriveIdentical sends conversations in all spellings that
// JSON has, with nothing to inject.
func TestP7_GeneratedBodiesArriveIdentical(t *testing.T) {
	for name, d := range dialects() {
		t.Run(name, func(t *testing.T) {
			up := digest(t)
			r := newRig(t, parts{up: up.URL, still: true})
			const workers = 4
			var wg sync.WaitGroup
			for worker := range workers {
				wg.Go(func() {
					for seed := uint64(worker); seed < bodies; seed += workers {
						talk, c := wiretest.NewTalk(seed, 4)
						raw := d.corpus.Encode(talk, c, false)
						header := with(d.key, "X-Trimtab-Session", fmt.Sprint("s", seed/20))
						if seed%2 == 1 {
							header.Set("X-Trimtab-Session", fmt.Sprint("w", worker)) // one history after the other
						}
						a, err := r.try(http.MethodPost, d.path, header, bytes.NewReader(raw))
						if err != nil || a.status != http.StatusOK || string(a.body) != sum(raw) {
							t.Errorf("seed %d: another body arrived: %v, status %d", seed, err, a.status)
							return
						}
					}
				})
			}
			wg.Wait()
			if n := r.gate.Stats.Main.Load(); n != bodies {
				t.Errorf("%d of %d were taken for main turns", n, bodies)
			}
			if n := r.gate.Stats.Faults.Load(); n != 0 {
				t.Errorf("%d faults:\n%.2000s", n, r.log)
			}
		})
	}
}
