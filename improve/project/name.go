package project

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/trimtab/trimtab/internal/lazyregexp"
)

// sides are the two names of a line "a/x b/x". They are only believed where they
// are alike; otherwise the lines below tell them.
func sides(s string) (from, to string) {
	if strings.HasPrefix(s, `"`) || strings.HasSuffix(s, `"`) {
		if i := strings.LastIndex(s, ` "b/`); i > 0 {
			return strings.TrimPrefix(unquote(s[:i]), "a/"), strings.TrimPrefix(unquote(s[i+1:]), "b/")
		}
		if i := strings.LastIndex(s, ` b/`); i > 0 {
			return strings.TrimPrefix(unquote(s[:i]), "a/"), s[i+len(" b/"):]
		}
		return s, s
	}
	if half := len(s) / 2; len(s) > 6 && s[half] == ' ' {
		from, to = strings.TrimPrefix(s[:half], "a/"), strings.TrimPrefix(s[half+1:], "b/")
		if from == to {
			return from, to
		}
	}
	a, b, _ := strings.Cut(s, " b/")
	return strings.TrimPrefix(a, "a/"), b
}

// unquote reads a name that git put in quotes. Its escapes are those of Go.
func unquote(s string) string {
	if !strings.HasPrefix(s, `"`) {
		return s
	}
	if plain, err := strconv.Unquote(s); err == nil {
		return plain
	}
	return s
}

// plain reports whether a path is one that can be shown and stays in its folder.
func plain(name string) bool {
	if name == "" || len(name) > 1000 || !utf8.ValidString(name) || path.IsAbs(name) || path.Clean(name) != name || strings.Contains(name, `\`) {
		return false
	}
	for p := range strings.SplitSeq(name, "/") {
		if p == ".." || strings.EqualFold(p, ".git") {
			return false
		}
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f || r == 0xfeff
	})
}

// runs are the paths of files that forges run by themselves as soon as they are
// pushed, with what they keep secret at hand, in small letters.
var runs = lazyregexp.Pattern(`^(\.(github|gitea|forgejo)/(workflows|actions)/|\.gitlab/ci/|\.(circleci|woodpecker|buildkite|teamcity|semaphore)/|` +
	`(.*/)?(\.gitlab-ci|\.travis|\.drone|\.woodpecker|\.cirrus|\.?appveyor|azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec)\.ya?ml$|(.*/)?jenkinsfile$)`)

// checks are the names of files by which a project tells tools how it is checked, in small
// letters, wherever they lie.
var checks = lazyregexp.Pattern(`^(\.golangci\.(ya?ml|toml|json)|\.eslintrc(\..*)?|\.eslintignore|eslint\.config\..*|\.?ruff\.toml|\.flake8|\.?pylintrc|\.?mypy\.ini|pyrightconfig\.json|\.rubocop\.yml|\.rubocop_todo\.yml|biome\.jsonc?|` +
	`\.prettierrc(\..*)?|\.prettierignore|prettier\.config\..*|tslint\.json|\.stylelintrc(\..*)?|\.?clippy\.toml|\.?rustfmt\.toml|\.clang-(tidy|format)|\.pre-commit-config\.yaml|(jest|vitest|vite|karma|playwright|cypress|ava)\.config\..*|` +
	`\.mocharc(\..*)?|\.nycrc(\..*)?|pytest\.ini|tox\.ini|noxfile\.py|\.rspec|phpunit\.xml(\.dist)?|phpstan\.neon(\.dist)?|\.credo\.exs|\.formatter\.exs|sitecustomize\.py|usercustomize\.py|\.coveragerc|codecov\.ya?ml|\.codecov\.ya?ml)$`)

// IsCheckSetting reports whether a path is that of a file that says how a project is checked.
func IsCheckSetting(name string) bool { return checks().MatchString(strings.ToLower(path.Base(name))) }

// power says what a file brings about by its name alone, "" for nothing.
func power(name string) string {
	name = strings.ToLower(name)
	switch {
	case runs().MatchString(name):
		return "is run by the forge"
	case slices.Contains([]string{".gitmodules", ".gitattributes", ".lfsconfig"}, path.Base(name)):
		return "changes what git does"
	}
	return ""
}

func clip(s string) string { return s[:min(len(s), 80)] }
