// Package snapshot tells which files of a folder a command changed, and what they held
// before. It keeps the folder's files in a Git repository of its own, away from the
// project's: the project's history, index and settings are neither read nor written, and
// no hook, filter or program of the project runs. Files that .gitignore names are left out.
//
//	shots := snapshot.New(dir, temp)
//	defer shots.Close()
//	before, err := shots.Take(ctx)
//	…
//	after, err := shots.Take(ctx)
//	changes, err := shots.Changes(ctx, before, after)
package snapshot

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/trimtab/trimtab/agent/tool"
	"github.com/trimtab/trimtab/internal/procgroup"
)

// Shots are the snapshots of a folder.
type Shots struct {
	dir  string // the folder
	base string // below it the repository is made

	ctx   context.Context // ends with Close
	stop  context.CancelFunc
	begin sync.Once
	ready chan struct{} // closed when all files were read once

	mu   sync.Mutex // one git at a time
	repo string     // "" until it is made
	dead error      // why there are none
}

// New returns snapshots of dir. Their repository is made below base when the first is
// taken, and removed by Close.
func New(dir, base string) *Shots {
	s := &Shots{dir: dir, base: base, ready: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	return s
}

// firstTime is how long the first look at all files may take; later ones only look at
// what changed.
const firstTime = 2 * time.Minute

// Warm begins to read all files, beside whatever else happens, so that the first
// snapshot need not wait for it.
func (s *Shots) Warm() {
	s.begin.Do(func() {
		go func() {
			defer close(s.ready)
			ctx, cancel := context.WithTimeout(s.ctx, firstTime)
			defer cancel()
			s.mu.Lock()
			defer s.mu.Unlock()
			if _, err := s.take(ctx); err != nil {
				s.dead = err
				if ctx.Err() != nil {
					s.dead = errSlow
				}
			}
		}()
	})
}

// Close removes the snapshots.
func (s *Shots) Close() error {
	s.stop()
	s.begin.Do(func() { close(s.ready) })
	<-s.ready
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = errors.New("closed")
	if s.repo == "" {
		return nil
	}
	repo := s.repo
	s.repo = ""
	return os.RemoveAll(repo)
}

var (
	errSlow  = errors.New("there are too many files, or too large ones")
	errEarly = errors.New("the files are still being read for the first time")
)

// Take notes how the files are. Where they are still being read for the first time when
// ctx ends, the next one may succeed; what takes too long later would do so before every
// command, so there are no more then.
func (s *Shots) Take(ctx context.Context) (string, error) {
	s.Warm()
	select {
	case <-s.ready:
	case <-ctx.Done():
		return "", errEarly
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead != nil {
		return "", s.dead
	}
	tree, err := s.take(ctx)
	if err == nil {
		return tree, nil
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return "", err // the person stopped the run; the next one may look again
	}
	if ctx.Err() != nil {
		err = errSlow
	}
	s.dead = err
	return "", err
}

func (s *Shots) take(ctx context.Context) (string, error) {
	if s.repo == "" {
		if err := s.create(ctx); err != nil {
			return "", err
		}
	}
	if _, err := s.git(ctx, nil, "add", "--all", "--ignore-errors", "."); err != nil && ctx.Err() != nil {
		return "", err // a file that cannot be read is left out; the rest counts
	}
	out, err := s.git(ctx, nil, "write-tree")
	return strings.TrimSpace(string(out)), err
}

func (s *Shots) create(ctx context.Context) error {
	if _, err := exec.LookPath("git"); err != nil {
		return errors.New("git is not installed")
	}
	if err := os.MkdirAll(s.base, 0o700); err != nil {
		return err
	}
	s.clean()
	repo, err := os.MkdirTemp(s.base, "snapshot-")
	if err != nil {
		return err
	}
	s.repo = repo
	_, err = s.git(ctx, nil, "init", "--quiet", "--template=")
	return err
}

// stale is how long a snapshot that nobody removed may be of use to somebody.
const stale = 48 * time.Hour

// clean removes what processes left that did not come to their end.
func (s *Shots) clean() {
	entries, err := os.ReadDir(s.base)
	if err != nil {
		return // it is tried again
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), "snapshot-") && time.Since(info.ModTime()) > stale {
			_ = os.RemoveAll(filepath.Join(s.base, e.Name())) // it is tried again
		}
	}
}

