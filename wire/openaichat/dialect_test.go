package openaichat_test

import (
	"testing"

	"github.com/trimtab/trimtab/wire/openaichat"
	"github.com/trimtab/trimtab/wire/wiretest"
)

func TestDialect(t *testing.T) {
	wiretest.Run(t, openaichat.Format{}, wiretest.OpenAIChat())
}
