// Package policy makes engines from the settings at hand and changes to them, so that two
// policies can be played over the same recorded sessions. It reads no file and runs no
// program; what a change may name are the settings of steering alone.
//
//	now := policy.New(cfg, modes)
//	other, err := now.Engine("guard.enabled=false", "todoReminder.initialTurns=4")
package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/trimtab/trimtab"
	"github.com/trimtab/trimtab/internal/config"
	"github.com/trimtab/trimtab/replay"
	"github.com/trimtab/trimtab/steer"
	"github.com/trimtab/trimtab/steer/mode"
)

// Base is the policy that changes are made to.
type Base struct {
	cfg   steer.Config
	modes []mode.Definition
}

// New returns the policy of these settings and modes. The programs of the settings are not
// part of it: a replay asks none.
func New(cfg steer.Config, modes []mode.Definition) *Base {
	cfg.Interventions = nil
	return &Base{cfg, modes}
}

// most is how many changes a policy may have, and how long one is.
const (
	mostChanges = 50
	mostBytes   = 1000
)

// Engine is the lineup with these changes, each as in guard.enabled=false. A change that the
// settings do not know or allow is an error that says so.
func (b *Base) Engine(changes ...string) (*trimtab.Engine, error) {
	if len(changes) > mostChanges {
		return nil, fmt.Errorf("%d changes; give at most %d", len(changes), mostChanges)
	}
	for _, c := range changes {
		switch {
		case len(c) > mostBytes:
			return nil, fmt.Errorf("a change of %d bytes; give at most %d", len(c), mostBytes)
		case strings.HasPrefix(c, "interventions"):
			return nil, errors.New("interventions: programs are not asked in a replay")
		}
	}
	raw, err := json.Marshal(b.cfg)
	if err != nil {
		return nil, err
	}
	cfg, report := config.Load[steer.Config](config.Sources{Layers: []config.Layer{{Name: present, Data: raw}}, Sets: changes})
	for _, p := range report.Problems {
		if p.Layer != present { // what is not set is null there, and stays as it is
			return nil, p
		}
	}
	cfg.Interventions = nil
	return steer.New(cfg, steer.Modes(b.modes...))
}

// present is the name of the settings at hand.
const present = "present"

// Settings lists what can be changed, in the order of the lineup.
func (b *Base) Settings() []replay.Setting {
	keys := map[string]config.Key{}
	for _, k := range config.Keys[steer.Config]() {
		keys[k.Path] = k
	}
	var all []replay.Setting
	for _, e := range config.Entries(b.cfg, config.Report{}) {
		k, ok := keys[e.Key]
		if !ok || k.Type.Kind() == reflect.Map {
			continue
		}
		value := string(e.Value)
		if value == "null" {
			value = string(e.Default)
		}
		off, switches := strings.CutSuffix(e.Key, ".enabled")
		if !switches || value != "true" {
			off = ""
		}
		all = append(all, replay.Setting{Key: e.Key, Value: value, Doc: e.Doc, Takes: k.Allowed(), Off: off})
	}
	return all
}
