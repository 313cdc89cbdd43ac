#!/usr/bin/env bash
# Builds with a preset of CMakePresets.json and runs the tests with label sanitize: the concurrency
# tests.
#   test_sanitizer.sh ROOT PRESET BUILD-FOLDER
set -euo pipefail
root=$1 preset=$2 folder=$3
# shellcheck source=jobs/common.sh
source "$root/jobs/common.sh"

cd "$root"
cmake --preset "$preset" -B "$folder" >"$folder.log" 2>&1 || {
  cat "$folder.log"
  fail 1 "preset $preset could not be configured; the reason is above"
}
for target in spmv_concurrency_tests spmv_mpi_tests; do
  cmake --build "$folder" --parallel "$(build_jobs)" --target "$target" >"$folder.log" 2>&1 || {
    tail -n 40 "$folder.log"
    fail 1 "$target could not be built with preset $preset; the first error is above"
  }
done
ctest --test-dir "$folder" --output-on-failure --no-tests=error -L sanitize
