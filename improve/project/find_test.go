package project_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/trimtab/trimtab/improve/project"
)

// plant makes a folder with files.
func plant(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// told are the commands as text.
func told(t testing.TB, dir string) []string {
	t.Helper()
	all, err := project.Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range all {
		out = append(out, string(c.Kind)+": "+strings.ReplaceAll(c.String(), dir+string(filepath.Separator), "./"))
	}
	return out
}

func TestAProjectsOwnCommandsAreFound(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"Go", map[string]string{"go.mod": "module x"}, []string{"test: go test ./...", "lint: go vet ./...", "format: gofmt -l ."}},
		{"Go with a linter", map[string]string{"go.mod": "module x", ".golangci.yml": ""}, []string{"test: go test ./...", "lint: golangci-lint run", "format: gofmt -l ."}},
		{"a Makefile goes first", map[string]string{"go.mod": "module x", "Makefile": "PKG := ./...\ntest := no\n.PHONY: test lint\ntest lint: build ## run\n\tgo test\nfmt-check:\n\tgofmt\nbuild::\n"}, []string{"test: make test", "lint: make lint", "format: make fmt-check"}},
		{"a Makefile without these targets", map[string]string{"go.mod": "module x", "Makefile": "# test: no\nlint = no\n\ttest: no\nall: test\n"}, []string{"test: go test ./...", "lint: go vet ./...", "format: gofmt -l ."}},
		{"just", map[string]string{"justfile": "test *args:\n  x\nlint: test\n  y\nx := 'a'\n"}, []string{"test: just test", "lint: just lint"}},
		{"npm", map[string]string{"package.json": `{"scripts":{"test":"vitest","lint":"eslint .","format:check":"prettier --check ."}}`, "package-lock.json": "{}"}, []string{"setup: npm ci --no-audit --no-fund", "test: npm run test", "lint: npm run lint", "format: npm run format:check"}},
		{"a Taskfile", map[string]string{"go.mod": "module x", "Taskfile.yml": "version: '3'\nvars:\n  lint: no\ntasks:\n  test:\n    cmds: [go test ./...]\n  fmt-check: gofmt -l .\n"}, []string{"test: task test", "lint: go vet ./...", "format: task fmt-check"}},
		{"mise", map[string]string{"mise.toml": "[tools]\nlint = '1'\n[tasks.test]\nrun = 'x'\n[tasks]\nvet = 'y'\n"}, []string{"test: mise run test", "lint: mise run vet"}},
		{"tests in workspaces", map[string]string{"package.json": `{"workspaces":["packages/*"]}`, "packages/a/package.json": `{"scripts":{"test":"node --test"}}`}, []string{"test: npm run test --workspaces --if-present"}},
		{"workspaces without tests", map[string]string{"package.json": `{"workspaces":["packages/*"]}`, "packages/a/package.json": `{}`}, nil},
		{"pnpm's workspaces", map[string]string{"package.json": `{}`, "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages:\n  - packages/*\n", "packages/a/package.json": `{"scripts":{"test":"vitest"}}`}, []string{"setup: pnpm install --frozen-lockfile", "test: pnpm --recursive --if-present run test"}},
		{"npm's placeholder is no test", map[string]string{"package.json": `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`}, nil},
		{"pnpm", map[string]string{"package.json": `{"scripts":{"test":"x"}}`, "pnpm-lock.yaml": ""}, []string{"setup: pnpm install --frozen-lockfile", "test: pnpm run test"}},
		{"yarn by its name", map[string]string{"package.json": `{"packageManager":"yarn@4.1.0","scripts":{"test":"x"}}`}, []string{"test: yarn run test"}},
		{"bun", map[string]string{"package.json": `{"scripts":{"test":"x"}}`, "bun.lockb": ""}, []string{"setup: bun install --frozen-lockfile", "test: bun run test"}},
		{"a manager that is none", map[string]string{"package.json": `{"packageManager":"rm -rf /","scripts":{"test":"x"}}`}, []string{"test: npm run test"}},
		{"Rust", map[string]string{"Cargo.toml": ""}, []string{"test: cargo test", "lint: cargo clippy --all-targets", "format: cargo fmt --check"}},
		{"pytest", map[string]string{"pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.ruff.format]\n"}, []string{"test: python3 -m pytest", "lint: ruff check .", "format: ruff format --check ."}},
		{"tox", map[string]string{"tox.ini": "[testenv]\n", "pytest.ini": ""}, []string{"test: tox"}},
		{"uv", map[string]string{"pyproject.toml": "", "uv.lock": `name = "pytest"`}, []string{"setup: uv sync", "test: uv run pytest"}},
		{"unittest", map[string]string{"setup.py": ""}, []string{"test: python3 -m unittest discover"}},
		{"Gradle", map[string]string{"build.gradle.kts": "plugins { id(\"com.diffplug.spotless\") }"}, []string{"test: gradle test", "format: gradle spotlessCheck"}},
		{"Maven", map[string]string{"pom.xml": ""}, []string{"test: mvn --batch-mode test"}},
		{".NET", map[string]string{"App.sln": ""}, []string{"test: dotnet test", "format: dotnet format --verify-no-changes"}},
		{"a .NET project", map[string]string{"App.csproj": ""}, []string{"test: dotnet test"}},
		{"Mix", map[string]string{"mix.exs": "{:credo, 1}", ".formatter.exs": ""}, []string{"setup: mix deps.get", "test: mix test", "lint: mix credo", "format: mix format --check-formatted"}},
		{"Rake", map[string]string{"Rakefile": "Rake::TestTask.new(:test)", "Gemfile.lock": "", ".rubocop.yml": ""}, []string{"setup: bundle install", "test: bundle exec rake test", "lint: bundle exec rubocop"}},
		{"RSpec", map[string]string{".rspec": ""}, []string{"test: bundle exec rspec"}},
		{"Deno", map[string]string{"deno.jsonc": "{}"}, []string{"test: deno test", "lint: deno lint", "format: deno fmt --check"}},
		{"nothing", map[string]string{"README.md": ""}, nil},
		{"damaged", map[string]string{"package.json": "{", "Makefile": "\x00\x01:::\n"}, nil},
	} {
		if d := cmp.Diff(c.want, told(t, plant(t, c.files))); d != "" {
			t.Errorf("%s: want -, got +\n%s", c.name, d)
		}
	}
	if runtime.GOOS != "windows" {
		if d := cmp.Diff([]string{"test: ./gradlew test"}, told(t, plant(t, map[string]string{"build.gradle": "", "gradlew": "#!/bin/sh\n"}))); d != "" {
			t.Error(d)
		}
	}
}

