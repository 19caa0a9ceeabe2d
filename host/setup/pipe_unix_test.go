//go:build unix

package setup_test

import "syscall"

func pipe(path string) error { return syscall.Mkfifo(path, 0o600) }
