//go:build unix

package mcp_test

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestWhatAServerStartedEndsWithIt(t *testing.T) {
	c := one(t, program("good", true))
	got, err := call(t, tools(t, c)["mcp__fix__spawn"], "{}")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(got)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	for range 20000 { // the signal is sent; the kernel may still be at it
		raw, _ := os.ReadFile("/proc/" + got + "/stat")
		if err = syscall.Kill(pid, 0); err != nil || strings.Contains(string(raw), ") Z ") {
			return
		}
	}
	t.Errorf("program %d still runs", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
