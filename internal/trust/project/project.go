// Package project finds what of a project takes effect once a person trusts it: its
// .trimtab folder, its AGENTS.md files, its automation_config.json and DEFAULT_WORKFLOW.md. Each part is read
// once: what is shown is what is hashed and noted. A person decides, by way of a Talk.
//
//	done, err := project.Talk{Print: print, Tell: tell, Confirm: ask, Clock: time.Now}.Trust(dir, book)
package project

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/agent/instruct"
	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/pipeline"
	"github.com/trimtab/trimtab/internal/setting"
	"github.com/trimtab/trimtab/internal/trust"
)

// ErrNothing says that there is nothing to trust.
var ErrNothing = errors.New("there is nothing to trust")

// part is something that takes effect once it is trusted.
type part struct {
	Name  string      // the folder of the .trimtab, or the file
	Files trust.Files // by the names that people are shown

	folder bool         // it is a .trimtab
	digest trust.Digest // of a .trimtab
	data   []byte       // of a file
}

// maxShown is the largest file of which the text is shown: all of what is said to
// agents, and more than settings need.
const maxShown = 32 << 10

// Text is what a person is shown of a part before they trust it.
func (p part) Text() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		text := string(p.Files[name])
		fmt.Fprintf(&b, "── %s (%d bytes)\n", name, len(text))
		if len(text) > maxShown {
			b.WriteString("too long to show; look at it yourself\n")
			continue
		}
		b.WriteString(strings.TrimRight(text, "\n") + "\n")
	}
	return b.String()
}

// Trusted reports whether a part is trusted as it is.
func (p part) Trusted(book *trust.Book) (bool, error) {
	var v trust.Verdict
	var err error
	if p.folder {
		v, err = book.Trusted(p.Name)
	} else {
		v, err = book.File(p.Name, p.data)
	}
	return err == nil && v.State == trust.Trusted, err
}

// Trust notes a part as trusted. kept is the name of a damaged list of what is trusted,
// in the place of which a new one was begun.
func (p part) Trust(book *trust.Book, now time.Time) (kept string, err error) {
	if p.folder {
		return book.Trust(p.Name, p.digest, now)
	}
	return book.TrustFile(p.Name, p.data, now)
}

// parts is what there is in a folder.
type parts struct {
	Parts []part
	Left  []string // what cannot be trusted, and why
}

// automation are the files for the automation of improvements.
var automation = []string{improve.ProjectFile, improve.WorkflowFile}

// find finds the parts. What cannot be trusted is an error where there is nothing else.
func find(dir string) (parts, error) {
	var out parts
	var wrong error
	if root := setting.FindProject(dir); root != "" {
		files, digest, err := trust.Read(root)
		p := part{Name: root, Files: trust.Files{}, folder: true, digest: digest}
		for name, data := range files {
			p.Files[trust.Folder+"/"+name] = data
		}
		if wrong = err; err == nil && len(files) > 0 {
			out.Parts = append(out.Parts, p)
		}
	}
	found, left, err := instruct.Find(dir)
	if err != nil {
		return out, err
	}
	for _, l := range left {
		out.Left = append(out.Left, l.String())
	}
	for _, f := range found {
		out.Parts = append(out.Parts, part{Name: f.Path, Files: trust.Files{f.Name: f.Text}, data: f.Text})
	}
	for _, name := range automation {
		file, data, err := pipeline.ReadProjectFile(cmp.Or(setting.Repository(dir), dir), name)
		switch {
		case err != nil:
			out.Left = append(out.Left, err.Error())
		case data != nil:
			out.Parts = append(out.Parts, part{Name: file, Files: trust.Files{name: data}, data: data})
		}
	}
	switch {
	case wrong != nil && len(out.Parts) == 0:
		return out, wrong
	case wrong != nil:
		out.Left = append(out.Left, wrong.Error())
	case len(out.Parts) == 0:
		return out, fmt.Errorf("%s has no %s folder and no %s; %w", dir, trust.Folder, instruct.Name, ErrNothing)
	}
	return out, nil
}

// revoke trusts nothing of a folder any more, and returns what was trusted. Also what is
// gone from the disk may be in the book.
func revoke(dir string, book *trust.Book) (names []string, err error) {
	all := []string{cmp.Or(setting.FindProject(dir), dir), filepath.Join(dir, instruct.Name)}
	for _, name := range automation {
		all = append(all, filepath.Join(cmp.Or(setting.Repository(dir), dir), filepath.FromSlash(name)))
	}
	found, _, _ := instruct.Find(dir) // a folder that is gone says nothing
	for _, f := range found {
		all = append(all, f.Path)
	}
	slices.Sort(all)
	var first error
	for _, name := range slices.Compact(all) {
		switch err := book.Revoke(name); {
		case err == nil:
			names = append(names, name)
		case !errors.Is(err, fs.ErrNotExist):
			return names, err
		case first == nil:
			first = err
		}
	}
	if len(names) == 0 {
		return nil, first
	}
	return names, nil
}

// Refusal says why a file may not speak to agents, "" where it may. A book that cannot be
// read trusts nothing.
func Refusal(book *trust.Book, unread error) func(f instruct.File) string {
	return func(f instruct.File) string {
		if unread != nil {
			return unread.Error()
		}
		switch v, err := book.File(f.Path, f.Text); {
		case err != nil:
			return err.Error()
		case v.State == trust.Trusted:
			return ""
		case v.State == trust.Changed:
			return "changed since it was trusted; look at it, then: trimtab trust"
		}
		return "not trusted; look at it, then: trimtab trust"
	}
}
