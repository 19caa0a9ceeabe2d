//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"runtime"
	"syscall"
	"unsafe"
)

// canFilter says that system calls can be kept from a command on this machine.
const canFilter = true

// The constants of Linux which package syscall does not have.
const (
	setNoNewPrivs    = 38 // PR_SET_NO_NEW_PRIVS
	setModeFilter    = 1  // SECCOMP_SET_MODE_FILTER
	allThreads       = 1  // SECCOMP_FILTER_FLAG_TSYNC
	retAllow         = 0x7fff0000
	retErrno         = 0x00050000
	offsetNumber     = 0 // of the call in struct seccomp_data
	offsetArch       = 4
	offsetArgument   = 16
	offsetSecond     = 24
	pushInput        = 0x5412 // TIOCSTI: types into a terminal
	consoleControl   = 0x541C // TIOCLINUX: pastes into a console
	ioUringSetup     = 425    // its operations make sockets past this filter
	compatNumberMask = 0x40000000
)

// keepSystemCalls keeps sockets of the file system and of the abstract name space from
// this process and all that come of it, and typing into a terminal.
//
// Landlock before version 9 cannot tell one socket from another, so a command could
// talk to Docker, D-Bus, an SSH agent or tmux, each of which runs what it is told
// outside. Pairs of connected sockets, which is how programs talk to their children,
// are another call and stay.
func keepSystemCalls() error {
	runtime.LockOSThread() // for good: this process becomes another one
	stmt := func(code uint16, k uint32) syscall.SockFilter { return syscall.SockFilter{Code: code, K: k} }
	jump := func(code uint16, k uint32, yes, no uint8) syscall.SockFilter {
		return syscall.SockFilter{Code: code, Jt: yes, Jf: no, K: k}
	}
	const (
		load  = syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS
		equal = syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K
		above = syscall.BPF_JMP | syscall.BPF_JGE | syscall.BPF_K
		ret   = syscall.BPF_RET | syscall.BPF_K
	)
	// The numbers of a jump are how many statements are passed over if it is so, and if not.
	filter := []syscall.SockFilter{
		stmt(load, offsetArch),
		jump(equal, auditArch, 0, 11), // a call of another architecture has other numbers: deny
		stmt(load, offsetNumber),
		jump(above, compatNumberMask, 9, 0), // so has one of the x32 interface
		jump(equal, ioUringSetup, 10, 0),
		jump(equal, sysSocket, 2, 0),
		jump(equal, sysIoctl, 3, 0),
		stmt(ret, retAllow),
		stmt(load, offsetArgument), // a socket: of which family
		jump(equal, syscall.AF_UNIX, 3, 4),
		stmt(load, offsetSecond), // a device: to do what
		jump(equal, pushInput, 1, 0),
		jump(equal, consoleControl, 0, 1),
		stmt(ret, retErrno|uint32(syscall.EPERM)),
		stmt(ret, retAllow),
		stmt(ret, retErrno|uint32(syscall.ENOSYS)),
	}
	program := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); errno != 0 {
		return fmt.Errorf("give up new privileges: %w", errno)
	}
	_, _, errno := syscall.RawSyscall(sysSeccomp, setModeFilter, allThreads, uintptr(unsafe.Pointer(&program))) // #nosec G103 -- the kernel's own form of a filter
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}
