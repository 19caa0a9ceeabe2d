// Package home says where a person's things are on this machine: the folder for
// data and the settings file, by flags, by TRIMTAB_DATA and TRIMTAB_CONFIG, or where
// the system keeps such things. The small hook program links it, so it imports
// almost nothing.
//
// It makes no folder and opens no file.
//
//	at := home.Home{Getenv: os.Getenv}
//	data, err := at.DataDir()
package home

import (
	"cmp"
	"errors"
	"path/filepath"
	"runtime"
)

// Serve is where trimtab serve listens unless it is told otherwise.
const Serve = "127.0.0.1:8787"

// Home is a person's place on a machine. Getenv must be there.
type Home struct {
	Getenv       func(string) string
	Data, Config string // as flags named them; "" is not at all
	System       string // the managed settings file; "" is where the system keeps it
}

// DataDir is where sessions and trust are kept.
func (h Home) DataDir() (string, error) {
	if dir := cmp.Or(h.Data, h.Getenv("TRIMTAB_DATA")); dir != "" {
		return filepath.Abs(dir)
	}
	return h.Dir("XDG_DATA_HOME", ".local/share", "LocalAppData")
}

// ConfigFile is the person's settings file. It need not exist, unless it was named.
func (h Home) ConfigFile() (path string, named bool, err error) {
	if file := cmp.Or(h.Config, h.Getenv("TRIMTAB_CONFIG")); file != "" {
		path, err = filepath.Abs(file)
		return path, true, err
	}
	dir, err := h.Dir("XDG_CONFIG_HOME", ".config", "AppData")
	return filepath.Join(dir, "trimtab.json"), false, err
}

// ManagedFile is the settings file of whoever runs the machine. It need not exist. No
// flag and no variable names another: it would be no policy that anybody can step around.
func (h Home) ManagedFile() string {
	if h.System != "" {
		return h.System
	}
	switch runtime.GOOS {
	case "windows":
		return `C:\ProgramData\trimtab\trimtab.json`
	case "darwin":
		return "/Library/Application Support/trimtab/trimtab.json"
	}
	return "/etc/trimtab/trimtab.json"
}

// Manages reports whether a path is that of the managed settings file.
func (h Home) Manages(path string) bool {
	full, err := filepath.Abs(path)
	return err == nil && full == h.ManagedFile()
}

// Dir is our folder among those that a variable names, or the usual place below
// the person's folder.
func (h Home) Dir(xdg, below, windows string) (string, error) {
	if dir := h.Getenv(xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, "trimtab"), nil
	}
	if dir := h.Getenv(windows); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "trimtab"), nil
	}
	home := cmp.Or(h.Getenv("HOME"), h.Getenv("USERPROFILE"))
	if home == "" {
		return "", errors.New("no home folder is known: set HOME, or name folders with --data and --config")
	}
	return filepath.Join(home, filepath.FromSlash(below), "trimtab"), nil
}
