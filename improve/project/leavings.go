package project

import (
	"path"
	"strings"
)

// leavings are folders and files that tools leave behind wherever they run. Nobody
// writes them by hand.
var leavings = map[string]bool{
	"__pycache__": true, ".pytest_cache": true, ".mypy_cache": true, ".ruff_cache": true, ".tox": true, ".venv": true, ".coverage": true,
	"node_modules": true, ".nyc_output": true, ".gradle": true, ".DS_Store": true,
}

// IsLeaving reports whether a path is of what a tool left behind: no part of a
// change, also where the project's own list of such files does not have it.
func IsLeaving(name string) bool {
	for p := range strings.SplitSeq(name, "/") {
		if leavings[p] || strings.HasSuffix(p, ".egg-info") {
			return true
		}
	}
	return path.Ext(name) == ".pyc"
}
