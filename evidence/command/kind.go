package command

import (
	"path"
	"slices"
	"strings"
)

// always are programs that are there to check: whatever their arguments.
var always = []string{
	"pytest", "py.test", "tox", "nox", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "pest", "ctest", "tsc", "eslint", "mypy", "pyright", "ruff", "flake8", "pylint",
	"golangci-lint", "staticcheck", "gotestsum", "shellcheck", "hadolint", "clang-tidy", "gcc", "g++", "clang", "clang++", "cc", "c++", "rustc", "javac", "kotlinc", "ghc", "ninja", "gofumpt",
	"playwright", "cypress", "xcodebuild", "bats", "prove", "busted", "luacheck", "stylelint", "biome", "oxlint", "sqlfluff", "yamllint", "ansible-lint", "tflint", "make", "gmake", "just", "nextest",
}

// sub are programs that check with some of their sub-commands.
var sub = map[string][]string{
	"go":        {"test", "build", "vet", "install", "run"},
	"cargo":     {"test", "build", "check", "clippy", "nextest", "run", "bench"},
	"npm":       {"test", "t", "run", "start", "build", "exec", "ci"},
	"pnpm":      {"test", "t", "run", "build", "lint", "check", "typecheck", "exec", "dev", "start", "tsc"},
	"yarn":      {"test", "run", "build", "lint", "check", "typecheck", "tsc", "jest", "vitest", "start"},
	"bun":       {"test", "run", "build"},
	"deno":      {"test", "check", "lint", "task", "run"},
	"npx":       {"tsc", "jest", "vitest", "eslint", "playwright", "mocha", "cypress", "next", "vite", "tsx", "ts-node", "biome"},
	"bunx":      {"tsc", "jest", "vitest", "eslint", "playwright", "biome"},
	"mvn":       {"test", "verify", "package", "compile", "install"},
	"mvnw":      {"test", "verify", "package", "compile", "install"},
	"gradle":    {"test", "build", "check", "assemble"},
	"gradlew":   {"test", "build", "check", "assemble"},
	"dotnet":    {"test", "build", "run"},
	"mix":       {"test", "compile", "credo", "dialyzer"},
	"swift":     {"test", "build", "run"},
	"zig":       {"build", "test", "run"},
	"bazel":     {"test", "build", "run"},
	"cmake":     {"--build"},
	"rake":      {"test", "spec"},
	"rails":     {"test"},
	"composer":  {"test", "run", "run-script"},
	"terraform": {"validate", "plan"},
	"docker":    {"build", "run"},
	"mise":      {"run"},
	"task":      {"test", "build", "lint", "check"},
	"turbo":     {"run", "test", "build", "lint"},
	"nx":        {"run", "test", "build", "lint"},
	"flutter":   {"test", "build", "analyze"},
	"dart":      {"test", "analyze", "run"},
	"sbt":       {"test", "compile"},
	"lein":      {"test"},
	"stack":     {"test", "build"},
	"cabal":     {"test", "build"},
	"ruby":      {"-Itest", "-c"},
	"php":       {"-l", "artisan"},
	"node":      {"--test", "--check"},
	"python":    {"-m"},
	"python3":   {"-m"},
}

// idle are programs that show, move, fetch or publish: that they succeed proves nothing of
// the work.
var idle = []string{
	"ls", "cat", "head", "tail", "grep", "egrep", "rg", "find", "fd", "sed", "awk", "wc", "sort", "uniq", "cut", "tr", "echo", "printf", "pwd", "which", "type", "whereis", "file", "stat", "tree", "du", "df", "less", "more",
	"git", "gh", "glab", "hub", "jj", "svn", "hg", "mkdir", "rm", "mv", "cp", "touch", "ln", "chmod", "chown", "tee", "tar", "unzip", "zip", "gzip", "export", "source", ".", "true", "false", ":", "sleep", "wait", "kill", "pkill",
	"ps", "pgrep", "lsof", "env", "date", "whoami", "uname", "hostname", "id", "man", "help", "history", "alias", "unset", "read", "test", "[", "[[", "exit", "return", "jq", "yq", "xxd", "od", "hexdump", "diff", "cmp", "md5sum", "sha256sum",
	"apt", "apt-get", "brew", "pip", "pip3", "gem", "apk", "dnf", "yum", "conda", "npm", "pnpm", "yarn", "bun", "cargo", "go", "uv", "poetry", "wget", "rsync", "scp", "ssh", "open", "xdg-open", "pbcopy", "code", "vim", "nano", "dirname", "basename", "realpath", "readlink", "gofmt", "prettier", "black", "isort", "rustfmt", "clang-format", "xargs", "patch", "dd", "truncate", "apply_patch", "docker", "kubectl", "systemctl", "journalctl", "claude", "codex",
}

// HasSub reports whether a program checks with a sub-command.
func HasSub(name, command string) bool { return slices.Contains(sub[name], command) }

