# make bench         set up what is missing, then score the oracle on real routers
#                    (AGENT=NAME: another agent; ARGS="…": other options of pytest)
# make test          set up what is missing, then the whole gate
# make integration   test against programs of others, which are installed or built where that is possible
# make check         what one runs before a commit
# make selftest      prove every task again, three times, with mutants: it takes hours
#                    (PART=1/20: a twentieth of each stage, about an hour; what passed at this commit is not run again)
# make image         build the container image (ARGS="…": arguments of docker build)
# make release-check   build what would be released, install it anew, and run the README's commands there
.PHONY: help setup setup-gate image bench bench-run test integration check selftest release-check
.DEFAULT_GOAL := help

# an agent is meant only where it is said to make: shells of coding assistants have a variable of that name
ASKED := $(if $(findstring command,$(origin AGENT)),$(foreach agent,$(AGENT),'--agent=$(agent)'))
ARGS ?= $(if $(ASKED),,--agent=oracle) -n auto
BENCH_STATUS := .netbench/.bench-status

# `make bench` ends with 1 when pytest does not end with 0. By itself make knows only 2 for any failure, but under -q it
# says 1 for "something is left to be done". So bench asks that question, its own recipes run in spite of it (+), and what
# is left to be done after a failed run is one line that is never run. A set-up that fails still ends with 2.
ifeq ($(MAKECMDGOALS),bench)
ifeq (,$(findstring n,$(firstword -$(MAKEFLAGS))))
MAKEFLAGS += --question
RUN := +
endif
endif

help:
	@sed -n '/^# make /,/^[^#]/s/^# //p' Makefile

setup:
	$(RUN)@./scripts/setup

setup-gate:
	@./scripts/setup --gate

# ARGS is that of the bench unless it was said
image: setup
	@./scripts/image $(if $(findstring command,$(origin ARGS)),$(ARGS))

bench-run: setup
	$(RUN)@./scripts/bench $(BENCH_STATUS) $(ASKED) $(ARGS)

bench: bench-run
	$(if $(filter-out 0,$(file <$(BENCH_STATUS))),@exit $(file <$(BENCH_STATUS)))

test: setup-gate
	@./scripts/evenly ./scripts/gate

integration: setup-gate
	@./scripts/evenly ./scripts/integration

selftest: setup-gate
	@NETBENCH_PART=$(or $(PART),$(NETBENCH_PART),1/1) ./scripts/evenly ./scripts/gate --selftest

check: setup-gate
	@./scripts/gate --quick

release-check: setup-gate
	@.venv/bin/python scripts/release_check.py
