package home

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestFlagsGoBeforeVariablesBeforeTheUsualPlace(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("other variables name the places there")
	}
	here, err := filepath.Abs("x")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		home         Home
		env          map[string]string
		data, config string
		named        bool
	}{
		{name: "the usual place", env: map[string]string{"HOME": "/h"}, data: "/h/.local/share/trimtab", config: "/h/.config/trimtab/trimtab.json"},
		{name: "the system's variables", env: map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c"}, data: "/d/trimtab", config: "/c/trimtab/trimtab.json"},
		{name: "a variable that is no path", env: map[string]string{"HOME": "/h", "XDG_DATA_HOME": "d", "XDG_CONFIG_HOME": "c"}, data: "/h/.local/share/trimtab", config: "/h/.config/trimtab/trimtab.json"},
		{name: "our own", env: map[string]string{"HOME": "/h", "XDG_DATA_HOME": "/d", "TRIMTAB_DATA": "/o", "TRIMTAB_CONFIG": "/o.json"}, data: "/o", config: "/o.json", named: true},
		{name: "flags", home: Home{Data: "x", Config: "/f.json"}, env: map[string]string{"TRIMTAB_DATA": "/o", "TRIMTAB_CONFIG": "/o.json"}, data: here, config: "/f.json", named: true},
		{name: "nothing"},
	} {
		c.home.Getenv = func(name string) string { return c.env[name] }
		data, err := c.home.DataDir()
		if data != c.data || (err != nil) != (c.data == "") {
			t.Errorf("%s: data in %q, %v", c.name, data, err)
		}
		file, named, err := c.home.ConfigFile()
		if c.config != "" && file != c.config || named != c.named || (err != nil) != (c.config == "") {
			t.Errorf("%s: settings in %q (named: %v), %v", c.name, file, named, err)
		}
	}
}
