//go:build !linux

package sandbox

import "errors"

var errNotLinux = errors.New("this system has no Landlock")

func (system) landlock() (abi int, why string) { return 0, errNotLinux.Error() }

func restrict(spec) error { return errNotLinux }

func stay([]string) error { return errNotLinux }

func replaceBy([]string) error { return errNotLinux }
