#!/usr/bin/env bash
# dos: the density of states of known spectra on any ranks, its file, and what is refused.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77
cd "$folder" || exit 1

# A ring: a density of 1 / (pi sqrt(4 - E^2)).
python3 - <<'P'
rows = 400
ring = [(i, j, v) for i in range(rows) for j, v in (((i + 1) % rows, -1), ((i - 1) % rows, -1))]
def write(name, entries):
    open(name, "w").write(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(entries)}\n" +
                          "".join(f"{r + 1} {c + 1} {v}\n" for r, c, v in entries))
write("ring.mtx", ring)
write("one_way.mtx", [e for e in ring if (e[1] - e[0]) % rows == 1])
P

# check EXPRESSION: fails unless it is true of `r`, the object of out.json, its first mode `m` and the lines `csv` of dos.csv.
check() {
  python3 - "$1" <<'P' || fail "$1: $(cat out)"
import csv, json, math, sys
r = json.load(open("out.json"))
m = r["modes"][0]
csv = [[float(v) for v in line] for line in list(csv.reader(open("dos.csv")))[1:]]
assert eval(sys.argv[1])
P
}

one=(--backend host --mode vector --transport staged --tune-cache off)
for ranks in 1 2 3; do
  for partition in rows metis; do
    rm -f dos.csv out.json
    expect 0 "$ranks" dos ring.mtx "${one[@]}" --partition "$partition" --moments 64 --vectors 3 --energies 500 --write-dos dos.csv --json out.json
    check 'm["products"] > 32 and r["vectors_together"] == 3 and len(m["moments"]) == 3 and all(len(mu) == 64 for mu in m["moments"])'
    check 'm["bounds_from"] == "estimated" and m["bounds"][0] < -2 and m["bounds"][1] > 2 and m["bounds"][1] < 2.2'
    check 'abs(r["integral"] - 1) < 1e-3 and len(csv) == 500 == len(r["energy"]) and len(csv[0]) == 3'
    check 'all(abs(d - 1 / (math.pi * math.sqrt(4 - e * e))) < 0.05 + 3 * s for e, d, s in csv if abs(e) < 1.5)'
    grep -q '^spectrum   within \[' out || fail "no bounds: $(cat out)"
  done
done
expect 0 1 dos ring.mtx "${one[@]}" --moments 9 --vectors 2 --bounds=-2.1,2.1 --write-dos dos.csv --json out.json
check 'm["bounds"] == [-2.1, 2.1] and m["bounds_from"] == "given" and m["products"] == 4'
cp out.json same.json
expect 0 3 dos ring.mtx "${one[@]}" --moments 9 --vectors 2 --bounds=-2.1,2.1 --partition metis --write-dos dos.csv --json out.json
check 'all(abs(a - b) < 1e-12 for x, y in zip(m["moments"], json.load(open("same.json"))["modes"][0]["moments"]) for a, b in zip(x, y))'
expect 0 2 dos ring.mtx "${one[@]}" --moments 9 --vectors 2 --bounds=-2.1,2.1 --start-seed 2 --write-dos dos.csv --json out.json
check 'm["moments"] != json.load(open("same.json"))["modes"][0]["moments"] and r["start_seed"] == 2'
expect 0 2 dos ring.mtx "${one[@]}" --moments 9 --vectors 2 --bounds=-2.1,2.1 --seed 2 --partition metis --write-dos dos.csv --json out.json
check 'all(abs(a - b) < 1e-12 for x, y in zip(m["moments"], json.load(open("same.json"))["modes"][0]["moments"]) for a, b in zip(x, y))'
# The bounds are estimated with one vector, however many go side by side, and over each transport.
for alone in 1 3; do
  side_by_side=(dos --generate "stencil7:9,10,11" --format csr --backend host --mode task --layout split --transport "staged,shm" --tune-cache off --moments 16)
  expect 0 "$alone" "${side_by_side[@]}" --vectors 1 --write-dos dos.csv --json same.json
  expect 0 "$alone" "${side_by_side[@]}" --vectors 5 --write-dos dos.csv --json out.json
  check 'all(a["bounds"] == b["bounds"] for a, b in zip(r["modes"], json.load(open("same.json"))["modes"])) and len(r["modes"]) == 2'
  check 'all(abs(a - b) < 1e-12 for x in r["modes"] for a, b in zip(x["moments"][0], json.load(open("same.json"))["modes"][0]["moments"][0]))'
