package anthropic_test

import (
	"testing"

	"github.com/trimtab/trimtab/wire/anthropic"
	"github.com/trimtab/trimtab/wire/wiretest"
)

func TestDialect(t *testing.T) {
	wiretest.Run(t, anthropic.Format{}, wiretest.Anthropic())
}
