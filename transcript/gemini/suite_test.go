package gemini_test

import (
	"flag"
	"regexp"
	"testing"

	"github.com/trimtab/trimtab/transcript/gemini"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSuite(t *testing.T) {
	transcripttest.Run(t, transcripttest.Format{Lines: true, Read: transcripttest.Bytes(gemini.Read), Write: write})
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	transcripttest.Recorded(t, gemini.Read, *update, "plain", "hooks")
}

func FuzzRead(f *testing.F) { transcripttest.FuzzRecorded(f, gemini.Read, "plain", "hooks") }

func BenchmarkRead(b *testing.B) {
	transcripttest.Bench(b, gemini.Read, write(b, transcripttest.Long(2000)))
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	// Records with ids that come again would be left out.
	body := regexp.MustCompile(`"id":"r\d+",`).ReplaceAll(write(t, transcripttest.Long(20)), []byte(`"id":"",`))
	transcripttest.Flat(t, gemini.Read, nil, body)
}
