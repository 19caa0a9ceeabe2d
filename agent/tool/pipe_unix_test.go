//go:build unix

package tool_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe in the folder must not make a tool wait for someone to write to it.
func TestAPipeIsNotRead(t *testing.T) {
	dir := files(t, "a.txt", "needle")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Skipf("this system makes no pipes: %v", err)
	}
	f := open(t, dir)
	wants(t, refused(t, f.Read(), `{"path":"pipe"}`), "a pipe, not a regular file")
	refused(t, f.Search(), `{"pattern":"needle","path":"pipe"}`)
	wants(t, call(t, f.Search(), `{"pattern":"needle"}`), "1 match in 1 file; 1 file searched")
	wants(t, call(t, f.List(), `{}`), "special  pipe")
}
