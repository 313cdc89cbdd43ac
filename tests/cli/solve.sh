#!/usr/bin/env bash
# solve: b and x in files, in the order of the matrix's rows, for any ranks, partition and format; what is refused.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77
cd "$folder" || exit 1

# An unsymmetric numbering of a grid, so that METIS moves rows; x is known, b = A x.
python3 - <<'P'
import random
random.seed(7)
n, rows = 9, 81
name = list(range(rows)); random.shuffle(name)
entries = []
for i in range(n):
    for j in range(n):
        at = name[n * i + j]
        entries.append((at, at, 5 + at % 3))
        for k, l in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
            if 0 <= k < n and 0 <= l < n: entries.append((at, name[n * k + l], -1))
x = [random.randrange(-8, 9) for _ in range(rows)]
b = [0] * rows
for r, c, v in entries: b[r] += v * x[c]
def vector(name, values):
    open(name, "w").write(f"%%MatrixMarket matrix array real general\n{len(values)} 1\n" + "".join(f"{v}\n" for v in values))
open("a.mtx", "w").write(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(entries)}\n" +
                         "".join(f"{r + 1} {c + 1} {v}\n" for r, c, v in entries))
vector("x.mtx", x); vector("b.mtx", b); vector("short.mtx", x[1:])
# A ring maps constant vectors to 0; its b has a constant part, which no x reaches.
ring = [(i, j, v) for i in range(20) for j, v in ((i, 2), ((i + 1) % 20, -1), ((i + 19) % 20, -1))]
open("ring.mtx", "w").write(f"%%MatrixMarket matrix coordinate real general\n20 20 {len(ring)}\n" +
                            "".join(f"{r + 1} {c + 1} {v}\n" for r, c, v in ring))
vector("ring_b.mtx", [i % 5 + 1 for i in range(20)])
P

# near FILE: whether it holds the known x.
near() {
  python3 - "$1" <<'P' || fail "$1 is not x: $2"
import sys
values = lambda name: [float(v) for v in open(name).read().split("\n")[2:] if v]
x, known = values(sys.argv[1]), values("x.mtx")
assert len(x) == len(known) and max(abs(a - b) for a, b in zip(x, known)) < 1e-6
P
}
# json EXPRESSION: evaluates it on the object `r` of out.json, whose first solver is `s`.
json() { python3 -c 'import json, sys; r = json.load(open("out.json")); s = r["solvers"][0]; print(eval(sys.argv[1]))' "$1"; }

one=(--backend host --mode vector --transport staged --tune-cache off)
for ranks in 1 2 3; do
  for partition in rows metis; do
    rm -f out.mtx
    expect 0 "$ranks" solve a.mtx "${one[@]}" --partition "$partition" --format pjds --solver cg,bicgstab,bicgstab_2 --read-b b.mtx --write-x out.mtx --json out.json
    near out.mtx "on $ranks ranks with $partition"
    [ "$(json '"error" in s or s["iterations"] < 10')" = False ] || fail "with --read-b the error is not known: $(cat out.json)"
  done
done
awk '$1 == "cg" && $7 == "-"' out | grep -q converged || fail "no dash for the error: $(cat out)"
# The second run starts from what the first has stored, and rows may be in another order on each rank.
order=rcm
run 1 solve a.mtx "${one[@]}" --order rcm
if [ "$code" = 5 ] && grep "no Boost.Graph" err; then
  order=partition
  echo "without --order rcm, for which Boost's headers are missing: --order $order is tested instead"
fi
for run in made found; do
  rm -f out.mtx
  expect 0 2 solve a.mtx "${one[@]}" --partition metis --order $order --cache kept --read-b b.mtx --write-x out.mtx --json out.json
  near out.mtx "in another order, $run"
done
grep -q "is read from its copy" err || fail "the copy was not taken: $(cat err)"
[ "$(json '(r["order"]["name"], r["partition"]["partitioner"], "read from" in r["partition"]["reason"])')" = "('$order', 'metis', True)" ] ||
  fail "not the partition that was kept: $(cat out.json)"
