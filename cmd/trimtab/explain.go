package main

import (
	"context"
	"errors"

	"github.com/trimtab/trimtab"
)

// explain says an error in words that tell a person what to do.
func explain(err error) string {
	hint := ""
	switch {
	case errors.Is(err, context.Canceled):
		return "stopped"
	case errors.Is(err, trimtab.ErrNotFound):
		hint = "trimtab session list shows what there is"
	case errors.Is(err, trimtab.ErrBadID):
		hint = "trimtab session list shows the ids"
	case errors.Is(err, trimtab.ErrConflict):
		hint = "another process keeps changing the session; try again"
	}
	if hint == "" {
		return err.Error()
	}
	return err.Error() + "\n" + hint
}
