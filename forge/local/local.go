// Package local is a forge in a folder of this machine: a bare repository of git,
// issues and pull requests as Markdown files that a person can read and edit, and
// each proposed change as a patch.
//
//	folder/
//	  repo.git/                       the repository that is pushed to
//	  issues/0001/issue.md            title, state and labels on top, then the text
//	  issues/0001/comment-….md
//	  pulls/0001/pull.md
//	  pulls/0001/change.patch         for git am; kept up to date while it is open
//
// It is a real forge for those who have no other, with the same rules: numbers are
// given once, a file is there whole or not at all, and what was acknowledged
// survives a power cut. A pull request counts as merged when its commits are part
// of the base. It never merges by itself and listens to no network.
//
//	shed, err := local.New(ctx, local.Config{Folder: folder}, local.Options{Git: git.New(os.Environ())})
//	…
//	once, err := forge.NewIdempotent(shed, options)
package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/forge"
	"github.com/trimtab/trimtab/forge/git"
	"github.com/trimtab/trimtab/internal/settingtag"
)

// Config says which folder.
type Config struct {
	Folder string `json:"folder" doc:"folder of issues, pull requests and the repository"`
	Repo   string `json:"repo" doc:"bare repository, where it is not repo.git in that folder"`
	Base   string `json:"base" default:"main" doc:"default branch of a repository that is made new"`
	Self   string `json:"self" default:"trimtab" doc:"name under which we write"`
}

// Options are what the forge works with.
type Options struct {
	Git  git.Program
	Now  func() time.Time // the clock, the system's where it is nil
	Name func() string    // a name that no other file has; random where it is nil
}

// Forge is a folder.
type Forge struct {
	cfg  Config
	opt  Options
	root *os.Root
	tree git.Tree
	mu   sync.Mutex // one change of a file at a time
}

// Roles gives it out as the parts that callers ask for.
func (f *Forge) Roles() forge.Forge {
	return forge.Forge{Repository: f, Issues: f, Pulls: f, Talk: f}
}

// New opens the folder, and makes what is missing in it.
func New(ctx context.Context, cfg Config, opt Options) (*Forge, error) {
	cfg, err := settingtag.Fill(cfg)
	if err != nil {
		return nil, fmt.Errorf("local forge: %w", err)
	}
	if cfg.Folder == "" {
		return nil, errors.New("local forge: folder: name the folder that issues and patches belong in")
	}
	if cfg.Folder, err = filepath.Abs(cfg.Folder); err != nil {
		return nil, fmt.Errorf("local forge: folder: %w", err)
	}
	if cfg.Repo == "" {
		cfg.Repo = filepath.Join(cfg.Folder, "repo.git")
	}
	if cfg.Repo, err = filepath.Abs(cfg.Repo); err != nil {
		return nil, fmt.Errorf("local forge: repo: %w", err)
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Name == nil {
		opt.Name = func() string { return strings.ToLower(rand.Text()) }
	}
	f := &Forge{cfg: cfg, opt: opt, tree: opt.Git.In(cfg.Repo)}
	if err := f.prepare(ctx); err != nil {
		return nil, fmt.Errorf("local forge: %w", err)
	}
	return f, nil
}

func (f *Forge) prepare(ctx context.Context) error {
	for _, kind := range []string{"issues", "pulls"} {
		if err := os.MkdirAll(filepath.Join(f.cfg.Folder, kind), 0o700); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(f.cfg.Repo, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(f.cfg.Repo, 0o700); err != nil {
			return err
		}
		if err := f.tree.Init(ctx, f.cfg.Base); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(f.cfg.Folder)
	f.root = root
	return err
}

// Close lets go of the folder.
func (f *Forge) Close() error { return f.root.Close() }

// Traits says what the folder asks for: a request does not outlive its process.
func (f *Forge) Traits() forge.Traits { return forge.Traits{Name: "local", Title: 240, Body: 1 << 20} }

// Remote is the bare repository.
func (f *Forge) Remote() git.Remote { return git.Remote{URL: f.cfg.Repo} }

// Repo describes the folder.
func (f *Forge) Repo(ctx context.Context) (forge.Repo, error) {
	head, err := f.tree.Run(ctx, "symbolic-ref", "--short", "HEAD")
	if err != nil {
		return forge.Repo{}, f.fail("look at the repository", forge.ErrNotFound, err.Error())
	}
	return forge.Repo{Name: filepath.Base(f.cfg.Folder), URL: f.cfg.Folder, Base: strings.TrimSpace(head), Self: f.cfg.Self}, nil
}

func (f *Forge) fail(doing string, kind error, said string) error {
	return &forge.Error{Forge: "local", Doing: doing, Err: kind, Said: said}
}