done
# Bounds that are too narrow; one vector has no error.
expect 0 2 dos ring.mtx "${one[@]}" --vectors 1 --moments 100 --bounds=-1,1 --write-dos dos.csv --json out.json
check 'm["bounds_from"].startswith("widened from [-1, 1]") and r["error"] == [] and len(csv[0]) == 2'
grep -q 'widened from' out || fail "not said: $(cat out)"
expect 0 2 dos ring.mtx --mode vector,task --backend host --transport staged --tune-cache off --moments 10 --vectors 1 --write-dos dos.csv --json out.json
check '[x["mode"] for x in r["modes"]] == ["vector", "task"]'

# Format auto chooses for the products of these moments: for one alone csr without a trial, unless the user names more.
few=(dos --generate "stencil5:200,200" --backend host --mode vector --transport staged --tune-cache trials.json --moments 2 --vectors 1)
expect 0 1 "${few[@]}" --write-dos dos.csv --json out.json
check 'm["format"] == "csr"'
[ ! -e trials.json ] || fail "formats are tried for one product: $(cat trials.json)"
expect 0 1 "${few[@]}" --products 1e6 --write-dos dos.csv --json out.json
grep -q '"products": 1000000.0' trials.json || fail "no format is tried for a million products"
"$program" dos --help | grep -A1 -e '--products' | grep -q 'those of all moments' || fail "help: $("$program" dos --help)"
# A spectrum far from 0: the bounds have its width, and as many digits as show it.
expect 0 2 dos --generate shifted:1e9,stencil7:6,6,6 "${one[@]}" --moments 64 --vectors 2 --write-dos dos.csv --json out.json
check '10 < m["bounds"][1] - m["bounds"][0] < 12 and len(set(e for e, d, s in csv)) == len(csv)'
grep -q '^spectrum   within \[100000000[0-9][.][0-9]*, 10000000[0-9]*[.][0-9]*\]' out || fail "digits: $(cat out)"
expect 0 1 dos --generate shifted:1e17,stencil7:6,6,6 "${one[@]}" --moments 64 --vectors 2 --write-dos dos.csv --json out.json
grep -q 'no width' out || fail "not said: $(cat out)"

# Other matrices: an eigenvalue of all rows, one row, complex values; none, and none that can be.
write_odd_matrices
for ranks in 1 2; do
  for name in zeros row hermitian; do
    expect 0 "$ranks" dos $name.mtx "${one[@]}" --moments 20 --vectors 2 --write-dos dos.csv --json out.json
    check 'abs(r["integral"] - 1) < 1e-3'
  done
  check 'm["bounds"][0] < 0.38 and m["bounds"][1] > 3'
  refuses 4 "nothing.mtx has no rows" "$ranks" dos nothing.mtx "${one[@]}"
  refuses 4 "nan.mtx:4,2 2 nan" "$ranks" dos nan.mtx "${one[@]}"
  expect 0 "$ranks" dos large.mtx "${one[@]}" --moments 16 --json out.json
  check 'abs(m["bounds"][0] / 1e200 + 1) < 0.1 and abs(m["bounds"][1] / 1e200 - 1) < 0.1'
done
refuses 4 "nothing.mtx has no rows" 1 solve nothing.mtx "${one[@]}"
expect 0 1 dos ring.mtx "${one[@]}" --moments 100 --bounds=-2.5,2.5
has out "resolution 0.0785 in energy"

for wrong in "--moments 1" "--vectors 0" "--energies 1" "--bounds nan,1" "--bounds=-inf,inf" "--bounds 1" "--start-seed 0"; do
  # shellcheck disable=SC2086  # an option and its value
  expect 2 1 dos ring.mtx "${one[@]}" $wrong
done
expect 2 1 dos ring.mtx "${one[@]}" --bounds 2,1
grep -q -- '--bounds 2,1' err || fail "message: $(cat err)"
expect 4 2 dos one_way.mtx "${one[@]}"
grep -q 'not symmetric' err || fail "message: $(cat err)"
# The file is there whole or not at all, and known to be writable before anything is measured.
expect 5 1 dos ring.mtx "${one[@]}" --write-dos none/dos.csv
finish