// git runs git on our repository and the folder's files, with none of the person's or
// the project's settings.
func (s *Shots) git(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{
		"-c", "core.autocrlf=false", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.safecrlf=false",
		"-c", "core.quotePath=false", "-c", "gc.auto=0", "-c", "core.bare=false", "-c", "index.threads=1", "-c", "core.compression=0",
	}, args...)...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.repo, "GIT_DIR=" + s.repo, "GIT_WORK_TREE=" + s.dir, "LC_ALL=C",
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
	}
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &errs
	procgroup.Set(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	if err := procgroup.Wait(ctx, cmd, 0); err != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, line)
	}
	return out.Bytes(), nil
}

// The limits of what is read of a change.
const (
	maxFile = 8 << 20
	maxAll  = 64 << 20
)

// Changes are the files that differ between two snapshots, with their contents.
func (s *Shots) Changes(ctx context.Context, before, after string) ([]tool.FileChange, error) {
	if before == after {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead != nil {
		return nil, s.dead
	}
	raw, err := s.git(ctx, nil, "diff-tree", "-r", "-z", "--no-renames", before, after)
	if err != nil {
		return nil, err
	}
	var out []tool.FileChange
	var want []blob
	fields := strings.Split(string(raw), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(words) < 5 {
			continue
		}
		c := tool.FileChange{Path: fields[i+1], Existed: words[0] != "000000", Exists: words[1] != "000000", Mode: modeOf(words[0], words[1])}
		if !regular(words[0]) || !regular(words[1]) {
			c.Left = "not a regular file"
		} else {
			at := len(out)
			if c.Existed {
				want = append(want, blob{words[2], func(text []byte) { out[at].Before = text }, at})
			}
			if c.Exists {
				want = append(want, blob{words[3], func(text []byte) { out[at].After = text }, at})
			}
		}
		out = append(out, c)
	}
	return out, s.read(ctx, want, out)
}

func regular(mode string) bool { return mode == "000000" || mode == "100644" || mode == "100755" }

func modeOf(before, after string) fs.FileMode {
	if before == "100755" || before == "000000" && after == "100755" {
		return 0o755
	}
	return 0o644
}

// blob is a content to be read.
type blob struct {
	sum string
	put func([]byte)
	of  int
}

// read reads contents, all by one process.
func (s *Shots) read(ctx context.Context, want []blob, files []tool.FileChange) error {
	if len(want) == 0 {
		return nil
	}
	var ask strings.Builder
	for _, b := range want {
		ask.WriteString(b.sum + "\n")
	}
	sizes, err := s.git(ctx, strings.NewReader(ask.String()), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return err
	}
	total, kept := 0, want[:0:0]
	ask.Reset()
	for i, line := range strings.Split(strings.TrimSpace(string(sizes)), "\n") {
		if i >= len(want) {
			break
		}
		n, err := strconv.Atoi(line)
		if total += n; err != nil || n > maxFile || total > maxAll {
			files[want[i].of].Left = "too large to be kept"
			continue
		}
		kept = append(kept, want[i])
		ask.WriteString(want[i].sum + "\n")
	}
	raw, err := s.git(ctx, strings.NewReader(ask.String()), "cat-file", "--batch")
	if err != nil {
		return err
	}
	r := bufio.NewReader(bytes.NewReader(raw))
	for _, b := range kept {
		head, err := r.ReadString('\n')
		if err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		words := strings.Fields(head)
		n, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			return fmt.Errorf("git cat-file: %q", strings.TrimSpace(head))
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(r, text); err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		_, _ = r.ReadByte() // the line's end
		b.put(text)
	}
	return nil
}
