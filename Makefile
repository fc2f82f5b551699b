.PHONY: setup bench test
ARGS ?= --agent=oracle -n auto
setup:
	./scripts/setup
bench: setup
	.venv/bin/pytest tasks/ $(ARGS)
test: setup
	./scripts/gate
