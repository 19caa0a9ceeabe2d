package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Result is what came of a run.
type Result struct {
	Stdout string
	Stderr string
	Exit   int
}

// Run writes the settings files into the home folder and runs the client to its
// end. A client that ends with another code than 0 is a Result and no error.
func (c Cmd) Run(ctx context.Context, p Paths) (Result, error) {
	cmd, err := c.Prepare(ctx, p)
	if err != nil {
		return Result{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	result := Result{Stdout: stdout.String(), Stderr: stderr.String(), Exit: cmd.ProcessState.ExitCode()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return result, fmt.Errorf("run %s: %w", c.Name, ctx.Err())
	case err != nil && !errors.As(err, &exit):
		return result, fmt.Errorf("run %s: %w", c.Name, err)
	}
	return result, nil
}

// Prepare is Run up to the start: for those who want to start it their own way.
// When ctx ends, the client and what it started are killed.
func (c Cmd) Prepare(ctx context.Context, p Paths) (*exec.Cmd, error) {
	if c.Home == "" {
		return nil, fmt.Errorf("run %s: no home folder given; a run never uses the user's own", c.Name)
	}
	dir := c.Dir
	if dir == "" {
		dir = filepath.Join(c.Home, "work")
	}
	for _, d := range []string{dir, filepath.Join(c.Home, "tmp")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("run %s: %w", c.Name, err)
		}
	}
	for name, text := range c.Files {
		full := filepath.Join(c.Home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return nil, fmt.Errorf("run %s: %w", c.Name, err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("run %s: %w", c.Name, err)
		}
	}
	cmd := exec.CommandContext(ctx, p.Bin, c.Args...)
	cmd.Dir, cmd.Env = dir, c.Environ(p)
	cmd.WaitDelay = 5 * time.Second // for pipes that a child still holds
	killTogether(cmd)
	return cmd, nil
}

// inherited is what a program needs of the caller's environment to start, and
// holds no key of the user.
var inherited = []string{"LANG", "LC_ALL", "SystemRoot", "SYSTEMROOT", "ComSpec", "PATHEXT", "SHELL"}

// Environ is the whole environment of the run.
func (c Cmd) Environ(p Paths) []string {
	path := append(append([]string{}, p.Path...), os.Getenv("PATH"))
	env := []string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"HOME=" + c.Home,
		"TMPDIR=" + filepath.Join(c.Home, "tmp"),
		"XDG_CONFIG_HOME=" + filepath.Join(c.Home, ".config"),
		"XDG_DATA_HOME=" + filepath.Join(c.Home, ".local", "share"),
		"XDG_STATE_HOME=" + filepath.Join(c.Home, ".local", "state"),
		"XDG_CACHE_HOME=" + filepath.Join(c.Home, ".cache"),
		"TERM=dumb", "NO_COLOR=1", "CI=1",
	}
	if runtime.GOOS == "windows" {
		env = append(env, "USERPROFILE="+c.Home, "TEMP="+filepath.Join(c.Home, "tmp"), "TMP="+filepath.Join(c.Home, "tmp"))
	}
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return append(env, c.Env...)
}
