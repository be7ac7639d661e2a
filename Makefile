# Every target sets up what it needs. The machine must bring Go, make, git,
# node and npm; a C compiler as well, if the race detector is to run.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

# One set of flags for every go command: only builds with the same -trimpath
# share entries of the build cache, and the Kubernetes modules are large.
export GOFLAGS := -trimpath -buildvcs=false $(filter-out -trimpath -buildvcs=%,$(GOFLAGS))
export GOTOOLCHAIN ?= local

GO ?= go
PACKAGES ?= ./...
BATS_FILES ?= $(wildcard hack/bats/*.bats)
FUZZ_TIME ?= 10s
BENCH ?= .
BENCH_TIME ?= 1s

CACHE := .cache
RESULTS := $(CACHE)/results
TALLY := $(CACHE)/bin/tally
BATS := hack/bats/node_modules/.package-lock.json
BROWSER := hack/browser/node_modules/.package-lock.json

# The race detector needs a C compiler. `make test RACE=` leaves it out.
RACE ?= $(if $(shell command -v $$($(GO) env CC) 2>/dev/null),-race)

# `vmreplay version` tells the commit, if git can read the checkout.
STAMP := $(shell git status >/dev/null 2>&1 && echo true || echo false)

# The linter is built once for each set of versions and each Go version.
LINT_KEY := $(shell { $(GO) version; cat hack/lint/go.sum; } | git hash-object --stdin | cut -c1-16)
LINT := $(CACHE)/bin/golangci-lint-$(LINT_KEY)
export GOLANGCI_LINT_CACHE := $(CURDIR)/$(CACHE)/golangci-lint

# go-test runs Go tests and leaves their counts for .ci/run: $(call go-test,NAME,PACKAGES).
define go-test
@$(if $(RACE),,echo "the tests run WITHOUT the race detector$(if $(filter conformance,$(1)),: speeds are compared,: no C compiler found)")
$(GO) test $(RACE) -timeout 20m -json $(2) | $(TALLY) go -o $(RESULTS)/$(1).json
endef

.PHONY: help
help: ## list the targets
	@echo "usage: make TARGET"
	@echo
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)$$/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: build
build: ## build bin/vmreplay
	$(GO) build -buildvcs=$(STAMP) -o bin/vmreplay ./sim/cmd/vmreplay

.PHONY: build-cover
build-cover: ## build bin/vmreplay-cover, which counts the controllers' code for explore --coverage
	$(GO) build -buildvcs=$(STAMP) -cover -covermode=atomic -coverpkg=./sim/controllers/...,./sim/cmd/vmreplay -o bin/vmreplay-cover ./sim/cmd/vmreplay

.PHONY: run
run: build ## replay every scenario of the embedded pack; writes out/report.html
	bin/vmreplay run --report html=out/report.html

.PHONY: matrix
matrix: build ## print which variant of a controller passes which scenario
	bin/vmreplay matrix

.PHONY: test
test: lint test-go test-bats ## all checks: vet, lint, Go tests and Ginkgo suites, bats

.PHONY: test-go
test-go: $(TALLY) ## Go tests and Ginkgo suites, with the race detector (PACKAGES=./sim/...)
	$(call go-test,go,$(PACKAGES))

# The real servers are built once, and kept outside the tree. Whatever does not
# fit on the machine says so itself.
.PHONY: conformance
conformance: private GO := KUBEBUILDER_ASSETS=$$(hack/envtest/build.sh) OVN_NB_SCHEMA=$$(hack/envtest/ovn.sh) CONFORMANCE_SUMMARY=$(CURDIR)/$(RESULTS)/conformance.txt $(GO)
# Speeds are compared: nothing may slow down one side only.
conformance: private RACE :=
conformance: private MORE := $(if $(STORY_TIME),-timeout=0 -story-time=$(STORY_TIME))
conformance: $(TALLY) ## the same cases and stories on a real kube-apiserver, kube-scheduler and OVN database (STORY_TIME=0 plays all stories)
	hack/envtest/build.sh >/dev/null
	hack/envtest/ovn.sh >/dev/null
	@mkdir -p $(RESULTS)
	$(call go-test,conformance,-tags conformance ./sim/conformance $(MORE))
	@cat $(RESULTS)/conformance.txt

.PHONY: test-bats
test-bats: build $(BATS) $(BROWSER) chromium $(TALLY) ## bats suites of the command line and of the report in a browser (BATS_FILES=hack/bats/cli.bats)
	VMREPLAY=$(CURDIR)/bin/vmreplay hack/bats/run.sh $(BATS_FILES) | $(TALLY) bats -o $(RESULTS)/bats.json $(BATS_FILES)

.PHONY: chromium
chromium:
	@hack/browser/chromium.sh

.PHONY: picture
picture: build $(BROWSER) chromium ## take README.md's picture of a timeline anew
	bin/vmreplay run scenarios/vmim/target-pod-not-created.yaml --variant none --quiet --report html=$(CACHE)/picture.html
	node hack/picture/picture.mjs $(CACHE)/picture.html hack/picture/timeline.png

.PHONY: lint
lint: vet $(LINT) ## go vet and golangci-lint
	$(LINT) run ./...

.PHONY: vet
vet: ## go vet
	$(GO) vet ./...
	$(GO) vet -tags conformance ./sim/conformance

.PHONY: fmt
fmt: $(LINT) ## format the Go files
	$(LINT) fmt ./...

.PHONY: bench
bench: ## Go benchmarks (BENCH=regexp, BENCH_TIME=1s)
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCH_TIME) -benchmem -timeout 60m $(PACKAGES)

.PHONY: fuzz
fuzz: ## every fuzz target for a short time (FUZZ_TIME=10s)
	hack/fuzz.sh $(FUZZ_TIME)

.PHONY: night
night: build ## 1,000 seed pairs, replays of findings, then search for hours for an order that breaks wake or level (NIGHT="BUDGET SEED")
	hack/seeds.sh
	hack/replays.sh
	hack/night.sh $(NIGHT)

.PHONY: clean
clean: ## remove what the targets above made
	rm -rf bin out $(CACHE) hack/bats/node_modules hack/browser/node_modules

$(TALLY): $(wildcard hack/tally/*.go) go.mod
	$(GO) build -o $@ ./hack/tally

$(LINT): hack/lint/go.mod hack/lint/go.sum
	cd hack/lint && $(GO) build -o $(CURDIR)/$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
	@touch $@

$(BATS): hack/bats/package.json hack/bats/package-lock.json
	cd hack/bats && npm ci --no-audit --no-fund
	@touch $@

$(BROWSER): hack/browser/package.json hack/browser/package-lock.json
	cd hack/browser && npm ci --no-audit --no-fund
	@touch $@
