package trust

import (
	"errors"
	"time"
)

// lock waits for the file to be ours and returns how to let go of it. The system
// lets go by itself when the process ends, so a crash leaves nothing locked. The
// lock file stays: removing it would let two hold it at once.
func lock(name string) (unlock func(), err error) {
	const wait, tries = 10 * time.Millisecond, 500
	for range tries {
		unlock, err = tryLock(name)
		if !errors.Is(err, errBusy) {
			return unlock, err
		}
		time.Sleep(wait)
	}
	return nil, err
}
