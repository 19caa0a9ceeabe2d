// Package container runs the environment of a task in a container, by the command line of
// docker or podman: an image from a folder with a Dockerfile, a container that lives as
// long as a run, programs in it. Nothing of the person's is mounted but what Spec names,
// and keys never stand in an argument, where others could read them.
//
//	engine, err := container.Find(ctx, "", lookup)
//	image, err := engine.Build(ctx, "trimtab-trial:4f1c", dir, time.Hour, log)
//	box, err := engine.Start(ctx, container.Spec{Image: image})
//	defer box.Close()
//	end, err := box.Run(ctx, container.Program{Argv: []string{"sh", "/tests/test.sh"}})
package container

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/trimtab/trimtab/agent/sandbox"
	"github.com/trimtab/trimtab/improve/agents/subprocess"
)

// ErrNone is a machine on which neither docker nor podman answers.
var ErrNone = errors.New("no container engine")

// names are the engines, in the order in which they are looked for.
var names = []string{"docker", "podman"}

// Engine is docker or podman.
type Engine struct {
	Name string // docker or podman

	program string
	env     []string
}

// engineVars are the variables by which people tell an engine where and how it runs.
var engineVars = []string{
	"DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_CERT_PATH", "DOCKER_TLS_VERIFY", "DOCKER_BUILDKIT",
	"CONTAINER_HOST", "CONTAINER_CONNECTION", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "BUILDAH_ISOLATION", "REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
}

// The limits of what an engine is asked for besides runs.
const (
	askTime = time.Minute
	maxSaid = 1 << 20
)

// Find finds the engine of this name, or with "" the first that answers.
func Find(ctx context.Context, name string, lookup subprocess.Lookup) (Engine, error) {
	if name != "" && !slices.Contains(names, name) {
		return Engine{}, fmt.Errorf("%q is no container engine; there are %s", name, strings.Join(names, " and "))
	}
	env := subprocess.Environ(lookup, subprocess.Person(lookup), engineVars...)
	var why []string
	for _, n := range names {
		if name != "" && n != name {
			continue
		}
		e := Engine{Name: n, env: env}
		var err error
		if e.program, err = subprocess.Find(n, env); err != nil {
			why = append(why, n+" is not installed")
			continue
		}
		if _, err = e.ask(ctx, "version"); err == nil {
			return e, nil
		}
		why = append(why, err.Error())
	}
	return Engine{}, fmt.Errorf("%w: %s", ErrNone, strings.Join(why, "; "))
}

// ask runs the engine for something short, and returns what it said.
func (e Engine) ask(ctx context.Context, args ...string) (string, error) {
	var out strings.Builder
	end, err := e.do(ctx, subprocess.Program{Argv: args, Env: e.env, Time: askTime, Output: maxSaid, Stdout: &out})
	if err == nil && end.Exit != 0 {
		err = fmt.Errorf("exit code %d: %s", end.Exit, lastLine(end.Tail))
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", e.Name, args[0], err)
	}
	return strings.TrimSpace(out.String()), nil
}

// do runs the engine. It is a program of the person's, so it is in no sandbox.
func (e Engine) do(ctx context.Context, prog subprocess.Program) (subprocess.End, error) {
	dir, err := os.MkdirTemp("", "trimtab-container-") // what "." is for an image without files
	if err != nil {
		return subprocess.End{}, err
	}
	defer os.RemoveAll(dir)
	place, err := subprocess.Open(subprocess.Setting{Dir: dir, Sandbox: sandbox.Config{Mode: "none"}})
	if err != nil {
		return subprocess.End{}, err
	}
	defer place.Close()
	prog.Argv = append([]string{e.program}, prog.Argv...)
	return place.Run(ctx, prog)
}

// Image is an image that is here.
type Image struct {
	ID   string // by its content
	Dir  string // the folder in which its programs begin
	User string
}

// Have is the image of a name, if it is here.
func (e Engine) Have(ctx context.Context, name string) (Image, bool) {
	img, err := e.inspect(ctx, name)
	return img, err == nil
}

// Build makes the image of a folder with a Dockerfile under a name.
func (e Engine) Build(ctx context.Context, name, dir string, most time.Duration, log io.Writer) (Image, error) {
	return e.build(ctx, name, subprocess.Program{Argv: []string{"build", "--tag", name, dir}, Time: most, Log: log})
}

// Extend makes an image of another, in which a shell line was run as root.
func (e Engine) Extend(ctx context.Context, name string, on Image, line string, most time.Duration, log io.Writer) (Image, error) {
	run, err := json.Marshal([]string{"sh", "-c", line})
	if err != nil {
		return Image{}, err
	}
	file := fmt.Sprintf("FROM %s\nUSER 0\nRUN %s\nUSER %s\n", on.ID, run, cmp.Or(on.User, "0"))
	return e.build(ctx, name, subprocess.Program{Argv: []string{"build", "--tag", name, "--file", "-", "."}, Stdin: file, Time: most, Log: log})
}

func (e Engine) build(ctx context.Context, name string, prog subprocess.Program) (Image, error) {
	prog.Env = e.env
	end, err := e.do(ctx, prog)
	if err == nil && end.Exit != 0 {
		err = fmt.Errorf("exit code %d: %s", end.Exit, lastLine(end.Tail))
	}
	if err != nil {
		return Image{}, fmt.Errorf("%s build: %w", e.Name, err)
	}
	return e.inspect(ctx, name)
}

