package pi_test

import (
	"flag"
	"testing"

	"github.com/trimtab/trimtab/transcript/pi"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSuite(t *testing.T) {
	transcripttest.Run(t, transcripttest.Format{Lines: true, Read: transcripttest.Bytes(pi.Read), Write: write})
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	transcripttest.Recorded(t, pi.Read, *update, "plain", "extension")
}

func FuzzRead(f *testing.F) { transcripttest.FuzzRecorded(f, pi.Read, "plain", "extension") }

func BenchmarkRead(b *testing.B) {
	transcripttest.Bench(b, pi.Read, write(b, transcripttest.Long(2000)))
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	transcripttest.Flat(t, pi.Read, nil, write(t, transcripttest.Long(20)))
}
