package qwen

import (
	"testing"

	"github.com/trimtab/trimtab/transcript/internal/jsonl"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func blank([]byte) jsonl.Record[facts] { return &line{} }

func TestALineOfAKnownShapeIsReadAsIfWalked(t *testing.T) {
	transcripttest.Known(t, blank, transcripttest.Recorded(t)...)
}

func FuzzKnown(f *testing.F) { transcripttest.FuzzKnown(f, blank, transcripttest.Recorded(f)...) }

func nowhere([]byte) jsonl.Record[bool] { return &place{} }

func TestAPlaceOfAKnownShapeIsReadAsIfWalked(t *testing.T) {
	transcripttest.Known(t, nowhere, transcripttest.Recorded(t)...)
}

func FuzzPlace(f *testing.F) { transcripttest.FuzzKnown(f, nowhere, transcripttest.Recorded(f)...) }
