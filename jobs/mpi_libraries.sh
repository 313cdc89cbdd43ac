#!/usr/bin/env bash
# The tests on ranks with other MPI libraries: MPICH and Open MPI 5, from Python's package index (some 100 MB), in build-mpich and
# build-openmpi. For changes of comm/ or of the program's start; the other tests use the installed MPI.
#   jobs/mpi_libraries.sh [mpich] [openmpi] [-- ARGUMENT OF ctest...]
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,4s/^# \?//p' "$0"
  exit 0
fi
libraries=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  case $1 in
    mpich | openmpi) libraries+=("$1") ;;
    *) fail 2 "$1 is not one of the MPI libraries here: mpich, openmpi" ;;
  esac
  shift
done
[ $# = 0 ] || shift
[ ${#libraries[@]} -gt 0 ] || libraries=(mpich openmpi)
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(-R '^(mpi\.[123]$|mpi\.transport_trials\.[13]|lib\.[13]$|lib\.single|lib\.multiple|cli\.|faults\.mpi|faults\.killed)')

cd "$SPMV_ROOT"
ensure_packages tests python venv
mpi_settings 3
status=0
for library in "${libraries[@]}"; do
  folder=build-$library
  [ -x "$folder/mpi/bin/mpicc" ] || install_python "$folder/mpi" "$library" ||
    fail $exit_environment "$library could not be installed from Python's package index (the reason is above)"
  path=$PWD/$folder/mpi
  configure "$folder" -DSPMV_BUILD_TESTS=ON -DSPMV_CUDA=OFF -DSPMV_BUILD_BENCHMARKS=OFF "-DMPI_C_COMPILER=$path/bin/mpicc" \
    "-DMPIEXEC_EXECUTABLE=$path/bin/mpiexec"
  build "$folder"
  say "ctest over $library"
  LD_LIBRARY_PATH=$path/lib ctest --test-dir "$folder" --output-on-failure --no-tests=error "${tests[@]}" || status=1
done
exit $status
