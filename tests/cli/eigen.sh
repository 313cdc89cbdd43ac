#!/usr/bin/env bash
# eigen: eigenvalues of a stencil and of two electrons on two sites, which are known; what is refused and what is not found.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77
cd "$folder" || exit 1

# json EXPRESSION: evaluates it on the object `r` of out.json, whose first search is `s`, and expects True.
json() {
  python3 - "$1" <<'P' || fail "not true: $1 in $(cat out.json)"
import json, math, sys
r = json.load(open("out.json")); s = r["searches"][0]
line = lambda k, n: 2 - 2 * math.cos(k * math.pi / (n + 1))
known = sorted(line(i, 11) + line(j, 8) for i in range(1, 12) for j in range(1, 9))
near = lambda a, b: len(a) == len(b) and all(abs(x - y) < 1e-7 for x, y in zip(a, b))
sys.exit(eval(sys.argv[1]) is not True)
P
}

one=(--backend host --mode vector --transport staged --tune-cache off)
for ranks in 1 2 3; do
  expect 0 "$ranks" eigen --generate stencil5:11,8 "${one[@]}" --count 3 --json out.json
  json 'near(s["eigenvalues"], known[:3]) and s["stop"] == "converged" and s["reason"] == "" and r["ranks"] == '"$ranks"
  json 'all(e <= 1e-8 * s["norm"] for e in s["residuals"]) and len(s["history"]) == s["restarts"] + 1'
  json 's["seconds_per_step"] * s["products"] == s["seconds"] or abs(s["seconds_per_step"] * s["products"] / s["seconds"] - 1) < 1e-9'
done
expect 0 2 eigen --generate stencil5:11,8 --backend host --tune-cache off --which highest --count 2 --basis 9 --times 2 --json out.json
json 'near(s["eigenvalues"], known[:-3:-1]) and s["basis"] == 9 and r["times"] == 2 and r["which"] == "highest"'
has out "|A v - lambda v|"
has out "converged"
# Every other eigenvalue of a square is there twice.
expect 0 1 eigen --generate stencil5:9,9 "${one[@]}" --count 3 --copies --json out.json
json 'abs(s["eigenvalues"][1] - s["eigenvalues"][2]) < 1e-7 < s["eigenvalues"][1] - s["eigenvalues"][0]'
# (U - sqrt(U^2 + 16 t^2)) / 2
expect 0 1 eigen --generate holstein-hubbard:2,1,1,0,u=4,g=0 "${one[@]}" --count 1 --json out.json
json 'abs(s["eigenvalues"][0] - (2 - 8 ** 0.5)) < 1e-10'

expect 9 2 eigen --generate stencil5:40,30 "${one[@]}" --max-restarts 1 --json out.json
json 's["stop"] == "iterations" and "not enough" in s["reason"] and len(s["eigenvalues"]) == 4'
has out "not enough"
expect 9 1 eigen --generate stencil5:20,20 "${one[@]}" --tolerance 1e-18
has out "stagnated"
refuses 4 "not symmetric" 2 eigen --generate random:50,50,6 "${one[@]}"
refuses 2 "5 eigenvalues are wanted,4 rows" 2 eigen --generate holstein-hubbard:2,1,1,0 "${one[@]}" --count 5
refuses 2 "too small" 1 eigen --generate stencil5:11,8 "${one[@]}" --basis 5
refuses 2 "square" 1 eigen --generate random:50,40,6 "${one[@]}"
finish