# Single precision reaches its own tolerance.
expect 0 2 solve a.mtx "${one[@]}" --value float --json out.json
[ "$(json 'r["tolerance"]')" = 1e-05 ] || fail "the tolerance in single precision: $(cat out.json)"
# The mode is taken by itself, and the file is binary.
# Three right-hand sides: b, nothing, and -2 b. x comes back in the same columns, as text and as .spmv.
python3 - <<'P'
head, size, *b = open("b.mtx").read().split("\n")
b = [float(v) for v in b if v]
columns = b + [0] * len(b) + [-2 * v for v in b]
open("wide.mtx", "w").write(f"{head}\n{len(b)} 3\n" + "".join(f"{v}\n" for v in columns))
P
for out in wide_x.mtx wide_x.spmv; do
  for ranks in 1 3; do
    expect 0 "$ranks" solve a.mtx "${one[@]}" --partition metis --read-b wide.mtx --write-x $out --json out.json
    grep -q '3 of 3 columns solved' out || fail "three columns: $(cat out)"
    [ "$(json '[c["stop"] for c in s["columns"]] == ["converged"] * 3 and s["columns"][1]["iterations"] == 0')" = True ] || fail "columns: $(cat out.json)"
    [ $out = wide_x.mtx ] || expect 0 2 solve a.mtx "${one[@]}" --read-b wide.mtx --guess $out --write-x wide_x.mtx --tolerance 1e-6
    python3 - <<'P' || fail "$ranks ranks, $out: wrong columns of x"
text = open("wide_x.mtx").read().split("\n")
x = [float(v) for v in open("x.mtx").read().split("\n")[2:] if v]
n = len(x)
want = x + [0] * n + [-2 * v for v in x]
assert text[1] == f"{n} 3", text[1]
got = [float(v) for v in text[2:] if v]
assert len(got) == len(want) and all(abs(a - b) < 1e-5 for a, b in zip(got, want))
P
  done
done
expect 4 2 solve a.mtx "${one[@]}" --read-b wide.mtx --columns 2
expect 2 1 solve a.mtx "${one[@]}" --read-b wide.mtx --inner float
expect 0 2 solve a.mtx --backend host --tune-cache off --read-b b.mtx --write-x out.spmv
expect 0 1 solve a.mtx "${one[@]}" --read-b b.mtx --guess out.spmv --write-x out.mtx --json out.json --tolerance 1e-6
near out.mtx "from .spmv"
[ "$(json 's["iterations"]')" = 0 ] || fail "a guess that is x needs iterations"
# Packed, by the name; a checkpoint goes on.
expect 9 2 solve a.mtx "${one[@]}" --read-b b.mtx --max-iterations 3 --checkpoint go.mtx.gz --write-x out.mtx.gz
gzip -dc go.mtx.gz >out.mtx || fail "the checkpoint is not packed"
gzip -dc out.mtx.gz | cmp - out.mtx || fail "x and the checkpoint differ"
gzip -k b.mtx
expect 0 1 solve a.mtx "${one[@]}" --read-b b.mtx.gz --checkpoint go.mtx.gz --write-x out.mtx
grep -q "starts from x in go.mtx.gz" err || fail "no checkpoint: $(cat err)"
near out.mtx "from a packed checkpoint"
expect 0 2 solve a.mtx "${one[@]}" --json out.json
[ "$(json 's["error"] < 1e-6 and s["times"] == 3')" = True ] || fail "without files the error is known"
# Mode auto goes on to the next transport where one cannot be set up.
expect 0 2 solve a.mtx --backend host --tune-cache off --transport nccl,staged --json staged.json
grep -q '"transport": "staged"' staged.json || fail "not over staged: $(cat staged.json)"

# A matrix far from 1 is normalised, and the report says that this takes another pass.
awk '/^%/ || NF == 2 || !sized {sized = !/^%/; print; next} {printf "%d %d %se-160\n", $1, $2, $3}' a.mtx >tiny.mtx
expect 0 2 solve tiny.mtx "${one[@]}" --format coo --json tiny.json
grep -q '"normalised": "scaled by 2^5[0-9]* in a kernel of its own' tiny.json || fail "not apart: $(grep normalised tiny.json)"
expect 0 1 solve a.mtx "${one[@]}" --json out.json
grep -q '"normalised": ""' out.json || fail "a matrix near 1 is normalised"

