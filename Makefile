# Everything the project can check or make, by name. `make help` lists it.
# `make test` needs only Go, git and a POSIX shell; `make check` fetches its tools
# into a cache folder of the user, outside the tree.

GO        = go
FUZZTIME  = 1s
TESTFLAGS =
PKGS      = ./...

GOLANGCI    = v2.14.0
GOFUMPT     = v0.12.0
GOVULNCHECK = v1.8.0
GORELEASER  = v2.12.0

# What make snapshot builds for: those of a release.
SYSTEMS    = linux, darwin, windows
PROCESSORS = amd64, arm64

# -buildvcs=false: what is only compiled to be checked needs no version stamp, and
# git may refuse to tell one in a folder that belongs to another user.
COMPILE = $(GO) build -buildvcs=false

.PHONY: help build test vet archtest measure check race lint fmt cross counts fuzz tidy smoke vuln bench cover e2e postgres team screens chaos shell mutants docs snapshot image packages bare

help: ## list the targets
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/\1 \2/p' Makefile | while read -r name line; do printf '  make %-9s %s\n' "$$name" "$$line"; done

build: ## bin/: trimtab and the small program for hooks, without cgo and without paths of this machine
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...

test: vet ## build, vet, then all tests, shuffled; the long counts shortened (make counts has them in full)
	CGO_ENABLED=0 $(GO) test -vet=off -short -shuffle=on -timeout 20m $(TESTFLAGS) $(PKGS)

vet: ## build and vet
	CGO_ENABLED=0 $(COMPILE) $(PKGS)
	CGO_ENABLED=0 $(GO) vet $(PKGS)

archtest: ## the tests of the code's own shape: imports, comments, purity, sizes, documents
	$(GO) test -count=1 ./internal/archtest

measure: ## the figures of the code's shape beside their limits and goals
	@cd internal/archtest && MEASURE=1 $(GO) test -count=1 -run '^TestMeasure$$' | grep -v '^PASS\|^ok'

# The browser has been there in make test; with the race detector the pages are six
# times slower, and the tests without it ask for the same ones. make race has both.
check: export TRIMTABTEST_BROWSER = off
check: lint tidy cross race counts smoke ## lint, module files, cross builds, the tests with the race detector, the promised counts, and the README's first command in a clean clone

race: ## all tests again with the race detector; needs a C compiler (make check leaves out those in a browser)
	@GO='$(GO)' sh script/race $(PKGS)

lint: ## gofumpt and golangci-lint
	@bin=$$(GO='$(GO)' sh script/tool mvdan.cc/gofumpt $(GOFUMPT)) || exit 1; \
	bad=$$(find . -name '*.go' ! -path './.*' ! -path '*/testdata/*' -exec "$$bin" -l {} +) || exit 1; \
	if [ -n "$$bad" ]; then echo "gofumpt would change these files (make fmt does):"; echo "$$bad"; exit 1; fi
	@bin=$$(GO='$(GO)' sh script/tool github.com/golangci/golangci-lint/v2/cmd/golangci-lint $(GOLANGCI)) || exit 1; \
	"$$bin" run $(PKGS)

fmt: ## format all Go files with gofumpt
	@bin=$$(GO='$(GO)' sh script/tool mvdan.cc/gofumpt $(GOFUMPT)) || exit 1; \
	find . -name '*.go' ! -path './.*' ! -path '*/testdata/*' -exec "$$bin" -l -w {} +

cross: ## build for Linux, macOS and Windows, and type-check the tests there
	@GO='$(GO)' sh script/cross $(PKGS)

counts: ## the random conversations, replays, faults and kills that are promised, in full, without the race detector
	CGO_ENABLED=0 $(GO) test -count=1 -run 'P7|P8|H1_|Rule10|Dialect' . ./wire/...
	CGO_ENABLED=0 $(GO) test -count=1 -run 'P3|P4' ./store/sqlite
	CGO_ENABLED=0 $(GO) test -count=1 -run P7_Generated ./surface/gateway
	CGO_ENABLED=0 $(GO) test -count=1 $$(grep -rl --include='*_test.go' pgregory.net/rapid . | sed 's|/[^/]*$$||' | sort -u)
	CGO_ENABLED=0 $(GO) test -count=1 -parallel 4 -run 'P1_Killed|P2_Lost' ./improve/worker

shell: ## 200,000 random command lines, read by us and run by bash; needs bash, takes a quarter of an hour
	TRIMTABTEST_SHELL_LINES=200000 CGO_ENABLED=0 $(GO) test -count=1 -v -timeout 3h -run TestD1_BashRunsNothing ./agent/shell

mutants: ## seed the bugs of script/mutants.txt, one at a time, and show which test notices; takes half an hour
	@GO='$(GO)' sh script/mutants

fuzz: ## each fuzz target for FUZZTIME (1s); what it finds differs from run to run, so it is no part of the gate, which tries every input of the tree
	@GO='$(GO)' sh script/fuzz $(FUZZTIME) $(PKGS)

