#!/usr/bin/env bash
# Reads x from a file and writes y = A x, in the order of the matrix's rows, for any ranks and
# partition.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || exit 77

# Matrices and vectors with few bits, so that sums are exact; y.txt is the expected y.
cat >"$folder/make.py" <<'P'
import random, sys
folder, rows, cols, kind = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
random.seed(rows * 1000 + cols)
number = lambda: random.randrange(-64, 65) / 8
value = number if kind == "real" else lambda: complex(number(), number())
text = (lambda v: repr(v)) if kind == "real" else (lambda v: f"{v.real} {v.imag}")
entries = {(random.randrange(rows), random.randrange(cols)): value() for _ in range(4 * rows)}
x = [value() for _ in range(cols)]
y = [0 if kind == "real" else 0j] * rows
for (i, j), v in entries.items():
    y[i] += v * x[j]
with open(folder + "/a.mtx", "w") as out:
    print(f"%%MatrixMarket matrix coordinate {kind} general\n{rows} {cols} {len(entries)}", file=out)
    for (i, j), v in entries.items():
        print(i + 1, j + 1, text(v), file=out)
with open(folder + "/x.mtx", "w") as out:
    print(f"%%MatrixMarket matrix array {kind} general\n{cols} 1", file=out)
    for v in x:
        print(text(v), file=out)
with open(folder + "/y.txt", "w") as out:
    for v in y:
        print(text(v), file=out)
P
cat >"$folder/judge.py" <<'P'
import sys
written, wanted = [open(name).read().splitlines() for name in sys.argv[1:3]]
kind, rows = sys.argv[3], len(wanted)
assert written[0] == f"%%MatrixMarket matrix array {kind} general", written[0]
assert written[1] == f"{rows} 1", written[1]
numbers = lambda lines: [tuple(map(float, line.split())) for line in lines]
assert numbers(written[2:]) == numbers(wanted), "y is another"
try:
    import scipy.io
except ImportError:
    sys.exit()
a, x, y = (scipy.io.mmread(sys.argv[4] + name) for name in ("/a.mtx", "/x.mtx", "/y.mtx"))
assert abs(a @ x - y).max() == 0, "scipy has another y"
P

judge() { python3 "$folder/judge.py" "$folder/y.mtx" "$folder/y.txt" "$1" "$folder" || fail "$2"; }
for shape in "90 90 real" "50 70 real" "70 41 complex"; do
  read -r rows cols kind <<<"$shape"
  python3 "$folder/make.py" "$folder" "$rows" "$cols" "$kind" || fail "no matrix"
  for ranks in 1 2 4; do
    for partition in rows metis; do
      rm -f "$folder/y.mtx"
      expect 0 $ranks "$folder/a.mtx" "${quick[@]}" --partition $partition --read-x "$folder/x.mtx" --write-y "$folder/y.mtx"
      judge "$kind" "$shape on $ranks ranks with $partition"
    done
  done
  # The same with .spmv files, in each mode, with vectors on the host, without a reference.
  expect 0 3 convert "$folder/a.mtx" "$folder/a.spmv"
  expect 0 2 convert "$folder/x.mtx" "$folder/x.spmv"
  for mode in vector naive task; do
    expect 0 2 "$folder/a.spmv" "${quick[@]}" --read-x "$folder/x.spmv" --write-y "$folder/y.spmv" --mode $mode --vectors host --no-verify
    expect 0 1 "$folder/a.spmv" "${quick[@]}" --read-x "$folder/x.spmv" --write-y "$folder/y.mtx" --mode $mode --backend debug
    judge "$kind" "$shape in mode $mode"
    expect 0 1 convert "$folder/y.mtx" "$folder/y2.spmv"
    cmp -s "$folder/y.spmv" "$folder/y2.spmv" || fail "y differs as .spmv: $shape in mode $mode"
  done
done

# A sparse file's missing elements of x are 0. Without a file x is the usual one, and y is still
# written.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n2 2 3\n3 3 4\n' >"$folder/d.mtx"
printf '%%%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 5\n' >"$folder/e.mtx"
expect 0 2 "$folder/d.mtx" "${quick[@]}" --read-x "$folder/e.mtx" --write-y "$folder/y.mtx"
[ "$(tail -3 "$folder/y.mtx" | tr '\n' ' ')" = "0 15 0 " ] || fail "y of a sparse x is $(tail -3 "$folder/y.mtx")"
expect 0 2 "$folder/d.mtx" "${quick[@]}" --write-y "$folder/y1.mtx"
expect 0 1 "$folder/d.mtx" "${quick[@]}" --write-y "$folder/y2.mtx" --mode task
cmp -s "$folder/y1.mtx" "$folder/y2.mtx" || fail "y depends on the ranks"
# A name in .gz is of a packed file, which is read as the plain one.
for ranks in 1 2 4; do
  expect 0 $ranks "$folder/d.mtx" "${quick[@]}" --write-y "$folder/y.mtx.gz"
  gzip -dc "$folder/y.mtx.gz" | cmp -s - "$folder/y1.mtx" || fail "y is not packed on $ranks ranks"
  expect 0 $ranks "$folder/d.mtx" "${quick[@]}" --read-x "$folder/y.mtx.gz" --write-y "$folder/y3.mtx"
  expect 0 1 "$folder/d.mtx" "${quick[@]}" --read-x "$folder/y1.mtx" --write-y "$folder/y4.mtx"
  cmp -s "$folder/y3.mtx" "$folder/y4.mtx" || fail "a packed x is another one on $ranks ranks"
done

# Wrong sizes, and unwritable files.
for ranks in 1 3; do refuses 4 "x.mtx,41 x 1,3 x 1" $ranks "$folder/d.mtx" "${quick[@]}" --read-x "$folder/x.mtx"; done
printf '%%%%MatrixMarket matrix array complex general\n3 1\n1 1\n2 2\n3 3\n' >"$folder/c.mtx"
refuses 2 "c.mtx,complex" 2 "$folder/d.mtx" "${quick[@]}" --read-x "$folder/c.mtx"
expect 0 2 "$folder/d.mtx" "${quick[@]}" --read-x "$folder/c.mtx" --value complex_float
refuses 4 "none.mtx" 2 "$folder/d.mtx" "${quick[@]}" --read-x "$folder/none.mtx"
refuses 5 "no/y.mtx" 2 "$folder/d.mtx" "${quick[@]}" --write-y "$folder/no/y.mtx"
refuses 2 "--write-y,the matrix,same file" 2 "$folder/d.mtx" "${quick[@]}" --write-y "$folder/d.mtx"
refuses 2 "--write-y,--read-x,same file" 1 "$folder/d.mtx" "${quick[@]}" --read-x "$folder/e.mtx" --write-y "$folder/e.mtx"
[ -z "$(find "$folder" -name '.spmv_dist-*')" ] || fail "a file is left behind"
finish
