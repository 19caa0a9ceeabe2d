package secrettest_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/internal/secret"
	"github.com/trimtab/trimtab/internal/secret/secrettest"
)

func TestP15_SixtyCanariesOfAsManyKinds(t *testing.T) {
	canaries := secrettest.Make(1)
	kinds, values := map[string]bool{}, map[string]bool{}
	for _, c := range canaries {
		kinds[c.Kind], values[c.Value] = true, true
		if !strings.Contains(c.Text, c.Value) || len(c.Value) < 14 {
			t.Errorf("%s: its text does not hold it, or it is too short to be told", c.Kind)
		}
	}
	if len(canaries) != 60 || len(kinds) != 60 || len(values) != 60 {
		t.Errorf("%d canaries, %d kinds, %d values; want 60", len(canaries), len(kinds), len(values))
	}
	if diff := cmp.Diff(canaries, secrettest.Make(1)); diff != "" {
		t.Errorf("the same seed made others:\n%s", diff)
	}
	for _, c := range secrettest.Make(2) {
		if values[c.Value] {
			t.Errorf("%s: another seed made the same", c.Kind)
		}
	}
}

func TestP15_TheDetectorTakesEveryCanaryOut(t *testing.T) {
	for seed := range uint64(40) {
		canaries := secrettest.Make(seed)
		for _, c := range canaries {
			clean, found := secret.New(secret.Options{}).Redact(c.Text)
			for _, p := range secrettest.In("text", []byte(clean), []secrettest.Canary{c}) {
				t.Errorf("seed %d: %v\n%v\n%s", seed, p, found, c.Text)
			}
		}
	}
}

// TestP15_TheSearchFindsAPlantedCanary hides one canary after the other in a
// folder, in every way in which it may stay behind. A search that misses one
// would let a leak pass.
func TestP15_TheSearchFindsAPlantedCanary(t *testing.T) {
	plain := func(v string) []byte { return []byte(v) }
	ways := map[string]func(string) []byte{
		"run.log":    func(v string) []byte { return []byte("line\n" + v + "\nline") },
		"state.db":   func(v string) []byte { return append(append(make([]byte, 4096), v...), 0, 0xFF) },
		"state.wal":  func(v string) []byte { return append([]byte(v[len(v)/3:]), make([]byte, 100)...) }, // the first page is elsewhere
		"a.json":     func(v string) []byte { raw, _ := json.Marshal(v); return raw },
		"b.json":     func(v string) []byte { raw, _ := json.Marshal(v); raw, _ = json.Marshal(string(raw)); return raw },
		"url":        func(v string) []byte { return []byte("?q=" + url.QueryEscape(v) + "&x") },
		"hex":        func(v string) []byte { return []byte(hex.EncodeToString([]byte(v))) },
		"b64":        func(v string) []byte { return []byte(base64.StdEncoding.EncodeToString([]byte(v))) },
		"b64.1":      func(v string) []byte { return []byte(base64.URLEncoding.EncodeToString([]byte("x" + v + "yz"))) },
		"b64.2":      func(v string) []byte { return []byte(base64.RawStdEncoding.EncodeToString([]byte("xy" + v + "z"))) },
		"log.gz":     func(v string) []byte { return gzipped(t, plain(v)) },
		"cut.gz":     func(v string) []byte { raw := gzipped(t, []byte(v+strings.Repeat("x", 999))); return raw[:len(raw)-6] },
		"logs.zip":   func(v string) []byte { return zipped(t, "in/run.log", plain(v)) },
		"deep.zip":   func(v string) []byte { return zipped(t, "log.gz", gzipped(t, plain(v))) },
		"wide.utf16": func(v string) []byte { return []byte(strings.Join(strings.Split(v, ""), "\x00") + "\x00") },
	}
	canaries := secrettest.Make(11)
	root := t.TempDir()
	if places, err := secrettest.Find(root, canaries); err != nil || len(places) > 0 {
		t.Fatalf("an empty folder: %v, %v", places, err)
	}
	for name, way := range ways {
		for i, c := range canaries {
			if err := os.WriteFile(filepath.Join(root, fmt.Sprintf("%d.%s", i, name)), way(c.Value), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	places, err := secrettest.Find(root, canaries)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, p := range places {
		file, _, _ := strings.Cut(p.File, "!")
		found[file] += p.Kind + " "
	}
	for name := range ways {
		for i, c := range canaries {
			if name == "state.wal" && len(c.Value) < 36 { // a short value that is cut is no longer one
				continue
			}
			if got := found[fmt.Sprintf("%d.%s", i, name)]; !strings.Contains(got, c.Kind) {
				t.Errorf("a %s in %s: found %q", c.Kind, name, got)
			}
		}
	}
}

func TestP15_TheSearchReadsNamesAndNeverPrintsTheCanary(t *testing.T) {
	canaries := secrettest.Make(12)
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "run-"+canaries[10].Value+".log"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	places, err := secrettest.Find(root, canaries)
	if err != nil || len(places) == 0 {
		t.Fatalf("%v, %v", places, err)
	}
	fake := &recorder{TB: t}
	secrettest.Search(fake, root, canaries)
	if len(fake.said) == 0 || !strings.Contains(fake.said[0], canaries[10].Kind) {
		t.Errorf("the test was not failed: %v", fake.said)
	}
}

// recorder is a test that keeps what it is told.
type recorder struct {
	testing.TB
	said []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

func gzipped(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t *testing.T, name string, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(raw); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
