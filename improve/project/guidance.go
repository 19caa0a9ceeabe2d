package project

import (
	"path"
	"slices"
	"strings"
)

// Instructions are the files in the top folder that hosts read to agents, in the order
// in which they are shown.
func Instructions() []string {
	return []string{"AGENTS.md", "CLAUDE.md", "GEMINI.md", "QWEN.md", "CRUSH.md", "CONVENTIONS.md", ".goosehints", ".cursorrules", ".github/copilot-instructions.md"}
}

// hostFolders are those whose files hosts and trimtab read or run.
var hostFolders = []string{".claude/", ".codex/", ".gemini/", ".opencode/", ".qwen/", ".goose/", ".crush/", ".cursor/rules/", ".trimtab/", ".agents/", ".husky/", "hooks/"}

// scriptFolders are folders of programs that a person or an agent calls by name.
var scriptFolders = []string{"script/", "scripts/", "bin/", "tools/", "hack/"}

// linters are the files with the settings of linters and formatters.
var linters = []string{
	".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json", ".eslintrc*", "eslint.config.*", ".prettierrc*", "prettier.config.*", "biome.json*", "ruff.toml", ".ruff.toml", ".flake8", ".pylintrc",
	".rubocop.yml", "clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", ".editorconfig", ".shellcheckrc", ".stylelintrc*", ".markdownlint*", ".pre-commit-config.yaml", "lefthook.yml", "phpcs.xml", ".swiftlint.yml",
}

// IsGuidance reports whether guidance may change a file: what agents read, hooks, modes,
// scripts, settings of linters. Code is not among them: nothing would have tested it.
func IsGuidance(name string) bool {
	low, base := strings.ToLower(name), strings.ToLower(path.Base(name))
	under := func(all []string) bool {
		return slices.ContainsFunc(all, func(dir string) bool { return strings.HasPrefix(low, dir) })
	}
	switch {
	case slices.ContainsFunc(Instructions(), func(n string) bool { n = strings.ToLower(n); return low == n || base == n }):
		return true
	case strings.HasPrefix(low, ".claude/runtime/"): // what tools leave there; and settings that a person trusts
		return false
	case under(hostFolders), under(scriptFolders):
		return true
	case path.Ext(base) == ".md":
		return strings.HasPrefix(low, "docs/") || strings.HasPrefix(low, "doc/") || base == "contributing.md"
	}
	return IsLinter(name)
}

// IsLinter reports whether a file holds the settings of a linter.
func IsLinter(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.ContainsFunc(linters, func(pattern string) bool {
		ok, err := path.Match(pattern, base)
		return ok && err == nil
	})
}

// IsShown reports whether a file is shown to an agent in a replay, without the change as
// with it: what hosts read by themselves, and settings of linters. A script that no
// instruction names is not, since an agent would not know of it either.
func IsShown(name string) bool {
	low := strings.ToLower(name)
	switch {
	case slices.ContainsFunc(Instructions(), func(n string) bool { return low == strings.ToLower(n) }):
		return true
	case strings.HasPrefix(low, ".claude/runtime/"):
		return false
	case !strings.Contains(name, "/"):
		return IsLinter(name)
	}
	return slices.ContainsFunc(hostFolders, func(dir string) bool { return strings.HasPrefix(low, dir) })
}

// IsProgram reports whether a file is run, by somebody or by a host: it can be executed,
// begins as a script does, or says what a host runs.
func IsProgram(name, text string, executable bool) bool {
	low := strings.ToLower(name)
	switch {
	case executable, strings.HasPrefix(text, "#!"):
		return true
	case strings.HasPrefix(low, ".husky/"), strings.Contains(low, "hooks/"), path.Base(low) == ".pre-commit-config.yaml", path.Base(low) == "lefthook.yml":
		return true
	}
	for _, dir := range hostFolders { // settings of hosts may name programs that run at a hook
		if strings.HasPrefix(low, dir) && slices.Contains([]string{".json", ".toml", ".js", ".ts", ".mjs", ".py", ".sh"}, path.Ext(low)) {
			return true
		}
	}
	return slices.ContainsFunc(scriptFolders, func(dir string) bool { return strings.HasPrefix(low, dir) })
}
