package doctor

import (
	"os"

	"github.com/trimtab/trimtab/agent/sandbox"
)

// Sandbox says what confines the commands of the chat, and what this system cannot
// close to them.
func Sandbox(cfg sandbox.Config) Finding {
	f := Finding{Check: "sandbox", State: OK}
	box, err := sandbox.New(cfg, sandbox.Options{Dir: os.TempDir(), Guard: true})
	if err != nil {
		f.State, f.Text, f.Mend = Wrong, err.Error(), "choose another tools.sandbox.mode"
		return f
	}
	defer box.Close()
	status := box.Status()
	f.Text = status.String()
	if status.Short() != "" {
		f.State, f.Mend = Note, "bubblewrap closes all of it where the system allows it; tools.sandbox.mode \"require\" runs no command where nothing confines it"
	}
	return f
}
