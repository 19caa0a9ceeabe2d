// Package doctor checks an installation and says how to mend what is wrong: settings,
// the data folder, the database, git, the agents on this machine and how ours stands in
// them, the forge. It looks and changes nothing: a folder or database that is not there
// is not made. Each check is a function of what it is given, and returns findings.
//
//	all := doctor.Data(ctx, dir, doctor.Store{})
//	all = append(all, doctor.Git(ctx))
//	err := doctor.Write(os.Stdout, all)
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/termsafe"
	"github.com/trimtab/trimtab/store/postgres"
	"github.com/trimtab/trimtab/store/sqlite"
)

// State is how something stands.
type State string

// The states. What is Wrong keeps something from working; a Note may be as it is meant.
const (
	OK    State = "ok"
	Note  State = "note"
	Wrong State = "wrong"
)

// Finding is what is said of one thing.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"` // what to do
}

// AnyWrong reports whether something has to be mended.
func AnyWrong(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.State == Wrong })
}

// Write writes findings for a person.
func Write(w io.Writer, all []Finding) error {
	for _, f := range all {
		err := termsafe.Fprintf(w, "%-6s %-9s %s\n", string(f.State), f.Check, f.Text)
		if err == nil && f.Mend != "" {
			err = termsafe.Fprintf(w, "%-16s → %s\n", "", f.Mend)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Settings tells of a settings file and of what was refused in it and elsewhere.
func Settings[E error](file string, problems []E) []Finding {
	var out []Finding
	for _, p := range problems {
		out = append(out, Finding{"settings", Wrong, p.Error(), ""})
	}
	if len(problems) > 0 {
		return out
	}
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		file += " does not exist; every setting has its default"
	}
	return []Finding{{"settings", OK, file, ""}}
}

// Store says where sessions are kept.
type Store struct {
	URL    string // of a database server; "" is a file in the data folder
	Server postgres.Config
	File   sqlite.Config
}

// Data looks at the data folder, and at the database in it or on its server.
func Data(ctx context.Context, dir string, s Store) []Finding {
	data, exists := dataFolder(dir)
	switch {
	case s.URL != "":
		return []Finding{data, databaseServer(ctx, s.URL, s.Server)}
	case !exists:
		return []Finding{data}
	}
	return append([]Finding{data}, databaseFile(ctx, filepath.Join(dir, "trimtab.db"), s.File)...)
}

// Terminal says whether the output is a terminal, and which.
func Terminal(is bool, term string) Finding {
	if !is {
		return Finding{"terminal", Note, "the output is not a terminal", ""}
	}
	return Finding{"terminal", OK, "TERM is " + cmp.Or(term, "not set"), ""}
}

// dataFolder looks at the data folder without making it. exists is false where it is still to
// be made.
func dataFolder(dir string) (f Finding, exists bool) {
	info, err := os.Stat(dir)
	problem := writable(dir)
	switch {
	case problem != nil:
		return Finding{"data", Wrong, fmt.Sprintf("%s cannot be written: %v", dir, problem), "make it writable, or name another with --data or TRIMTAB_DATA"}, true
	case errors.Is(err, fs.ErrNotExist):
		return Finding{"data", OK, dir + " does not exist yet; it is made with the first session", ""}, false
	case err != nil:
		return Finding{"data", Wrong, err.Error(), ""}, false
	case othersCanRead(info):
		return Finding{"data", Wrong, fmt.Sprintf("%s can be read by others (%v)", dir, info.Mode().Perm()), "chmod 700 " + dir}, true
	}
	return Finding{"data", OK, dir, ""}, true
}

func othersCanRead(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}

// writable tries whether something can be made in a folder, or in the one above
// it where it is still to be made. Nothing stays behind.
func writable(dir string) error {
	for {
		made, err := os.MkdirTemp(dir, ".trimtab-*")
		if err == nil {
			return os.Remove(made)
		}
		up := filepath.Dir(dir)
		if _, there := os.Lstat(dir); up == dir || !errors.Is(there, fs.ErrNotExist) {
			return err
		}
		dir = up
	}
}

// databaseServer looks at a database server without changing anything there.
func databaseServer(ctx context.Context, url string, cfg postgres.Config) Finding {
	ready, err := postgres.Look(ctx, url, cfg)
	switch {
	case err != nil:
		return Finding{"database", Wrong, err.Error(), ""}
	case !ready:
		return Finding{"database", OK, "the server of store.url answers; the tables are made or brought up to date with the first session", ""}
	}
	return Finding{"database", OK, "the server of store.url answers and has the tables", ""}
}

// databaseFile looks at a database file, and reads it whole.
func databaseFile(ctx context.Context, file string, cfg sqlite.Config) []Finding {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return []Finding{{"database", OK, file + " does not exist yet", ""}}
	}
	if err != nil {
		return []Finding{{"database", Wrong, err.Error(), ""}}
	}
	var out []Finding
	if othersCanRead(info) {
		out = append(out, Finding{"database", Wrong, fmt.Sprintf("%s can be read by others (%v)", file, info.Mode().Perm()), "chmod 600 " + file})
	}
	st, err := sqlite.Open(ctx, file, cfg)
	if err == nil {
		err = errors.Join(st.Check(ctx), st.Close())
	}
	switch {
	case errors.Is(err, trimtab.ErrDamaged):
		return append(out, Finding{"database", Wrong, err.Error(), "move the file away to start afresh, or put a backup in its place"})
	case err != nil:
		return append(out, Finding{"database", Wrong, err.Error(), ""})
	}
	return append(out, Finding{"database", OK, fmt.Sprintf("%s, %d KB, whole", file, info.Size()/1024), ""})
}

// Git looks for the git program.
func Git(ctx context.Context) Finding {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return Finding{"git", Note, "not found: " + err.Error(), "install git; the chat works without it"}
	}
	return Finding{"git", OK, strings.TrimSpace(string(out)), ""}
}

// Where is a forge that was found; see forge/registry.Found.
type Where interface {
	HasToken(ctx context.Context) error
	String() string
}

// Forge tells where improvements of a project would go, and how that was found. failed
// is why no forge was found.
func Forge(ctx context.Context, where Where, why string, failed error) Finding {
	if failed != nil {
		return Finding{"forge", Note, failed.Error(), ""}
	}
	if err := where.HasToken(ctx); err != nil {
		return Finding{"forge", Note, where.String() + ": " + err.Error(), "only trimtab improve needs it; forge.kind local needs no account"}
	}
	return Finding{"forge", OK, where.String() + " (" + why + ")", ""}
}

// Improver tells who would do the steps of improvements.
func Improver(agent, approval string) Finding {
	switch agent {
	case "demo", "own", "command":
		return Finding{"improve", OK, "agent " + agent, ""}
	}
	if _, err := exec.LookPath(agent); err != nil {
		return Finding{"improve", Note, "the agent " + agent + ", which does the steps of improvements, is not installed", "install it, or choose another with improve.agent"}
	}
	return Finding{"improve", OK, "agent " + agent + ", approval " + approval, ""}
}
