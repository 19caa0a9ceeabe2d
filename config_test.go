package trimtab

import (
	"math"
	"testing"

	"github.com/trimtab/trimtab/internal/settingtag"
)

// TestTheTagsOfTheEngineSayWhatItDoes: what a settings file is checked against is
// what New takes.
func TestTheTagsOfTheEngineSayWhatItDoes(t *testing.T) {
	for _, c := range []Config{
		{},
		{Travel: "tail"},
		{Travel: "never"},
		{Budget: 0.0001},
		{Budget: 0.001},
		{Budget: 1},
		{Budget: 1.1},
		{Budget: -1},
		{Budget: math.NaN()},
		{MuteAfter: -1},
		{MuteAfter: 1000},
		{MuteAfter: 1001},
		{CacheTTL: -1},
		{CacheTTL: 86400},
		{CacheTTL: 86401},
	} {
		got, err := c.filled()
		want, wantErr := settingtag.Fill(c)
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() || err == nil && got != want {
			t.Errorf("%+v: %+v, %v; by its tags %+v, %v", c, got, err, want, wantErr)
		}
	}
}
