#!/usr/bin/env bash
# fit_paces.py recovers the paces from which the times were computed.
#   test_fit_paces.sh ROOT
set -euo pipefail
root=$(readlink -f "$1")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# A made-up GPU's products: limited by bytes, by iterations, or by their longest chain.
python3 - "$root" <<'P'
import csv, json, sys
root = sys.argv[1]
names = ["matrix", "value", "backend", "format", "status", "median_us", "replayed_us", "nonzeros", "copy_GB_s",
         "cost_moved_bytes", "cost_iterations", "cost_chain", "cost_heads_alone", "build_s"]
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
                      "cost_heads_alone": diagonal, "build_s": 1e-3 + 5e-3})
    out.writerow({"matrix": "m0", "value": "double", "backend": "cuda", "format": "made_up", "status": "refused"})
# The old file of paces: wrong paces for this format; its speed in the cache does not follow from
# products and must stay.
with open(root + "/kernels/tune/paces.json") as file:
    paces = json.load(file)
paces["cuda"]["formats"]["made_up"] = {"iteration_ns": 1, "build_ns": 1, "sort_ns": 7, "cached_speed": cached_speed}
with open("paces.json", "w") as file:
    json.dump(paces, file)
P

say_case "the fit recovers the paces"
"$root/jobs/bench/fit_paces.py" products.csv --paces paces.json --threads 8 >new.json 2>quality
within() {  # NAME LEAST MOST
  expect "$1 is from $2 to $3" yes "$(python3 -c "import json, sys
found = json.load(open('new.json'))['cuda']['formats']['made_up']['$1']
print('yes' if $2 <= found <= $3 else f'no: {found}')")"
}
within iteration_ns 0.094 0.106
within chain_ns 188 212
within fast_ns 0.028 0.032
within build_ns 4.9 5.1
expect "quality of the fit" 1 "$(grep -c '^cuda made_up: predicted / measured ' quality)"

say_case "the rest of the file is unchanged"
within sort_ns 7 7
grep -v made_up new.json | diff - <("$root/jobs/bench/fit_paces.py" <(head -1 products.csv) --paces paces.json | grep -v made_up)
"$root/jobs/bench/fit_paces.py" <(head -1 products.csv) >again.json
expect "the file without new products" "" "$(diff again.json "$root/kernels/tune/paces.json")"

passed
