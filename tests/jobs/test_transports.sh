#!/usr/bin/env bash
# A small study with jobs/transports/run.sh: results, continuing after failures, tables.
#   test_transports.sh ROOT PROGRAM
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

study() {  # ARGUMENT...; prints the exit code
  local code=0
  "$root/jobs/transports/run.sh" --program "$program" --matrices list --out results --transports auto,staged,shm,nccl \
    "$@" -- --backend host --min-repetitions 3 --max-seconds 0.02 >log 2>&1 || code=$?
  echo $code
}
results() { find results -name '*.json' | wc -l; }

say_case "two rank counts, two formats, a transport that cannot work, a missing matrix"
printf '%s\n' '# a comment' 'stencil7:8,8,8   # after a matrix' 'none.mtx' >list
expect "exit code" 4 "$(study --ranks 1,2)"
expect "results" 4 "$(results)"
expect "failures" 4 "$(grep -c 'FAILED with exit code 4' log)"
table=results/table.md
expect "tables" 2 "$(grep -c '^### stencil7:8,8,8, ' $table)"
expect "rows of vector mode" 6 "$(grep -c '^| vector |' $table)"
expect "task has its layout" 4 "$(grep -cE '^\| task \| (staged|shm) .* [0-9.*]+ \((split|parted|merged)\)( \*)? \|' $table)"
expect "device has its layout, over shm and auto" 4 "$(grep -cE '^\| device \| .* [0-9.*]+ \(([a-z0-9_]+, )?(parted|merged)\)( \*)? \|' $table)"
expect "modes with one layout have none" 0 "$(grep -cE '^\| (vector|naive) .*(split|parted|merged)' $table || true)"
expect "which layout is faster, on two ranks" 1 "$(grep -cE '^The faster layout of mode task, of 6 measured: merged in [0-6], parted in [0-6], split in [0-6]\.$' $table)"
expect "modes of every row of staged have no one-rank time" 0 "$(grep '^| [a-z]* | staged' $table | grep -vcF '| staged | - | - |' || true)"
expect "nccl is skipped with a reason" 2 "$(grep -c '^Left out on 2 ranks: every mode over nccl: ' $table)"
expect "runs without a result" 4 "$(grep -cE '^- none.mtx_[0-9]+_(pjds|auto)_[12]: spmv_dist: .*none.mtx' $table)"
# device works over shm but not over staged, so auto has a comparison only if it chose another
# transport than shm.
modes=$(($(grep -c '^| [a-z]* | staged |' $table) + $(grep '^| device | auto |' $table | grep -vcE '\(shm[,)]' || true)))
expect "cases of auto" 1 "$(grep -c "^Auto chose the fastest transport, within 2 %, in [0-9]* of $modes cases" $table)"

say_case "started again: results stay, failed runs are repeated"
cp -r results before
printf '%s\n' 'stencil7:8,8,8' >list
expect "exit code" 0 "$(study --ranks 1,2)"
expect "there already" 4 "$(grep -c 'there already' log)"
expect "files that changed" "" "$(diff -rq before results)"
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '2 2 2' '1 1 2' '2 1 -1' >none.mtx
printf '%s\n' 'none.mtx' >list
expect "exit code" 0 "$(study --ranks 1,2 --formats pjds)"
expect "results" 6 "$(results)"

say_case "a run that exceeds its time limit"
printf '%s\n' 'stencil7:150,150,150' >list
code=0
"$root/jobs/transports/run.sh" --program "$program" --matrices list --out slow --ranks 1 --formats pjds --limit 1 \
  -- --backend host --max-seconds 100 --min-repetitions 100000 --max-repetitions 100000 >log 2>&1 || code=$?
expect "exit code" 124 "$code"
expect "the table says so" 1 "$(grep -c '^- stencil7.*: not measured: not over within 1 s$' slow/table.md)"

say_case "numbers of the table"
python3 - <<'P'
import json
def layouts(mode, layout, other_wrong=0):
    mode["layout"] = layout
    mode["other_layouts"] = [{"layout": "split" if layout == "parted" else "parted", "median_s": 1, "rows_wrong": other_wrong}]
def run(ranks, modes):
    return {"environment": {"ranks": ranks}, "format": {"interior": "pjds"}, "tuning": {"automatic": False}, "left_out": [],
            "matrix": {"name": "m", "nonzeros": 7},
            "modes": [{"mode": m, "transport": t, "transport_chosen": c, "median_s": us * 1e-6, "hidden_share": 0.5, "rows_wrong": w}
                      for m, t, c, us, w in modes]}
json.dump(run(1, [("vector", "staged", True, 100, 0), ("task", "staged", True, 120, 0)]), open("one.json", "w"))
two = run(2, [("vector", "shm", True, 61, 0), ("vector", "shm", False, 60, 0), ("vector", "p2p", False, 50, 0),
              ("task", "shm", True, 56, 0), ("task", "shm", False, 55, 0), ("task", "p2p", False, 50, 3)])
for mode, layout in zip(two["modes"][3:], ("parted", "split", "parted")):
    layouts(mode, layout)
two["left_out"] = [{"mode": "task", "transport": "", "layout": "split", "reason": "too large"}]
json.dump(two, open("two.json", "w"))
P
PYTHONPATH=$root/src/python python3 -m spmv_dist.transports one.json two.json >table
for line in '| vector | auto | **100.0** | 100 % | 61.0 (shm) | 82 % | 50 % |' '| vector | shm | - | - | 60.0 * | 83 % | 50 % |' \
  '| vector | p2p | - | - | **50.0** | 100 % | 50 % |' '| task | p2p | - | - | WRONG | - | - |' \
  '| task | auto | 120.0 | 83 % | 56.0 (shm, parted) | 89 % | 50 % |' '| task | shm | - | - | 55.0 (split) * | 91 % | 50 % |' \
  'Left out on 2 ranks: mode task in layout split: too large' 'The faster layout of mode task, of 2 measured: parted in 1, split in 1.' \
  'Auto chose the fastest transport, within 2 %, in 0 of 1 cases. Where it did not:' \
  '- m, pjds, 2 ranks, vector: chose shm 60.0 us, fastest p2p 50.0 us (1.20 x)' \
  'Task mode is more than 3 % slower than vector mode in 1 of 3 cases.' \
  '- m, pjds, 1 ranks, auto: task 120.0 us, vector 100.0 us (1.20 x)'; do
  expect "$line" 1 "$(grep -cxF -e "$line" table)"
done

say_case "invalid arguments are refused"
expect "no rank counts" 2 "$(study --ranks two)"
expect "no limit" 2 "$(study --limit soon)"
passed
