package hookcmd

import (
	"os/exec"
	"path/filepath"
	"time"

	"github.com/trimtab/trimtab/agent/check"
	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/surface/hook"
)

// hostLimit is below the five seconds after which hosts are told to end a hook (see
// surface/hook/install): a check that is ended by us is told, and leaves nothing running.
const hostLimit = 4 * time.Second

// checker asks the working tree and, where the person lets it, runs the check of a project in
// the sandbox. The box is made when a command needs one: most stops need none.
func (r Run) checker(cfg Settings, data string) hook.Checker {
	confine := func(cmd *exec.Cmd) error {
		box, err := sandbox.New(cfg.Tools.Sandbox, sandbox.Options{Dir: cmd.Dir, Home: r.Home.Getenv("HOME"), Hide: []string{data}, Cache: filepath.Join(data, "check-cache"), Guard: true})
		if err != nil {
			return err
		}
		return box.Confine(cmd)
	}
	return check.New(check.Options{Confine: confine, Limit: min(cfg.Verify.Limit(), hostLimit), Keep: filepath.Join(data, "receipts"), Environ: r.Environ, Clock: r.Clock})
}
