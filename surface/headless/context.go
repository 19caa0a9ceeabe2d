package headless

import (
	"fmt"
	"io"
	"time"

	"github.com/trimtab/trimtab"
)

// patience is how long a stream may be silent before somebody is told what is waited for.
const patience = 2 * time.Second

// ReadContext reads what comes with a prompt to its end, up to a size, and says what it
// waits for where that takes long: a program that started this one may never close its end.
func ReadContext(r io.Reader, most int, tell func(text string)) (string, error) {
	var raw []byte
	var err error
	read := make(chan struct{})
	go func() {
		defer close(read)
		raw, err = io.ReadAll(io.LimitReader(r, int64(most)+1))
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-read:
	case <-timer.C:
		tell("waiting for the end of stdin, which is context; where there is none: </dev/null")
		<-read
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("stdin: %w", err)
	case len(raw) > most:
		return "", fmt.Errorf("stdin: %w: over %d bytes (limits.maxMessage)", trimtab.ErrTooLarge, most)
	}
	return string(raw), nil
}
