# One command for each chore; `make help` lists them.

PYTHON ?= python3
PYTEST_ARGS ?=
# Measuring takes about 1.4 times as long: make test COVERAGE=1
COVERED := $(if $(COVERAGE),--cov --cov-report=term)

WORKERS := $(shell expr 2 \* $$(getconf _NPROCESSORS_ONLN))

VENV := .venv
BIN := $(VENV)/bin
SERVERS := tests/servers
WEB := web
BROWSER := $(WEB)/e2e/browser
CLIENT := src/sobremesa/web/dist/index.html
SOCKETIO := bench/socketio
LOCAL := .cache/dynamodb-local
SPECTRAL := @stoplight/spectral-cli@6.16.3
REDOCLY := @redocly/cli@2.77.0
UV_VERSION := 0.13.7
UV := .cache/uv/bin/uv

PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-compile
LOCKED := --require-hashes --requirement

# What is type-checked: docs has Python files only once its generator exists.
TYPED := src tests bench examples $(wildcard docs/*.py)

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help install run test pytest beside vitest long simulate chaos conformance jdk lint lint-python lint-web types e2e bench docs openapi clients image lock clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 18

install: $(VENV)/.development $(VENV)/.installed $(SERVERS)/node_modules/.installed $(WEB)/node_modules/.installed $(CLIENT) ## Make .venv with the locked packages, the test servers and the web client

run: $(VENV)/.installed $(CLIENT) ## Start the demo; installs nothing that only tests need
	@$(BIN)/sobremesa demo

# What takes minutes runs side by side, except while coverage is measured: that alone needs both cores. Only the tests
# in Python show their progress, so that the two do not mix; the results of the rest follow at the end. Two workers for
# each core, since a test often waits: for a disk, for a server, for a process to start.
test: install lint-python ## Lint, check types and imports, and run every test, those in browsers too; COVERAGE=1 measures
	@$(MAKE) -k -j $(if $(COVERAGE),1,2) pytest beside RESULTS=later; status=$$?; cat $(VENV)/beside.txt; exit $$status

pytest: install
	@$(BIN)/pytest -q -n $(WORKERS) --dist worksteal $(COVERED) $(PYTEST_ARGS)

# One line for each step: its result, its seconds, and how many tests it ran; of one that fails, all that it printed.
# Every step runs, also after one that failed. `beside.log` keeps the output of all of them.
beside: install
	@cd $(VENV) && : > beside.txt && : > beside.log
	@failed=0; for step in lint-web types vitest e2e; do \
		start=$$(date +%s); result=passed; \
		NO_COLOR=1 FORCE_COLOR=0 $(MAKE) $$step > $(VENV)/step.log 2>&1 || { result=FAILED; failed=1; cat $(VENV)/step.log >> $(VENV)/beside.txt; }; \
		tests=$$(sed -nE 's/^ +(Tests +)?([0-9]+ passed).*/, \2/p' $(VENV)/step.log); \
		printf '%-9s%s in %s s%s\n' $$step $$result $$(($$(date +%s) - start)) "$$tests" >> $(VENV)/beside.txt; \
		{ echo "== make $$step"; cat $(VENV)/step.log; } >> $(VENV)/beside.log; \
	done; $(if $(RESULTS),,cat $(VENV)/beside.txt;) exit $$failed

vitest: install
	@cd $(WEB) && $(NPM) run --silent test

long: install ## Run the tests that repeat something random, for much longer
	@TESTS_LENGTH=long $(BIN)/pytest -q -n 2 -m long $(PYTEST_ARGS)

simulate: install ## Simulate SEEDS=1000 runs of several nodes with faults, in virtual time; `SEED=42` replays one
	@PYTHONPATH=tests $(BIN)/python -m simulation $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),1000) --first $(or $(FIRST),0)) $(if $(MODE),--mode $(MODE))

chaos: install ## Check histories of real nodes with faults, for MINUTES=5 from SEED=1
	@PYTHONPATH=$(abspath tests) $(BIN)/python -m chaos --minutes $(or $(MINUTES),5) --seed $(or $(SEED),1) $(if $(HISTORIES),--histories $(HISTORIES))

# What speaks with DynamoDB, on AWS's own emulator in place of dynoxide.
ON_DYNAMODB := tests/table tests/dynamodb tests/api/test_path.py tests/live tests/test_leases.py

conformance: jdk install $(LOCAL)/.installed ## Compare with DynamoDB Local, which is fetched for it; needs Java
	@TESTS_DYNAMODB=local $(BIN)/pytest -q -n 2 --dist worksteal $(ON_DYNAMODB) $(PYTEST_ARGS)

