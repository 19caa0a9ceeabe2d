package evidence

import (
	"path"
	"slices"
	"strings"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// Gap is work of this turn that nothing has shown to be right.
type Gap struct {
	Files []string // that changed and were not run since, the newest last
	Check Ran      // the command that would show it; its last outcome may be older than the change
	Red   bool     // it failed when it ran last, after the change
	Left  bool     // it failed in this turn and was not run again; other checks were
	Named bool     // the prompt names it
	Weak  []string // tests that were switched off or taken away after it had failed
	Suite []string // tests that were taken away from a suite that was not run since
}

// Unproved tells what changed since the person's last prompt and was not shown to be right
// since: no check has passed after the change, and nothing that was changed was run; or the
// last check failed. It is not ok where all is shown, and where nobody knows how to.
func (r Record) Unproved() (Gap, bool) {
	var g Gap
	if len(r.Changed) == 0 {
		return g, false
	}
	since := r.Changed[len(r.Changed)-1].At
	for _, c := range r.Changed {
		if c.File != "" {
			g.Files = append(g.Files, c.File)
		}
	}
	newest := func(kind Kind, which func(Ran) bool) (best Ran) {
		for _, n := range r.Ran {
			if n.Kind == kind && n.Outcome != Unknown && n.Outcome != Empty && which(n) && (n.At > best.At || n.At == best.At && n.Outcome == Failed) {
				best = n
			}
		}
		return best
	}
	after := func(n Ran) bool { return n.At >= since && r.covers(n) }
	check := newest(Check, after)
	switch {
	case check.Outcome == Failed:
		g.Check, g.Red = check, true
		return g, true
	case check.Outcome == Passed && len(r.Weak) > 0 && (r.Off || r.Tests < 0): // else they were moved
		g.Check, g.Weak = check, r.Weak
		return g, true
	case check.Outcome == Passed && !r.untried(since):
		return r.elsewhere(g, since)
	}
	if try := newest(Try, after); try.Outcome == Passed && !r.found() { // it may be that very run that wrote them
		return r.elsewhere(g, since)
	}
	g.Check = r.known()
	return g, g.Check.Command != ""
}

// elsewhere looks for what the check that passed does not show: another one that failed in
// this turn and was left, one that the prompt names, a suite that lost tests.
func (r Record) elsewhere(g Gap, since int) (Gap, bool) {
	for _, n := range slices.Backward(r.Ran) {
		if n.Kind == Check && n.Failing > r.Turn && wholeSuite(n.Command) && !r.superseded(n) {
			g.Check, g.Left = n, true
			return g, true
		}
	}
	for _, name := range r.Named {
		if n, ok := r.begins(name); !ok || n.At < since {
			n.Command, n.Kind = name, Check
			g.Check, g.Named = n, true
			return g, true
		}
	}
	for _, c := range r.Removed {
		suite := suiteOf(c.File)
		if !slices.ContainsFunc(r.Ran, func(n Ran) bool { return n.At >= c.At && wide(n.Command, suite) }) {
			g.Suite = append(g.Suite, c.File)
		}
	}
	return g, len(g.Suite) > 0
}

// superseded reports whether a check that failed was followed by one of its kind that is at
// least as wide and passed.
func (r Record) superseded(failed Ran) bool {
	return slices.ContainsFunc(r.Ran, func(n Ran) bool {
		return n.At > failed.Failing && n.Outcome == Passed && wholeSuite(n.Command) && !slices.ContainsFunc(suiteWords, func(w string) bool {
			return strings.Contains(failed.Command, w) && !strings.Contains(n.Command, w)
		})
	})
}

// begins returns the newest run whose command begins with these words.
func (r Record) begins(command string) (Ran, bool) {
	for _, n := range slices.Backward(r.Ran) {
		if Same(n.Command, command) || strings.HasPrefix(n.Command+" ", command+" ") || strings.HasPrefix(same(n.Command)+" ", same(command)+" ") {
			return n, true
		}
	}
	return Ran{}, false
}

var (
	testing  = lazyregexp.Pattern(`(?i)(?:^|[\s:/_-])(?:tests?|specs?|pytest|jest|vitest|mocha|rspec|phpunit|ctest|tox|nox|ci|e2e|integration)(?:$|[\s:_-])`)
	narrowed = lazyregexp.Pattern(`\s-(?:run|k|t|c|m|filter|-grep|-filter|-test)\b|::|\.(?:go|py|js|ts|tsx|rb|rs|java|php)\b`)
)

// wholeSuite reports whether a command runs tests, and no chosen few of them: of those a
// wider run may have taken the place.
func wholeSuite(command string) bool {
	return testing().MatchString(command) && !narrowed().MatchString(command)
}

// found reports whether it was the working tree that told of the changes.
func (r Record) found() bool {
	return slices.ContainsFunc(r.Changed, func(c Change) bool { return c.Found })
}

// known is the command that would show whether the work is right: one that was run before,
// the script itself that was written, or what every project of the language has.
func (r Record) known() Ran {
	if len(r.Named) > 0 {
		n, _ := r.begins(r.Named[len(r.Named)-1])
		n.Command, n.Kind = r.Named[len(r.Named)-1], Check
		return n
	}
	for _, told := range []bool{true, false} { // one that said something goes first
		for _, kind := range []Kind{Check, Try} {
			for _, n := range slices.Backward(r.Ran) {
				if n.Kind == kind && (n.Outcome == Passed || n.Outcome == Failed) == told && !(r.found() && kind == Try && n.At > r.Turn) {
					return r.better(n)
				}
			}
		}
	}
	for _, c := range slices.Backward(r.Changed) {
		if own := ownCheck(c.File); own.Command != "" {
			return own
		}
	}
	return Ran{}
}

// lesser are checks that run no tests. Of all others nobody knows.
var lesser = lazyregexp.Pattern(`^(?:go (?:vet|build)|(?:npx |bunx )?(?:tsc|eslint)|ruff|mypy|flake8|pylint|gofmt|gofumpt|golangci-lint|cargo (?:build|check|clippy)|(?:npm|pnpm|yarn|bun)(?: run)? (?:build|lint|typecheck|type-check)|python3? -m py_compile|node --check)\b`)

// Untested returns the newest check since the last change where all that ran since then are
// checks that run no tests.
func (r Record) Untested() (newest Ran, ok bool) {
	if len(r.Changed) == 0 {
		return Ran{}, false
	}
	for _, n := range r.Ran {
		switch {
		case n.At < r.Changed[len(r.Changed)-1].At:
		case n.Kind != Check || !lesser().MatchString(n.Command):
			return Ran{}, false
		default:
			newest = n
		}
	}
	return newest, newest.Command != ""
}

// sampled is a run that tries for as long as it is let, or measures.
var sampled = lazyregexp.Pattern(`\s-{1,2}(?:test\.)?(?:fuzz|bench)`)

// better is the whole suite where the newest check is a lesser one of the same program: that
// it builds, or that an hour of guessing found nothing, shows less than the tests do.
func (r Record) better(n Ran) Ran {
	if n.Kind != Check || testing().MatchString(n.Command) && !sampled().MatchString(n.Command) {
		return n
	}
	program, _, _ := strings.Cut(n.Command, " ")
	for _, s := range slices.Backward(r.Ran) {
		if s.Kind == Check && (s.Outcome == Passed || s.Outcome == Failed) && s.Dir == n.Dir && strings.HasPrefix(s.Command, program+" ") && wholeSuite(s.Command) && !sampled().MatchString(s.Command) {
			return s
		}
	}
	return n
}

// ownCheck is the check that comes with a kind of file: the script itself, or what every
// project has that holds such a file.
func ownCheck(file string) Ran {
	base, ext := path.Base(file), path.Ext(file)
	if isScript(file) && ext != ".ts" && ext != ".js" && ext != ".mjs" {
		return Ran{Command: base, Kind: Try}
	}
	if c, ok := byName[strings.TrimSuffix(base, ext)+"."]; ok && (ext == ".yaml" || ext == ".yml") {
		return Ran{Command: c, Kind: Check}
	}
	if c, ok := byName[base]; ok {
		return Ran{Command: c, Kind: Check}
	}
	if strings.Contains(file, ".github/workflows/") {
		return Ran{Command: "actionlint", Kind: Check}
	}
	if c, ok := byExt[ext]; ok {
		return Ran{Command: c, Kind: Check}
	}
	return Ran{}
}

// What is there to check a file, by its name or by its ending. Only what its makers ship.
var (
	byName = map[string]string{
		".goreleaser.": "goreleaser check", "goreleaser.": "goreleaser check", "docker-compose.": "docker compose config -q", "compose.": "docker compose config -q",
		"Dockerfile": "docker build .", "Makefile": "make -n", "CMakeLists.txt": "cmake --build .", "pom.xml": "mvn test", "build.gradle": "gradle test", "build.gradle.kts": "gradle test",
	}
	byExt = map[string]string{
		".go": "go test ./...", ".rs": "cargo test", ".tf": "terraform validate", ".cs": "dotnet test", ".ex": "mix test", ".exs": "mix test", ".swift": "swift test", ".zig": "zig build test",
		".kt": "gradle test", ".dart": "dart test", ".ts": "npx tsc --noEmit", ".tsx": "npx tsc --noEmit",
	}
)

// untried reports whether all that changed is a script that nothing has run since: tests of
// something else say nothing of it.
func (r Record) untried(since int) bool {
	for _, c := range r.Changed {
		if ext := path.Ext(c.File); ext != ".sh" && ext != ".bash" {
			return false
		}
		base := path.Base(c.File)
		if slices.ContainsFunc(r.Ran, func(n Ran) bool { return n.At >= since && strings.Contains(n.Command, base) }) {
			return false
		}
	}
	return true
}

// covers reports whether a run is about what changed: not in a folder that has nothing to
// do with it.
func (r Record) covers(n Ran) bool {
	if !strings.HasPrefix(n.Dir, "/") {
		return true
	}
	absolute := false
	for _, c := range r.Changed {
		if strings.HasPrefix(c.File, "/") {
			absolute = true
			if strings.HasPrefix(c.File, n.Dir+"/") {
				return true
			}
		}
	}
	return !absolute
}
