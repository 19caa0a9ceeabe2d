package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trimtab/trimtab/improve"
	"github.com/trimtab/trimtab/improve/agents"
	"github.com/trimtab/trimtab/internal/client"
	"github.com/trimtab/trimtab/internal/fakemodel"
)

// person is somebody of the team: a home, a data folder and a clone of the repository, as on
// a machine of their own.
type person struct {
	t     *team
	name  string
	role  string
	home  string
	clone string
	store string
}

func (p *person) env() []string {
	return []string{
		"TRIMTAB_USER=" + p.name, "TRIMTAB_USER_ROLE=" + p.role, "TRIMTAB_STORE_URL=" + p.store, "TRIMTAB_DATA=" + filepath.Join(p.home, "data"),
		"TRIMTAB_FORGE_KIND=local", "TRIMTAB_FORGE_FOLDER=" + filepath.Join(p.t.dir, "forge"), "TRIMTAB_MODELS_DEFAULT=demo",
		"GIT_CONFIG_GLOBAL=" + os.DevNull,
	}
}

// trimtab runs the program as the person, in their clone.
func (p *person) trimtab(ctx context.Context, args ...string) (stdout string, err error) {
	c := exec.CommandContext(ctx, filepath.Join(p.t.dir, "trimtab"), args...)
	c.Env = append([]string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "GOCACHE=" + filepath.Join(p.t.dir, "gocache"), "GOFLAGS=-mod=mod"}, p.env()...)
	c.Dir = p.clone
	var out, wrong bytes.Buffer
	c.Stdout, c.Stderr = &out, &wrong
	if err = c.Run(); err != nil {
		err = fmt.Errorf("%s: trimtab %s: %w: %s", p.name, strings.Join(args, " "), err, strings.TrimSpace(wrong.String()))
	}
	return out.String(), err
}

// people plays a team: two of its people work with real Claude Code sessions through two
// gateways behind a balancer, one gateway is killed, and the trouble that both meet becomes
// one approved pull request, by a worker on a third data folder. It says what it saw, and
// fails where something does not hold.
func people(ctx context.Context, o options) (err error) {
	if o.postgres == "" {
		return errors.New("-people needs a PostgreSQL server: sh script/postgres.sh run go run ./bench/team -people")
	}
	paths, err := client.Install(ctx, "claude")
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "trimtab-people-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := &team{dir: dir}
	defer func() { err = errors.Join(err, t.end()) }()
	if err := t.build(ctx); err != nil {
		return err
	}
	busy := make(chan struct{})
	model, err := busyModel(12, busy)
	if err != nil {
		return err
	}
	defer model.Close()
	t.up = model.URL
	// Two gateways, each with a data folder of its own, and a balancer.
	first, err := t.start(ctx, "gateway-1", o.postgres)
	if err != nil {
		return err
	}
	second, err := t.start(ctx, "gateway-2", o.postgres)
	if err != nil {
		return err
	}
	front, err := t.balance([]*server{first, second})
	if err != nil {
		return fmt.Errorf("nginx: %w", err)
	}
	team, err := t.persons(ctx, o.postgres)
	if err != nil {
		return err
	}
	keys := map[string]string{}
	for _, name := range []string{"ann", "bob"} {
		if keys[name], err = first.key(ctx, strings.TrimSuffix(front, first.path), name); err != nil {
			return err
		}
	}
	sessions, err := t.sessions(ctx, team, keys, paths, func(ended <-chan struct{}) error {
		select {
		case <-busy:
			t.kill(first)
			fmt.Println("a gateway was killed while both worked")
			return nil
		case <-ended:
			return errors.New("the sessions ended before a gateway could be killed")
		}
	})
	if err != nil {
		return err
	}
	if err := t.bothUsed(first, second); err != nil {
		return err
	}
	fmt.Printf("4 sessions of Claude Code %s ended as they should, through both gateways\n", paths.Version)
	if err := eachTheirOwn(ctx, team, sessions); err != nil {
		return err
	}
	return t.oneImprovement(ctx, team)
}

// busyModel is a model that has the agent run commands, and closes a channel with its nth
// answer.
func busyModel(nth int64, busy chan<- struct{}) (*fakemodel.Server, error) {
	var asked atomic.Int64
	script := fakemodel.ToolThenText("All soundings were read.", days()...)
	return fakemodel.Listen(fakemodel.Options{Lenient: true, Script: func(r fakemodel.Request) fakemodel.Reply {
		if asked.Add(1) == nth {
			close(busy)
		}
		return script(r)
	}})
}

