package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/trimtab/trimtab/replay/record"
)

// read reads the recorded sessions of a file: our own export, or any that a host
// keeps.
func read(ctx context.Context, file string) ([]session, error) {
	var all []session
	for s, err := range record.Sessions(ctx, file, "") {
		if err != nil {
			return all, err
		}
		name := filepath.Base(file)
		if len(all) > 0 {
			name = fmt.Sprintf("%s %d", name, len(all)+1) // of a database
		}
		all = append(all, session{name: name, info: s.Info, events: s.Events})
	}
	return all, nil
}
