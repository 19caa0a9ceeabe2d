package task

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// The time limits of a task that has none, and the longest.
const (
	defaultAgentTime = 10 * time.Minute
	defaultTestTime  = 2 * time.Minute
	mostTime         = 24 * time.Hour
)

// file is what counts of task.toml here; Harbor has more keys.
type file struct {
	Metadata struct {
		Category string `toml:"category"`
	} `toml:"metadata"`
	Agent struct {
		Timeout *float64 `toml:"timeout_sec"`
		User    any      `toml:"user"`
	} `toml:"agent"`
	Verifier struct {
		Timeout *float64          `toml:"timeout_sec"`
		Env     map[string]string `toml:"env"`
		User    any               `toml:"user"`
	} `toml:"verifier"`
	Environment struct {
		Timeout  *float64 `toml:"build_timeout_sec"`
		Image    string   `toml:"docker_image"`
		CPUs     float64  `toml:"cpus"`
		MemoryMB float64  `toml:"memory_mb"`
		Memory   string   `toml:"memory"`
		Internet *bool    `toml:"allow_internet"`
	} `toml:"environment"`
}

var variable = lazyregexp.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// configure takes in task.toml.
func (t *Task) configure(raw []byte) error {
	var f file
	if err := toml.Unmarshal(raw, &f); err != nil {
		var where *toml.DecodeError
		if errors.As(err, &where) {
			line, _ := where.Position()
			return fmt.Errorf("line %d: %w", line, err)
		}
		return err
	}
	var err1, err2 error
	t.AgentTime, err1 = limit("agent.timeout_sec", f.Agent.Timeout, defaultAgentTime)
	t.TestTime, err2 = limit("verifier.timeout_sec", f.Verifier.Timeout, defaultTestTime)
	t.Kind = f.Metadata.Category
	if err := t.contain(f); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(f.Verifier.Env)) {
		if !variable().MatchString(name) {
			return fmt.Errorf("verifier.env: %q is no name of a variable", name)
		}
		t.Env = append(t.Env, name+"="+f.Verifier.Env[name])
	}
	return errors.Join(err1, err2)
}

func limit(key string, seconds *float64, usual time.Duration) (time.Duration, error) {
	if seconds == nil {
		return usual, nil
	}
	if !(*seconds > 0 && *seconds <= mostTime.Seconds()) {
		return 0, fmt.Errorf("%s: %v is not between 0 and %v", key, *seconds, mostTime.Seconds())
	}
	return time.Duration(*seconds * float64(time.Second)), nil
}

// The most that a container may ask for.
const (
	mostCPUs   = 1024
	mostMemory = 1 << 44 // bytes
)

var (
	imageName = lazyregexp.Pattern(`^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}$`)
	userName  = lazyregexp.Pattern(`^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}$`)
	memory    = lazyregexp.Pattern(`(?i)^([0-9]{1,12})([KMG]?)B?$`)
)

// contain takes in what task.toml says of the container.
func (t *Task) contain(f file) error {
	c, env := &t.Container, f.Environment
	var err error
	if c.BuildTime, err = limit("environment.build_timeout_sec", env.Timeout, defaultAgentTime); err != nil {
		return err
	}
	if c.Image = env.Image; c.Image != "" && !imageName().MatchString(c.Image) {
		return fmt.Errorf("environment.docker_image: %.80q is no name of an image", c.Image)
	}
	if c.CPUs = env.CPUs; !(c.CPUs >= 0 && c.CPUs <= mostCPUs) {
		return fmt.Errorf("environment.cpus: %v is not between 0 and %d", c.CPUs, mostCPUs)
	}
	bytes := env.MemoryMB * (1 << 20)
	if m := memory().FindStringSubmatch(env.Memory); m != nil {
		n, _ := strconv.ParseFloat(m[1], 64) // at most twelve digits
		bytes = n * map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[strings.ToUpper(m[2])]
	} else if env.Memory != "" {
		return fmt.Errorf("environment.memory: %.40q is no size, such as 4G", env.Memory)
	}
	if !(bytes >= 0 && bytes <= mostMemory) {
		return fmt.Errorf("environment.memory: %v bytes are not between 0 and %d", bytes, int64(mostMemory))
	}
	c.Memory = int64(bytes)
	c.Closed = env.Internet != nil && !*env.Internet
	for _, u := range []struct {
		key  string
		said any
		to   *string
	}{{"agent.user", f.Agent.User, &c.User}, {"verifier.user", f.Verifier.User, &c.TestUser}} {
		if u.said == nil {
			continue
		}
		if *u.to = fmt.Sprint(u.said); !userName().MatchString(*u.to) {
			return fmt.Errorf("%s: %.40q is no user", u.key, *u.to)
		}
	}
	return nil
}
