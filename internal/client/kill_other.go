//go:build !unix

package client

import "os/exec"

// killTogether has no process groups to use here: only the client is killed.
func killTogether(*exec.Cmd) {}
