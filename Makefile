# make bench     set up what is missing, then score the agents on real routers
# make test      set up what is missing, then the whole gate
# make check     what one runs before a commit
# make selftest  prove every task again, three times, with mutants: it takes hours
.PHONY: help setup setup-gate bench bench-run test check selftest
.DEFAULT_GOAL := help

ARGS ?= --agent=oracle -n auto
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
	@sed -n 's/^# make /make /p' Makefile

setup:
	$(RUN)@./scripts/setup

setup-gate:
	@./scripts/setup --gate

bench-run: setup
	$(RUN)@./scripts/bench $(BENCH_STATUS) $(ARGS)

bench: bench-run
	$(if $(filter-out 0,$(file <$(BENCH_STATUS))),@exit $(file <$(BENCH_STATUS)))

test: setup-gate
	@./scripts/gate

selftest: setup-gate
	@./scripts/gate --selftest

check: setup-gate
	@./scripts/gate --quick
