//go:build !linux

package procgroup

import "os/exec"

// KillWithParent does nothing where the system cannot do it: there a program has to
// notice that its standard input ends.
func KillWithParent(*exec.Cmd) {}