// A foreign tree cannot make us read elsewhere, or wait.
func TestAForeignTreeIsReadWithCare(t *testing.T) {
	secret := plant(t, map[string]string{"Makefile": "test:\n"})
	dir := plant(t, map[string]string{"README.md": "", "Cargo.toml/x": ""})
	if err := os.Symlink(filepath.Join(secret, "Makefile"), filepath.Join(dir, "Makefile")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("package.json", filepath.Join(dir, "package.json")); err != nil {
		t.Skip(err)
	}
	fifo(t, filepath.Join(dir, "justfile"))
	for _, c := range told(t, dir) {
		if strings.Contains(c, "make") || strings.Contains(c, "just") {
			t.Errorf("found %s", c)
		}
	}
	if _, err := project.Find(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder that is not there has commands")
	}
}

func FuzzFind(f *testing.F) {
	f.Add("test:\n\tgo test\n", `{"scripts":{"test":"x"}}`, "test *a:\n")
	f.Add("a b c test::\n", `{"packageManager":"pnpm@1"}`, "@lint x='y':\n")
	f.Fuzz(func(t *testing.T, makefile, pkg, just string) {
		dir := plant(t, map[string]string{"Makefile": makefile, "package.json": pkg, "justfile": just})
		all, err := project.Find(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			switch c.Argv[0] {
			case "make", "just", "npm", "pnpm", "yarn", "bun":
			default:
				t.Errorf("%q", c.Argv)
			}
		}
	})
}
