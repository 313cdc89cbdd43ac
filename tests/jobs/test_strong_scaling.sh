#!/usr/bin/env bash
# A small study with jobs/strong_scaling.sh: points, resuming, table, page of figures, failures.
#   test_strong_scaling.sh ROOT PROGRAM
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

study() {  # RANKS ARGUMENT...
  "$root/jobs/strong_scaling.sh" --program "$program" --results "$folder/points.jsonl" --generate stencil7:12,12,12 \
    --ranks "$1" "${@:2}" -- --backend host --max-seconds 0.05 --min-repetitions 3 >log 2>&1
}
lines() { wc -l <points.jsonl; }

say_case "two rank counts, two formats, three modes"
study 1,2 || show_log log "the study failed"
expect "points" 12 "$(lines)"
expect "lines of the table" 12 "$(grep -cE '^(ellpack_r|pjds) ' log)"
expect "points are whole JSON objects with median_s and environment" 12 "$(python3 - <<'P'
import json
points = [json.loads(line) for line in open("points.jsonl")]
print(sum(p["median_s"] > 0 and p["ranks"] in (1, 2) and "versions" in p["environment"] for p in points))
P
)"
if grep -q 'no page of figures' log; then
  grep 'no page of figures' log
else
  expect "the place of the page is printed" 1 "$(grep -c "page of figures: $folder/points.html" log)"
  expect "figures of scaling" 1 "$(grep -c '<figure class="figure-scaling"' points.html)"
fi

say_case "started again: nothing is measured twice"
study 1,2 || show_log log "the second run failed"
expect "points" 12 "$(lines)"
expect "runs" 0 "$(grep -c ', modes ' log)"

say_case "an unfinished last line is measured again, and a new rank count is added"
head -c -20 points.jsonl >part.jsonl
mv part.jsonl points.jsonl
study 1,2,3 --formats pjds || show_log log "the third run failed"
expect "points" 15 "$(lines)"

say_case "failures"
status=0
"$root/jobs/strong_scaling.sh" --program "$program" --results bad.jsonl --matrix "$folder/none.mtx" --ranks 1 >log 2>&1 ||
  status=$?
expect "exit code for a missing matrix" 4 "$status"
expect "the message names it" 1 "$(grep -c 'none.mtx on 1 ranks.*exit code 4' log)"
status=0
"$root/jobs/strong_scaling.sh" --program "$program" --results bad.jsonl --ranks 1 >log 2>&1 || status=$?
expect "exit code without a matrix" 2 "$status"
status=0
"$root/jobs/strong_scaling.sh" --program "$folder/none" --results bad.jsonl --generate stencil7:4,4,4 >log 2>&1 || status=$?
expect "exit code without a program" 5 "$status"

say_case "invalid arguments, and names that begin with a dash"
refused() {  # WORD ARGUMENT...
  status=0
  "$root/jobs/strong_scaling.sh" --program "$program" --results bad.jsonl --generate stencil7:4,4,4 "${@:2}" >log 2>&1 || status=$?
  expect "exit code of ${*:2}" 2 "$status"
  expect "it is named" 1 "$(grep -cE -- "^((python3 -m )?spmv_dist[.]scale|strong_scaling.sh): .*$1" log)"
}
refused "--cores-per-rank" --ranks 1 --cores-per-rank abc
refused "--cores-per-rank" --ranks 1 --cores-per-rank 1,2
refused "unknown format ''" --ranks 1 --formats ,
refused "unknown format '-CSR'" --ranks 1 --formats -CSR
refused "unknown mode 'task#'" --ranks 1 --modes 'task#'
refused "--ranks" --ranks ,
refused "--ranks" --ranks 0,1
refused "--machine is the name" --ranks 1 --machine ../there
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n' >./-A#.mtx
status=0
"$root/jobs/strong_scaling.sh" --program "$program" --results dash.jsonl --matrix -A#.mtx --ranks 1 --modes vector --formats csr \
  -- --backend host --max-seconds 0.05 --min-repetitions 3 >log 2>&1 || status=$?
[ "$status" = 0 ] || show_log log "a matrix with a strange name"

passed
