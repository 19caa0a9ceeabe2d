package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
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
	if !s.Open {
		if err := restrictFiles(s); err != nil {
			return err
		}
	}
	if s.Sockets {
		return nil
	}
	return keepSystemCalls()
}

func restrictFiles(s spec) error {
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
	rules, err := readable(s)
	if err != nil {
		return err
	}
	if len(s.Hide) > 0 {
		if err := unprivilege(); err != nil {
			return err
		}
	}
	rules = append(
		rules,
		landlock.RWDirs(s.Write...).WithRefer().WithResolveUnix(),
		landlock.RWFiles(devices...).IgnoreIfMissing(),
		landlock.RWDirs("/dev/shm").IgnoreIfMissing(),
	)
	if s.Terminals { // one of its own, as some agents give their shells; a rule cannot tell it from the person's
		rules = append(
			rules,
			landlock.RWFiles("/dev/ptmx").WithIoctlDev().IgnoreIfMissing(),
			landlock.RWDirs("/dev/pts").WithIoctlDev().IgnoreIfMissing(),
		)
	}
	// The best effort is only about what came after leastABI.
	err = cfg.BestEffort().Restrict(rules...)
	if err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}

// The privileges by which root reads the environment of any process, past Landlock's
// own rule that a confined program does not look into others.
const (
	capSysAdmin = 21
	capPerfmon  = 38
	dropBound   = 24 // PR_CAPBSET_DROP
)

// unprivilege takes them from the program that this one becomes. They are counted by
// thread, and a program gets those of the thread that starts it.
func unprivilege() error {
	runtime.LockOSThread() // for good: this process becomes another one
	for _, privilege := range []uintptr{capSysAdmin, capPerfmon} {
		// EPERM: not root, who alone has them; EINVAL: a kernel without the second.
		_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, dropBound, privilege, 0)
		if errno != 0 && errno != syscall.EPERM && errno != syscall.EINVAL {
			return fmt.Errorf("give up privileges: %w", errno)
		}
	}
	return nil
}

// readable are the rules of what may be read and run. Where something is hidden, all
// folders may still be listed, since a shell and git look around on their way.
func readable(s spec) ([]landlock.Rule, error) {
	if len(s.Hide) == 0 {
		return []landlock.Rule{landlock.RODirs("/")}, nil
	}
	v, err := look(s)
	if err == nil {
		err = v.around()
	}
	if err != nil {
		return nil, err
	}
	for _, path := range v.read {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			v.dirs = append(v.dirs, path)
		} else {
			v.files = append(v.files, path)
		}
	}
	return []landlock.Rule{
		landlock.PathAccess(ll.AccessFSReadDir, "/"),
		landlock.RODirs(v.dirs...).IgnoreIfMissing(),
		landlock.ROFiles(v.files...).IgnoreIfMissing(),
	}, nil
}

// replaceBy makes this process another program.
func replaceBy(args []string) error {
	if err := syscall.Exec(args[0], args, os.Environ()); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}
