#!/usr/bin/env bash
# Our product beside PETSc's MatMult (aij), with the same rows on the same ranks, in one run on processors.
#   jobs/bench/petsc_compare.sh [SPEC [BLOCKS [PRODUCTS [COLUMNS] [FORMAT...]]]]     default: stencil27:120,120,120 10 10
#   jobs/bench/petsc_compare.sh cg [SPEC [ITERATIONS [ROUNDS [SHIFT [FORMAT]]]]]      conjugate gradients beside KSPCG
# SPMV_RANKS=N: number of ranks (default 2). Without PETSc it says so, and ends with exit code 0.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/../common.sh"

cd "$SPMV_ROOT"
ensure_packages program
if ! pkg-config --exists PETSc 2>/dev/null; then
  say "skipped: no PETSc here; on Debian or Ubuntu: apt-get install petsc-dev pkg-config"
  exit 0
fi
configure build
program=petsc_compare
if [ "${1:-}" = cg ]; then
  program=petsc_cg
  shift
fi
build build "$program"
ranks=${SPMV_RANKS:-2}
mpi_settings "$ranks"
exec mpirun -np "$ranks" "build/bin/$program" "$@"
