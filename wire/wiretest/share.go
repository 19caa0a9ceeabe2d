package wiretest

import "testing"

// share is how much less is tried than is promised: all of it, but a twentieth with
// -short. `make counts`, which is part of `make check`, tries all.
func share() int {
	if testing.Short() {
		return 20
	}
	return 1
}
