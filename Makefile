# Everything a newcomer types. Each target installs what it needs (Debian 12), builds, and does its work.
BUILD := build
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

.PHONY: help deps build demo test test-long bench accuracy schedules real lint format install deb clean

help:
	@sed -n 's/^## //p' $(MAKEFILE_LIST)

## make demo        install, build, find and explain a race in an example
## make test        install, build, run all tests
## make build       only build, into build/bin and build/lib/norn
## make test-long   the slow checks, in parts that go on where they were: sanitizers, many seeds, long stress, all programs
##                  at all levels, MINUTES=40 of random ones; PART=seeds: only that one (tools/run-long-tests has the list)
## make bench       side by side with ThreadSanitizer, helgrind and drd, in parts of at most 20 minutes that go on where they
##                  were; PART=kernels: only that one (standins, programs, valgrind, threads, heap, locks)
## make accuracy    who is right about the programs that wait and those from the standards: docs/accuracy.md
## make schedules   what each strategy finds, and when; nothing false; replays: the tables of docs/schedules.md
## make real        build and check real programs (LevelDB, LMDB), Debian's as they are, and Debian's sources with
##                  their own test suites; PACKAGE=zlib: only that one's
## make lint        clang-format, clang-tidy, shell and python syntax
## make install     PREFIX=/usr/local
## make deb         a Debian package, in build/

deps:
	@tools/install-packages build

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | deps
	@cmake --preset default -B $(BUILD) > $(BUILD).log 2>&1 || { cat $(BUILD).log; rm -f $(BUILD).log; exit 1; }
	@mkdir -p $(BUILD) && mv $(BUILD).log $(BUILD)/configure.log

build: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

# Without tests/ and bench/; the unit tests of these rooms are built with them.
demo: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target compiler/all runtime/all cli/all
	@examples/demo $(BUILD)/bin

test: deps build
	@tools/run-tests $(BUILD)

test-long: deps build
	@tools/run-long-tests $(BUILD) $(PART)

bench: deps build
	@tools/install-packages bench
	@bench/run $(BUILD) $(PART)

accuracy: deps build
	@tools/install-packages bench
	@NORN_BIN=$(abspath $(BUILD))/bin tests/loops/figures.py --write
	@NORN_BIN=$(abspath $(BUILD))/bin tests/loops/accuracy.py --write
	@NORN_BIN=$(abspath $(BUILD))/bin tests/standards/verdicts.py --write

schedules: export NORN_BIN = $(abspath $(BUILD))/bin
schedules: deps build
	@tests/schedule/table.py
	@tests/schedule/trials.py --give-up=2 --minutes=60 --document=docs/schedules.md
	@tests/schedule/replay.py --document=docs/schedules.md -o $(BUILD)/replays
	@tests/schedule/verdicts.py false --runs=200 --document=docs/schedules.md -o $(BUILD)/verdicts
	@tests/schedule/verdicts.py check --document=docs/schedules.md -o $(BUILD)/verdicts

real: deps build
	@tools/install-packages packages
ifndef PACKAGE
	@tools/install-packages real
	@tests/real/run $(BUILD)
	@tests/real/binaries $(BUILD)
	@tests/real/recorded $(BUILD)
endif
	@tests/real/package $(BUILD) $(PACKAGE)

lint: deps $(BUILD)/build.ninja
	@tools/lint $(BUILD)

format:
	@git ls-files '*.cc' '*.h' '*.cpp' '*.c' | xargs clang-format-19 -i

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

deb: deps build
	@tools/install-packages deb
	@cd $(BUILD) && cpack -G DEB > package.log 2>&1 || { cat package.log; exit 1; }
	@ls $(BUILD)/*.deb

clean:
	rm -rf $(BUILD)
