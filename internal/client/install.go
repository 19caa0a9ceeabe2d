package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// cacheVariable names the environment variable with the cache folder.
const cacheVariable = "TRIMTAB_E2E_CACHE"

// Paths is where an installed client is.
type Paths struct {
	Name    string
	Version string
	Bin     string   // the program
	Path    []string // folders that go first on PATH when it runs
}

// cacheFolder returns the folder for installed clients: the one that the environment
// names, else trimtab/e2e in the user's cache folder.
func cacheFolder() (string, error) {
	if dir := os.Getenv(cacheVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder for installed clients; set %s: %w", cacheVariable, err)
	}
	return filepath.Join(dir, "trimtab", "e2e"), nil
}

// Install brings a client of the pinned version into the cache folder, with the
// Node that it needs, unless it is there. It runs npm.
func Install(ctx context.Context, name string) (Paths, error) {
	p, err := find(name)
	if err != nil {
		return Paths{}, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return Paths{}, err
	}
	bin, err := ensure(ctx, cache, p)
	if err != nil {
		return Paths{}, err
	}
	paths := Paths{Name: p.name, Version: p.version, Bin: bin, Path: []string{filepath.Dir(bin)}}
	if p.node {
		runner, err := ensure(ctx, cache, node())
		if err != nil {
			return Paths{}, err
		}
		paths.Path = append(paths.Path, filepath.Dir(runner))
	}
	return paths, nil
}

// ensure returns a package's program, and installs it first where it is missing.
// A folder bears its final name only when it is complete, so a broken install or
// two at once leave nothing half done.
func ensure(ctx context.Context, cache string, p pkg) (string, error) {
	dir := filepath.Join(cache, p.name+"-"+p.version)
	bin := filepath.Join(dir, filepath.FromSlash(p.bin))
	if runtime.GOOS == "windows" && strings.Contains(p.bin, "/.bin/") {
		bin += ".cmd"
	} else if runtime.GOOS == "windows" {
		bin += ".exe"
	}
	if _, err := os.Stat(bin); err == nil {
		return bin, nil
	}
	if err := os.MkdirAll(cache, 0o750); err != nil {
		return "", fmt.Errorf("install %s: %w", p.name, err)
	}
	fresh, err := os.MkdirTemp(cache, p.name+"-new-")
	if err != nil {
		return "", fmt.Errorf("install %s: %w", p.name, err)
	}
	defer os.RemoveAll(fresh)
	if err := npm(ctx, fresh, p); err != nil {
		return "", err
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, fs.ErrExist) && !exists(bin) {
		return "", fmt.Errorf("install %s: %w", p.name, err)
	}
	if !exists(bin) {
		return "", fmt.Errorf("install %s: npm brought no %s; remove %s and try again", p.name, p.bin, dir)
	}
	return bin, nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func npm(ctx context.Context, dir string, p pkg) error {
	program, err := exec.LookPath("npm")
	if err != nil {
		return fmt.Errorf("install %s: npm is not on the path; install Node: %w", p.name, err)
	}
	cmd := exec.CommandContext(ctx, program, "install", "--prefix", dir, "--no-audit", "--no-fund", "--loglevel", "error", p.npm+"@"+p.version)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("install %s: npm install %s@%s: %w\n%s", p.name, p.npm, p.version, err, out)
	}
	return nil
}
