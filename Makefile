# A thin door to CMake: each target does all of its own set-up. `make help` lists them.

MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CTEST = ctest --output-on-failure --no-tests=error --parallel $(JOBS)

# A new build folder is without tests, since cmocka may not be there; `make test` turns them on. Options stay in the folder's cache,
# so that `make` after `make test` compiles nothing twice.
CONFIGURE = cmake --log-level=WARNING --preset
NO_TESTS_YET = $(if $(wildcard build/CMakeCache.txt),,-DCOULIS_TESTS=OFF)

.PHONY: build demo test bench validate format install clean help setup-demo setup-test

build: setup-demo ## the program, at build/coulis (default)
	@$(CONFIGURE) release $(NO_TESTS_YET)
	@cmake --build build --parallel $(JOBS) --target coulis_main

demo: build ## honey on a figure: a picture and a film in out/demo
	@tools/demo

# Both builds come first, so that a compiler error shows at once; then the sanitized tests without the slow ones, then all tests.
test: setup-test ## every test, also under the address and undefined-behaviour sanitizers
	@$(CONFIGURE) release -DCOULIS_TESTS=ON -DCOULIS_WERROR=ON
	@$(CONFIGURE) sanitize -DCOULIS_TESTS=ON -DCOULIS_WERROR=ON
	@cmake --build build --parallel $(JOBS)
	@cmake --build build-sanitize --parallel $(JOBS)
	@echo "Tests under the sanitizers:"
	@$(CTEST) --test-dir build-sanitize --label-exclude slow
	@echo "Tests of the release build:"
	@$(CTEST) --test-dir build

bench: build ## timings; BENCH="CASE... --json FILE" for options
	@build/coulis bench $(BENCH)

validate: build ## measured beside published numbers; VALIDATE="CASE..." for options
	@build/coulis validate $(VALIDATE)

format: ## clang-format over all C files
	@tools/format

install: setup-demo ## libraries, headers, program, scenes and docs into PREFIX (default /usr/local)
	@$(CONFIGURE) release $(NO_TESTS_YET) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@cmake --build build --parallel $(JOBS) --target coulis_libraries coulis_main
	@cmake --install build

clean: ## removes the build folders; keeps out/
	rm -rf build build-debug build-sanitize

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup-demo:
	@tools/setup demo

setup-test:
	@tools/setup test
