package steer_test

import (
	"encoding/json"
	"testing"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/trimtabtest"
)

// TestSessions plays the promises of the specification, a script each.
func TestSessions(t *testing.T) {
	trimtabtest.Run(t, "testdata/*.session", build)
}

func build(config []byte) (*trimtab.Engine, error) {
	var cfg steer.Config
	if len(config) > 0 {
		if err := json.Unmarshal(config, &cfg); err != nil {
			return nil, err
		}
	}
	return steer.New(cfg)
}
