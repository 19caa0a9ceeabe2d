//go:build unix

package instruct

import "syscall"

// nonblock keeps opening a pipe from waiting for its other end.
const nonblock = syscall.O_NONBLOCK
