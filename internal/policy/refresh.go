package policy

import (
	"os"
	"path/filepath"
	"time"
)

// How old a policy may be until it is asked for again, and the pause between two tries: a
// gateway that is away is not asked with every command.
const (
	refreshAfter = time.Hour
	tryAgain     = 10 * time.Minute
	triedName    = "policy.tried"
)

// Due reports whether the policy that is kept is to be asked for again now, and notes that it
// is: whoever asks next is told no for a while. It looks at two files and never waits.
func Due(data string, now time.Time) bool {
	k, ok, err := load(data)
	if err != nil || !ok || within(k.At, now, refreshAfter) {
		return false
	}
	tried := filepath.Join(data, triedName)
	if info, err := os.Stat(tried); err == nil && within(info.ModTime(), now, tryAgain) {
		return false
	}
	if os.WriteFile(tried, nil, 0o600) != nil { // else it would be tried with every command
		return false
	}
	return os.Chtimes(tried, now, now) == nil
}

// within reports whether a time is so short ago. One that is still to come is not: the clock
// was wrong when it was written.
func within(t, now time.Time, age time.Duration) bool { return !t.After(now) && now.Sub(t) < age }
