#!/usr/bin/env bash
# From a fresh clone to every test: installs what is missing, builds, and ends with ctest's summary.
#   jobs/test.sh [ARGUMENT OF ctest...]      such as -L unit, -R halo, --rerun-failed
# SPMV_REQUIRE_GPU=1        GPU tests (label cuda) fail instead of being skipped where there is no GPU
# SPMV_TEST_MATRICES=DIR    folder of Matrix Market files for the tests that read real ones
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$0")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,5s/^# \?//p' "$0"
  exit 0
fi
cd "$SPMV_ROOT"
ensure_packages tests python
# What builds faster; a partitioner; a Slurm for the job script's test (newer releases have its PMIx plugin in a package of its own), shell checks.
offer_packages ninja-build libptscotch-dev slurm-wlm slurm-wlm-mpi-plugins munge iproute2 shellcheck cppcheck help2man environment-modules
# What the Python tools need, and a scipy to compare with; the system's is often too old.
can_compare=tests/differential/differential.py
# shellcheck disable=SC2086  # words
if ! find_python $spmv_packages jsonschema || ! "$spmv_python" $can_compare --can-run >/dev/null 2>&1; then
  if [ "${SPMV_NO_INSTALL:-}" != 1 ] && python3 -m venv build/python >/dev/null 2>&1 &&
    build/python/bin/pip install --quiet "scipy>=1.12" altair jinja2 vl-convert-python jsonschema ruff >/dev/null 2>&1; then
    say "installed in build/python, for tests that would be skipped otherwise: $spmv_packages jsonschema ruff"
  else
    say "not all of scipy 1.12, $spmv_packages, jsonschema could be installed in build/python; tests that need them will be skipped"
  fi
fi
options=(-DSPMV_BUILD_TESTS=ON)
# Without a GPU its code is only compiled: for one architecture, the one that leaves no line of it out, and quickly.
[ -e /dev/nvidiactl ] || options+=(-DCMAKE_CUDA_ARCHITECTURES=90 -DSPMV_CUDA_QUICK=ON)
configure build "${options[@]}"
build build
mpi_settings 7
visibly "tests run side by side" OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
say "ctest"
# More than there are cores: many tests wait most of the time.
exec ctest --test-dir build --output-on-failure --no-tests=error -j "$((2 * $(nproc) + 1))" "$@"
