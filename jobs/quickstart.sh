#!/usr/bin/env bash
# From a fresh clone to a comparison of all modes: installs what is missing, builds, runs the example, makes a page of figures.
#   jobs/quickstart.sh [ARGUMENT OF spmv_dist...]
# File names are relative to the current folder. Default matrix: the Holstein-Hubbard Hamiltonian on 6 sites with 3+3 electrons and up to 8 phonons.
# SPMV_CUDA=ON    compile GPU code even without a GPU, as on a login node; it takes minutes
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,5s/^# \?//p' "$0"
  exit 0
fi
arguments=("$@")
[ $# -gt 0 ] || arguments=(--generate "holstein-hubbard:6,3,3,8" --mode all --format pjds --partition metis)
# Arguments of a run, unlike those of another command, begin with an option or a file. A run's
# results become a page of figures.
results=''
if [[ ${arguments[0]} == -* || -e ${arguments[0]} ]] && [[ " ${arguments[*]}" != *" --json"* ]]; then
  results=$SPMV_ROOT/build/quickstart.json
  keep_apart "$results" "${results%.json}.html" -- "${arguments[@]}"
fi

ensure_packages program
options=(-DSPMV_BUILD_TESTS=OFF)
if [ -n "${SPMV_CUDA:-}" ]; then
  options+=("-DSPMV_CUDA=$SPMV_CUDA")
elif ! has_gpu; then
  say "no GPU here: the program is built without GPU code; SPMV_CUDA=ON $0 builds it with GPU code"
  options+=(-DSPMV_CUDA=OFF)
fi
configure "$SPMV_ROOT/build" "${options[@]}"
build "$SPMV_ROOT/build" spmv_dist
if grep -qE '^SPMV_HAVE_PYTHON:INTERNAL=(1|ON)' "$SPMV_ROOT/build/CMakeCache.txt"; then
  build "$SPMV_ROOT/build" spmv_python
  say "import spmv_dist: export PYTHONPATH=$SPMV_ROOT/src/python:$SPMV_ROOT/build/src/python/bindings"
fi
mpi_settings 4
if [ -n "$results" ]; then
  rm -f "$results"
  arguments+=(--json "$results")
fi
say "mpirun -np 4 $SPMV_ROOT/build/bin/spmv_dist ${arguments[*]}"
mpirun -np 4 "$SPMV_ROOT/build/bin/spmv_dist" "${arguments[@]}"
[ -z "$results" ] || [ ! -e "$results" ] || make_report "${results%.json}.html" "$results"
