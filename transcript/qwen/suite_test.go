package qwen_test

import (
	"flag"
	"testing"

	"github.com/trimtab/trimtab/transcript/qwen"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSuite(t *testing.T) {
	transcripttest.Run(t, transcripttest.Format{Lines: true, Read: transcripttest.Bytes(qwen.Read), Write: write})
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	transcripttest.Recorded(t, qwen.Read, *update, "plain", "hooks")
}

func FuzzRead(f *testing.F) { transcripttest.FuzzRecorded(f, qwen.Read, "plain", "hooks") }

func BenchmarkRead(b *testing.B) {
	transcripttest.Bench(b, qwen.Read, write(b, transcripttest.Long(2000)))
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	transcripttest.Flat(t, qwen.Read, nil, write(t, transcripttest.Long(20)))
}
