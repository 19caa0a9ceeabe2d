package command

import (
	"slices"
	"strings"
)

// Patch is what a patch changes.
type Patch struct {
	Files []string
	Skips []string // of them, those in which it switches tests off or takes them away
	Off   bool     // it switches tests off
	Tests int      // tests that it adds, less those that it takes away
}

var patchLine = pattern(`(?m)^(?:\*\*\* (Update|Add|Delete) File: |\+\+\+ (?:b/)?|--- (?:a/)?)(\S.*)$`)

// ReadPatch reads a patch: a unified diff, or the form of apply_patch.
func ReadPatch(patch string) Patch {
	var c Patch
	patch = clip(patch, MaxPatch)
	for _, m := range patchLine().FindAllStringSubmatch(patch, 2*maxFiles) {
		file := CleanPath(strings.TrimSpace(m[2]))
		if file == "/dev/null" || slices.Contains(c.Files, file) || len(c.Files) == maxFiles {
			continue
		}
		c.Files = append(c.Files, file)
		if m[1] == "Delete" && IsTest(file) {
			c.Skips = append(c.Skips, file)
		}
	}
	added, removed := false, len(c.Skips)
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "+") && SwitchesOff(line):
			added = true
		case strings.HasPrefix(line, "+"):
			removed -= CountTests(line[1:])
		case strings.HasPrefix(line, "-"):
			removed += CountTests(line[1:])
		}
	}
	c.Tests, c.Off = -removed, added
	if added || removed > 0 {
		for _, f := range c.Files {
			if IsTest(f) && !slices.Contains(c.Skips, f) {
				c.Skips = append(c.Skips, f)
			}
		}
	}
	return c
}

var (
	skipWord = pattern(`\bt\.Skip(?:f|Now)?\(|@(?:pytest\.mark\.|unittest\.)?skip|@Disabled\b|@Ignore\b|#\[ignore|\b(?:it|test|describe)\.(?:skip|only|todo)\(|\bx(?:it|describe|test)\(|pytest\.skip\(`)
	testName = pattern(`(?m)^\s*(?:func Test\w+\(|def test_\w+|async def test_\w+|#\[test\]|@Test\b|(?:it|test)\(['"` + "`" + `])`)
)

// SwitchesOff reports whether a text switches tests off.
func SwitchesOff(text string) bool { return skipWord().MatchString(text) }

// CountTests counts the tests that a text begins.
func CountTests(text string) int { return len(testName().FindAllStringIndex(text, 1000)) }

// Uncommented is a text without the lines that are comments, and without space at the ends
// of lines.
func Uncommented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || slices.ContainsFunc([]string{"//", "# ", "/*", "* ", "*/", "-- ", "<!--", ";; "}, func(mark string) bool { return strings.HasPrefix(line, mark) }) || line == "#" || line == "*" {
			continue
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
	return out.String()
}
