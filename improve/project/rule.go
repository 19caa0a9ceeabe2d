package project

import "strings"

// rule is a file that says how a project is checked.
type rule struct {
	file   string // pattern of a name in the top folder
	holds  string // words that it holds; "" for any
	kind   Kind
	line   string // the command; {gradle} and {maven} are the project's own, where it has them
	silent bool
}

// known are the rules, the first of a kind counts. A command that would change
// files is none of them.
var known = []rule{
	{"go.mod", "", Test, "go test ./...", false},
	{".golangci.*", "", Lint, "golangci-lint run", false},
	{"go.mod", "", Lint, "go vet ./...", false},
	{"go.mod", "", Format, "gofmt -l .", true},

	{"deno.json*", "", Test, "deno test", false},
	{"deno.json*", "", Lint, "deno lint", false},
	{"deno.json*", "", Format, "deno fmt --check", false},

	{"Cargo.toml", "", Test, "cargo test", false},
	{"Cargo.toml", "", Lint, "cargo clippy --all-targets", false},
	{"Cargo.toml", "", Format, "cargo fmt --check", false},

	{"tox.ini", "[testenv", Test, "tox", false},
	{"noxfile.py", "", Test, "nox", false},
	{"uv.lock", "", Setup, "uv sync", false},
	{"uv.lock", "pytest", Test, "uv run pytest", false},
	{"poetry.lock", "", Setup, "poetry install", false},
	{"poetry.lock", "pytest", Test, "poetry run pytest", false},
	{"pytest.ini", "", Test, "python3 -m pytest", false},
	{"conftest.py", "", Test, "python3 -m pytest", false},
	{"pyproject.toml", "pytest", Test, "python3 -m pytest", false},
	{"setup.cfg", "[tool:pytest]", Test, "python3 -m pytest", false},
	{"requirements*.txt", "pytest", Test, "python3 -m pytest", false},
	{"setup.py", "", Test, "python3 -m unittest discover", false},
	{"pyproject.toml", "", Test, "python3 -m unittest discover", false},
	{"ruff.toml", "", Lint, "ruff check .", false},
	{"pyproject.toml", "[tool.ruff", Lint, "ruff check .", false},
	{".flake8", "", Lint, "flake8", false},
	{"pyproject.toml", "[tool.ruff.format]", Format, "ruff format --check .", false},
	{"pyproject.toml", "[tool.black]", Format, "black --check .", false},

	{"build.gradle*", "", Test, "{gradle} test", false},
	{"build.gradle*", "spotless", Format, "{gradle} spotlessCheck", false},
	{"build.gradle*", "ktlint", Lint, "{gradle} ktlintCheck", false},
	{"build.gradle*", "checkstyle", Lint, "{gradle} checkstyleMain", false},
	{"settings.gradle*", "", Test, "{gradle} test", false},
	{"pom.xml", "", Test, "{maven} --batch-mode test", false},
	{"pom.xml", "checkstyle", Lint, "{maven} --batch-mode checkstyle:check", false},
	{"pom.xml", "spotless", Format, "{maven} --batch-mode spotless:check", false},

	{"*.sln*", "", Test, "dotnet test", false},
	{"*.[cf]sproj", "", Test, "dotnet test", false},
	{"*.sln*", "", Format, "dotnet format --verify-no-changes", false},

	{"mix.exs", "", Setup, "mix deps.get", false},
	{"mix.exs", "", Test, "mix test", false},
	{"mix.exs", "credo", Lint, "mix credo", false},
	{".formatter.exs", "", Format, "mix format --check-formatted", false},

	{"Gemfile.lock", "", Setup, "bundle install", false},
	{".rspec", "", Test, "bundle exec rspec", false},
	{"Rakefile", "test", Test, "bundle exec rake test", false},
	{"Rakefile", "spec", Test, "bundle exec rake spec", false},
	{".rubocop.yml", "", Lint, "bundle exec rubocop", false},

	{"composer.lock", "", Setup, "composer install --no-interaction", false},
	{"composer.json", `"test"`, Test, "composer run-script test", false},
	{"phpunit.xml*", "", Test, "vendor/bin/phpunit", false},

	{"pubspec.yaml", "", Test, "dart test", false},
	{"pubspec.yaml", "", Lint, "dart analyze", false},
	{"pubspec.yaml", "", Format, "dart format --output=none --set-exit-if-changed .", false},

	{"Package.swift", "", Test, "swift test", false},
	{"build.zig", "", Test, "zig build test", false},
	{"build.zig", "", Format, "zig fmt --check .", false},
	{"CMakePresets.json", "", Test, "ctest --preset default", false},
}

// rules are the commands of the known rules.
func rules(t top) []Command {
	var out []Command
	for _, r := range known {
		name := t.has(r.file)
		if name == "" || r.holds != "" && !strings.Contains(t.read(name), r.holds) {
			continue
		}
		argv := strings.Fields(r.line)
		switch argv[0] {
		case "{gradle}":
			argv[0] = wrapper(t, "gradlew", "gradle")
		case "{maven}":
			argv[0] = wrapper(t, "mvnw", "mvn")
		case "vendor/bin/phpunit":
			argv = []string{"php", argv[0]}
		}
		out = append(out, Command{Kind: r.kind, Argv: argv, From: name, Silent: r.silent})
	}
	return out
}
