package secret_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/trimtab/trimtab/internal/secret"
)

// BenchmarkFind measures the scan: on Go sources, on prose, on base64, and on
// texts made to hold it up. Goal: 200 MB/s on the first two.
func BenchmarkFind(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"sources", sources(b)},
		{"prose", strings.Repeat("The agent read the file, ran the tests again and saw that two of them still failed on the same line as before.\n", 9000)},
		{"base64", strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO", 10000)},
		{"hostile keys", strings.Repeat("key=", 250_000)},
		{"hostile tokens", strings.Repeat("eyJ-", 250_000)},
		{"hostile base64", strings.Repeat("Z2hwXw", 160_000)},
		{"hostile blocks", strings.Repeat("-----BEGIN PRIVATE KEY-----", 40_000)},
		{"hostile addresses", strings.Repeat("a://b:", 160_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				secret.Find(c.text)
			}
		})
	}
}

// BenchmarkKnown measures the same with twenty values to take out.
func BenchmarkKnown(b *testing.B) {
	var values []string
	for i := range 20 {
		values = append(values, strings.Repeat(string(rune('a'+i)), 3)+"Zk7"+strings.Repeat(string(rune('A'+i)), 20))
	}
	s := secret.New(secret.Options{Known: values})
	text := sources(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s.Find(text)
	}
}

// sources is Go code: the root of this module and its command.
func sources(tb testing.TB) string {
	tb.Helper()
	var b bytes.Buffer
	for _, pattern := range []string{"../../*.go", "../../cmd/trimtab/*.go", "../../surface/*/*.go"} {
		names, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			raw, err := os.ReadFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			b.Write(raw)
		}
	}
	return b.String()
}
