package trimtab

import (
	"errors"
	"fmt"
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

// CheckID refuses session ids that are not plain names.
func CheckID(id string) error {
	if !isName(id) || strings.Contains(id, "..") {
		return fmt.Errorf("%w: %q (1 to 128 letters, digits and . _ : @ -, beginning with a letter or digit, no \"..\")", ErrBadID, Clip(id, 60))
	}
	return nil
}

// isName reports whether an id has the form [A-Za-z0-9][A-Za-z0-9._:@-]{0,127}. It
// is asked several times for each request, which a regular expression makes felt.
func isName(id string) bool {
	for i := range min(len(id), 128) {
		c := id[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !plain && (i == 0 || c != '.' && c != '_' && c != ':' && c != '@' && c != '-') {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// MessageID is the id of a session's message with this number, where the host
// gave it none.
func MessageID(seq int) string { return "m" + strconv.Itoa(seq) }
