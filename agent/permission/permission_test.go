package permission_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/trimtab/trimtab/agent/permission"
	"github.com/trimtab/trimtab/agent/tool"
)

// TestChat_4_RulesAreKeptWhereThePersonSays: in a project, or in all, and by nobody else.
func TestChat_4_RulesAreKeptWhereThePersonSays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "permissions.json")
	here, there := permission.Open(path, "/mill"), permission.Open(path, "/pond")
	if g := here.Granted(); len(g.Allow) > 0 || g.Edits {
		t.Fatalf("%+v before anything was allowed", g)
	}
	for _, err := range []error{
		here.Add(tool.ForSession, tool.Grant{Allow: []string{"rm -rf /"}}),
		here.Add(tool.ForProject, tool.Grant{Allow: []string{"go test *"}, Edits: true}),
		here.Add(tool.ForProject, tool.Grant{Allow: []string{"go test *"}}),
		there.Add(tool.ForUser, tool.Grant{Allow: []string{"git status"}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	again := permission.Open(path, "/mill")
	if g := again.Granted(); !slices.Equal(g.Allow, []string{"git status", "go test *"}) || !g.Edits {
		t.Errorf("the project has %+v", g)
	}
	if g := there.Granted(); !slices.Equal(g.Allow, []string{"git status"}) || g.Edits {
		t.Errorf("another project has %+v", g)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A damaged file allows nothing, and is not overwritten.
func TestADamagedFileAllowsNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "permissions.json")
	if err := os.WriteFile(path, []byte(`{"user": {"edits": tru`), 0o600); err != nil {
		t.Fatal(err)
	}
	b := permission.Open(path, "/mill")
	if b.Granted().Edits {
		t.Error("edits are allowed")
	}
	if err := b.Add(tool.ForUser, tool.Grant{Edits: true}); err == nil {
		t.Error("a damaged file was overwritten")
	}
}
