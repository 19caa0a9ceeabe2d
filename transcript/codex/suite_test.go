package codex_test

import (
	"flag"
	"os"
	"testing"

	"github.com/trimtab/trimtab/transcript"
	"github.com/trimtab/trimtab/transcript/codex"
	"github.com/trimtab/trimtab/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestSuite(t *testing.T) {
	transcripttest.Run(t, transcripttest.Format{Lines: true, Read: transcripttest.Bytes(codex.Read), Write: write})
}

func TestRecordedSessionsReadAsConversations(t *testing.T) {
	for _, name := range []string{"plain", "hooks"} {
		f, err := os.Open("testdata/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		transcripttest.Golden(t, "testdata/"+name+".golden", codex.Read(f, transcript.Options{}), *update)
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
	transcripttest.Fuzz(f, codex.Read)
}

func BenchmarkRead(b *testing.B) {
	transcripttest.Bench(b, codex.Read, write(b, transcripttest.Long(2000)))
}

func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	transcripttest.Flat(t, codex.Read, nil, write(t, transcripttest.Long(20)))
}
