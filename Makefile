# The few commands of a day. Each sets up what it needs, and is quick and quiet when that is there.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-cluster package test-package docs-if-possible test-all test-sweep test-mpi test-garray nwchem test-offload test-offload-faults test-devices mpich arm check asan tsan fuzz wheel docs bench format lint clean

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 16

setup:  ## install every package that the commands here need (apt), but for `arm`, `nwchem`, `test-cluster` and `package`
	@tools/setup.sh build test fuzz mpich docs bench lint outside

# A build folder is configured when it is new or when the presets changed; ninja does the rest.
build/%/build.ninja: CMakePresets.json
	@cmake --preset $* >/dev/null
	@touch $@

build:  ## the program itself: build/release/blockyard
	@tools/setup.sh build
	@$(MAKE) --no-print-directory build/release/build.ninja
	@tools/build_quietly release

demo: build  ## water from its geometry to its CCSD energy, compared with the reference
	@build/release/blockyard run demo/h2o.toml --json build/demo.json
	@tools/check_energies build/demo.json tests/reference/energies.json h2o cc-pvdz ccsd

check:  ## format, layers, file sizes, links of the documents, commits: seconds
	@tools/setup.sh build test
	@tools/check_format
	@tools/check_layers
	@tools/check_sizes
	@tools/check_docs
	@tools/check_commits

test:  ## all that a submission must pass: check, each test in one configuration, documentation
	@tools/setup.sh build test
	@tools/setup_python
	@tools/run_stages test

docs-if-possible:
	@if tools/setup_docs; then $(MAKE) --no-print-directory docs; \
	else echo "SKIPPED: the documentation as a site: its packages cannot be installed" >&2; fi

test-sweep:  ## energies of 36 atoms, ions and molecules in five basis sets, and of heavy elements, against PySCF (minutes)
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory build/release/build.ninja
	@cmake --build --preset release --target blockyard
	@export BLOCKYARD="$(CURDIR)/build/release/blockyard" SWEEP=1; \
	python3 tests/jobs/test_first_molecules.py FirstMolecules.test_sweep_agrees_with_pyscf; \
	python3 tests/jobs/test_effective_cores.py

test-all: test  ## the whole matrix: each test optimised and sanitized, fuzzers, MPICH, more processes, devices (hours)
	@$(MAKE) --no-print-directory build/dev/build.ninja
	@cmake --build --preset dev
	@BLOCKYARD_TESTS=full ctest --preset dev -j $$(nproc)
	@BLOCKYARD="$(CURDIR)/build/dev/blockyard" BLOCKYARD_MUTATIONS=9000 tests/fuzz/mutations.py
	@BLOCKYARD="$(CURDIR)/build/dev/blockyard" BLOCKYARD_EPOCHS=3000 tests/fuzz/epochs.py
	@BLOCKYARD="$(CURDIR)/build/dev/blockyard" BLOCKYARD_EXPRESSIONS=2000 tests/fuzz/expressions.py
	@$(MAKE) --no-print-directory test-sweep mpich fuzz asan test-mpi test-garray test-devices tsan

mpich:  ## a short list of tests over MPICH in place of Open MPI
	@tools/setup.sh build test mpich
	@if ! command -v mpicc.mpich >/dev/null; then \
	  echo "SKIPPED: this system has no MPICH" >&2; exit 0; fi; \
	$(MAKE) --no-print-directory build/mpich/build.ninja; \
	cmake --build --preset mpich; \
	ctest --preset mpich -j $$(nproc)

arm:  ## tests of the rooms base and tensor, built for 64-bit ARM, in QEMU (2 minutes)
	@tools/setup.sh build arm
	@if ! command -v aarch64-linux-gnu-g++ >/dev/null || ! command -v qemu-aarch64 >/dev/null; then \
	  echo "SKIPPED: this system has no compiler or no emulator for 64-bit ARM" >&2; exit 0; fi; \
	tools/setup_arm; \
	if [[ ! -e build/arm_root/installed ]]; then exit 0; fi; \
	$(MAKE) --no-print-directory build/arm/build.ninja; \
	cmake --build --preset arm; \
	ctest --preset arm

test-offload:  ## programs from outside with their BLAS, LAPACK and FFTW on a device (testers of LAPACK and ScaLAPACK, NumPy, SciPy, pyFFTW, PETSc, hpcc, Octave, pw.x, CP2K; minutes each)
	@tools/setup.sh build test outside
	@tools/setup_outside
	@$(MAKE) --no-print-directory build/release/build.ninja
	@cmake --build --preset release --target blockyard blockyard_offload blockyard_offload_remote
	@BLOCKYARD="$(CURDIR)/build/release/blockyard" tests/offload/outside.py

test-offload-faults:  ## servers killed and stopped, links cut and stalled at 200 moments of random calls (20 minutes)
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory build/test/build.ninja
	@cmake --build --preset test --target offload_programs
	@BLOCKYARD_FAULTS=200 ctest --test-dir build/test -R '^offload_faults$$' --verbose

test-mpi:  ## all language programs in 1, 2 and 4 processes (minutes)
	@tools/setup.sh build test
	@cmake --preset dev -DBLOCKYARD_MPI_TESTS=all >/dev/null
	@cmake --build --preset dev
	@code=0; ctest --preset dev -L '^mpi$$' || code=$$?; \
	cmake --preset dev -DBLOCKYARD_MPI_TESTS=usual >/dev/null; exit $$code

