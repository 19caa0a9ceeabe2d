// Package task reads tasks in Harbor's format: a folder with instruction.md, task.toml, an
// environment/ of files, hidden tests/ and a reference solution/. It checks them, and
// makes fresh copies; it runs nothing.
//
// A task with a Dockerfile or an image belongs in its container. Whether a copy of the files
// would do as well is told (Container.Needed); one with a compose file is refused.
//
//	tasks, err := task.Find("tasks")          // one task, or a folder of them
//	err = tasks[0].Copy(task.Environment, dir) // what the agent begins with
package task

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/plainfile"
)

// The parts of a task that are folders.
const (
	Environment = "environment"
	Tests       = "tests"
	Solution    = "solution"
)

// Script is the file of a task that says how a scripted model works on it. It is ours, and
// others pass over it.
const Script = "model.script"

// The limits of a task.
const (
	maxText  = 1 << 20 // bytes of instruction.md, task.toml and the script
	maxFiles = 10_000
	maxBytes = 256 << 20
	maxTasks = 1000
)

// ErrTask is a folder that is no task, or one that cannot be run here.
var ErrTask = errors.New("not a task that can be run")

// Task is one task.
type Task struct {
	Name        string
	Dir         string
	Instruction string
	Hash        string        // of all its files: another one is another task
	AgentTime   time.Duration // that an agent may take
	TestTime    time.Duration
	Kind        string   // metadata.category: what agents fail in here
	Env         []string // NAME=value that the tests get
	Script      string   // text of the scripted model, where there is one
	Container   Container
}

// Container is the container that a task describes.
type Container struct {
	File   bool   // environment/ has a Dockerfile
	Image  string // or this image is used, which is there already
	Needed string // why a copy of the files would be another task; "" where it would not

	BuildTime time.Duration
	CPUs      float64 // 0: no limit
	Memory    int64   // bytes; 0: no limit
	Closed    bool    // it has no network
	User      string  // as whom the agent works; "" is the image's
	TestUser  string
}

// Described reports whether the task has a container.
func (c Container) Described() bool { return c.File || c.Image != "" }

// Find reads the tasks of folders: each is a task or holds tasks. They are sorted by name.
func Find(dirs ...string) ([]Task, error) {
	var all []Task
	for _, dir := range dirs {
		found, err := findIn(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b Task) int { return strings.Compare(a.Name, b.Name) })
	for i := 1; i < len(all); i++ {
		if all[i].Name == all[i-1].Name {
			return nil, fmt.Errorf("%w: two are called %s: %s and %s", ErrTask, all[i].Name, all[i-1].Dir, all[i].Dir)
		}
	}
	return all, nil
}

func findIn(dir string) ([]Task, error) {
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(full, "task.toml")); err == nil {
		one, err := Read(full)
		return []Task{one}, err
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", dir, err)
	}
	var all []Task
	for _, e := range entries {
		sub := filepath.Join(full, e.Name())
		if _, err := os.Stat(filepath.Join(sub, "task.toml")); err != nil || !e.IsDir() {
			continue
		}
		if len(all) == maxTasks {
			return nil, fmt.Errorf("%w: %s holds more than %d", ErrTask, dir, maxTasks)
		}
		one, err := Read(sub)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %s has no task.toml, and none of its folders has; trimtab trial --help describes the format", ErrTask, dir)
	}
	return all, nil
}

// Read reads the task of a folder.
func Read(dir string) (Task, error) {
	t := Task{Name: filepath.Base(dir), Dir: dir}
	if strings.ContainsFunc(t.Name, func(r rune) bool { return r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) }) || len(t.Name) > 100 || !utf8.ValidString(t.Name) {
		return t, fmt.Errorf("%w: the folder %q cannot be the name of one", ErrTask, dir)
	}
	raw, err := t.text("task.toml")
	if err != nil {
		return t, err
	}
	if err := t.configure([]byte(raw)); err != nil {
		return t, fmt.Errorf("%w: %s: %w", ErrTask, filepath.Join(dir, "task.toml"), err)
	}
	if t.Instruction, err = t.text("instruction.md"); err != nil {
		return t, err
	}
	if strings.TrimSpace(t.Instruction) == "" {
		return t, fmt.Errorf("%w: %s is empty", ErrTask, filepath.Join(dir, "instruction.md"))
	}
	if _, err := os.Stat(filepath.Join(dir, Script)); err == nil {
		if t.Script, err = t.text(Script); err != nil {
			return t, err
		}
	}
	if _, err := os.Stat(filepath.Join(dir, Tests, "test.sh")); err != nil {
		return t, fmt.Errorf("%w: %s: tests/test.sh is missing: nothing could tell whether it is solved", ErrTask, dir)
	}
	if err := t.container(); err != nil {
		return t, err
	}
	return t, t.digest()
}

