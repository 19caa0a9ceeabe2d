package launch

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
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
		file = filepath.Join(dir, cmp.Or(l.File.Name, "file"))
	}
	named := l.ownSession()
	l = l.Fill(p.URL, p.Session, file)
	if err := l.write(file); err != nil {
		return 0, err
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
	if l.Inline.Name != "" {
		agent.Env = append(agent.Env, l.Inline.Name+"="+joinJSON(lookup(agent.Env, l.Inline.Name), l.Inline.Value))
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

// write writes the files of the run.
func (l Launch) write(file string) error {
	if l.File.Name != "" {
		if err := os.WriteFile(file, []byte(l.File.Text), 0o600); err != nil {
			return err
		}
	}
	for _, f := range l.Files {
		name := filepath.Join(filepath.Dir(file), filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.Text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// lookup is the value of a variable; of several, the last counts.
func lookup(environ []string, name string) (value string) {
	for _, e := range environ {
		if k, v, ok := strings.Cut(e, "="); ok && k == name {
			value = v
		}
	}
	return value
}

// joinJSON adds our members to an object. What is there already counts; what is no plain
// JSON is the person's, and stays as it is.
func joinJSON(theirs, ours string) string {
	if theirs == "" {
		return ours
	}
	var a, b map[string]any
	if json.Unmarshal([]byte(theirs), &a) != nil || json.Unmarshal([]byte(ours), &b) != nil {
		return theirs
	}
	joined, err := json.Marshal(Merge(b, a))
	if err != nil {
		return theirs
	}
	return string(joined)
}

// Merge is over on top of base, objects one by one.
func Merge(base, over map[string]any) map[string]any {
	all := maps.Clone(base)
	if all == nil {
		all = map[string]any{}
	}
	for k, v := range over {
		inner, ok := v.(map[string]any)
		before, both := all[k].(map[string]any)
		if ok && both {
			v = Merge(before, inner)
		}
		all[k] = v
	}
	return all
}
