package gemini_test

import (
	"testing"

	"github.com/trimtab/trimtab/wire/gemini"
	"github.com/trimtab/trimtab/wire/wiretest"
)

func TestDialect(t *testing.T) {
	wiretest.Run(t, gemini.Format{}, wiretest.Gemini())
}
