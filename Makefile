# A thin door to CMake: each target does all of its own set-up. `make help` lists them.

MAKEFLAGS += --no-print-directory

PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CTEST = ctest --output-on-failure --no-tests=error --parallel $(JOBS)

# A new build folder is without tests, since cmocka may not be there; `make test` turns them on. Options stay in the folder's cache,
# so that `make` after `make test` compiles nothing twice.
CONFIGURE = cmake --log-level=WARNING --preset
NO_TESTS_YET = $(if $(wildcard build/CMakeCache.txt),,-DCOULIS_TESTS=OFF)

# GCC's thread sanitizer wants addresses where it expects them; newer kernels put them anywhere. Not every container may say so.
NO_RANDOM_ADDRESSES := $(shell setarch -R true 2>/dev/null && echo setarch -R)

.PHONY: build demo view page playground python test test-long fuzz check bench validate golden format install clean help all-builds setup-demo setup-python setup-test setup-full

build: setup-demo ## the program, at build/coulis (default)
	@$(CONFIGURE) release $(NO_TESTS_YET)
	@cmake --build build --parallel $(JOBS) --target coulis_main

demo: build ## honey on a figure: a picture and a film in out/demo
	@tools/demo

SCENE ?= dam-break-2d
view: build ## the live viewer in a browser; SCENE=syrup-coil for another scene
	@build/coulis view $(SCENE)

playground: setup-full ## the viewer without a server, on WebAssembly, in out/playground
	@JOBS=$(JOBS) tools/playground

python: setup-python ## the Python package, as a wheel in dist/
	@$(CONFIGURE) release $(NO_TESTS_YET) -DCOULIS_PYTHON=ON
	@cmake --build build --parallel $(JOBS) --target coulis_wheel

page: ## builds the viewer's page anew (web/dist), after a change of web/
	@tools/page build

# What is quick to fail comes first: formatting and scripts, then all builds, so that a compiler error shows at once. The tests of
# the release build come last: the last lines are CTest's summary.
test: all-builds ## what CI runs: checks of the source, four builds, all tests but the slow ones
	@cmake --build build-clang --parallel $(JOBS) --target coulis_main
	@echo "Tests under the thread sanitizer:"
	@$(NO_RANDOM_ADDRESSES) $(CTEST) --test-dir build-tsan --label-exclude slow
	@echo "Tests under the address and undefined-behaviour sanitizers:"
	@$(CTEST) --test-dir build-sanitize --label-exclude slow
	@echo "Short runs of the program built by clang:"
	@python3 tests/golden_test.py build-clang/coulis .
	@echo "Tests of the release build:"
	@$(CTEST) --test-dir build --label-exclude slow

test-long: setup-full all-builds ## every test in every build, and the long variants
	@cmake --build build-clang --parallel $(JOBS)
	@echo "Tests under the thread sanitizer:"
	@$(NO_RANDOM_ADDRESSES) $(CTEST) --test-dir build-tsan
	@echo "Tests under the address and undefined-behaviour sanitizers:"
	@$(CTEST) --test-dir build-sanitize
	@echo "Tests of the build by clang:"
	@$(CTEST) --test-dir build-clang --label-exclude slow
	@echo "Tests of the release build, the long variants:"
	@COU_LONG_TESTS=1 $(CTEST) --test-dir build

# New finds of the corpus stay in build-fuzz/corpus; what ends a target is left there as crash-..., timeout-... or oom-...
fuzz: setup-test ## looks for inputs that harm, MINUTES=10 for each target; FUZZ="scene ply" chooses
	@$(CONFIGURE) fuzz
	@cmake --build build-fuzz --parallel $(JOBS)
	@tools/fuzz build-fuzz "$(or $(MINUTES),10)" $(FUZZ)

check: setup-test ## formatting of the C files, shellcheck over the scripts
	@tools/format --check
	@tools/check-scripts

# All but clang's: `make test` wants only its program.
all-builds: check
	@$(CONFIGURE) release -DCOULIS_TESTS=ON -DCOULIS_WERROR=ON
	@$(CONFIGURE) sanitize -DCOULIS_TESTS=ON
	@$(CONFIGURE) tsan -DCOULIS_TESTS=ON
	@$(CONFIGURE) clang -DCOULIS_TESTS=ON
	@cmake --build build --parallel $(JOBS)
	@cmake --build build-sanitize --parallel $(JOBS)
	@cmake --build build-tsan --parallel $(JOBS)

bench: build ## timings; BENCH="CASE... --json FILE" for options
	@build/coulis bench $(BENCH)

validate: build ## measured beside published numbers; VALIDATE="CASE..." for options
	@build/coulis validate $(VALIDATE)

golden: setup-demo ## writes the hashes of tests/golden.csv anew
	@tools/golden

format: ## clang-format over all C files
	@tools/format

install: setup-demo ## libraries, headers, program, scenes and docs into PREFIX (default /usr/local)
	@$(CONFIGURE) release $(NO_TESTS_YET) -DCMAKE_INSTALL_PREFIX=$(PREFIX)
	@cmake --build build --parallel $(JOBS) --target coulis_libraries coulis_main coulis_man
	@cmake --install build

clean: ## removes the build folders and dist/; keeps out/
	rm -rf dist build build-debug build-sanitize build-tsan build-clang build-fuzz build-wasm

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup-demo:
	@tools/setup demo

setup-python:
	@tools/setup python

setup-full:
	@tools/setup full

setup-test:
	@tools/setup test
	@tools/page install
