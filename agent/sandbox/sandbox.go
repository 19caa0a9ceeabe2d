package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Kind is a way to confine a command.
type Kind string

// The kinds.
const (
	None       Kind = "none"
	Landlock   Kind = "landlock"
	Bubblewrap Kind = "bubblewrap"
)

// Config is what a person may set. A project may set none of it: it would let
// itself out.
type Config struct {
	Mode    string   `json:"mode" guard:"user" default:"auto" enum:"auto,landlock,bubblewrap,none,require" doc:"what confines commands; require is auto, but commands do not run where nothing does"`
	Network *bool    `json:"network" guard:"user" doc:"true: commands may use the network; false: none may; not set: a command of the chat only where the person allows it, agents that improve a project always; landlock alone cannot keep all of it from them"`
	Write   []string `json:"write" guard:"user" doc:"further folders that commands may write to, such as ~/.cache"`
	Read    []string `json:"read" guard:"user" doc:"secrets of the home that commands of the chat may read all the same, such as ~/.ssh"`
	Sockets bool     `json:"sockets" guard:"user" doc:"commands of the chat may open Unix sockets, by which Docker, D-Bus, an SSH agent or tmux run what they are told, outside of the sandbox"`
}

// modes are the values of Config.Mode, the default first. They are not read from the
// tags: this package imports nothing of ours, since agents, tools and the steps of
// improvements all build on it. A test holds the two together.
var modes = []string{"auto", "landlock", "bubblewrap", "none", "require"}

// Options are where a box stands.
type Options struct {
	Dir  string // the project folder
	Home string // what ~ stands for in Config.Write
	Self string // this program, which calls Main first of all; found out if not given

	// Cache is a folder, made if need be, in which confined programs keep what
	// they built, from one box to the next. Nothing else should trust it. ""
	// keeps it with the box.
	Cache string

	// Hide are files and folders that commands may not read, whether they exist
	// yet or not. None may lie in a folder to write to. Read are folders that may be
	// read although they lie below a hidden one, as those to write to may. With
	// nothing hidden, all may be read.
	Hide, Read []string

	// Guard is for commands that a model chooses in a person's own working tree: git's
	// hooks and settings, the person's terminals, Unix sockets and, unless the person
	// asked for it, the network are closed to them. What the system cannot close, and
	// what of Hide lies in a folder to write to and cannot be hidden, Status names.
	Guard bool
}

// Box confines commands.
type Box struct {
	kind    Kind
	status  Status
	network bool
	self    string
	bwrap   string
	cache   string
	write   []string // the project folder first
	hide    []string
	read    []string
	guard   bool
	sockets bool
	layered bool // Landlock inside of bubblewrap

	making sync.Mutex
	temp   string // made when the first command is confined
}

// Status says what confines commands, and what is lacking.
type Status struct {
	Kind Kind
	Why  string   // why it is none, or not all that was asked for
	Open []string // what a guarded box should close and cannot here
}

func (s Status) String() string {
	why := s.Open
	if s.Why != "" {
		why = append([]string{s.Why}, s.Open...)
	}
	if len(why) > 0 {
		return fmt.Sprintf("sandbox: %s (%s)", s.Kind, strings.Join(why, "; "))
	}
	return "sandbox: " + string(s.Kind)
}

// Short is what the chat's footer says: nothing where all is closed that should be.
func (s Status) Short() string {
	switch {
	case s.Kind == None:
		return "sandbox: none"
	case s.Why != "" || len(s.Open) > 0:
		return "sandbox: in part"
	}
	return ""
}

// ErrNone is a system that cannot confine commands as the person requires it.
var ErrNone = errors.New("commands cannot be confined here")

// New returns a box, whose commands get a temporary folder of its own. The caller
// closes it. The program must call Main before anything else.
func New(cfg Config, opt Options) (*Box, error) { return open(cfg, opt, system{}) }

func open(cfg Config, opt Options, sys prober) (*Box, error) {
	mode, network := cmp.Or(cfg.Mode, modes[0]), !opt.Guard
	if cfg.Network != nil {
		network = *cfg.Network
	}
	if !slices.Contains(modes, mode) {
		return nil, fmt.Errorf("sandbox: mode: %q is not one of: %s", mode, strings.Join(modes, ", "))
	}
	found := choose(sys, mode, network, opt.Guard, cfg.Network != nil)
	if found.err != nil {
		return nil, fmt.Errorf("sandbox: mode %s: %w: %s; choose another tools.sandbox.mode, or install bubblewrap", mode, found.err, found.why)
	}
	b := &Box{
		kind: found.kind, status: Status{Kind: found.kind, Why: found.why}, network: network, bwrap: found.path, self: opt.Self,
		hide: opt.Hide, read: opt.Read, guard: opt.Guard, sockets: !opt.Guard || cfg.Sockets || !canFilter,
	}
	if b.kind == None {
		return b, nil
	}
	var err error
	if b.write, err = writable(opt, cfg.Write); err != nil {
		return nil, err
	}
	if b.self == "" {
		if b.self, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("sandbox: find this program: %w", err)
		}
	}
	if opt.Cache != "" {
		if err := b.keep(opt.Cache); err != nil {
			return nil, fmt.Errorf("sandbox: cache: %w", err)
		}
	}
	if b.guard {
		abi, why := sys.landlock()
		b.layered = b.kind == Bubblewrap && why == "" && abi >= leastABI
		if err := b.expose(cfg.Read, opt.Home); err != nil {
			return nil, err
		}
		b.status.Open = b.open(cfg.Sockets)
	}
	return b, nil
}

