package config_test

import (
	"testing"

	"github.com/trimtab/trimtab/internal/config"
)

// A key that another one has replaced names that one, wherever it is set.
func TestARenamedKeyNamesItsSuccessor(t *testing.T) {
	type now struct {
		Steering struct {
			Travel string `json:"travel" default:"auto" enum:"auto,tail"`
		} `json:"steering"`
	}
	const text = "steering.travel has taken its place: give auto or tail"
	got, report := config.Load[now](config.Sources{
		Layers: []config.Layer{{Name: "user", File: "trimtab.json", Data: []byte(`{"steering": {"retract": "cache"}}`)}},
		Env:    []string{"TRIMTAB_STEERING_RETRACT=cache"}, Sets: []string{"steering.retract=cache"},
	})
	expect(t, report,
		"trimtab.json:1:15: steering.retract: it is no longer a key; "+text,
		"TRIMTAB_STEERING_RETRACT: it is no longer a setting; "+text,
		"--set: steering.retract: it is no longer a key; "+text)
	if got.Steering.Travel != "auto" {
		t.Errorf("travel is %q", got.Steering.Travel)
	}
}