// persons makes the repository, and those who work on it.
func (t *team) persons(ctx context.Context, store string) (map[string]*person, error) {
	origin, err := repository(ctx, t.dir)
	if err != nil {
		return nil, err
	}
	team := map[string]*person{}
	for name, role := range map[string]string{"ann": "approve", "bob": "use", "carol": "approve", "worker": "use"} {
		p := &person{t: t, name: name, role: role, home: filepath.Join(t.dir, name), store: store}
		p.clone = filepath.Join(p.home, "soundings")
		if name == "worker" {
			p.clone = p.home // it has none, and makes its own
			err = os.MkdirAll(p.home, 0o700)
		} else {
			err = git(ctx, t.dir, "clone", "--quiet", origin, p.clone)
		}
		if err != nil {
			return nil, err
		}
		team[name] = p
	}
	return team, nil
}

// sessions has two people work, two sessions each at the same time, and something happen
// meanwhile. It returns the ids of their sessions.
func (t *team) sessions(ctx context.Context, team map[string]*person, keys map[string]string, paths client.Paths, meanwhile func(ended <-chan struct{}) error) (map[string][]string, error) {
	ids := map[string][]string{}
	var mu sync.Mutex
	var wait sync.WaitGroup
	var failed error
	for name, base := range keys {
		for n := range 2 {
			wait.Go(func() {
				id, err := team[name].claude(ctx, paths, base, n)
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, err)
				ids[name] = append(ids[name], id)
			})
		}
	}
	ended := make(chan struct{})
	go func() { wait.Wait(); close(ended) }()
	err := meanwhile(ended)
	<-ended
	return ids, errors.Join(failed, err)
}

// key makes a key for a person, which all gateways on the store know, and returns their
// address.
func (s *server) key(ctx context.Context, front, name string) (string, error) {
	out, err := s.command(ctx, "serve", "key", "create", name, "--user", name).Output()
	if err != nil {
		return "", fmt.Errorf("a key for %s, whose sessions are theirs (trimtab serve key): %w", name, err)
	}
	return front + "/k/" + strings.TrimSpace(string(out)), nil
}

// days are the commands that the agent runs: the sample project cannot read these files.
func days() (out []fakemodel.Call) {
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday"} {
		out = append(out, fakemodel.Run("go run ./cmd/soundings "+day+".txt"))
	}
	return out
}

// repository makes the sample project with a server's copy of it, and returns where that is.
func repository(ctx context.Context, dir string) (string, error) {
	sample, err := agents.Sample(ctx, filepath.Join(dir, "sample"), os.Environ())
	if err != nil {
		return "", err
	}
	origin := filepath.Join(dir, "soundings.git")
	return origin, git(ctx, dir, "clone", "--quiet", "--bare", sample.Project, origin)
}

