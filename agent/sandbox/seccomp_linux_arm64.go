package sandbox

import "syscall"

const (
	auditArch  = 0xc00000b7 // AUDIT_ARCH_AARCH64
	sysSocket  = syscall.SYS_SOCKET
	sysIoctl   = syscall.SYS_IOCTL
	sysSeccomp = 277
)
