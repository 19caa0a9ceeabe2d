//go:build !unix

package worker_test

import (
	"context"
	"errors"
)

func pausing(context.Context, string) error {
	return errors.New("no process can be paused on this system")
}