// kindOf says what the success of a command shows.
func kindOf(name string, args []string) Kind {
	if slices.ContainsFunc(args, func(a string) bool { return a == "--version" || a == "--help" || a == "-h" || a == "-V" }) {
		return Other
	}
	first := ""
	if i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") || slices.Contains(sub[name], a) }); i >= 0 {
		first = args[i]
	}
	switch {
	case slices.Contains(always, name):
		if (name == "make" || name == "gmake" || name == "just") && slices.Contains([]string{"clean", "fmt", "format", "install", "help"}, first) || name == "gofumpt" && !slices.Contains(args, "-l") {
			return Other
		}
		return Check
	case name == "python" || name == "python3":
		if i := slices.Index(args, "-m"); i >= 0 && i+1 < len(args) {
			if slices.Contains([]string{"pytest", "unittest", "mypy", "ruff", "flake8", "pylint", "compileall", "py_compile", "doctest", "tox", "nox", "build"}, args[i+1]) {
				return Check
			}
			if slices.Contains([]string{"pip", "venv", "json.tool", "http.server"}, args[i+1]) {
				return Other
			}
		}
		return Try
	case slices.Contains(sub[name], first):
		if first == "run" || first == "start" || first == "exec" || first == "dev" || first == "task" {
			return ranScript(name, args[slices.Index(args, first)+1:])
		}
		if name == "npm" && first == "ci" || name == "go" && first == "install" {
			return Other
		}
		return Check
	case slices.Contains(idle, name) || strings.HasPrefix(name, "$"):
		return Other
	case name == "curl" || name == "http":
		if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "localhost") || strings.Contains(a, "127.0.0.1") }) {
			return Try
		}
		return Other
	case CheckWord().MatchString(name): // ./run-tests.sh
		return Check
	case slices.Contains(shells, name) && CheckWord().MatchString(path.Base(first)): // sh run-tests.sh
		return Check
	}
	return Try
}

// shells are what a script of the shell is given to.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh"}

// CheckWord finds a word, in the name of a script or a target, that says that it checks.
var CheckWord = pattern(`(?i)(?:^|[-_./:])(?:tests?|spec|specs|check|checks|lint|build|compile|verify|typecheck|type-check|tsc|ci|e2e|unit|vet|validate)(?:$|[-_./:])`)

// ranScript says what a script of a project's own is, by its name.
func ranScript(name string, args []string) Kind {
	if i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }); i >= 0 {
		if CheckWord().MatchString(args[i]) || slices.Contains(always, path.Base(args[i])) {
			return Check
		}
		if slices.Contains([]string{"format", "fmt", "prettier", "clean"}, args[i]) && name != "go" {
			return Other
		}
	}
	return Try
}

// effect says what a command writes. Formatters write nothing that counts: it means the same
// before and after.
func effect(name string, args []string, script string) (files, removed []string, writes bool) {
	plain := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") })
	has := func(short byte, long string) bool {
		return slices.ContainsFunc(args, func(a string) bool {
			return a == long || len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, short) > 0
		})
	}
	switch name {
	case "rm", "unlink":
		for _, f := range plain {
			if IsTest(CleanPath(f)) {
				removed = append(removed, CleanPath(f))
			}
		}
		return plain, removed, len(plain) > 0
	case "mv", "cp", "install", "ln", "rsync":
		if len(plain) > 1 {
			return plain[len(plain)-1:], nil, true
		}
	case "tee", "touch", "truncate":
		return plain, nil, len(plain) > 0
	case "patch", "dd":
		return nil, nil, true
	case "apply_patch":
		p := ReadPatch(strings.Join(args, "\n") + "\n" + script)
		return p.Files, p.Skips, true
	case "sed", "perl":
		if has('i', "--in-place") && len(plain) > 0 {
			return plain[len(plain)-1:], nil, true
		}
	case "git":
		return gitWrites(plain)
	case "python", "python3", "node", "ruby", "perl5", "php":
		text := script
		if i := slices.IndexFunc(args, func(a string) bool { return a == "-c" || a == "-e" }); i >= 0 && i+1 < len(args) {
			text = args[i+1]
		}
		if m := scriptWrites().FindAllStringSubmatch(text, maxFiles); len(m) > 0 {
			for _, f := range m {
				if f[1] != "" {
					files = append(files, f[1])
				}
			}
			return files, nil, true
		}
	}
	return nil, nil, false
}

// scriptWrites is a script that writes a file, and its name where it stands there.
var scriptWrites = pattern(`open\(\s*(?:['"]([^'"]+)['"]|[^,()]+)\s*,\s*(?:mode\s*=\s*)?['"][wax]|\.write_text\(|\.write_bytes\(|writeFile(?:Sync)?\(\s*(?:['"]([^'"]+)['"])?|shutil\.(?:copy|move)|os\.(?:rename|remove|replace)\(|fs\.(?:rename|unlink|rm)|File\.write\(|file_put_contents\(`)

// gitWrites are the commands of git after which other files lie in the working tree.
func gitWrites(plain []string) (files, removed []string, writes bool) {
	if len(plain) == 0 {
		return nil, nil, false
	}
	switch plain[0] {
	case "apply", "am", "merge", "rebase", "pull", "revert", "cherry-pick", "restore", "stash":
		if plain[0] == "stash" && len(plain) > 1 && (plain[1] == "list" || plain[1] == "show") {
			return nil, nil, false
		}
		return nil, nil, true
	case "checkout":
		return nil, nil, true
	case "reset":
		return nil, nil, false // only --hard does, and that takes changes away
	case "rm", "mv":
		for _, f := range plain[1:] {
			if plain[0] == "rm" && IsTest(CleanPath(f)) {
				removed = append(removed, CleanPath(f))
			}
		}
		return plain[1:], removed, true
	}
	return nil, nil, false
}
