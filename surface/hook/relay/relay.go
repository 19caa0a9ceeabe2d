// Package relay takes a hook's call in and hands it on to the next program: from the
// smallest, which starts like a hello, to the one that can do everything. It is linked
// into the smallest, so it imports almost nothing.
//
// It never lets a host wait for a program that hangs, and hands on no exit code.
//
//	if next := relay.Find("trimtab"); next != "" {
//		relay.To(next, []string{"hook", "claude", "Stop"}, input, time.Second)
//	}
package relay

import (
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/trimtab/trimtab/surface/hook/spool"
)

// Words are the command line of the programs that answer hooks.
type Words struct {
	Data        string // --data; "" where it is not named
	Host, Event string
}

// Parse takes a command line apart, and is false where it is not
// [--data DIR] HOST EVENT.
func Parse(args []string) (w Words, ok bool) {
	if len(args) > 1 && args[0] == "--data" {
		w.Data, args = args[1], args[2:]
	}
	if len(args) != 2 {
		return w, false
	}
	w.Host, w.Event = args[0], args[1]
	return w, true
}

// Read takes the command line of a program apart and reads what the host writes to
// it. It is false where there is nothing to do: wrong use, of which the person is
// told; hooks that are switched off; input that cannot be read.
func Read(program string, args []string) (w Words, input []byte, ok bool) {
	if w, ok = Parse(args); !ok {
		_, _ = os.Stderr.WriteString("usage: " + program + " [--data DIR] HOST EVENT\n")
		return w, nil, false
	}
	if spool.Off(os.Getenv) {
		return w, nil, false
	}
	input, err := spool.Input(os.Stdin)
	return w, input, err == nil
}

// To starts a program and waits until it ends, or for as long as is given. It reads
// the input, and writes to our own streams.
func To(program string, args []string, input []byte, limit time.Duration) {
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
	kill := time.AfterFunc(limit, func() { _ = p.Kill() })
	defer kill.Stop()
	_, _ = to.Write(input)
	_ = to.Close()
	_, _ = p.Wait()
}

// Find is the path of a program of ours: beside this one, or on PATH; "" where it
// is neither.
func Find(name string) string {
	if path := Beside(name); path != "" {
		return path
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if path := filepath.Join(dir, file(name)); filepath.IsAbs(dir) && isFile(path) {
			return path
		}
	}
	return ""
}

// Beside is the path of a program of ours that lies beside this one, and so is of
// the same version; "" where there is none.
func Beside(name string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	if path := filepath.Join(filepath.Dir(self), file(name)); isFile(path) {
		return path
	}
	return ""
}

func file(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