// Pull brings an image of this name.
func (e Engine) Pull(ctx context.Context, name string, most time.Duration, log io.Writer) (Image, error) {
	return e.build(ctx, name, subprocess.Program{Argv: []string{"pull", name}, Time: most, Log: log})
}

func (e Engine) inspect(ctx context.Context, name string) (Image, error) {
	said, err := e.ask(ctx, "image", "inspect", name)
	if err != nil {
		return Image{}, err
	}
	var all []struct {
		ID     string `json:"Id"`
		Config struct{ WorkingDir, User string }
	}
	if err := json.Unmarshal([]byte(said), &all); err != nil || len(all) != 1 || all[0].ID == "" {
		return Image{}, fmt.Errorf("%s image inspect %s says no more than %.80q", e.Name, name, said)
	}
	return Image{ID: all[0].ID, Dir: cmp.Or(all[0].Config.WorkingDir, "/"), User: all[0].Config.User}, nil
}

// Sweep removes the containers that earlier runs of an owner left, such as one that was
// killed.
func (e Engine) Sweep(ctx context.Context, owner string) error {
	said, err := e.ask(ctx, "ps", "--all", "--quiet", "--filter", "label="+label+"="+owner)
	if err != nil || said == "" {
		return err
	}
	_, err = e.ask(ctx, append([]string{"rm", "--force"}, strings.Fields(said)...)...)
	return err
}

// label says whose a container is.
const label = "trimtab.trial"

// Spec is how a container is made.
type Spec struct {
	Image  Image
	Owner  string  // who sweeps it up
	Mounts []Mount // what it sees of this machine
	Host   bool    // it has the network of this machine
	CPUs   float64 // 0: no limit
	Memory int64   // bytes; 0: no limit
}

// Mount is a file or folder of this machine in a container.
type Mount struct {
	From, To string
	Write    bool
}

// Box is a container in which programs run until it is closed.
type Box struct {
	engine Engine
	id     string
}

// Start starts a container that does nothing by itself.
func (e Engine) Start(ctx context.Context, s Spec) (*Box, error) {
	args := []string{"run", "--detach", "--label", label + "=" + s.Owner, "--security-opt", "label=disable", "--entrypoint", "sh"}
	if s.Host {
		args = append(args, "--network", "host")
	}
	if s.CPUs > 0 {
		args = append(args, "--cpus", fmt.Sprint(s.CPUs))
	}
	if s.Memory > 0 {
		args = append(args, "--memory", fmt.Sprint(s.Memory))
	}
	for _, m := range s.Mounts {
		mount := "type=bind,source=" + m.From + ",target=" + m.To
		if strings.ContainsAny(m.From, ",\"\n") {
			return nil, fmt.Errorf("%s cannot be mounted: a comma, a quotation mark or a line break is in its name", m.From)
		}
		if !m.Write {
			mount += ",readonly"
		}
		args = append(args, "--mount", mount)
	}
	id, err := e.ask(ctx, append(args, s.Image.ID, "-c", "while :; do sleep 3600; done")...)
	if err != nil {
		return nil, err
	}
	return &Box{e, id}, nil
}

// Program is a program in a container.
type Program struct {
	Argv  []string
	Env   []string // NAME=value, besides what the image sets
	Keys  []string // the same for what others must not read; a task never names these
	User  string   // "" is the image's
	Stdin string
	Time  time.Duration
	// Output is how much it may write.
	Output int64
	Log    io.Writer
}

// Run runs a program in the container to its end, or to one of its limits; in that case what
// it started lives until the box is closed.
func (b *Box) Run(ctx context.Context, p Program) (subprocess.End, error) {
	args := []string{"exec"}
	if p.Stdin != "" {
		args = append(args, "--interactive")
	}
	for _, v := range p.Env {
		args = append(args, "--env", v)
	}
	for _, v := range p.Keys { // the value goes by the engine's own environment
		name, _, _ := strings.Cut(v, "=")
		args = append(args, "--env", name)
	}
	if p.User != "" {
		args = append(args, "--user", p.User)
	}
	args = append(append(args, b.id), p.Argv...)
	return b.engine.do(ctx, subprocess.Program{Argv: args, Env: slices.Concat(b.engine.env, p.Keys), Stdin: p.Stdin, Time: p.Time, Output: p.Output, Log: p.Log})
}

// Put copies what is in a folder of this machine into one of the container, which is empty
// before: what lies there already is removed.
func (b *Box) Put(ctx context.Context, from, to string) error {
	end, err := b.Run(ctx, Program{Argv: []string{"sh", "-c", `rm -rf "$0" && mkdir -p "$0"`, to}, User: "0", Time: askTime})
	if err == nil && end.Exit != 0 {
		err = fmt.Errorf("empty %s in the container: exit code %d: %s", to, end.Exit, lastLine(end.Tail))
	}
	if err != nil {
		return err
	}
	_, err = b.engine.ask(ctx, "cp", from+"/.", b.id+":"+to)
	return err
}

// Close ends the container and all that runs in it.
func (b *Box) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	_, err := b.engine.ask(ctx, "rm", "--force", "--time", "0", b.id)
	if err != nil { // docker knows no --time
		_, err = b.engine.ask(ctx, "rm", "--force", b.id)
	}
	return err
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
