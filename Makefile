# make setup | quickstart | test | lint | fidelity | clean
PYTHON ?= python3.11
ARGS ?=
BIN := .venv/bin
# The name of the stamp holds a checksum of what was installed, and where.
STAMP := .venv/.installed-$(shell (pwd; cat pyproject.toml requirements.lock) | cksum | tr -s ' ' '-')

.PHONY: setup quickstart test lint fidelity clean
.DEFAULT_GOAL := setup

setup: $(STAMP)

$(STAMP):
	@$(PYTHON) -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
		{ echo "error: Python 3.11 with venv is needed; put python3.11 on PATH or run 'make setup PYTHON=...'" >&2; exit 1; }
	@rm -f .venv/.installed-*
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -qq "$$(grep '^torch==' requirements.lock)"
	$(BIN)/python -m pip install -qq --no-deps -r requirements.lock
	$(BIN)/python -m pip install -qq --no-deps --no-build-isolation -e .
	@touch $@

quickstart: setup
	$(BIN)/melee-env quickstart $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The tests run even if lint finds something, so that one run shows everything.
test: setup
	@status=0; \
	$(MAKE) --no-print-directory lint || status=1; \
	$(BIN)/python -m pytest -n 2 $(ARGS) || status=1; \
	exit $$status

# The tables of docs/fidelity.md anew: RECORDINGS holds replays/, replays_fit/ and their manifests.
RECORDINGS ?= ../shared
CLEAN = awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$$i] = i } \
	NR > 1 && $$at["clean_1v1"] == 1 { print "$(RECORDINGS)/replays/" $$at["file"] }' $(RECORDINGS)/replays/manifest.csv

fidelity: setup
	$(BIN)/melee-env fidelity $$($(CLEAN)) --page docs/fidelity.md
	$(BIN)/melee-env fidelity $(RECORDINGS)/replays_fit --page docs/fidelity.md --label "games fitted on"

clean:
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
