//go:build unix

package gateway

import "syscall"

// canPeek: a cable that the provider hung up is noticed before a request is sent.
const canPeek = true

// quiet reports whether the provider has neither hung up nor said anything since
// the last reply.
func (l *cable) quiet() bool {
	if l.raw == nil {
		return false
	}
	var peeked error
	err := l.raw.Read(func(fd uintptr) bool {
		var b [1]byte
		_, _, peeked = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		return true
	})
	return err == nil && (peeked == syscall.EAGAIN || peeked == syscall.EWOULDBLOCK)
}
