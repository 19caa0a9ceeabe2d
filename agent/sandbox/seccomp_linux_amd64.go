package sandbox

import "syscall"

const (
	auditArch  = 0xc000003e // AUDIT_ARCH_X86_64
	sysSocket  = syscall.SYS_SOCKET
	sysIoctl   = syscall.SYS_IOCTL
	sysSeccomp = 317
)
