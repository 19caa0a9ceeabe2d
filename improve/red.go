package improve

import (
	"slices"
	"strings"
)

// What people call a project's checks, each with the name of its kind.
var checkNames = map[string]string{
	"lint": "lint", "linter": "lint", "linters": "lint", "linting": "lint", "golangci": "lint", "golangci-lint": "lint", "eslint": "lint", "ruff": "lint", "clippy": "lint", "format": "lint", "formatting": "lint",
	"test": "tests", "tests": "tests", "pytest": "tests", "jest": "tests", "suite": "tests", "spec": "tests", "specs": "tests",
	"build": "build", "builds": "build", "compile": "build", "compiles": "build", "compilation": "build", "typecheck": "build", "tsc": "build",
	"ci": "CI", "pipeline": "CI", "actions": "CI", "checks": "CI", "workflow": "CI",
}

// reportedRed tells which check a person says is red, "" for none. It reads short
// sentences that say so; what would be, should be or is to be written does not count.
func reportedRed(typed string) string {
	if len(typed) > 1500 {
		return ""
	}
	red := ""
	for sentence := range strings.FieldsFuncSeq(strings.ToLower(typed), func(r rune) bool { return strings.ContainsRune("!?\n,", r) }) {
		words := strings.FieldsFunc(sentence, func(r rune) bool { return !wordly(r) && r != '\'' && r != '-' && r != '❌' && r != '🔴' })
		if len(words) > 25 || strings.ContainsAny(sentence, "{}") {
			continue
		}
		if kind := redIn(words); kind != "" && red == "" {
			red = kind
		}
	}
	return red
}

// notReports are words of sentences that speak of what would be, or of code to come.
var notReports = []string{"should", "would", "could", "might", "if", "unless", "when", "write", "add", "cause", "causes", "expected", "intended", "until", "ensure", "once", "never", "why", "how"}

func redIn(words []string) string {
	kind, at, bad := "", -1, -1
	tells := false // "I get", "is showing"
	for i, w := range words {
		if name := checkNames[w]; name != "" && (kind == "" || kind == "CI") {
			kind, at = name, i
		}
		switch w {
		case "fail", "fails", "failed", "failing", "failures", "failure", "broken", "breaks", "broke", "red", "❌", "🔴":
			if bad < 0 {
				bad = i
			}
		case "errors", "error", "issues", "complains", "complaining":
			tells = tells || i > 0 && (slices.Contains(words[:i], "get") || slices.Contains(words[:i], "getting") || slices.Contains(words[:i], "shows") || slices.Contains(words[:i], "showing") || slices.Contains(words[:i], "have") || slices.Contains(words[:i], "has") || slices.Contains(words[:i], "fix") || w[0] == 'c')
			if tells && bad < 0 {
				bad = i
			}
		case "pass", "passing", "passes", "compile", "compiles":
			if i > 0 && slices.Contains([]string{"not", "don't", "doesn't", "isn't", "aren't", "won't", "doesnt", "dont"}, words[i-1]) {
				bad = i
			}
		}
	}
	if at < 0 || bad < 0 {
		return ""
	}
	for i, w := range words {
		if !slices.Contains(notReports, w) {
			continue
		}
		if w == "when" && i == 0 || w == "if" && i > bad {
			continue // "when running the tests I get failures" reports
		}
		return ""
	}
	if i := slices.Index(words, "not"); i >= 0 && i < bad && bad-i <= 2 && !slices.Contains([]string{"pass", "passing", "compile"}, words[bad]) {
		return "" // "does not fail"
	}
	if near := bad - at; near >= -3 && near <= 8 {
		return kind
	}
	return ""
}
