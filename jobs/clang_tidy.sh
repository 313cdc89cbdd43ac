#!/usr/bin/env bash
# Runs clang-tidy on the product's sources, with the checks of .clang-tidy. Half a minute per file and core: an hour for all on 2 cores.
#   jobs/clang_tidy.sh [FILE...]         these files; default: all of src, comm, dist and kernels
#   jobs/clang_tidy.sh --since COMMIT    the files that differ from a commit
# Exit code 1 if there is a finding. SPMV_CLANG_TIDY=PROGRAM: instead of clang-tidy; .clang-tidy is written for version 14.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/common.sh"

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  sed -n '2,5s/^# \?//p' "$0"
  exit 0
fi
cd "$SPMV_ROOT"
tidy=${SPMV_CLANG_TIDY:-clang-tidy}
command -v "$tidy" >/dev/null || fail $exit_environment "$tidy is missing: on Debian or Ubuntu, apt-get install clang-tidy"
product=(src comm dist kernels)
if [ "${1:-}" = --since ]; then
  [ $# = 2 ] || fail 2 "--since takes one commit"
  git cat-file -e "$2^{commit}" 2>/dev/null || fail 2 "there is no commit $2 here"
  mapfile -t files < <(git diff --name-only --diff-filter=d "$2" -- "${product[@]/%//*.cpp}")
elif [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(git ls-files "${product[@]/%//*.cpp}")
fi
[ ${#files[@]} -gt 0 ] || { say "clang-tidy: no file to look at" && exit 0; }

# clang cannot read g++'s precompiled headers, and clang-tidy cannot parse what CUDA sources need.
configure build-tidy -DSPMV_CUDA=OFF -DSPMV_UNITY=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
build build-tidy spmv_commit >/dev/null  # the only generated header
# Files without a compile command need CUDA, or are included by another source.
known=() left=0
for file in "${files[@]}"; do
  if grep -qF "\"file\": \"$PWD/$file\"" build-tidy/compile_commands.json; then known+=("$file"); else left=$((left + 1)); fi
done
say "clang-tidy: ${#known[@]} files, $left that this build does not compile"
[ ${#known[@]} -gt 0 ] || exit 0
status=0
printf '%s\0' "${known[@]}" |
  xargs -0 -n 1 -P "${SPMV_BUILD_JOBS:-$(nproc)}" "$tidy" -p build-tidy --quiet --warnings-as-errors='*' 2>/dev/null || status=1
say "clang-tidy: $([ $status = 0 ] && echo "nothing found" || echo "findings are above")"
exit $status
