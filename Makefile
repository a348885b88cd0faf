# Holdfast. `make run` shows it at work, `make test` proves it; both set everything up themselves.

# The first Python that is new enough; say PYTHON=... to choose another.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# Where everything is set up; say VENV=... to keep several interpreters side by side.
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: picture run dashboard test prove scenarios check bench mutants clean

# The main job: a demonstration, or with PROJECT=path the installation into that project.
run: $(VENV)/installed
ifdef PROJECT
	@$(BIN)/holdfast init "$(PROJECT)"
else
	@$(BIN)/holdfast demo --folder .demo
	@if [ -t 0 ] && [ -t 1 ]; then \
		printf 'Open the dashboard on it in your browser? [y/N] ' && read answer && \
		case "$$answer" in [yY]*) $(MAKE) --no-print-directory dashboard;; esac; fi
endif

# The picture in the README, of a real run.
picture: $(VENV)/developing
	@$(BIN)/python docs/images/draw_demo.py

# The dashboard on the demonstration project, until Ctrl-C.
dashboard: $(VENV)/installed
	@HOLDFAST_STATE_HOME="$(CURDIR)/.demo/home/.local/state/holdfast" $(BIN)/holdfast serve --open

# What a contributor runs: minutes on two cores. Tests start processes and wait for them, so there are
# more workers than cores.
test: $(VENV)/developing
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not exhaustive'

# What `make test` leaves out: every system call, whole corpora, thousands of histories.
prove: $(VENV)/developing
	$(BIN)/python -m pytest -n 4 --dist worksteal -m exhaustive

# The stories that the product is for, end to end through the door.
scenarios: $(VENV)/developing
	$(BIN)/python -m pytest -n 4 --dist worksteal -m 'not exhaustive' tests/scenarios

# What must hold besides the tests: lint, types, and the contracts of the package.
check: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/contracts

bench: $(VENV)/developing
	$(BIN)/python benchmarks/hooks.py --write
	$(BIN)/python benchmarks/grounding.py --write

# Which small changes to lines that promises rest on no test notices: ten minutes on two quiet cores.
mutants: $(VENV)/developing
	$(BIN)/python benchmarks/mutants.py --write

$(VENV)/installed: pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: Holdfast needs Python 3.11 or newer" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@

$(VENV)/developing: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) .demo build dist
