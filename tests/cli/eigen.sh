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
  json 'near(s["eigenvalues"], known[:3]) and s["stop"] == "converged" and s["reason"] == "" and r["environment"]["ranks"] == '"$ranks"
  json 'all(e <= 1e-8 * s["norm"] for e in s["residuals"]) and len(s["history"]) == s["restarts"] + 1'
  json 's["seconds_per_step"] * s["products"] == s["seconds"] or abs(s["seconds_per_step"] * s["products"] / s["seconds"] - 1) < 1e-9'
done
expect 0 2 eigen --generate stencil5:11,8 --backend host --tune-cache off --which highest --count 2 --subspace 9 --times 2 --json out.json
json 'near(s["eigenvalues"], known[:-3:-1]) and s["subspace"] == 9 and r["times"] == 2 and r["which"] == "highest"'
has out "|A v - lambda v|"
has out "converged"
# Every other eigenvalue of a square is there twice.
expect 0 1 eigen --generate stencil5:9,9 "${one[@]}" --count 3 --copies --json out.json
json 'abs(s["eigenvalues"][1] - s["eigenvalues"][2]) < 1e-7 < s["eigenvalues"][1] - s["eigenvalues"][0]'
# Blocks find it without being asked, whatever the ranks, and preconditioners change nothing but the way there.
for ranks in 1 2 3; do
  expect 0 "$ranks" eigen --generate stencil5:9,9 "${one[@]}" --count 6 --block 4 --json out.json
  json 'abs(s["eigenvalues"][1] - s["eigenvalues"][2]) < 1e-7 < s["eigenvalues"][1] - s["eigenvalues"][0] and r["block"] == 4 and r["preconditioner"] == "none"'
  cp out.json same.json
  expect 0 "$ranks" eigen --generate stencil5:9,9 "${one[@]}" --count 6 --block 4 --preconditioner chebyshev --degree 5 --json out.json
  json 'near(s["eigenvalues"], json.load(open("same.json"))["searches"][0]["eigenvalues"]) and r["preconditioner"].startswith("chebyshev, degree 5")'
  json 's["products"] < json.load(open("same.json"))["searches"][0]["products"]'
done
has out "by blocks of 4 vectors"
has out "chebyshev, degree 5"
# (U - sqrt(U^2 + 16 t^2)) / 2
expect 0 1 eigen --generate holstein-hubbard:2,1,1,0,u=4,g=0 "${one[@]}" --count 1 --json out.json
json 'abs(s["eigenvalues"][0] - (2 - 8 ** 0.5)) < 1e-10'

# The start vector is chosen by a seed of its own: another one takes another way to the same eigenvalues.
expect 0 2 eigen --generate stencil5:11,8 --format csr --partition rows "${one[@]}" --count 3 --json out.json
cp out.json same.json
expect 0 2 eigen --generate stencil5:11,8 --format csr "${one[@]}" --count 3 --seed 5 --partition rows --json out.json
json 's["history"] == json.load(open("same.json"))["searches"][0]["history"]'
expect 0 2 eigen --generate stencil5:11,8 --format csr --partition rows "${one[@]}" --count 3 --start-seed 5 --json out.json
json 's["history"] != json.load(open("same.json"))["searches"][0]["history"] and near(s["eigenvalues"], known[:3]) and r["start_seed"] == 5'

# The eigenvectors, in the order of the rows as read, on any ranks and with any partition.
expect 0 1 generate shuffled:3,stencil5:11,8 -o a.mtx
vectors() {
  python3 - "$@" <<'P' || fail "not the eigenvectors: $*"
import gzip, json, sys
a, rows = {}, 0
for line in open("a.mtx"):
    word = line.split()
    if line[0] == "%": continue
    if not rows: rows = int(word[0]); continue
    a[int(word[0]) - 1, int(word[1]) - 1] = a[int(word[1]) - 1, int(word[0]) - 1] = float(word[2])
values = json.load(open("out.json"))["searches"][0]["eigenvalues"]
assert json.load(open("out.json"))["vector_files"] == sys.argv[1:] and len(values) == len(sys.argv) - 1
for value, name in zip(values, sys.argv[1:]):
    v = [float(number) for number in (gzip.open if name.endswith(".gz") else open)(name, "rt").read().split("\n")[2:] if number]
    assert len(v) == rows and abs(sum(x * x for x in v) - 1) < 1e-9
    rest = [-value * x for x in v]
    for (i, j), x in a.items(): rest[i] += x * v[j]
    assert sum(x * x for x in rest) < 1e-12
P
}
for ranks in 1 2 3; do
  for partition in rows metis; do
    rm -f psi*
    expect 0 "$ranks" eigen a.mtx "${one[@]}" --partition "$partition" --format pjds --count 3 --write-vectors psi.mtx --json out.json
    vectors psi-1.mtx psi-2.mtx psi-3.mtx
    json 'near(s["eigenvalues"], known[:3])'
  done
