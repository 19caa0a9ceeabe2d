package sandbox

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
)

// word is the first argument of this program where it is to confine itself and
// become another one.
const word = "__sandbox"

// notRun is the exit code of a command that could not be confined, the one that
// shells give to what cannot be run.
const notRun = 126

// spec is what the confined program may do.
type spec struct {
	Write   []string `json:"write"`
	Network bool     `json:"network"`
	Hide    []string `json:"hide,omitempty"`
	Read    []string `json:"read,omitempty"` // open to reading although it may lie below a hidden path

	Open      bool `json:"open,omitempty"`      // bubblewrap, which this one runs in, has the rest: no Landlock
	Terminals bool `json:"terminals,omitempty"` // those of /dev/pts may be written to
	Sockets   bool `json:"sockets,omitempty"`   // programs outside may be reached by their sockets
	Stay      bool `json:"stay,omitempty"`      // this program stays, and ends what the command leaves running
}

func spell(s spec) (string, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("sandbox: %w", err)
	}
	return string(raw), nil
}

// Main belongs at the very beginning of the program, before it opens or starts
// anything. Where the program was started by Confine, it gives up what the command
// must not do and becomes the command; it then returns only if that did not work,
// with the exit code, having said why. Otherwise ours is false.
func Main(args []string, stderr io.Writer) (code int, ours bool) {
	if len(args) < 2 || args[1] != word {
		return 0, false
	}
	if err := become(args[2:]); err != nil {
		fmt.Fprintf(stderr, "sandbox: the command was not run: %v\n", err)
	}
	return notRun, true
}

func become(args []string) error {
	if len(args) < 3 || args[1] != "--" {
		return fmt.Errorf("%s is for trimtab itself: it is followed by what a command may do, -- and the command", word)
	}
	var s spec
	if err := json.Unmarshal([]byte(args[0]), &s); err != nil {
		return fmt.Errorf("what the command may do is not said: %w", err)
	}
	for _, path := range slices.Concat(s.Write, s.Hide, s.Read, args[2:3]) {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("%q is not a full path", path)
		}
	}
	if err := restrict(s); err != nil {
		return err
	}
	if s.Stay {
		return stay(args[2:])
	}
	return replaceBy(args[2:])
}
