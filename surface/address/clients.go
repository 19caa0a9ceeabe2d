package address

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Clients are the secrets of the clients of trimtab serve: a file each, in a folder
// that only its owner can read. Programs that run at the same time share them: what
// one makes or revokes, the others know with the next request.
type Clients struct {
	dir string

	mu   sync.Mutex
	read map[string]entry
}

// entry is a file as it was read.
type entry struct {
	secret  string
	changed time.Time
}

// Open returns the clients whose secrets are in a folder. It need not be there.
func Open(dir string) *Clients { return &Clients{dir: dir} }

// ErrName is a client's name that can be no file's.
var ErrName = errors.New("a client's name has up to 64 small letters, digits, - and _")

func checkName(client string) error {
	if client == "" || len(client) > 64 || strings.Trim(client, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("client %q: %w", client, ErrName)
	}
	return nil
}

// Secret returns the secret of a client. Where it has none, one is made.
func (c *Clients) Secret(client string) (string, error) {
	secret, err := c.Find(client)
	if !errors.Is(err, fs.ErrNotExist) {
		return secret, err
	}
	if err := c.Keep(client, New()); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return c.Find(client) // another process may have been first
}

// Find returns the secret of a client; fs.ErrNotExist where it has none.
func (c *Clients) Find(client string) (string, error) {
	if err := checkName(client); err != nil {
		return "", err
	}
	file := filepath.Join(c.dir, client)
	raw, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(raw))
	if len(secret) < minSecret {
		return "", fmt.Errorf("%s holds no secret; remove it, and a new one is made", file)
	}
	return secret, nil
}

// Keep stores the secret of a client; fs.ErrExist where it has one, for that may have
// been handed out. The file is there whole or not at all.
func (c *Clients) Keep(client, secret string) error {
	if err := checkName(client); err != nil {
		return err
	}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(c.dir, ".new-*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(secret + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	to := filepath.Join(c.dir, client)
	if err := os.Link(file.Name(), to); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: of two at once the last one wins.
	if _, err := os.Lstat(to); err == nil {
		return fmt.Errorf("%s: %w", to, fs.ErrExist)
	}
	return os.Rename(file.Name(), to)
}

// Revoke forgets the secret of a client: its address is answered no more. It reports
// whether there was one.
func (c *Clients) Revoke(client string) (bool, error) {
	if err := checkName(client); err != nil {
		return false, err
	}
	err := os.Remove(filepath.Join(c.dir, client))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Answer is what a person is told of a client's address.
type Answer struct {
	Client  string `json:"client"`
	URL     string `json:"url,omitempty"`
	Revoked bool   `json:"revoked,omitempty"` // it had an address, and has none now
}

func (a Answer) String() string {
	switch {
	case a.URL != "":
		return a.URL
	case a.Revoked:
		return a.Client + " is answered no more"
	}
	return a.Client + " has no address"
}

// Ask returns the base URL of a client, which is made where there is none, or revokes it.
func (c *Clients) Ask(client, base string, revoke bool) (Answer, error) {
	if revoke {
		had, err := c.Revoke(client)
		return Answer{Client: client, Revoked: had}, err
	}
	secret, err := c.Secret(client)
	return Answer{Client: client, URL: URL(base, secret)}, err
}

// Known reports whether a secret is a client's. The files are read only where there
// is something new: a request costs the look at one file.
func (c *Clients) Known(secret string) bool {
	if len(secret) < minSecret {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if client, ok := c.match(secret); ok {
		if info, err := os.Stat(filepath.Join(c.dir, client)); err == nil && info.ModTime().Equal(c.read[client].changed) {
			return true
		}
	}
	c.reload()
	_, ok := c.match(secret)
	return ok
}

// match compares with all, so that the time tells nothing of any.
func (c *Clients) match(secret string) (client string, ok bool) {
	for name, e := range c.read {
		if same(secret, e.secret) {
			client, ok = name, true
		}
	}
	return client, ok
}

// unreadable tells files that are there from those that were revoked: a process that
// has run out of file descriptors goes on with what it knew.
func unreadable(err error) bool {
	var failed *fs.PathError
	return errors.As(err, &failed) && !errors.Is(err, fs.ErrNotExist)
}

func (c *Clients) reload() {
	files, err := os.ReadDir(c.dir)
	if unreadable(err) {
		return
	}
	read := make(map[string]entry, len(files))
	for _, f := range files {
		info, err := f.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		secret, err := c.Find(f.Name()) // what is no client has no such name
		if err == nil {
			read[f.Name()] = entry{secret, info.ModTime()}
		} else if old, ok := c.read[f.Name()]; ok && unreadable(err) {
			read[f.Name()] = old
		}
	}
	c.read = read
}
