// Package filelock locks a file for one process at a time.
//
//	unlock, err := filelock.Try(name)
//	if errors.Is(err, filelock.ErrLocked) { … } // somebody else has it
//	defer unlock()
//
// The system releases the lock when the process ends, so a crash leaves nothing
// locked. The lock file is made where it is missing and never removed: removing it
// would let two hold it at once. It never waits for longer than it is told.
package filelock

import (
	"errors"
	"time"
)

// ErrLocked is a file that somebody else has locked.
var ErrLocked = errors.New("locked by another process")

// Try locks a file, or returns ErrLocked at once.
func Try(name string) (unlock func(), err error) { return tryLock(name) }

const poll = 10 * time.Millisecond

// Lock tries until the file is locked, or returns ErrLocked after a time.
func Lock(name string, timeout time.Duration) (unlock func(), err error) {
	for range max(1, timeout/poll) {
		if unlock, err = tryLock(name); !errors.Is(err, ErrLocked) {
			return unlock, err
		}
		time.Sleep(poll)
	}
	return nil, err
}
