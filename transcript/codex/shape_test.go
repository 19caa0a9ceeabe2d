package codex

import (
	"testing"

	"github.com/trimtab/trimtab/transcript/internal/jsonl"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func blank(b []byte) jsonl.Record[facts] { return &line{b: b} }

func TestALineOfAKnownShapeIsReadAsIfWalked(t *testing.T) {
	transcripttest.Known(t, blank, transcripttest.Recorded(t)...)
}

func FuzzKnown(f *testing.F) { transcripttest.FuzzKnown(f, blank, transcripttest.Recorded(f)...) }
