package gemini

import (
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func TestARecordKeepsNothingOfTheOneBefore(t *testing.T) { transcripttest.Reuse(t, (*record).parse) }
