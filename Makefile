# The commands of this repository. Each makes what it needs: `make demo` and `make test` work on a
# fresh machine that has nothing but make and Python 3.11 or newer. `make clean` removes it again.

VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
PYTEST_ARGS ?= -q

# The environment that the tests run in. CI names one that holds the built wheel; then nothing is
# installed here.
TEST_VENV ?= $(VENV)

# Labelled data sets, which are not part of this repository.
DATA ?= ../shared/data

.NOTPARALLEL:
.PHONY: help demo test lint bench results clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile

demo: $(VENV)/.has-base ## index docs/ and answer three questions about ragloop, offline
	@$(BIN)/ragloop index docs --store .ragloop
	@for question in \
	  "What does stopped_by say?" \
	  "Where do the keys come from?" \
	  "How much does ragloop cost per month?"; do \
	    printf '\n> %s\n' "$$question"; \
	    $(BIN)/ragloop ask "$$question" || exit; \
	done

test: $(if $(filter $(VENV),$(TEST_VENV)),$(VENV)/.has-test) ## install and run the tests
	@$(TEST_VENV)/bin/pytest $(PYTEST_ARGS)

lint: $(VENV)/.has-test,dev ## style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

bench: $(VENV)/.has-evals ## time of the graph and of choosing passages, as ratios
	@$(BIN)/python -m ragloop.evals.bench_stream
	@$(BIN)/python -m ragloop.evals.bench_graph
	@$(BIN)/python -m ragloop.evals.bench_context

results: $(VENV)/.has-evals ## every number that the docs print, measured again on the sets in DATA
	@$(BIN)/python -m ragloop.evals.results --data $(DATA)

clean: ## remove the environment and what tools left behind
	@rm -rf $(VENV) .editable .ragloop .langgraph_api dist build

$(BIN)/python:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null; \
	  then echo "Making $(VENV); this takes a minute or two" >&2; $$python -m venv $(VENV) && exit; fi; \
	done; echo "Python 3.11, 3.12 or 3.13 is needed; name one with make PYTHON=..."; exit 1

# One mark a set of extras; made again when pyproject.toml or the build hook changes.
$(VENV)/.has-base: pyproject.toml hatch_build.py | $(BIN)/python
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.has-%: pyproject.toml hatch_build.py | $(BIN)/python
	@$(PIP) install --editable '.[$*]'
	@touch $@
