package gemini_test

import (
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/gemini"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSuite(t *testing.T) {
	transcripttest.Run(t, transcripttest.Format{Lines: true, Read: transcripttest.Bytes(gemini.Read), Write: write})
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	for _, name := range []string{"plain", "hooks"} {
		f, err := os.Open("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		transcripttest.Golden(t, "testdata/"+name+".golden", gemini.Read(f, transcript.Options{}), *update)
		f.Close()
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"plain", "hooks"} {
		data, err := os.ReadFile("testdata/" + name + ".jsonl")
		if err != nil {
			f.Fatal(err)
		}
		transcripttest.Seed(f, data)
	}
	transcripttest.Fuzz(f, gemini.Read)
}

func BenchmarkRead(b *testing.B) {
	transcripttest.Bench(b, gemini.Read, write(b, transcripttest.Long(2000)))
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	// Records with ids that come again would be left out.
	body := regexp.MustCompile(`"id":"r\d+",`).ReplaceAll(write(t, transcripttest.Long(20)), []byte(`"id":"",`))
	transcripttest.Flat(t, gemini.Read, nil, body)
}
