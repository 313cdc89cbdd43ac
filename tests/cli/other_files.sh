#!/usr/bin/env bash
# Files of other kinds: the message says what a file is, and the command in it makes a file that is read. Archives with one matrix.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
mkdir "$folder/made"

cat >"$folder/a.mtx" <<'END'
%%MatrixMarket matrix coordinate real general
3 3 5
1 1 1.5
2 2 -2
3 3 1000
1 3 2
3 1 2
END
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n2 1\n2 3\n3 2\n' >"$folder/graph.mtx"
for name in a graph; do expect 0 1 convert "$folder/$name.mtx" "$folder/$name.spmv"; done

# reads RANKS FILE [MATRIX]: as the matrix of that name.
reads() {
  expect 0 "$1" convert "$2" "$folder/back.spmv"
  cmp -s "$folder/${3:-a}.spmv" "$folder/back.spmv" || fail "$2 is read as something else on $1 ranks"
  rm -f "$folder/back.spmv"
}

# helps FILE WORDS MADE [MATRIX]: FILE is refused with these words, and the command behind them makes the file MADE of it, which is read.
helps() {
  refuses 4 "$1: is $2" 1 "$folder/$1" "${quick[@]}"
  local command
  command=$(grep -oE '(python3 -c|awk|xz -dc|bzip2 -dc|zstd -dc|gzip -dc|iconv|tail -c|unzip|\(echo|tar -xf) .*' "$folder/err" | head -n 1)
  (cd "$folder/made" && bash -c "$command" >"$folder/said" 2>&1) || { fail "$1: this fails: $command" && cat "$folder/said"; }
  reads 1 "$folder/made/$3" "${4:-a}"
}

# Texts of several kinds, and a PETSc file inside gzip.
python3 - "$folder" <<'P'
import os
import struct
import sys

os.chdir(sys.argv[1])
matrix = open("a.mtx").read()
banner, _, *entries = matrix.splitlines()
open("wide.mtx", "wb").write(matrix.encode("utf-16"))
open("marked.mtx", "wb").write(b"\xef\xbb\xbf" + matrix.encode())
open("headless.mtx", "w").write(matrix[len(banner) + 1:])
open("a b's.graph", "w").write("% vertex 4 is alone\n4 2\n2\n1 3\n2\n\n")
from_0 = [f"{int(row) - 1},{int(col) - 1},{value}" for row, col, value in map(str.split, entries)]
open("from_1.txt", "w").write("# row column value\n" + "\n".join(entries) + "\n")
open("from_0.csv", "w").write("\n".join(from_0) + "\n")
open("pairs.txt", "w").write("0\t1\n1\t0\n1\t2\n2\t1\n")
open("pairs.mtx", "w").write("%%MatrixMarket matrix coordinate pattern general\n3 3 4\n1 2\n2 1\n2 3\n3 2\n")
open("a.i", "wb").write(struct.pack(">12i5d", 1211216, 3, 3, 5, 2, 1, 2, 0, 2, 1, 0, 2, 1.5, 2, -2, 2, 1000))
P
expect 0 1 convert "$folder/pairs.mtx" "$folder/pairs.spmv"
gzip -k "$folder/a.i"
helps a.i.gz "a PETSc matrix inside gzip" a.i
helps wide.mtx "text in UTF-16" wide_converted.mtx
helps marked.mtx "text with a byte order mark" marked_converted.mtx
helps headless.mtx "a matrix without the first line of Matrix Market" headless_converted.mtx
helps "a b's.graph" "a METIS graph" "a b's.mtx" graph
for name in from_0.csv from_1.txt; do helps $name "a list of entries without sizes" "${name%.*}.mtx"; done
helps pairs.txt "a list of entries without sizes" pairs.mtx pairs
for packer in xz bzip2 zstd; do
  if ! command -v $packer >/dev/null; then echo "skipped: there is no $packer" && continue; fi
  $packer -c "$folder/a.mtx" >"$folder/packed"
  helps packed "packed by $packer" packed.unpacked
done