# Multigrid, in builds that have it: few iterations on any ranks, and rows are named as they were read.
if "$program" solve --help | grep -q 'none, jacobi, block_jacobi, chebyshev, multigrid'; then
  for ranks in 1 2 3; do
    expect 0 "$ranks" solve --generate stencil5:60,50 "${one[@]}" --partition metis --preconditioner multigrid --json out.json
    [ "$(json 's["iterations"] < 12')" = True ] || fail "multigrid on $ranks ranks: $(json 's["iterations"]') iterations"
  done
  awk '/^%/ || !sized {sized = !/^%/; print; next} {print $1, $2, ($1 == $2 && $1 == 33 ? 0 : $3)}' a.mtx >hole.mtx
  refuses 4 "level 0,row 33 (counted from 1)" 3 solve hole.mtx "${one[@]}" --partition metis --preconditioner multigrid
  awk 'BEGIN {
    nx = 60; ny = 50
    print "%%MatrixMarket matrix coordinate real symmetric"
    print nx * ny, nx * ny, nx * ny + (nx - 1) * ny + nx * (ny - 1)
    for (y = 0; y < ny; y++)
      for (x = 0; x < nx; x++) {
        i = y * nx + x + 1
        print i, i, (x > 0) + (x < nx - 1) + (y > 0) + (y < ny - 1)
        if (x > 0) print i, i - 1, -1
        if (y > 0) print i, i - nx, -1
      }
  }' >free.mtx
  for ranks in 1 3; do
    expect 0 "$ranks" solve free.mtx "${one[@]}" --nullspace constant --preconditioner multigrid --json out.json
    [ "$(json 's["iterations"] < 16')" = True ] || fail "a singular matrix on $ranks ranks: $(json 's["iterations"]') iterations"
  done
  grep -q "levels with 3000, [0-9]* rows on 3, 1 ranks" out || fail "ranks of levels: $(cat out)"
  refuses 4 "constant vectors to 0,--nullspace" 2 solve free.mtx "${one[@]}" --preconditioner multigrid
  refuses 4 "does not map constant vectors to 0,row" 2 solve --generate stencil5:60,50 "${one[@]}" --nullspace constant --preconditioner multigrid
  refuses 2 "multigrid,complex" 2 solve --generate stencil5:60,50 "${one[@]}" --value complex_double --preconditioner multigrid
fi

# Iterations in single precision find the x of double, at any scale; JSON has what they took.
for matrix in a.mtx tiny.mtx; do
  expect 0 2 solve $matrix "${one[@]}" --partition metis --format pjds --inner float --inner-format sell --tolerance 1e-12 --json out.json
  [ "$(json '(s["error"] < 1e-11, s["inner_format"], s["updates"] > 4, s["iterations"] < 40)')" = "(True, 'sell', True, True)" ] ||
    fail "$matrix with --inner float: $(cat out.json)"
done
grep -q "in single precision" out || fail "the table does not say it: $(cat out)"
expect 0 3 solve a.mtx "${one[@]}" --inner float --preconditioner jacobi --read-b b.mtx --write-x out.mtx
near out.mtx "with --inner float"
expect 0 1 solve a.mtx "${one[@]}" --json out.json
[ "$(json '(s["inner_format"], s["updates"])')" = "('', 0)" ] || fail "updates without --inner: $(cat out.json)"
refuses 2 "--inner float,double precision,these are float" 2 solve a.mtx "${one[@]}" --inner float --value float
refuses 2 "--inner-format,--inner" 1 solve a.mtx "${one[@]}" --inner-format sell
expect 9 2 solve a.mtx "${one[@]}" --inner float --tolerance 1e-18
grep -q stagnated out || fail "a tolerance out of reach: $(cat out)"

# Singular systems.
expect 9 1 solve ring.mtx "${one[@]}" --read-b ring_b.mtx --max-iterations 50
expect 0 2 solve ring.mtx "${one[@]}" --read-b ring_b.mtx --max-iterations 50 --nullspace constant --write-x out.mtx
awk 'NR > 2 {sum += $1} END {exit sum > 1e-9 || sum < -1e-9}' out.mtx || fail "x has a constant part"

# Bad numbers, by line or row.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 nan\n3 3 1\n' >nan.mtx
refuses 4 "nan.mtx:4,2 2 nan" 2 solve nan.mtx "${one[@]}"
sed 's/nan/-1/' nan.mtx >minus.mtx
refuses 4 "row 2 (counted from 1),-1,bicgstab" 2 solve minus.mtx "${one[@]}" --preconditioner jacobi
expect 0 2 solve minus.mtx "${one[@]}" --preconditioner jacobi --solver bicgstab
sed 's/nan/0/' nan.mtx >zero.mtx
refuses 4 "row 2 (counted from 1),has 0,see --preconditioner" 2 solve zero.mtx "${one[@]}" --preconditioner jacobi --solver bicgstab
printf '%%%%MatrixMarket matrix array real general\n3 1\n1\n2\ninf\n' >inf.mtx
refuses 4 "inf.mtx:5" 2 solve minus.mtx "${one[@]}" --read-b inf.mtx

refuses 4 "short.mtx,80 x 1" 2 solve a.mtx "${one[@]}" --read-b short.mtx
refuses 4 "short.mtx,80 x 1" 1 solve a.mtx "${one[@]}" --guess short.mtx
refuses 2 "--write-x,--read-b,same file" 1 solve a.mtx "${one[@]}" --read-b b.mtx --write-x b.mtx
refuses 5 "no/x.mtx" 1 solve a.mtx "${one[@]}" --write-x no/x.mtx
finish
