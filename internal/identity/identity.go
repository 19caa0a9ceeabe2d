// Package identity says who a person is and which project a folder holds, so that
// people who share a store, and clones of one repository, find what is theirs: a person
// is a name that does not change, and a project is the address of its repository.
//
// It sends nothing and asks nobody. A person who has a store for themselves needs no
// name: everything in it is theirs.
//
//	mine, err := identity.Open(store, identity.Options{Config: cfg.User, Environ: os.Environ(), Data: dir, Shared: onServer})
package identity

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/store/owned"
)

// Config says who a person is. A project may not set it.
type Config struct {
	Name string `json:"name" guard:"user" doc:"who you are, to others who use the same database; TRIMTAB_USER sets it too. On a database server one is made for you where it is empty; in a file of your own you need none"`
	Role string `json:"role" default:"use" enum:"use,view,steer,approve" guard:"user" doc:"what you may do with sessions of others: use is only your own, view reads theirs, steer changes them, approve decides which improvements become work on a shared database, too"`
}

// Options are what a person is known by.
type Options struct {
	Config
	Environ []string
	Data    string                              // the data folder, which keeps a name that was made
	Shared  bool                                // the store is a server that others use
	Serves  bool                                // a gateway, also for others
	Show    string                              // whose sessions are asked for, where it is not the person
	Content func(trimtab.Commit) trimtab.Commit // what of a change is stored: see owned.Options
}

// variable names the person, and wins over the settings.
const variable = "TRIMTAB_USER"

// Open returns the person's part of a store.
func Open(st trimtab.Archive, opt Options) (*owned.Store, error) {
	name, err := nameOf(opt)
	if err != nil {
		return nil, err
	}
	return owned.New(st, owned.Options{User: name, Role: owned.Role(opt.Role), Show: opt.Show, Serves: opt.Serves, Shared: opt.Shared, Repo: NewFinder(opt.Environ, opt.Shared).cached(), Content: opt.Content})
}

// nameOf is who the person is: as the environment or the settings say, else a name that
// is made once on a server, and "" in a file.
func nameOf(opt Options) (string, error) {
	for i := len(opt.Environ) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(opt.Environ[i], "="); k == variable && v != "" {
			return check(v)
		}
	}
	if opt.Name != "" {
		return check(opt.Name)
	}
	if !opt.Shared {
		return "", nil
	}
	return made(filepath.Join(opt.Data, "user"))
}

// maxName is the longest name, in bytes: an index takes no long text.
const maxName = 200

func check(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "", name == owned.Everyone, len(name) > maxName, !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
		return "", fmt.Errorf("user.name: %q cannot be one; give 1 to %d bytes of plain text, and not %q", name[:min(len(name), 60)], maxName, owned.Everyone)
	}
	return name, nil
}

// made is the name in a file, which is written once: the account and the machine, and
// some letters, since accounts of containers are all called the same.
func made(file string) (string, error) {
	for range 2 {
		data, err := os.ReadFile(file)
		if err == nil {
			return check(string(data))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		name := strings.ToValidUTF8(Account()+"@"+machine(), "") + "-" + strings.ToLower(rand.Text()[:6])
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return "", err
		}
		if err := writeOnce(file, name+"\n"); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s cannot be read back; set user.name", file)
}

// writeOnce makes a file whole, or leaves the one that is there.
func writeOnce(file, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(file), ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.WriteString(text)
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), file)
}

func machine() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "localhost"
	}
	return strings.ToLower(name)
}

// Finder finds the repository of a folder.
type Finder struct {
	Git     git.Program
	Machine string // name of this one, for projects without a server; "" where folders are of one machine anyway
}

// patience is how long git may take to read its settings.
const patience = 2 * time.Second

// Repository is the identity of the project in a folder: the address of its repository,
// and the folder below its root as in host/owner/name//folder. A project that no server
// has is its path on this machine, and "" where no machine is named.
func (f Finder) Repository(folder string) string {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() || !filepath.IsAbs(folder) {
		return "" // of another machine, or gone: nobody can say
	}
	root := rootOf(folder)
	if root == "" {
		return f.onMachine(folder)
	}
	at := f.remote(root)
	if at == "" {
		return f.onMachine(folder)
	}
	if below, err := filepath.Rel(root, folder); err == nil && below != "." {
		at += "//" + filepath.ToSlash(below)
	}
	return at
}

// remote is the identity of the repository in a folder, "" where it has no remote that
// can be known again.
func (f Finder) remote(root string) string {
	text := f.origin(root)
	if text == "" {
		return ""
	}
	if at, ok := git.ParseAddress(text); ok {
		return at.String()
	}
	local := strings.TrimPrefix(text, "file://")
	if !filepath.IsAbs(local) {
		return ""
	}
	if real, err := filepath.EvalSymlinks(local); err == nil {
		local = real
	}
	return "file://" + f.Machine + filepath.ToSlash(strings.TrimSuffix(filepath.Clean(local), ".git"))
}

// mayHaveOrigin spares the start of git where its settings name no remote: a hook, for which
// a host waits, would pay it each time.
func mayHaveOrigin(root string) bool {
	info, err := os.Stat(filepath.Join(root, ".git"))
	if err != nil || !info.IsDir() {
		return err == nil // the file of a working tree leads elsewhere
	}
	text, err := os.ReadFile(filepath.Join(root, ".git", "config"))
	return err != nil || bytes.Contains(text, []byte("origin")) || bytes.Contains(bytes.ToLower(text), []byte("include"))
}

// origin is the address of the remote origin, "" where there is none.
func (f Finder) origin(root string) string {
	if !mayHaveOrigin(root) {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	// It reads settings only, also those that rewrite addresses, and sends nothing. A
	// remote that is not there comes back as its name.
	text, err := f.Git.In(root).Run(ctx, "ls-remote", "--get-url", "origin")
	if text = strings.TrimSpace(text); err != nil || text == "origin" {
		return ""
	}
	return text
}

// Origin is the identity of the repository at the root folder of a project, and an
// address to clone it from, without a password.
func (f Finder) Origin(root string) (repo, remote string) {
	if repo = f.Repository(root); repo == "" || strings.Contains(repo, "//") && !strings.HasPrefix(repo, "file://") {
		return repo, ""
	}
	remote = strings.TrimPrefix(f.origin(root), "file://")
	if u, err := url.Parse(remote); err == nil && u.User != nil && strings.Contains(remote, "://") {
		name := u.User.Username()
		u.User = nil
		if name != "" && !strings.HasPrefix(u.Scheme, "http") { // a token may be the name there
			u.User = url.User(name)
		}
		remote = u.String()
	}
	return repo, remote
}

// NewFinder returns a Finder. On a server, projects without a remote are of this machine.
func NewFinder(environ []string, shared bool) Finder {
	f := Finder{Git: git.New(environ)}
	if shared {
		f.Machine = machine()
	}
	return f
}

// Account is what a person is called where they need no name: by the system.
func Account() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "someone"
}

func (f Finder) onMachine(folder string) string {
	if f.Machine == "" {
		return ""
	}
	return "file://" + f.Machine + filepath.ToSlash(folder)
}

// cached asks git once for each folder.
func (f Finder) cached() func(string) string {
	var known sync.Map
	return func(folder string) string {
		if v, ok := known.Load(folder); ok {
			return v.(string)
		}
		found := f.Repository(folder)
		known.Store(folder, found)
		return found
	}
}

// rootOf is the folder at or above one that git keeps; "" where there is none.
func rootOf(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
