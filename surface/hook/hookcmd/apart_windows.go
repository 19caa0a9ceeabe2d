package hookcmd

import "syscall"

const detachedProcess = 0x00000008 // no console

// apart makes a process that has nothing of the host's console.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: detachedProcess | syscall.CREATE_NEW_PROCESS_GROUP}
}
