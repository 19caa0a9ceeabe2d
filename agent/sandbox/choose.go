package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// What Landlock can do grows with the version of its interface.
const (
	leastABI = 3  // earlier ones let a file outside be cut to nothing
	tcpABI   = 4  // keeps TCP from a command
	udpABI   = 10 // and the rest of the network
)

// prober finds out what a system has.
type prober interface {
	landlock() (abi int, why string)
	bubblewrap() (path, why string)
}

// choice is what was chosen, and why it is not more.
type choice struct {
	kind Kind
	path string // of bubblewrap
	why  string
	err  error
}

// choose picks a kind. Landlock goes first, since it costs next to nothing, unless
// the network is to be kept out and it cannot, or a working tree is to be guarded,
// where only bubblewrap can keep git's hooks from a command that may write beside them.
//
// demanded says that the person set that there is no network, and not only left it to
// be asked for: mode require then wants all of it kept out.
func choose(sys prober, mode string, network, guard, demanded bool) choice {
	switch mode {
	case "none":
		return choice{kind: None, why: "switched off"}
	case "landlock":
		c, ok := byLandlock(sys, network)
		if !ok {
			c.err = ErrNone
		}
		return c
	case "bubblewrap":
		c, ok := byBubblewrap(sys)
		if !ok {
			c.err = ErrNone
		}
		return c
	}
	first, ok := byLandlock(sys, network)
	if ok && first.why == "" && !guard {
		return first
	}
	second, wrapped := byBubblewrap(sys)
	switch {
	case wrapped:
		return second
	case mode == "require" && ok && demanded && first.why != "": // Landlock, but not all that was asked for
		first.err = ErrNone
		first.why += "; " + second.why
		return first
	case ok:
		return first
	}
	none := choice{kind: None, why: first.why + "; " + second.why}
	if mode == "require" {
		none.err = ErrNone
	}
	return none
}

func byLandlock(sys prober, network bool) (choice, bool) {
	abi, why := sys.landlock()
	switch {
	case why != "":
		return choice{kind: None, why: why}, false
	case abi < leastABI:
		return choice{kind: None, why: fmt.Sprintf("this kernel's Landlock (version %d) is too old: Linux 6.2 has what is needed", abi)}, false
	case network || abi >= udpABI:
		return choice{kind: Landlock}, true
	case abi >= tcpABI:
		return choice{kind: Landlock, why: "of the network, only TCP is kept out"}, true
	}
	return choice{kind: Landlock, why: "the network is not kept out"}, true
}

func byBubblewrap(sys prober) (choice, bool) {
	path, why := sys.bubblewrap()
	if why != "" {
		return choice{kind: None, why: why}, false
	}
	return choice{kind: Bubblewrap, path: path}, true
}

// system is the one we run on.
type system struct{}

// tryTime is how long bubblewrap may take to show that it works.
const tryTime = 5 * time.Second

func (system) bubblewrap() (path, why string) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return "", "bubblewrap is not installed"
	}
	ctx, cancel := context.WithTimeout(context.Background(), tryTime)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, "--unshare-pid", "--unshare-ipc", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "true").CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return path, ""
	case errors.As(err, &exit):
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "", "bubblewrap does not work here: " + strings.ToValidUTF8(line, "\uFFFD")
	}
	return "", "bubblewrap does not work here: " + err.Error()
}
