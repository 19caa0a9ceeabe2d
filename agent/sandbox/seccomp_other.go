//go:build !linux || !(amd64 || arm64)

package sandbox

import "errors"

const canFilter = false

func keepSystemCalls() error { return errors.New("system calls cannot be filtered on this machine") }
