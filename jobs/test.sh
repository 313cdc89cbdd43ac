#!/usr/bin/env bash
# From a fresh clone to test results: installs what is missing, builds, runs the tests, and prints ctest's summary.
#   jobs/test.sh [ARGUMENT OF ctest...]            every kind of test: before you hand over a change; 13 minutes on 2 cores
#   jobs/test.sh quick [ARGUMENT OF ctest...]      after every change: 2 minutes on 2 cores if the rest is built
#   jobs/test.sh thorough [ARGUMENT OF ctest...]   every test: 30 minutes on 2 cores
# Arguments of ctest are such as -L unit, -R halo, --rerun-failed.
# SPMV_REQUIRE_GPU=1        without a GPU, GPU tests (label cuda) fail instead of being skipped
# SPMV_TEST_MATRICES=DIR    folder of Matrix Market files for the tests with real matrices
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,8s/^# \?//p' "$0"
  exit 0
fi
tests=default
case ${1:-} in quick | thorough)
  tests=$1
  shift
  ;;
esac
cd "$SPMV_ROOT"

# Packages that enable more tests. slurmd runs the job script's test (newer releases have its PMIx
# plugin in another package).
install_for_all_tests() {
  local venv=''
  has_venv || venv=python3-venv
  offer_packages curl ninja-build libboost-dev libptscotch-dev libhypre-dev slurm-wlm slurm-wlm-mpi-plugins munge iproute2 shellcheck cppcheck help2man \
    environment-modules mmdebstrap python3-dev ${venv:+"$venv"}
  # The Python tools need some packages, and the comparison with scipy a newer one than most systems
  # have.
  local can_compare=tests/differential/differential.py
  # shellcheck disable=SC2086  # words
  if find_python $spmv_packages jsonschema && "$spmv_python" $can_compare --can-run >/dev/null 2>&1; then
    :
  elif [ "${SPMV_NO_INSTALL:-0}" = 0 ] && install_python build/python "scipy>=1.12" altair jinja2 vl-convert-python jsonschema ruff; then
    say "installed in build/python, for tests that would be skipped otherwise: $spmv_packages jsonschema ruff"
  else
    say "not all of scipy 1.12, $spmv_packages, jsonschema could be installed in build/python (the reason is above, or" \
      "SPMV_NO_INSTALL); tests that need them will be skipped"
  fi
  # `import spmv_dist` is built with nanobind, and needs an mpi4py that was compiled for this MPI.
  local bindings=(nanobind mpi4py scipy hypothesis pytest pyamg)
  if ! has_python_headers; then
    say "python3 is older than 3.10 or has no headers (python3-dev): import spmv_dist is neither built nor tested"
  elif build/python/bin/python3 -c "import $(IFS=,; echo "${bindings[*]}")" 2>/dev/null; then
    :
  elif [ "${SPMV_NO_INSTALL:-0}" = 0 ] && install_python build/python --no-binary mpi4py "${bindings[@]}"; then
    say "installed in build/python, for import spmv_dist: ${bindings[*]}"
  else
    say "not all of ${bindings[*]} could be installed in build/python: import spmv_dist is neither built nor tested"
  fi
}

# Quick tests are for a built folder, for which everything was installed before.
if [ "$tests" != quick ] || [ ! -e build/CMakeCache.txt ]; then ensure_packages tests python; fi
[ "$tests" = quick ] || install_for_all_tests
options=(-DSPMV_BUILD_TESTS=ON)
if ! has_gpu; then
  say "no GPU here: GPU code is only compiled, for one architecture and without optimisation"
  options+=(-DCMAKE_CUDA_ARCHITECTURES=90 -DSPMV_CUDA_QUICK=ON)  # all of the code is compiled for it
fi
configure build "${options[@]}"
case $tests in
  thorough) build build ;;
  *) build build "spmv_${tests}_tests" ;;
esac
mpi_settings 7
visibly "tests run side by side" OMPI_MCA_hwloc_base_binding_policy=none PRTE_MCA_hwloc_default_binding_policy=none
say "ctest --preset $tests"
# More jobs than cores: many tests mostly wait.
exec ctest --preset "$tests" -j "$((2 * $(nproc) + 1))" "$@"