done
rm -f psi*
expect 0 2 eigen a.mtx "${one[@]}" --count 5 --block 3 --write-vectors psi.mtx --json out.json
vectors psi-1.mtx psi-2.mtx psi-3.mtx psi-4.mtx psi-5.mtx
json 'near(s["eigenvalues"], known[:5])'
expect 9 2 eigen a.mtx "${one[@]}" --count 2 --subspace 4 --max-restarts 1 --write-vectors ./few.psi.spmv --json out.json
json 'r["vector_files"] == ["./few.psi-1.spmv", "./few.psi-2.spmv"]'
[ "$(head -c 4 few.psi-2.spmv)" = "$(head -c 4 few.psi-1.spmv)" ] || fail "not two .spmv files"
expect 0 2 eigen a.mtx "${one[@]}" --count 1 --write-vectors psi.mtx.gz --json out.json
vectors psi-1.mtx.gz
refuses 5 "none/psi-1.mtx" 2 eigen a.mtx "${one[@]}" --write-vectors none/psi.mtx
refuses 2 "--write-vectors,psi-3.mtx,same file" 1 eigen a.mtx "${one[@]}" --count 3 --write-vectors psi.mtx --json psi-3.mtx

expect 9 2 eigen --generate stencil5:40,30 "${one[@]}" --max-restarts 1 --json out.json
json 's["stop"] == "iterations" and "not enough" in s["reason"] and len(s["eigenvalues"]) == 4'
has out "not enough"
expect 9 1 eigen --generate stencil5:20,20 "${one[@]}" --tolerance 1e-18
has out "stagnated"
expect 9 1 eigen --generate stencil5:20,20 "${one[@]}" --tolerance 0 --json out.json
json 's["stop"] == "stagnated" and s["restarts"] < 100'

# What is no such problem is said, and nothing hangs.
write_odd_matrices
matrix phase.mtx "complex general" "2 2 2\n1 1 1 1\n2 2 2 0\n"
for ranks in 1 2; do
  expect 0 "$ranks" eigen zeros.mtx "${one[@]}" --count 5 --json out.json
  json 's["eigenvalues"] == [0, 0, 0, 0, 0]'
  expect 0 "$ranks" eigen row.mtx "${one[@]}" --count 1 --json out.json
  json 's["eigenvalues"] == [3.5]'
  expect 0 "$ranks" eigen hermitian.mtx "${one[@]}" --count 3 --json out.json
  json 'near(s["eigenvalues"], [(3 - 5 ** 0.5) / 2, (3 + 5 ** 0.5) / 2, 3])'
  refuses 4 "nothing.mtx has no rows" "$ranks" eigen nothing.mtx "${one[@]}"
  refuses 4 "nan.mtx:4,2 2 nan" "$ranks" eigen nan.mtx "${one[@]}"
  refuses 4 "not hermitian" "$ranks" eigen phase.mtx "${one[@]}" --count 1
  expect 0 "$ranks" eigen large.mtx "${one[@]}" --count 2 --copies --json out.json
  json 's["stop"] == "converged" and abs(s["eigenvalues"][0] / 1e200 + 1) < 1e-9 and abs(s["eigenvalues"][1] / 1e200 - 1) < 1e-9'
done
for wrong in "--count 0" "--count 20000" "--tolerance nan" "--tolerance=-1" "--which middle" "--subspace=-1" "--start-seed 0" "--times 0"; do
  # shellcheck disable=SC2086  # an option and its value
  refuses 2 "${wrong%%[ =]*}" 1 eigen row.mtx "${one[@]}" $wrong
done
refuses 2 "--block,--copies" 1 eigen --generate stencil5:9,9 "${one[@]}" --block 2 --copies
refuses 2 "--block" 1 eigen --generate stencil5:9,9 "${one[@]}" --block 33
refuses 2 "lowest" 2 eigen --generate stencil5:9,9 "${one[@]}" --preconditioner chebyshev --which highest
refuses 2 "too small,by blocks of 4" 1 eigen --generate stencil5:9,9 "${one[@]}" --block 4 --subspace 12
refuses 4 "not symmetric" 2 eigen --generate random:50,50,6 "${one[@]}"
refuses 2 "5 eigenvalues are wanted,4 rows" 2 eigen --generate holstein-hubbard:2,1,1,0 "${one[@]}" --count 5
refuses 2 "too small" 1 eigen --generate stencil5:11,8 "${one[@]}" --subspace 5
refuses 2 "square" 1 eigen --generate random:50,40,6 "${one[@]}"
finish
