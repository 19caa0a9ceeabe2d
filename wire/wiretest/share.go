package wiretest

import (
	"testing"

	"github.com/trimtab/trimtab/internal/race"
)

// share is how much less is tried than is promised: all of it, but a twentieth with
// -short, and a hundredth with the race detector. `make counts`, which is part of
// `make check`, tries all.
func share() int {
	if race.Enabled {
		return 100
	}
	if testing.Short() {
		return 20
	}
	return 1
}
