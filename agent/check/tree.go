package check

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/procgroup"
)

// The most that is looked at. A larger tree is one of which nothing is known.
const (
	lookTime  = time.Second
	maxNames  = 8 << 20 // bytes that git may answer
	maxFiles  = 50_000
	maxShown  = 64
	graceTime = 100 * time.Millisecond
	longest   = 24 * time.Hour // that a turn may take
)

// safe settings win over those of the repository. Listing names runs no filter and no hook;
// the monitor of the file system is a program that a repository could name.
var safe = []string{"core.fsmonitor=false", "core.untrackedCache=false", "core.hooksPath=/dev/null", "submodule.recurse=false"}

// Look returns the files of the project that were written or taken away last, the newest
// last. It is nil where that cannot be told: no repository, no git, a tree too large.
func (c *Checker) Look(ctx context.Context, dir string) []trimtab.Written {
	files, _, ok := c.files(ctx, dir)
	if !ok {
		return nil
	}
	since := c.opt.Clock().Add(-longest)
	files = slices.DeleteFunc(files, func(f file) bool { return f.written.Before(since) })
	slices.SortStableFunc(files, func(a, b file) int { return a.written.Compare(b.written) })
	var last []trimtab.Written
	for _, f := range files[max(0, len(files)-maxShown):] {
		last = append(last, trimtab.Written{File: f.name, At: f.written.UTC()})
	}
	return last
}

// Tree is a hash of the working tree: of the names of its files, their sizes and when they
// were written. It is "" where it cannot be told.
func (c *Checker) Tree(ctx context.Context, dir string) string {
	_, hash, ok := c.files(ctx, dir)
	if !ok {
		return ""
	}
	return hash
}

// file is one of the working tree.
type file struct {
	name    string
	written time.Time
	gone    bool
}

func (c *Checker) files(ctx context.Context, dir string) (files []file, hash string, ok bool) {
	out, ok := c.git(ctx, dir, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
	if !ok {
		return nil, "", false
	}
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(names) > maxFiles {
		return nil, "", false
	}
	root, err := os.OpenRoot(dir) // a name that leads out of the tree is none of it
	if err != nil {
		return nil, "", false
	}
	defer root.Close()
	h := fnv.New128a()
	for _, name := range names {
		if name == "" {
			continue
		}
		f := file{name: name}
		info, err := root.Lstat(filepath.FromSlash(name))
		if err != nil {
			f.gone = true
			if parent, err := root.Stat(filepath.FromSlash(filepath.Dir(name))); err == nil {
				f.written = parent.ModTime() // when something was last added to its folder, or taken away
			}
		} else {
			f.written = info.ModTime()
			_, _ = io.WriteString(h, name)
			_ = binary.Write(h, binary.LittleEndian, [3]int64{info.Size(), info.ModTime().UnixNano(), int64(info.Mode())})
		}
		files = append(files, f)
	}
	return files, hex.EncodeToString(h.Sum(nil)), true
}

// git asks git something about a folder.
func (c *Checker) git(ctx context.Context, dir string, args ...string) ([]byte, bool) {
	program, err := exec.LookPath("git")
	if err != nil || !filepath.IsAbs(program) {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	line := []string{"--no-optional-locks", "--no-pager"}
	for _, s := range safe {
		line = append(line, "-c", s)
	}
	cmd := exec.Command(program, append(line, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_CONFIG_NOSYSTEM=1"}
	out := &limited{most: maxNames}
	cmd.Stdout = out
	procgroup.Set(cmd)
	if cmd.Start() != nil {
		return nil, false
	}
	err = procgroup.Wait(ctx, cmd, graceTime)
	procgroup.KillRest(cmd)
	return out.Bytes(), err == nil && !out.over
}

// limited keeps the beginning of what is written to it.
type limited struct {
	bytes.Buffer
	most int
	over bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > l.most {
		l.over = true
		return len(p), nil
	}
	return l.Buffer.Write(p)
}
