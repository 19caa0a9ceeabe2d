package command

import (
	"path"
	"slices"
	"strings"
)

// CleanPath is a path in one form, whatever the system wrote it on.
func CleanPath(p string) string {
	p = strings.ReplaceAll(strings.TrimSpace(p), "\\", "/")
	if p == "" {
		return ""
	}
	return clip(path.Clean(p), maxPath)
}

// IsTest reports whether a file is one of tests, by its name.
func IsTest(file string) bool {
	low := strings.ToLower(file)
	base := path.Base(low)
	for _, mark := range []string{"_test.", ".test.", ".spec.", "_spec.", "test_"} {
		if strings.Contains(base, mark) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(path.Dir(low), "/"), func(dir string) bool {
		return dir == "test" || dir == "tests" || dir == "__tests__" || dir == "spec"
	})
}

// IsCode reports whether a change to a file can break something that a check would
// show: not documents, pictures, notes, or what lies outside of a project.
func IsCode(file string) bool {
	low := strings.ToLower(file)
	base := path.Base(low)
	switch path.Ext(base) {
	case ".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".log", ".out", ".csv", ".tsv", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".pdf", ".ico", ".patch", ".diff", ".bak", ".orig", ".license":
		return base == "cmakelists.txt" || base == "requirements.txt"
	case "":
		if !slices.Contains([]string{"makefile", "dockerfile", "justfile", "rakefile", "gemfile", "jenkinsfile", "procfile"}, base) {
			return strings.Contains(low, "/bin/") || strings.Contains(low, "script")
		}
	}
	for _, out := range []string{"/tmp/", "/var/tmp/", "/dev/", "/proc/", "/private/tmp/"} {
		if strings.HasPrefix(low, out) {
			return false
		}
	}
	script := slices.Contains([]string{".sh", ".bash", ".py", ".rb", ".js", ".ts"}, path.Ext(base))
	for _, dir := range []string{".claude", ".codex", ".gemini", ".qwen", ".trimtab", ".git", ".entire", ".cursor", ".vscode", ".idea", "docs", "doc"} {
		if !script && strings.HasPrefix(low, dir+"/") || !script && strings.Contains(low, "/"+dir+"/") {
			return false
		}
	}
	return base != ".gitignore" && base != ".gitattributes" && base != ".editorconfig" && base != "license"
}