jdk:
	@for program in java javac mvn; do command -v $$program > /dev/null \
		|| { echo "make conformance needs a JDK (17 or newer) and Maven: there is no $$program on the PATH." >&2; exit 1; }; done

lint: lint-python lint-web ## Check style, formatting and the import contracts, of the web client too

lint-python: install
	@$(BIN)/ruff check --quiet --output-format concise .
	@$(BIN)/ruff format --quiet --check --output-format concise .
	@$(BIN)/lint-imports --no-cache > $(VENV)/lint-imports.log || { cat $(VENV)/lint-imports.log; exit 1; }

lint-web: install
	@cd $(WEB) && $(NPM) run --silent types && $(NPM) run --silent lint && $(NPM) run --silent schema -- --check

types: install ## Check types
	@$(BIN)/mypy --no-error-summary $(TYPED)

# Where the system has no browser, a package brings one.
e2e: install $(if $(SOBREMESA_CHROMIUM)$(wildcard /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome),,$(BROWSER)/node_modules/.installed) ## Try the web client in real browsers, on a server of its own
	@cd $(WEB) && $(NPM) run --silent e2e

bench: install $(SOCKETIO)/node_modules/.installed ## Run the benchmarks
	@$(BIN)/python -m bench
	@$(BIN)/python -m bench.web
	@$(BIN)/python -m bench.inboxes
	@$(BIN)/python -m bench.growth
	@$(BIN)/python -m bench.live
	@$(BIN)/python -m bench.nodes

docs: install ## Write the generated pages of the docs
	@$(BIN)/python docs/generate.py

# A test checks the same rules as far as it can in a second; these bring 80 MB of packages, so they are no part of it.
openapi: install ## Lint the OpenAPI document with spectral and redocly, which are fetched for it
	@$(BIN)/python $(WEB)/scripts/openapi.py > $(VENV)/openapi.json
	@$(NPM) exec --yes --package=$(SPECTRAL) -- spectral lint --fail-severity=hint $(VENV)/openapi.json
	@$(NPM) exec --yes --package=$(REDOCLY) -- redocly lint --extends=recommended-strict $(VENV)/openapi.json

clients: install ## Generate clients in TypeScript and Python as the docs describe, and try them; fetches the generators
	@$(BIN)/pytest -q -n 0 tests/generated_clients.py

image: install ## Run the commands of the Dockerfile without Docker, and start what they install; fetches packages
	@$(BIN)/pytest -q -n 0 tests/deploy/image_install.py

lock: $(UV) ## Resolve the newest allowed versions and write the lock files
	@$(UV) pip compile pyproject.toml --all-extras --group dev $(COMPILE) --output-file requirements-dev.lock
	@$(UV) pip compile pyproject.toml --all-extras --group build $(COMPILE) --constraint requirements-dev.lock --output-file requirements.lock
	@$(UV) pip compile --group pyproject.toml:node $(COMPILE) --output-file $(SERVERS)/node.lock
	@for place in $(SERVERS) $(SOCKETIO) $(WEB) $(BROWSER); do (cd $$place && npm install --package-lock-only --ignore-scripts --loglevel=error > /dev/null) || exit 1; done
	@! grep -nE '://|--(extra-)?index-url|--find-links' requirements.lock requirements-dev.lock $(SERVERS)/node.lock
	@! grep -n '"resolved"' $(SERVERS)/package-lock.json $(SOCKETIO)/package-lock.json $(WEB)/package-lock.json $(BROWSER)/package-lock.json

clean: ## Remove everything that make made
	@rm -rf $(VENV) $(SERVERS)/node_modules $(SOCKETIO)/node_modules $(WEB)/node_modules $(BROWSER)/node_modules $(WEB)/test-results $(WEB)/e2e-artefacts $(dir $(CLIENT)) .cache .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist

