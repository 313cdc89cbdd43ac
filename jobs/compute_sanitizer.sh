#!/usr/bin/env bash
# The program and the kernel tests under compute-sanitizer, on a machine with GPUs: invalid accesses (memcheck), races in shared memory
# (racecheck), barriers (synccheck), uninitialised reads (initcheck). Builds what is missing. Exit code 1 if a tool finds anything.
#   jobs/compute_sanitizer.sh [TOOL...]      SPMV_SANITIZER_SECONDS=N: limit for each run (default 600)
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,4s/^# \?//p' "$0"
  exit 0
fi
tools=("$@")
[ ${#tools[@]} -gt 0 ] || tools=(memcheck racecheck synccheck initcheck)
limit=${SPMV_SANITIZER_SECONDS:-600}

cd "$SPMV_ROOT"
command -v compute-sanitizer >/dev/null || fail $exit_environment "compute-sanitizer is not in PATH: it belongs to the CUDA Toolkit"
gpus=$(nvidia-smi --list-gpus 2>/dev/null | wc -l)
[ "$gpus" -gt 0 ] || fail $exit_environment "this machine has no GPU"
[ -x build/bin/spmv_cuda_tests ] || { configure build -DSPMV_BUILD_TESTS=ON && build build; }
mpi_settings "$gpus"
ranks=$((gpus < 4 ? gpus : 4))
failed=0
in_python=(env PYTHONPATH=src/python:build/src/python/bindings)
has_python=no
! "${in_python[@]}" python3 -c 'import cupy, hypothesis, pytest, spmv_dist; spmv_dist.Matrix' 2>/dev/null || has_python=yes
[ $has_python = yes ] || say "left out: products in Python, because python3 lacks CuPy, Hypothesis, pytest or the extension module in build"

# looked_at TOOL WORDS COMMAND...: runs the command under the tool. Errors from CUDA calls do not count: MPI and NCCL make calls
# that the driver may refuse.
looked_at() {
  local tool=$1 words=$2 log
  shift 2
  log=$(mktemp)
  local code=0
  timeout "$limit" "$@" >"$log" 2>&1 || code=$?
  if [ $code = 0 ]; then
    say "$tool, $words: nothing found"
  else
    failed=1
    say "$tool, $words: exit code $code$([ $code != 124 ] || echo ", not finished within $limit s")"
    grep -E '=========|^spmv_dist|FAILED' "$log" | head -40
  fi
  rm -f "$log"
}

for tool in "${tools[@]}"; do
  sanitizer=(compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 --target-processes all)
  # The kernel of cuSPARSE's own format writes the same shared memory twice, which racecheck
  # reports.
  others=()
  [ "$tool" != racecheck ] || others=(--kernel-name-exclude kernel_substring=cusparse)
  looked_at "$tool" "kernels of every format" "${sanitizer[@]}" "${others[@]}" build/bin/spmv_cuda_tests '--gtest_filter=FormatsCuda/1.Battery:FormatsCuda/1.Gather:FormatsCuda/1.Replayed:PackingCuda/1.*'
  [ $has_python = no ] || looked_at "$tool" "products and shared memory in Python" "${in_python[@]}" "${sanitizer[@]}" python3 tests/python/library/gpu_products.py
  for transport in staged shm shm_copy p2p; do
    for mode in vector task device; do
      [ $mode != device ] || [ $transport = p2p ] || [ $transport = shm ] || continue
      looked_at "$tool" "mode $mode over $transport on $ranks ranks" mpirun -np "$ranks" "${sanitizer[@]}" build/bin/spmv_dist \
        --generate stencil27:24,24,24 --backend cuda --format pjds --mode $mode --transport $transport --timeout 300 \
        --max-seconds 0.01 --min-repetitions 2 --max-repetitions 4 --warmup 1
    done
  done
  looked_at "$tool" "packed slices, mode device over p2p" mpirun -np "$ranks" "${sanitizer[@]}" build/bin/spmv_dist \
    --generate stencil27:24,24,24 --backend cuda --format sell_packed --mode device --transport p2p --timeout 300 \
    --max-seconds 0.01 --min-repetitions 2 --max-repetitions 4 --warmup 1
  # Enough rows that the boundary comes between the last units of the interior.
  looked_at "$tool" "large packed stencil, mode device over p2p" mpirun -np "$ranks" "${sanitizer[@]}" build/bin/spmv_dist \
    --generate "stencil7:128,128,$((100 * ranks))" --backend cuda --format sell_packed --threads-per-row 1 --mode device --transport p2p --timeout 300 \
    --max-seconds 0.01 --min-repetitions 1 --max-repetitions 2 --warmup 1
done
exit $failed
