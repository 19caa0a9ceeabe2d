package launch

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

// Process is one run of an agent.
type Process struct {
	Program  string   // its path
	Args     []string // the person's own
	URL      string   // of the gateway, for this run alone
	Session  string   // the id of the run, and of its session where the host has no ids of its own
	Data     string   // the folder of our data, for our programs that the agent calls
	Environ  []string
	In       io.Reader
	Out, Err io.Writer
	Terminal bool // In is a terminal, which sends an interrupt to the agent itself
}

// Run starts the agent and waits until it ends. Signals go to it, and its exit code
// comes back.
func (l Launch) Run(p Process) (code int, err error) {
	file := ""
	if l.File.Name != "" || len(l.Files) > 0 {
		dir, err := os.MkdirTemp("", "trimtab-run-")
		if err != nil {
			return 0, err
		}
		defer os.RemoveAll(dir)
		file = filepath.Join(dir, cmp.Or(l.File.Name, "none"))
	}
	named := l.ownSession()
	l = l.Fill(p.URL, p.Session, file)
	for _, f := range append(slices.Clone(l.Files), l.File) {
		if f.Name == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(file), f.Name), []byte(f.Text), 0o600); err != nil {
			return 0, err
		}
	}
	agent := exec.Command(p.Program, append(slices.Clone(l.Args), p.Args...)...)
	agent.Stdin, agent.Stdout, agent.Stderr = p.In, p.Out, p.Err
	session := "" // also where this run began inside another one
	if named {
		session = p.Session
	}
	origin, key := part(p.URL)
	agent.Env = append(slices.Clone(p.Environ), "TRIMTAB_RUN="+p.Session, "TRIMTAB_SESSION="+session, "TRIMTAB_DATA="+p.Data,
		"TRIMTAB_RUN_URL="+origin, "TRIMTAB_RUN_KEY="+key) // some hosts keep variables with KEY in their name from the programs that their model runs
	agent.Env = append(agent.Env, direct(p.Environ)...)
	for _, k := range slices.Sorted(maps.Keys(l.Env)) {
		agent.Env = append(agent.Env, k+"="+l.Env[k])
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	if err := agent.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- agent.Wait() }()
	for {
		select {
		case s := <-signals:
			if s != os.Interrupt || !p.Terminal {
				_ = agent.Process.Signal(s)
			}
		case err := <-ended:
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return exit.ExitCode(), nil
			}
			return 0, err
		}
	}
}
