package tool

import (
	"slices"
	"strings"
	"testing"
)

// TestCleanEnv_SettingsOfGitAllOrNone: git refuses to run with a part of them, and one
// with a token in it takes all of them along.
func TestCleanEnv_SettingsOfGitAllOrNone(t *testing.T) {
	plain := []string{"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=credential.helper", "GIT_CONFIG_VALUE_0=", "GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false"}
	for _, c := range []struct {
		name    string
		environ []string
		kept    int
	}{
		{"settings without secrets", plain, 5},
		{"one with a header", append(slices.Clone(plain), "GIT_CONFIG_KEY_2=http.extraHeader", "GIT_CONFIG_VALUE_2=x"), 0},
		{"one with a token", append(slices.Clone(plain), "GIT_CONFIG_KEY_2=url.x.insteadOf", "GIT_CONFIG_VALUE_2=https://me:hunter2@example.org/"), 0},
		{"a key of somebody else", []string{"MY_CONFIG_KEY_0=canary"}, 0},
	} {
		n := 0
		for _, pair := range CleanEnv(c.environ, nil) {
			if strings.Contains(pair, "_CONFIG_") {
				n++
			}
		}
		if n != c.kept {
			t.Errorf("%s: %d variables kept, want %d", c.name, n, c.kept)
		}
	}
}
