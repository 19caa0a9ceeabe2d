// Package sessions says where the hosts keep their session files on a machine: below
// the home folder, or where the environment says. The places are in the rows of package
// host. It opens and lists nothing.
//
//	for _, dir := range sessions.Dirs(os.Getenv) {
//		walk(dir.Path, dir.Holds)
//	}
package sessions

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/host"
)

// Dir is a folder below which a host keeps sessions.
type Dir struct {
	Host  string
	Path  string
	Begin string   // of the names of the files
	End   []string // the endings that they have
}

// Holds reports whether a file of this name, without its folder, is one of sessions.
func (d Dir) Holds(base string) bool {
	return strings.HasPrefix(base, d.Begin) && slices.Contains(d.End, filepath.Ext(base))
}

// Dirs returns the folders of all hosts, in the order of the table. Whether they exist
// is not looked at; where no home folder is known, only those are told that a variable
// names.
func Dirs(getenv func(string) string) []Dir {
	home := cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
	var all []Dir
	for _, h := range host.All() {
		for _, s := range h.Sessions {
			base := ""
			if s.Variable != "" {
				base = getenv(s.Variable)
			}
			if !filepath.IsAbs(base) {
				if home == "" {
					continue
				}
				base = filepath.Join(home, filepath.FromSlash(s.Base))
			}
			all = append(all, Dir{h.Name, filepath.Join(base, filepath.FromSlash(s.Dir)), s.Begin, s.End})
		}
	}
	return all
}
