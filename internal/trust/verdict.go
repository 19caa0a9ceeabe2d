package trust

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"
)

// State is how a project's folder stands.
type State string

// The states. Only in the last may the folder take effect.
const (
	Absent  State = "absent"  // there is no folder, or nothing in it
	Unknown State = "unknown" // nobody has trusted it
	Changed State = "changed" // it is not what was trusted
	Refused State = "refused" // it holds what cannot be trusted
	Trusted State = "trusted" // it is what a person trusted
)

// Record is a project's folder, or a file, that a person trusted.
type Record struct {
	Dir    string    `json:"dir"` // of the project, absolute, without symbolic links; or the path of the file
	Digest Digest    `json:"digest"`
	At     time.Time `json:"at"`
}

// Verdict is what the book says of a project, or of a file in one.
type Verdict struct {
	Dir     string   `json:"dir"`            // absolute, without symbolic links
	File    string   `json:"file,omitempty"` // in it, where the verdict is on a file
	State   State    `json:"state"`
	Digest  Digest   `json:"digest,omitzero"`   // what the folder holds now
	Changes []Change `json:"changes,omitempty"` // since it was trusted
	Why     string   `json:"why,omitempty"`     // it is refused
}

// String is the verdict in one line.
func (v Verdict) String() string {
	what := filepath.Join(v.Dir, cmp.Or(v.File, Folder))
	switch v.State {
	case Changed:
		if v.File != "" {
			return fmt.Sprintf("%q changed since it was trusted", what)
		}
		const most = 5
		var all []string
		for _, c := range v.Changes[:min(len(v.Changes), most)] {
			all = append(all, c.String())
		}
		if more := len(v.Changes) - most; more > 0 {
			all = append(all, fmt.Sprintf("and %d more", more))
		}
		return fmt.Sprintf("%q changed since it was trusted: %s", what, strings.Join(all, ", "))
	case Refused:
		return fmt.Sprintf("%q: %s", v.Dir, v.Why)
	case Unknown:
		return fmt.Sprintf("%q is not trusted", what)
	case Trusted:
		return fmt.Sprintf("%q is trusted", what)
	}
	return fmt.Sprintf("%q has no %s", v.Dir, Folder)
}

// judge compares what a folder or a file holds with what was trusted under its
// name.
func judge(name string, now Digest, records []Record) Verdict {
	v := Verdict{Dir: name, State: Unknown, Digest: now}
	if len(now.Files) == 0 {
		v.State = Absent
		return v
	}
	for _, r := range records {
		if r.Dir != name {
			continue
		}
		v.State = Trusted
		if r.Digest.Sum != now.Sum {
			v.State, v.Changes = Changed, changes(r.Digest, now)
		}
	}
	return v
}
