package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestAnAnswerThatCannotBeWrittenIsAFailure(t *testing.T) {
	for _, line := range []string{"-q --model demo -p hello", "version", "mode list", "version --json"} {
		var said strings.Builder
		dir := t.TempDir()
		a := &app{in: strings.NewReader(""), out: fullDisk{}, err: &said, clock: time.Now, environ: []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir}}
		if code := run(context.Background(), a, strings.Fields(line)); code != failed || !strings.Contains(said.String(), "the disk is full") {
			t.Errorf("trimtab %s: exit code %d, stderr %q", line, code, said.String())
		}
	}
}