tidy: ## go.mod and go.sum are complete, minimal and unaltered
	$(GO) mod tidy -diff
	$(GO) mod verify

smoke: ## the README's first command, in a clean clone of the last commit, without a key
	@GO='$(GO)' sh script/smoke

vuln: ## known vulnerabilities, where their database can be reached
	@bin=$$(GO='$(GO)' sh script/tool golang.org/x/vuln/cmd/govulncheck $(GOVULNCHECK)) || exit 1; \
	sh script/vuln "$$bin" $(PKGS)

bench: ## run the benchmarks and the load tool with its peers, and print them; judges nothing
	$(GO) test -run '^$$' -bench . -benchmem . ./store/sqlite ./wire ./transcript/claude
	$(GO) run ./bench/gateway -quick
	$(GO) run ./bench/cache
	$(GO) test -run '^$$' -bench . -benchmem ./surface/tui/page ./surface/tui
	$(GO) run ./bench/chat
	$(GO) run ./bench/hook
	$(GO) run ./bench/transcript
	cd bench/secret && $(GO) test -run '^$$' -bench . .

cover: ## which lines the tests reach: a sum here, all of it in bin/cover.html
	@mkdir -p bin
	$(GO) test -coverpkg=./... -coverprofile=bin/cover.out $(PKGS)
	@$(GO) tool cover -html=bin/cover.out -o bin/cover.html
	@$(GO) tool cover -func=bin/cover.out | tail -n 1

e2e: ## the longer end-to-end proofs (build tag e2e); needs npm, and tmux for agents on a terminal
	@GO='$(GO)' sh script/tagged e2e $(TESTFLAGS)

postgres: ## the tests that want a PostgreSQL server, on a throwaway one; needs Debian's postgresql
	sh script/postgres.sh run $(GO) test -p 1 -count=1 -short $(TESTFLAGS) ./store/postgres ./improve/handover
	sh script/postgres.sh run $(GO) test -p 1 -count=1 -short $(TESTFLAGS) -run 'PostgreSQL|TestX1_Replicas|TestX[23]_' ./improve/worker ./surface/gateway ./cmd/trimtab

team: ## two people with Claude Code on two gateways, one killed, and one pull request; then load on three; needs Debian's postgresql, nginx and npm
	sh script/postgres.sh run $(GO) run ./bench/team -people
	sh script/postgres.sh run $(GO) run ./bench/team -replicas 3 -kill 10s
	TRIMTAB_TEST_POSTGRES= $(GO) run ./bench/team -replicas 3

docs: ## write the documents that are made from the program and its sources: commands, settings, API, metrics, promises
	@mkdir -p bin
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/trimtab
	bin/trimtab manual > docs/reference/commands.md
	bin/trimtab manual --settings > docs/reference/all-settings.md
	TRIMTABTEST_UPDATE=1 $(GO) test -count=1 -run TestTheReferenceIsCurrent ./internal/archtest

snapshot: ## what a release would hold, in dist/: archives, deb, rpm, SBOM, npm packages and a Homebrew formula; publishes nothing; needs a clean clone and unzip; SYSTEMS=linux PROCESSORS=amd64 is for these alone
	@bin=$$(GO='$(GO)' sh script/tool github.com/goreleaser/goreleaser/v2 $(GORELEASER)) || exit 1; \
	mkdir -p bin && sed -e 's/^\( *goos:\) \[.*/\1 [$(SYSTEMS)]/' -e 's/^\( *goarch:\) \[.*/\1 [$(PROCESSORS)]/' .goreleaser.yaml >bin/goreleaser.yaml && \
	"$$bin" release --snapshot --clean --config bin/goreleaser.yaml $(SNAPSHOTFLAGS)
	sh script/npm dist dist/npm 0.0.0-snapshot
	mkdir -p dist/brew
	sh script/brew dist 0.0.0-snapshot >dist/brew/trimtab.rb

image: ## the container image in dist/image, for Linux on amd64 and arm64, as a layout and as archives; needs neither a container engine nor a registry
	@GO='$(GO)' sh script/image dist/image

packages: ## packaging/ held to the real programs: image, compose file, chart, units, action; root runs the image as a root file system; podman, helm, caddy, PostgreSQL and systemd-analyze are used where they are
	cd packaging && $(GO) vet -tags e2e ./... && $(GO) test -tags e2e -count=1 -timeout 60m $(TESTFLAGS) ./...

bare: snapshot ## what make snapshot made, installed into empty root folders and used there: archive, deb, rpm; needs root, dpkg and busybox-static, and rpm2cpio with cpio for the rpm
	cd packaging && TRIMTAB_DIST=../dist $(GO) test -tags e2e -count=1 -timeout 30m -v -run 'BareRoot|Rpm|Formula|SBOM' .

screens: ## draw the README's pictures from the real chat
	$(GO) test -count=1 -tags screens -run TestScreens ./cmd/trimtab

chaos: ## the proofs with kills, cuts and full disks (build tag chaos)
	@GO='$(GO)' sh script/tagged chaos $(TESTFLAGS)
