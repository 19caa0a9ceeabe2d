package responses_test

import (
	"testing"

	"github.com/trimtab/trimtab/wire/responses"
	"github.com/trimtab/trimtab/wire/wiretest"
)

func TestDialect(t *testing.T) {
	wiretest.Run(t, responses.Format{}, wiretest.Responses())
}
