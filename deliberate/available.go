package deliberate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/session"
)

// AllPersonas are the built-in personas with those of a person's folder and those of a
// project, which come as the files of its .trimtab folder that are trusted. One from a
// file takes the place of another of the same id. A bad file is in errs and hides
// nothing.
func AllPersonas(folder fs.FS, project map[string][]byte) (all []Persona, errs []error, err error) {
	if all, err = BuiltIn(); err != nil {
		return nil, nil, err
	}
	own, errs := LoadPersonas(folder)
	more, bad := projectPersonas(project)
	for _, p := range append(own, more...) {
		if i := slices.IndexFunc(all, func(o Persona) bool { return o.ID == p.ID }); i >= 0 {
			all[i] = p
			continue
		}
		all = append(all, p)
	}
	return all, append(errs, bad...), nil
}

// projectPersonas takes the personas of a project, from the very bytes that are
// trusted. Which model somebody else's file asks for has no effect: models cost the
// person's money.
func projectPersonas(files map[string][]byte) (all []Persona, errs []error) {
	for name, data := range files {
		if ok, _ := path.Match("personas/*.md", name); !ok {
			continue
		}
		p, err := ParsePersona(path.Base(name), data)
		if err != nil {
			errs = append(errs, fmt.Errorf(".trimtab: %w", err))
			continue
		}
		p.Model = ""
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Persona) int { return strings.Compare(a.ID, b.ID) })
	return all, errs
}

// Newest is the id of the newest debate of a folder; trimtab.ErrNotFound where there is
// none. What a debate looked up is no debate.
func Newest(ctx context.Context, archive trimtab.Archive, dir string) (string, error) {
	info, err := session.Newest(ctx, archive, trimtab.Query{Project: dir, Host: Host}, nil)
	if errors.Is(err, trimtab.ErrNotFound) {
		return "", fmt.Errorf("debate of %s: %w; begin one with trimtab deliberate \"…\"", dir, err)
	}
	return info.ID, err
}
