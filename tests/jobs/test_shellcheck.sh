#!/usr/bin/env bash
# Checks every shell script of the repository with shellcheck.
#   test_shellcheck.sh ROOT      exit 77 if shellcheck is not installed
set -euo pipefail
cd "$1"
if ! command -v shellcheck >/dev/null; then
  echo "skipped: shellcheck is missing; on Debian or Ubuntu: apt-get install shellcheck"
  exit 77
fi
mapfile -t scripts < <(find jobs tests .ci -name '*.sh' -o -name '*.bash' -o -name '*.sbatch' -o -path .ci/run)
printf '%s\n' "${scripts[@]}"
shellcheck --external-sources "${scripts[@]}"
