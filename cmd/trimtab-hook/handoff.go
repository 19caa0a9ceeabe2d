package main

import (
	"os"
	"path/filepath"
	"runtime"
)

// handOff starts a program, reports it, and waits until it ends. It reads the input,
// and writes to our own streams. Its exit code is not passed on.
func handOff(program string, args []string, input []byte, started func(*os.Process)) {
	in, to, err := os.Pipe()
	if err != nil {
		return
	}
	p, err := os.StartProcess(program, append([]string{program}, args...), &os.ProcAttr{Files: []*os.File{in, os.Stdout, os.Stderr}})
	_ = in.Close()
	if err != nil {
		_ = to.Close()
		return
	}
	started(p)
	_, _ = to.Write(input)
	_ = to.Close()
	_, _ = p.Wait()
}

// findTrimtab is the path of trimtab: beside this program, where it is of the same
// version, or on PATH; "" where it is neither.
func findTrimtab() string {
	name := "trimtab"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(self); err == nil {
			self = real
		}
		if path := filepath.Join(filepath.Dir(self), name); isFile(path) {
			return path
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(dir, name); filepath.IsAbs(dir) && isFile(path) {
			return path
		}
	}
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
