#!/usr/bin/env bash
# The fitting of formats' paces finds the paces that made the times.
#   test_fit_paces.sh ROOT
set -euo pipefail
root=$(readlink -f "$1")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# Products of a made-up GPU: some as long as their bytes take, some as their iterations, some as their longest chain.
python3 - <<'P'
import csv, json
names = ["matrix", "value", "backend", "format", "status", "median_us", "replayed_us", "nonzeros", "copy_GB_s",
         "cost_moved_bytes", "cost_iterations", "cost_chain", "cost_heads_alone", "cached_speed",
         "build_s"]
launch, bandwidth, pace, chain_pace, diagonal_pace = 1.5e-6, 3e12, 100e-12, 200e-9, 30e-12
cached_speed = 0.6
with open("products.csv", "w", newline="") as file:
    out = csv.DictWriter(file, names)
    out.writeheader()
    for i, (moved, iterations, chain, diagonal) in enumerate(
            [(1e9, 1e5, 10, 0), (2e7, 1e3, 10, 0), (1e8, 2e6, 10, 0), (2e8, 5e6, 10, 0), (1e8, 1e5, 1e4, 0), (1e8, 1e5, 3e3, 0),
             (1e8, 9e6, 10, 8e6), (1e8, 3e7, 10, 3e7)]):
        speed = cached_speed if moved < 40e6 else 1
        seconds = launch + max(moved / bandwidth / speed, (iterations - diagonal) * pace + diagonal * diagonal_pace,
                               chain * chain_pace)
        out.writerow({"matrix": f"m{i}", "value": "double", "backend": "cuda", "format": "made_up", "status": "ok",
                      "median_us": 1e6, "replayed_us": seconds * 1e6, "nonzeros": 1e6, "copy_GB_s": bandwidth / 1e9,
                      "cost_moved_bytes": moved, "cost_iterations": iterations, "cost_chain": chain,
                      "cost_heads_alone": diagonal, "cached_speed": cached_speed, "build_s": 1e-3 + 5e-3})
    out.writerow({"matrix": "m0", "value": "double", "backend": "cuda", "format": "made_up", "status": "refused"})
P

say_case "the paces come out as they went in"
"$root/jobs/bench/fit_paces.py" products.csv --threads 8 >rows
within() {  # NAME LEAST MOST
  local found
  found=$(grep -oE "[.]$1 = [0-9.]+" rows | grep -oE '[0-9.]+$' || true)
  expect "$1 is from $2 to $3" yes "$(awk -v x="${found:-0}" -v a="$2" -v b="$3" 'BEGIN { print (x >= a && x <= b) ? "yes" : "no: " x }')"
}
expect "rows" 1 "$(grep -c '^made_up ' rows)"
within iteration_ps 94 106
within chain_ns 188 212
within diagonal_ps 28 32
within build_ns 4.9 5.1

say_case "lines without the speed in the cache are refused, by file and line"
sed 's/,0.6,/,,/' products.csv >old.csv
expect "exit code" 1 "$("$root/jobs/bench/fit_paces.py" old.csv --threads 8 >out 2>&1 && echo 0 || echo $?)"
expect "what it says" 1 "$(grep -c '^old.csv:3: no cached_speed' out)"

passed
