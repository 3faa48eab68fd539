# Two commands do all the set-up: `make demo` runs the main job, `make test` passes the tests.
# Each works from a bare clone, and does nothing twice.

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
STEP := @sh .ci/step
PYTHON ?=
# A bare machine may have no Python before .venv is made.
ANY_PYTHON = $(firstword $(wildcard $(BIN)/python) $(PYTHON) python3)

.DEFAULT_GOAL := help
.PHONY: help demo test slow engine images venv lint unit suite addon bench fidelity dist clean
# Steps depend on what the one before left on the machine, not on files.
.NOTPARALLEL:

help: ## Say what there is
	@sed -n 's/^\([a-z]*\):.*## /  make \1|/p' Makefile | while IFS='|' read -r name text; do \
	  printf '%-16s %s\n' "$$name" "$$text"; done

demo: images ## Run the demo task by replay, then show the run
	$(STEP) demo $(BIN)/quickstarted run tasks/demo.yaml --agent replay
	@$(BIN)/quickstarted show results/demo

test: images lint addon suite ## Check everything but what `make slow` does, Docker tests included

engine: ## Have a container engine answer (installs one on Debian and Ubuntu, as root)
	$(STEP) engine env PYTHON="$(ANY_PYTHON)" sh docker/engine.sh

images: venv engine ## Have the images that runs are made from
	$(STEP) images $(BIN)/quickstarted images build

venv: $(READY) ## Make .venv with the project and its tools

$(READY): pyproject.toml .ci/venv .ci/constraints.txt
	$(STEP) venv env PYTHON="$(PYTHON)" sh .ci/venv $(VENV)
	@touch $@

lint: venv ## ruff, mypy strict, import-linter
	$(STEP) ruff $(BIN)/ruff check --quiet harness proxy tests
	$(STEP) format $(BIN)/ruff format --quiet --check harness proxy tests
	$(STEP) mypy $(BIN)/mypy --no-error-summary
	$(STEP) floors $(BIN)/lint-imports --no-logo

addon: images ## The proxy's own tests, in the sidecar's image
	$(STEP) addon $(BIN)/python tests/addon/run.py

suite: images ## All tests but the proxy's own and the slow ones, Docker tests included
	$(STEP) pytest $(BIN)/python -m pytest -n 3 --dist worksteal -m "not alone and not slow"
	$(STEP) alone $(BIN)/python -m pytest tests/integration -m "alone and not slow"

slow: images ## The tests that take longest: before a release, and after a change of what they guard
	$(STEP) slow $(BIN)/python -m pytest tests/examples tests/integration -n 2 --dist worksteal -m "slow and not alone"
	$(STEP) slow-alone $(BIN)/python -m pytest tests/integration -m "slow and alone"

unit: venv ## The tests that need no engine
	$(STEP) unit $(BIN)/python -m pytest -m "not docker" tests/unit

bench: images ## Time attempts, and what the proxy costs, against bare `docker run` and mitmproxy
	$(STEP) bench $(BIN)/python tests/bench/attempts.py
	$(STEP) matrix $(BIN)/python tests/bench/matrix.py
	$(STEP) egress $(BIN)/python tests/bench/egress.py
	$(STEP) packages env PYTHONPATH=tests $(BIN)/python tests/bench/packages.py
	$(STEP) formats $(BIN)/python tests/bench/formats.py
	$(STEP) results $(BIN)/python tests/bench/results_folder.py
	$(STEP) progress $(BIN)/python tests/bench/progress.py
	$(STEP) gate env PYTHONPATH=tests $(BIN)/python tests/bench/gate.py
	$(STEP) intervals env PYTHONPATH=tests $(BIN)/python tests/bench/intervals.py

fidelity: venv ## Measure what is kept of real documentation, beside other converters (Debian 12, npm)
	$(STEP) packages $(BIN)/python -m pip -qq install --constraint .ci/constraints.txt --group bench
	$(STEP) fidelity env PYTHONPATH=tests $(BIN)/python -m bench.docs_fidelity --write

dist: venv ## Make the wheel in dist/, and put it where tasks/quickstarted.yaml finds it
	@rm -f dist/*.whl tasks/starts/quickstarted/*.whl
	$(STEP) dist $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	@cp dist/*.whl tasks/starts/quickstarted/

clean: ## Remove .venv and caches; images and results stay
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	rm -f tasks/starts/quickstarted/*.whl
	find harness proxy tests -name __pycache__ -type d -prune -exec rm -rf {} +
