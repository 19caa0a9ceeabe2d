package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

func (system) landlock() (abi int, why string) {
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case errors.Is(err, syscall.ENOSYS):
		return 0, "this kernel has no Landlock"
	case errors.Is(err, syscall.EOPNOTSUPP):
		return 0, "Landlock is switched off in this kernel"
	case err != nil:
		return 0, "Landlock: " + err.Error()
	}
	return abi, ""
}

// devices may be written to by every program.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// restrict gives up, for this process and all that come of it, what the command
// must not do. It cannot be taken back.
func restrict(s spec) error {
	abi, why := system{}.landlock()
	if why != "" {
		return errors.New(why)
	}
	if abi < leastABI {
		return fmt.Errorf("this kernel's Landlock has version %d; %d is needed", abi, leastABI)
	}
	cfg := landlock.V10
	if s.Network {
		cfg.HandledAccessNet = 0
	}
	// The best effort is only about what came after leastABI.
	err := cfg.BestEffort().Restrict(
		landlock.RODirs("/"),
		landlock.RWDirs(s.Write...).WithRefer().WithResolveUnix(),
		landlock.RWFiles(devices...).IgnoreIfMissing(),
		landlock.RWDirs("/dev/shm").IgnoreIfMissing(),
		landlock.RWFiles("/dev/ptmx").WithIoctlDev().IgnoreIfMissing(), // a terminal of its own, as some agents give their shells
		landlock.RWDirs("/dev/pts").WithIoctlDev().IgnoreIfMissing(),
	)
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// replaceBy makes this process another program.
func replaceBy(args []string) error {
	if err := syscall.Exec(args[0], args, os.Environ()); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
