//go:build !unix

package sqlite

import (
	"context"
	"errors"
)

// The tests that need these parts are for Unix only.
func playLimit(context.Context, string, []string) error  { return errors.ErrUnsupported }
func playCommit(context.Context, string, []string) error { return errors.ErrUnsupported }
