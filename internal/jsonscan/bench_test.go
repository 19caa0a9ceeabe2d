package jsonscan

import (
	"strings"
	"testing"
)

// BenchmarkText decodes code, in which every tenth byte is escaped, and prose.
func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"code":  strings.Repeat(`func walk(b []byte) error {\n\treturn fmt.Errorf(\"line %d: %w\", n, err)\n}\n`, 40),
		"prose": strings.Repeat("A trim tab is the small surface on a rudder's edge. ", 60),
	} {
		b.Run(name, func(b *testing.B) {
			v, dst := []byte(text), []byte(nil)
			b.SetBytes(int64(len(v)))
			for b.Loop() {
				dst, _ = soundText(dst[:0], v)
			}
		})
	}
}