test-garray:  ## programs of Global Arrays with 1, 2, 3, 4 and 8 processes, as two nodes too, Open MPI and MPICH (minutes)
	@tools/setup.sh build test mpich
	@for preset in dev mpich; do \
	  if [[ $$preset == mpich ]] && ! command -v mpicc.mpich >/dev/null; then \
	    echo "SKIPPED: this system has no MPICH" >&2; continue; fi; \
	  cmake --preset $$preset -DBLOCKYARD_GARRAY_TESTS=all >/dev/null; \
	  cmake --build --preset $$preset --target mpi_tests; \
	  code=0; ctest --preset $$preset -L garray || code=$$?; \
	  cmake --preset $$preset -DBLOCKYARD_GARRAY_TESTS=usual >/dev/null; \
	  [[ $$code == 0 ]] || exit $$code; \
	done

nwchem:  ## NWChem from Debian's source with our Global Arrays: water in SCF, MP2 and CCSD (an hour)
	@tools/setup.sh build test nwchem
	@$(MAKE) --no-print-directory build/release/build.ninja
	@cmake --build --preset release --target ga
	@cmake --install build/release --component ga --prefix build/nwchem/ga >/dev/null
	@tools/nwchem build/nwchem/ga build/nwchem

test-devices:  ## all jobs on the simulated device and with OpenCL (20 minutes)
	@tools/setup.sh build test
	@cmake --preset dev -DBLOCKYARD_DEVICE_TESTS=all >/dev/null
	@cmake --build --preset dev
	@code=0; ctest --preset dev -L '^devices$$' || code=$$?; \
	cmake --preset dev -DBLOCKYARD_DEVICE_TESTS=usual >/dev/null; exit $$code

# Without the checks of the undefined-behaviour sanitizer for pointers: what they find ends in the
# address sanitizer or in a fault, and compiling takes 1.5 to 2 times as long with them.
asan:  ## all unit, contract and language tests under the address sanitizer (half an hour)
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory build/asan/build.ninja
	@cmake --build --preset asan
	@ctest --preset asan

# Without what the sanitizer cannot know: it looks at what a socket sent when that has gone, and its owner may have it
# back; the threads of OpenBLAS are not instrumented.
tsan:  ## the same under the thread sanitizer
	@tools/setup.sh build test
	@$(MAKE) --no-print-directory build/tsan/build.ninja
	@cmake --build --preset tsan
	@ctest --preset tsan

fuzz:  ## ten seconds of each fuzzer
	@tools/setup.sh build test fuzz
	@if ! command -v clang++-16 >/dev/null; then \
	  echo "SKIPPED: the fuzzers need clang-16, which this system does not have" >&2; exit 0; fi; \
	$(MAKE) --no-print-directory build/fuzz/build.ninja; \
	cmake --build --preset fuzz; \
	ctest --preset fuzz

test-cluster:  ## two hosts with a real Slurm, in namespaces (needs root): what docs/clusters.md promises
	@tools/setup.sh build test cluster
	@tools/setup_python
	@$(MAKE) --no-print-directory build/test/build.ninja
	@python=; if [[ -e build/python/installed ]]; then python="$(CURDIR)/build/python/bin/python"; fi; \
	tools/build_quietly test --target blockyard $${python:+blockyard_python}; \
	BLOCKYARD="$(CURDIR)/build/test/blockyard" BLOCKYARD_PYTHON=$$python PYTHONPATH="$(CURDIR)/build/test/python" \
	tests/cluster/cluster.py tests/cluster/test_cluster.py

package: build  ## the program and its libraries in one file, for other Linux systems: build/packages/
	@tools/setup.sh package
	@tools/make_package build/release build/packages

test-package: package  ## runs that file on bare Debian 12 and 13 (needs root and debootstrap)
	@tools/test_package "$$(ls -t build/packages/*.tar.zst | head -n 1)" bookworm trixie

wheel:  ## a Python wheel for the system's Python, with the command line in it: build/wheels/
	@tools/setup.sh build test
	@tools/setup_python
	@build/python/bin/pip wheel --quiet --no-deps --no-build-isolation -w build/wheels .
	@ls build/wheels/*.whl

docs:  ## the documentation as a site: build/docs/index.html; a warning is an error
	@tools/setup.sh docs
	@tools/setup_docs
	@build/docs_python/bin/sphinx-build -q -W --keep-going -d build/docs_doctrees docs build/docs

bench:  ## all benchmarks, one after the other: JSON lines in build/bench.jsonl
	@tools/setup.sh build bench
	@tools/setup_peers
	@tools/setup_python
	@$(MAKE) --no-print-directory build/bench/build.ninja
	@cmake --build --preset bench
	@PATH="$(CURDIR)/build/peers/bin:$$PATH" tools/run_benches build/bench build/bench.jsonl

format:  ## format all C++ files
	@tools/setup.sh build test
	@tools/check_format --fix

lint:  ## clang-tidy over all C++ sources (minutes)
	@tools/setup.sh build test lint
	@cmake --preset dev -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
	@run-clang-tidy-16 -quiet -p build/lint '$(CURDIR)/(blockyard|apps)/.*\.cpp$$'

clean:  ## remove all that was built
	@rm -rf build
