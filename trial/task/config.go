package task

import (
	"errors"
	"fmt"
	"maps"
	"slices"
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

// file is what counts of task.toml here. Harbor has more keys; they say how its containers
// are made.
type file struct {
	Metadata struct {
		Category string `toml:"category"`
	} `toml:"metadata"`
	Agent struct {
		Timeout *float64 `toml:"timeout_sec"`
	} `toml:"agent"`
	Verifier struct {
		Timeout *float64          `toml:"timeout_sec"`
		Env     map[string]string `toml:"env"`
	} `toml:"verifier"`
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