func git(ctx context.Context, dir string, args ...string) error {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

// claude runs Claude Code in the person's clone, through the gateways, and returns the id of
// its session.
func (p *person) claude(ctx context.Context, paths client.Paths, base string, n int) (string, error) {
	agent, err := client.Command("claude", base, fmt.Sprintf("I am %s, and this is question %d: tell me the shallowest sounding of each day.", p.name, n+1))
	if err != nil {
		return "", err
	}
	agent.Home, agent.Dir = filepath.Join(p.home, fmt.Sprint("session-", n+1)), p.clone
	agent.Env = append(agent.Env, p.env()...)
	agent.Env = append(agent.Env, "GOCACHE="+filepath.Join(p.t.dir, "gocache"))
	cmd, err := agent.Prepare(ctx, paths)
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var told struct {
		Result  string `json:"result"`
		Session string `json:"session_id"`
		Error   bool   `json:"is_error"`
	}
	if err = errors.Join(err, json.Unmarshal(stdout.Bytes(), &told)); err != nil || told.Error || !strings.Contains(told.Result, "All soundings were read.") {
		return "", fmt.Errorf("%s: Claude Code: %w: %s %s", p.name, err, stdout.String(), stderr.String())
	}
	return told.Session, nil
}

// bothUsed fails unless requests went through both gateways.
func (t *team) bothUsed(all ...*server) error {
	raw, err := os.ReadFile(filepath.Join(t.dir, "access.log"))
	if err != nil {
		return err
	}
	for _, s := range all {
		n := strings.Count(string(raw), s.listen+" ")
		fmt.Printf("%d requests went to the gateway on %s\n", n, s.listen)
		if n == 0 {
			return fmt.Errorf("no request went to the gateway on %s", s.listen)
		}
	}
	return nil
}

// eachTheirOwn fails unless each person sees their own sessions and no others.
func eachTheirOwn(ctx context.Context, team map[string]*person, sessions map[string][]string) error {
	for name, other := range map[string]string{"ann": "bob", "bob": "ann"} {
		out, err := team[name].trimtab(ctx, "session", "list", "--all", "--json")
		if err != nil {
			return err
		}
		var list []struct {
			ID string `json:"sessionId"`
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			return fmt.Errorf("session list: %w: %s", err, out)
		}
		var seen []string
		for _, s := range list {
			seen = append(seen, s.ID[strings.LastIndexByte(s.ID, ':')+1:])
		}
		slices.Sort(seen)
		want := slices.Sorted(slices.Values(sessions[name]))
		if !slices.Equal(seen, want) {
			return fmt.Errorf("%s sees the sessions %q, want %q", name, seen, want)
		}
		for _, id := range []string{other + ":claude:" + sessions[other][0], "claude:" + sessions[other][0]} {
			if name != "bob" { // ann has a role that shows them
				break
			}
			if out, err := team[name].trimtab(ctx, "session", "export", id); err == nil {
				return fmt.Errorf("%s reads a session of %s:\n%s", name, other, out)
			}
		}
		fmt.Printf("%s sees %d sessions, and they are %s's\n", name, len(seen), name)
	}
	return nil
}

// oneImprovement has both people file the trouble, who may not approve it try, two who may
// approve it at once, and a worker do it.
func (t *team) oneImprovement(ctx context.Context, team map[string]*person) error {
	ann, bob, carol, worker := team["ann"], team["bob"], team["carol"], team["worker"]
	for _, p := range []*person{ann, bob} {
		for n := range 2 {
			if _, err := p.trimtab(ctx, "improve", "new", filepath.Join(p.home, fmt.Sprint("session-", n+1), ".claude", "projects"), "--since", "1d"); err != nil {
				if !strings.Contains(err.Error(), "is about the same") {
					return err
				}
				fmt.Printf("%s is told that it was filed before\n", p.name)
			}
		}
	}
	items, err := bob.items(ctx)
	if err != nil {
		return err
	}
	if len(items) != 1 || items[0].State != improve.Awaiting {
		return fmt.Errorf("one trouble is %d requests: %+v", len(items), items)
	}
	id := items[0].ID
	if _, err := bob.trimtab(ctx, "improve", "approve", id); err == nil || !strings.Contains(err.Error(), `the role "approve"`) {
		return fmt.Errorf("bob, who may not, approves: %w", err)
	}
	results := make(chan error, 2)
	for _, p := range []*person{ann, carol} {
		go func() { _, err := p.trimtab(ctx, "improve", "approve", id); results <- err }()
	}
	one, other := <-results, <-results
	if (one == nil) == (other == nil) || !strings.Contains(errors.Join(one, other).Error(), "approved by ") {
		return fmt.Errorf("of two who approve at once: %w, %w", one, other)
	}
	fmt.Println("of two who approved at once:", errors.Join(one, other))
	if err := worker.work(ctx); err != nil {
		return err
	}
	if items, err = ann.items(ctx); err != nil {
		return err
	}
	it := items[0]
	issues, _ := filepath.Glob(filepath.Join(t.dir, "forge", "issues", "[0-9]*"))
	pulls, _ := filepath.Glob(filepath.Join(t.dir, "forge", "pulls", "[0-9]*"))
	if len(items) != 1 || it.State != improve.Done || len(it.Evidence) != 13 || it.Approved == nil || len(issues) != 1 || len(pulls) != 1 {
		return fmt.Errorf("%d requests, the first %s after %d steps (%s), %d issues, %d pull requests", len(items), it.State, len(it.Evidence), it.Why, len(issues), len(pulls))
	}
	fmt.Printf("%q became one issue and one pull request, approved by %s, done by a worker on a third data folder\n", it.Request.Title, it.Approved.By)
	return nil
}

//go:embed agent.sh
var agentScript []byte

// work does what is queued, with a scripted agent.
func (p *person) work(ctx context.Context) error {
	file := filepath.Join(p.home, "agent.sh")
	if err := os.WriteFile(file, agentScript, 0o600); err != nil {
		return err
	}
	settings, err := json.Marshal(map[string]any{"improve": map[string]any{"agent": "command", "command": []string{"sh", file, "{step}"}}})
	if err != nil {
		return err
	}
	config := filepath.Join(p.home, ".config", "trimtab")
	if err := os.MkdirAll(config, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(config, "trimtab.json"), settings, 0o600); err != nil {
		return err
	}
	_, err = p.trimtab(ctx, "improve", "run")
	return err
}

func (p *person) items(ctx context.Context) (items []improve.Item, err error) {
	out, err := p.trimtab(ctx, "improve", "list", "--json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &items)
	}
	return items, err
}