MAVEN_COPY := org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies
NPM := PATH="$(abspath $(BIN)):$$PATH" npm
NODE_IS_NEW := const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)
WEB_SOURCES := $(wildcard $(WEB)/index.html $(WEB)/vite.config.ts $(WEB)/scripts/*.js) $(shell find $(WEB)/src $(WEB)/public -type f)

COMPILE := --universal --python-version 3.11 --generate-hashes --upgrade --quiet \
	--no-header --annotation-style line --no-emit-index-url --no-emit-find-links --fork-strategy fewest

$(UV):
	@$(PYTHON) -m venv .cache/uv
	@.cache/uv/bin/python -m pip install -qq uv==$(UV_VERSION)

# The stamps make a second install instant. A changed lock makes a fresh .venv, so nothing stale stays behind; a
# changed pyproject.toml only installs the project again. Without npm, or with a Node that is too old for the web
# client, a locked wheel brings both; where it did, they come first on the PATH.
$(VENV)/.runtime: requirements.lock $(SERVERS)/node.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Sobremesa needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@echo "Installing the locked packages in $(VENV)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV)
	@$(PIP_INSTALL) $(LOCKED) requirements.lock
	@{ command -v npm > /dev/null && node -e '$(NODE_IS_NEW)'; } || $(PIP_INSTALL) $(LOCKED) $(SERVERS)/node.lock
	@touch $@

# The packages of tests, checks and benchmarks come on top; what of them is there already is not fetched again.
$(VENV)/.development: requirements-dev.lock $(VENV)/.runtime
	@[ ! -e $@ ] || { rm -rf $(VENV); $(MAKE) $(VENV)/.runtime; }
	@echo "Installing the packages of tests and checks in $(VENV)"
	@$(PIP_INSTALL) $(LOCKED) requirements-dev.lock
	@touch $@

# `pip check` finds a dependency that pyproject.toml names and the lock does not have.
$(VENV)/.installed: $(VENV)/.runtime pyproject.toml
	@$(PIP_INSTALL) --no-build-isolation --editable .
	@$(BIN)/python -m pip check > $(VENV)/pip-check.log || { cat $(VENV)/pip-check.log; echo "Run: make lock"; exit 1; } >&2
	@touch $@

$(SERVERS)/node_modules/.installed: $(SERVERS)/package.json $(SERVERS)/package-lock.json $(SERVERS)/.npmrc | $(VENV)/.installed
	@echo "Installing the test servers in $(SERVERS)/node_modules"
	@cd $(SERVERS) && $(NPM) ci --ignore-scripts --loglevel=error > /dev/null
	@touch $@

# Maven finds the jars where its settings say. Starting from source takes ten seconds more each time, hence javac.
$(LOCAL)/.installed: $(wildcard $(SERVERS)/dynamodb_local/*)
	@echo "Installing DynamoDB Local in $(LOCAL)"
	@rm -rf $(LOCAL)
	@mvn -q -B -f $(SERVERS)/dynamodb_local/pom.xml $(MAVEN_COPY) -DincludeScope=runtime -DoutputDirectory=$(abspath $(LOCAL))/lib
	@cd $(LOCAL)/lib && sha256sum --check --quiet --strict $(abspath $(SERVERS))/dynamodb_local/jars.sha256
	@javac -cp '$(LOCAL)/lib/*' -d $(LOCAL) $(SERVERS)/dynamodb_local/LocalServer.java
	@touch $@

# What builds the client; everything, for `make install`, has it in it.
$(WEB)/node_modules/.build: $(WEB)/package.json $(WEB)/package-lock.json $(WEB)/.npmrc | $(VENV)/.installed
	@echo "Installing the packages of the web client in $(WEB)/node_modules"
	@cd $(WEB) && $(NPM) ci --omit=dev --ignore-scripts --loglevel=error > /dev/null
	@touch $@

$(WEB)/node_modules/.installed: $(WEB)/package.json $(WEB)/package-lock.json $(WEB)/.npmrc | $(VENV)/.installed
	@echo "Installing the packages of the web client and its tests in $(WEB)/node_modules"
	@cd $(WEB) && $(NPM) ci --ignore-scripts --loglevel=error > /dev/null
	@touch $(WEB)/node_modules/.build $@

# The package keeps its browser compressed, and unpacks it into the directory for temporary files, which all users and
# checkouts share: give it one of its own.
$(BROWSER)/node_modules/.installed: $(BROWSER)/package.json $(BROWSER)/package-lock.json $(BROWSER)/.npmrc | $(VENV)/.installed
	@echo "Installing a browser in $(BROWSER)/node_modules"
	@cd $(BROWSER) && $(NPM) ci --ignore-scripts --loglevel=error > /dev/null && mkdir node_modules/.unpacked
	@cd $(BROWSER) && TMPDIR="$$PWD/node_modules/.unpacked" PATH="$(abspath $(BIN)):$$PATH" node --input-type=module \
		-e 'import chromium from "@sparticuz/chromium"; await chromium.executablePath()'
	@touch $@

$(CLIENT): $(WEB)/node_modules/.build $(WEB_SOURCES)
	@echo "Building the web client"
	@cd $(WEB) && $(NPM) run --silent build > node_modules/.build.log 2>&1 || { cat node_modules/.build.log; exit 1; } >&2

$(SOCKETIO)/node_modules/.installed: $(SOCKETIO)/package.json $(SOCKETIO)/package-lock.json $(SOCKETIO)/.npmrc | $(VENV)/.installed
	@echo "Installing socket.io in $(SOCKETIO)/node_modules"
	@cd $(SOCKETIO) && $(NPM) ci --ignore-scripts --loglevel=error > /dev/null
	@touch $@
