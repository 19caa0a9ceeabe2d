package subprocess_test

import (
	"os/exec"
	"testing"
)

func leaveGroup(*exec.Cmd) {}

func alive(*testing.T, string) bool { return false }