# Files of scipy.
if python3 -c 'import scipy.io' 2>/dev/null; then
  python3 - "$folder" <<'P'
import os
import sys

import numpy
import scipy.io
import scipy.sparse

os.chdir(sys.argv[1])
a = scipy.sparse.csr_matrix(numpy.array([[1.5, 0, 2], [0, -2, 0], [2, 0, 1000]]))
scipy.sparse.save_npz("csr.npz", a)
scipy.sparse.save_npz("coo.npz", a.tocoo())
numpy.save("dense.npy", a.toarray())
scipy.io.savemat("a.mat", {"b": numpy.ones(3), "A": a})
scipy.io.savemat("problem.mat", {"Problem": {"name": "x", "A": a}})
P
  for name in csr coo; do helps $name.npz "a NumPy archive" $name.mtx; done
  helps dense.npy "a NumPy array" dense.mtx
  for name in a problem; do helps $name.mat "a MATLAB file" $name.mtx; done
else
  echo "skipped: commands for files of NumPy and MATLAB (no scipy)"
fi
refuses 4 "$folder,is a directory" 2 "$folder" "${quick[@]}"
refuses 4 "is not a text" 3 "$program" "${quick[@]}"

# A tar archive with one Matrix Market file is read as that file is: by any number of ranks, by every command.
mkdir "$folder/q"
cp "$folder/a.mtx" "$folder/q/q.mtx"
cp "$folder/graph.mtx" "$folder/q/q_b.mtx"
echo words >"$folder/q/README"
in_q() { tar -C "$folder" "$@"; }
in_q -czf "$folder/q.tar.gz" q/README q/q.mtx
in_q -cf "$folder/q.tar" q/q.mtx q/README
for ranks in 1 2 3 5; do
  reads $ranks "$folder/q.tar.gz"
  reads $ranks "$folder/q.tar"
done
expect 0 2 "$folder/q.tar.gz" "${quick[@]}" --mode vector --cache "$folder/cache"
expect 0 2 "$folder/q.tar.gz" "${quick[@]}" --mode vector --cache "$folder/cache"
has "$folder/err" "is read from its copy"
expect 0 1 info "$folder/q.tar.gz"
has "$folder/out" "q.tar.gz: 3 x 3"

# Of several none is taken, whoever asks; the command extracts the one that is named as its folder.
in_q -czf "$folder/two.tar.gz" q/q_b.mtx q/q.mtx
for ranks in 1 3; do
  refuses 4 "two.tar.gz: is a tar archive,2 .mtx files are in it: q/q_b.mtx" $ranks "$folder/two.tar.gz" "${quick[@]}"
done
refuses 4 "two.tar.gz: is a tar archive,tar -xf" 1 info "$folder/two.tar.gz"
helps two.tar.gz "a tar archive" q/q.mtx
in_q -czf "$folder/none.tar.gz" q/README
refuses 4 "none.tar.gz: is a tar archive,no .mtx file,q/README" 2 "$folder/none.tar.gz" "${quick[@]}"
# Truncated: the archive, and the gzip data around it. A fault has its line in the member.
head -c 700 "$folder/q.tar" >"$folder/short.tar"
gzip -k "$folder/short.tar"
head -c 100 "$folder/q.tar.gz" >"$folder/short.tar.gz.part"
sed -i 's/^2 2 -2$/2 9 -2/' "$folder/q/q.mtx"
in_q -czf "$folder/wrong.tar.gz" q/q.mtx
head -c 520 "$folder/q.tar" >"$folder/cut.tar"
for ranks in 1 3; do
  refuses 4 "cut.tar: is a tar archive,truncated" $ranks "$folder/cut.tar" "${quick[@]}"
  refuses 4 "short.tar.gz: is a tar archive,truncated" $ranks "$folder/short.tar.gz" "${quick[@]}"
  refuses 4 "short.tar.gz.part: the gzip data ends too early" $ranks "$folder/short.tar.gz.part" "${quick[@]}"
  refuses 4 "wrong.tar.gz:q/q.mtx:4: column 9" $ranks "$folder/wrong.tar.gz" "${quick[@]}"
done
finish
