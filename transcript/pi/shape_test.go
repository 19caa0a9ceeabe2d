package pi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/trimtab/trimtab/transcript/internal/jsonl"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func blank([]byte) jsonl.Record[facts] { return &line{} }

// recorded are sessions as the host wrote them.
func recorded(t testing.TB) (files [][]byte) {
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, data)
	}
	return files
}

func TestALineOfAKnownShapeIsReadAsIfWalked(t *testing.T) {
	transcripttest.Known(t, blank, recorded(t)...)
}

func FuzzKnown(f *testing.F) { transcripttest.FuzzKnown(f, blank, recorded(f)...) }
