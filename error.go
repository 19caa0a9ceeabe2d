package trimtab

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The errors that surfaces tell apart.
var (
	ErrNotFound = errors.New("not found")
	ErrExists   = errors.New("exists already")
	ErrConflict = errors.New("changed by someone else in the meantime")
	ErrBadID    = errors.New("not a session id")
	ErrTooLarge = errors.New("too large")
	ErrDamaged  = errors.New("damaged")
	ErrNoReply  = errors.New("the command gave no answer")
)

var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$`)

// CheckID refuses session ids that are not plain names.
func CheckID(id string) error {
	if !idForm.MatchString(id) || strings.Contains(id, "..") {
		return fmt.Errorf("%w: %q (1 to 128 letters, digits and . _ : @ -, beginning with a letter or digit, no \"..\")", ErrBadID, Clip(id, 60))
	}
	return nil
}

// MessageID is the id of a session's message with this number, where the host
// gave it none.
func MessageID(seq int) string { return "m" + strconv.Itoa(seq) }
