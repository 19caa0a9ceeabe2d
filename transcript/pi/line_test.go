package pi

import (
	"testing"

	"github.com/trimtab/trimtab/transcript/transcripttest"
)

func TestALineKeepsNothingOfTheOneBefore(t *testing.T) { transcripttest.Reuse(t, (*line).parse) }