// keep sets where confined programs keep what they built.
func (b *Box) keep(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err != nil {
		return err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	b.cache, b.write = dir, append(b.write, dir)
	return nil
}

// furnish makes the temporary folder when a command first needs it: most sessions
// run none, and one that is killed then leaves nothing behind.
func (b *Box) furnish() error {
	b.making.Lock()
	defer b.making.Unlock()
	if b.temp != "" {
		return nil
	}
	made, err := os.MkdirTemp("", "trimtab-box-")
	if err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	real, err := filepath.EvalSymlinks(made)
	if err != nil {
		return fmt.Errorf("sandbox: %w", errors.Join(err, os.RemoveAll(made)))
	}
	b.temp, b.write = real, append(b.write, real)
	if b.cache == "" {
		b.cache = filepath.Join(real, "cache")
	}
	return nil
}

// expand is a full path of the settings, which may begin with ~.
func expand(path, home string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("sandbox: %q is not a full path; give one that begins with / or ~/", path)
	}
	return path, nil
}

// writable are the folders that commands may write to, without symbolic links.
func writable(opt Options, more []string) ([]string, error) {
	var out []string
	for _, dir := range append([]string{opt.Dir}, more...) {
		dir, err := expand(dir, opt.Home)
		if err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("sandbox: a folder to write to: %w; make it, or take it out of tools.sandbox.write", err)
		}
		if filepath.Dir(real) == real {
			return nil, fmt.Errorf("sandbox: %s is the whole file system; name a folder in it, or set tools.sandbox.mode to none", real)
		}
		out = append(out, real)
	}
	return out, nil
}

// Status says what confines commands here.
func (b *Box) Status() Status { return b.status }

// Close takes away the temporary folder.
func (b *Box) Close() error {
	b.making.Lock()
	defer b.making.Unlock()
	if b.temp == "" {
		return nil
	}
	if err := os.RemoveAll(b.temp); err != nil {
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// Network reports whether commands have the network anyway.
func (b *Box) Network() bool { return b.network || b.kind == None }

// Confine changes a command that has not started so that it starts in the box.
func (b *Box) Confine(cmd *exec.Cmd) error { return b.ConfineAs(cmd, b.network) }

// ConfineAs is Confine for a command that has the network, or has not, whatever the
// others have. A person who set that none has it is obeyed by the caller.
func (b *Box) ConfineAs(cmd *exec.Cmd, network bool) error {
	if b.kind == None {
		return nil
	}
	if cmd.Err != nil || !filepath.IsAbs(cmd.Path) {
		return fmt.Errorf("sandbox: the program %q is not known by its full path: %w", cmd.Path, errors.Join(cmd.Err, ErrNone))
	}
	if err := b.furnish(); err != nil {
		return err
	}
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "TMPDIR="+b.temp, "TMP="+b.temp, "TEMP="+b.temp)
	cmd.Env = append(cmd.Env, CacheEnv(b.cache)...)
	way, err := b.way(cmd, network)
	if err != nil {
		return err
	}
	args := cmd.Args
	if len(args) > 0 {
		args = args[1:]
	}
	cmd.Args = append(append(way, cmd.Path), args...)
	cmd.Path = way[0]
	return nil
}

// CacheEnv are the variables by which programs keep what they build in a folder.
func CacheEnv(dir string) []string {
	return []string{"XDG_CACHE_HOME=" + dir, "GOCACHE=" + filepath.Join(dir, "go-build"), "npm_config_cache=" + filepath.Join(dir, "npm")}
}

// way is the command line up to the command.
func (b *Box) way(cmd *exec.Cmd, network bool) ([]string, error) {
	s := spec{Write: b.write, Network: network, Terminals: !b.guard, Sockets: b.sockets, Stay: b.guard}
	var v view
	if len(b.hide) > 0 {
		s.Hide, s.Read = b.hide, slices.Concat(b.read, program(cmd.Path))
		if b.kind == Bubblewrap {
			s.Read = append(s.Read, b.self)
		}
		var err error
		if v, err = look(s); err == nil && b.kind == Landlock {
			err = v.around() // known here rather than by a command that does not run
		}
		if err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	var wrap []string
	if b.kind == Bubblewrap {
		wrap = b.wrap(cmd.Dir, v, network)
		if s.Sockets && !b.layered {
			return wrap, nil
		}
		// What is hidden has something over it, and the terminals are its own.
		s.Hide, s.Read, s.Terminals, s.Open, s.Stay = nil, nil, true, !b.layered, false
	}
	limits, err := spell(s)
	if err != nil {
		return nil, err
	}
	return append(wrap, b.self, word, limits, "--"), nil
}

// program is what a command needs of a program that was put into a hidden folder, as
// some agents do with themselves: the folder it lies in, or at least the file.
func program(path string) []string {
	out := []string{path, filepath.Dir(path)}
	if found, err := filepath.EvalSymlinks(path); err == nil && found != path {
		out = append(out, found, filepath.Dir(found))
	}
	return out
}

// wrap is the command line of bubblewrap up to the command.
func (b *Box) wrap(dir string, v view, network bool) []string {
	args := []string{b.bwrap, "--die-with-parent", "--unshare-pid", "--unshare-ipc", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"}
	if !network {
		args = append(args, "--unshare-net")
	}
	over, shut := v.covers()
	args = append(args, over...)
	for _, w := range b.write {
		args = append(args, "--bind", w, w)
	}
	args = append(args, shut...)
	if b.guard {
		args = append(args, b.gitBinds()...)
	}
	if dir == "" {
		dir = b.write[0]
	}
	return append(args, "--chdir", dir, "--")
}