// text reads one of the task's own files.
func (t Task) text(name string) (string, error) {
	raw, err := plainfile.Read(filepath.Join(t.Dir, name), maxText)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrTask, err)
	case !utf8.Valid(raw):
		return "", fmt.Errorf("%w: %s is not UTF-8 text", ErrTask, filepath.Join(t.Dir, name))
	}
	return string(raw), nil
}

// HasSolution reports whether the task shows that it can be solved.
func (t Task) HasSolution() bool {
	_, err := os.Stat(filepath.Join(t.Dir, Solution, "solve.sh"))
	return err == nil
}

// Describes reports whether a file of environment/ says how a container is made, and is
// not part of what is in it.
func describes(name string) bool {
	return slices.Contains([]string{"Dockerfile", ".dockerignore", "docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml"}, name)
}

// container looks at how the environment is described. Services beside it are refused.
func (t *Task) container() error {
	for _, name := range []string{"docker-compose.yaml", "docker-compose.yml", "compose.yaml", "compose.yml"} {
		if _, err := os.Stat(filepath.Join(t.Dir, Environment, name)); err == nil {
			return fmt.Errorf("%w: %s: %s starts services, which are not started here; run it with Harbor", ErrTask, t.Dir, name)
		}
	}
	c := &t.Container
	if c.Image != "" {
		c.Needed = "task.toml names the image " + c.Image
	}
	raw, err := plainfile.Read(filepath.Join(t.Dir, Environment, "Dockerfile"), maxText)
	if err != nil || raw == nil {
		return err
	}
	if c.File = true; c.Needed == "" {
		c.Needed = beyondFiles(string(raw))
	}
	return nil
}

// beyondFiles says what a Dockerfile does that a copy of the files does not.
func beyondFiles(text string) string {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\\\n", " ")
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		switch strings.ToUpper(words[0]) {
		case "FROM", "WORKDIR", "LABEL", "MAINTAINER", "CMD", "ARG":
		case "COPY":
			if len(words) != 3 || strings.TrimSuffix(words[1], "/") != "." {
				return "its Dockerfile has: " + strings.TrimSpace(line)
			}
		default:
			return "its Dockerfile has: " + strings.TrimSpace(line)
		}
	}
	return ""
}

// digest sums up every file of the task, and refuses what cannot be copied.
func (t *Task) digest() error {
	sum := sha256.New()
	err := t.walk("", func(name string, info fs.FileInfo) error {
		fmt.Fprintf(sum, "%q %v %d\n", name, info.Mode()&0o111 != 0, info.Size())
		if !info.Mode().IsRegular() {
			return nil
		}
		f, err := os.Open(filepath.Join(t.Dir, filepath.FromSlash(name))) // #nosec G304 -- a file of the task, which the person named
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(sum, f)
		return err
	})
	t.Hash = hex.EncodeToString(sum.Sum(nil))[:16]
	return err
}

// walk visits the files and folders of a part of the task, in order, with names from the
// task's folder on.
func (t Task) walk(part string, visit func(name string, info fs.FileInfo) error) error {
	files, size := 0, int64(0)
	root := os.DirFS(t.Dir)
	return fs.WalkDir(root, path.Join(".", part), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrTask, t.Dir, err)
		}
		info, err := d.Info()
		if err != nil {
			return fmt.Errorf("%w: %s: %w", ErrTask, t.Dir, err)
		}
		files++
		size += info.Size()
		switch {
		case !d.IsDir() && !info.Mode().IsRegular():
			return fmt.Errorf("%w: %s: %s is no plain file; links and devices are not copied", ErrTask, t.Dir, name)
		case files > maxFiles || size > maxBytes:
			return fmt.Errorf("%w: %s is over %d files or %d MB", ErrTask, t.Dir, maxFiles, maxBytes>>20)
		}
		return visit(name, info)
	})
}

// Copy copies a part of the task into a folder, which is made. What describes a container
// is left out of an environment. A part that is not there gives an empty folder.
func (t Task) Copy(part, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return fmt.Errorf("copy %s of %s: %w", part, t.Name, err)
	}
	if _, err := os.Stat(filepath.Join(t.Dir, part)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return t.walk(part, func(name string, info fs.FileInfo) error {
		rest := strings.TrimPrefix(strings.TrimPrefix(name, part), "/")
		if rest == "" || part == Environment && describes(rest) {
			return nil
		}
		target := filepath.Join(to, filepath.FromSlash(rest))
		if info.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		raw, err := os.ReadFile(filepath.Join(t.Dir, filepath.FromSlash(name))) // #nosec G304 -- a file of the task, which the person named
		if err != nil {
			return fmt.Errorf("copy %s of %s: %w", part, t.Name, err)
		}
		return os.WriteFile(target, raw, 0o600|info.Mode()&0o111)
	})
}
