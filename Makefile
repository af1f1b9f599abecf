# citestream: what a person runs here. Needs Python 3.11 or newer and make, nothing else.

PYTHON ?= python3
VENV ?= .venv
PY := $(VENV)/bin/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Packages come hashed from the locks; the checkout itself is installed in place by the locked
# hatchling, so that `$(VENV)/bin/citestream` is the real command.
INSTALL = $(PY) -m pip install -qq --require-hashes
INSTALL_CHECKOUT = $(PY) -m pip install -qq --no-index --no-deps --no-build-isolation --editable .

.DEFAULT_GOAL := help
# What a person reads last is the closing line of the tests.
.NOTPARALLEL:
.PHONY: help demo serve test lint types unit faults fuzz mutants fmt bench peers load openapi sdk clients contract unicode lock clean

help: ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit("citestream needs Python 3.11 or newer: make PYTHON=...") if sys.version_info < (3, 11) else 0'
	@echo "Setting up $(VENV)"
	@$(PYTHON) -m venv --clear $(VENV)

# An environment whose interpreter is gone is empty, whatever its stamps say.
$(shell test -x $(PY) || rm -f $(VENV)/filled-to-*)

# The stamps say which lock the environment was filled from; the test lock holds the run lock whole.
$(VENV)/filled-to-run: requirements/run.txt requirements/build.txt pyproject.toml $(PY)
	@$(INSTALL) -r requirements/build.txt -r requirements/run.txt
	@$(INSTALL_CHECKOUT)
	@touch $@

$(VENV)/filled-to-test: requirements/test.txt pyproject.toml $(PY)
	@$(INSTALL) -r requirements/test.txt
	@$(INSTALL_CHECKOUT)
	@touch $@ $(VENV)/filled-to-run

# What sows faults stays out of the environment that the tests run in.
$(VENV)-mutants/filled: requirements/mutants.txt
	@$(PYTHON) -m venv --clear $(@D)
	@$(@D)/bin/python -m pip install -qq --require-hashes -r $<
	@touch $@

demo: $(VENV)/filled-to-run ## show in twenty seconds what the library does
	@$(PY) -m examples.demo

serve: $(VENV)/filled-to-run ## run the service, reachable from this machine alone
	@$(VENV)/bin/citestream serve

test: lint types unit ## lint, types and tests; REQUIRE_ALL=1 makes each skipped test a failure

lint: $(VENV)/filled-to-test ## check the code (ruff) and the Dockerfile (hadolint)
	@$(VENV)/bin/ruff check --quiet
	@$(VENV)/bin/ruff format --check --quiet
	@$(VENV)/bin/hadolint Dockerfile

types: $(VENV)/filled-to-test ## check the types (mypy --strict)
	@$(VENV)/bin/mypy

unit: $(VENV)/filled-to-test ## run the tests alone
	@$(PY) -m pytest --quiet --numprocesses auto

faults: $(VENV)/filled-to-test ## kill the service 300 times, and cut a reader off at every byte
	@FAULT_RUNS=300 $(PY) -m pytest --quiet --numprocesses auto tests/faults

SECONDS ?= 600
SEED ?= $(shell date +%s)
fuzz: $(VENV)/filled-to-test ## compare with the references on random input, for SECONDS=600 from SEED=
	@$(PY) -m tests.proof.fuzz --seconds $(SECONDS) --seed $(SEED)

mutants: $(VENV)-mutants/filled ## sow faults into citations/ and parts/ and see whether the tests fail
	@$(<D)/bin/python -m tests.proof.mutants

fmt: $(VENV)/filled-to-test ## format the code
	@$(VENV)/bin/ruff check --fix-only --quiet
	@$(VENV)/bin/ruff format

bench: $(VENV)/filled-to-test ## run each benchmark but load and peers
	@status=0; for file in $(filter-out benchmarks/load.py benchmarks/peers.py,$(wildcard benchmarks/[a-z]*.py)); do \
		echo "== $$file"; $(PY) -m benchmarks.$$(basename $$file .py) || status=1; done; exit $$status

peers: $(VENV)/filled-to-test ## compare the engine with other strippers, installed in build/
	@$(PY) -m pip install -qq --target build/peers --upgrade cohere-melody==0.15.3
	@PYTHONPATH=build/peers $(PY) -m benchmarks.peers

load: $(VENV)/filled-to-test ## measure stored turns under load, latency from the intended time
	@$(PY) -m benchmarks.load

openapi: $(VENV)/filled-to-run ## write openapi/openapi.json
	@mkdir -p openapi
	@$(VENV)/bin/citestream openapi > openapi/openapi.json.new
	@mv openapi/openapi.json.new openapi/openapi.json

SDK_OUT ?= $(or $(TMPDIR),/tmp)/citestream-sdk

sdk: $(VENV)/filled-to-test ## write client packages for Python and TypeScript to SDK_OUT
	@$(MAKE) --no-print-directory -C sdk OUT=$(abspath $(SDK_OUT)) PYTHON=$(abspath $(PY))

clients: $(VENV)/filled-to-test ## try six client generators and write the table of docs/clients.md
	@$(PY) sdk/matrix.py

contract: $(VENV)/filled-to-test ## send requests made from the document, many more than the tests do
	@CITESTREAM_EXAMPLES=600 $(PY) -m pytest --quiet tests/test_schemathesis.py

unicode: $(VENV)/filled-to-test ## write the tables of characters and abbreviations
	@$(PY) tests/citations/generate_unicode_classes.py
	@$(PY) -m tests.claims.generate_unicode_classes
	@$(PY) -m tests.claims.generate_abbreviations

# Each lock keeps to the one before it, so that they never disagree. Versions that stand are
# kept; UPGRADE=1 takes the newest.
LOCK = $(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make lock" \
	$(if $(UPGRADE),--upgrade)

lock: $(VENV)/filled-to-test ## write requirements/ from pyproject.toml (UPGRADE=1 takes the newest versions)
	@$(LOCK) pyproject.toml --extra service -o requirements/run.txt
	@$(LOCK) --group build -c requirements/run.txt -o requirements/build.txt
	@$(LOCK) pyproject.toml --all-extras --group test -c requirements/run.txt -c requirements/build.txt \
		-o requirements/test.txt
	@$(LOCK) --group mutants -c requirements/test.txt -o requirements/mutants.txt

clean: ## remove everything that make has written here
	@rm -rf $(VENV) $(VENV)-mutants build dist .coverage htmlcov
	@rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache
