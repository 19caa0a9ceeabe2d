package version

import (
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAVersionIsWhatTheLinkerWrote(t *testing.T) {
	for _, tt := range []struct {
		name, main string
		settings   []debug.BuildSetting
		want       Info
	}{
		{"go run", "(devel)", nil, Info{Version: development}},
		{"nothing", "", nil, Info{Version: development}},
		{"go install of a tag", "v0.1.0", nil, Info{Version: "0.1.0"}},
		{"a release", "v0.1.0", []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "false"}}, Info{Version: "0.1.0", Revision: "abc"}},
		{
			"between releases", "v0.1.1-0.20261117043000-0123456789ab+dirty",
			[]debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789ab"}, {Key: "vcs.modified", Value: "true"}},
			Info{Version: "0.1.1-0.20261117043000-0123456789ab", Revision: "0123456789ab", Changed: true},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := of(&debug.BuildInfo{Main: debug.Module{Version: tt.main}, Settings: tt.settings})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
