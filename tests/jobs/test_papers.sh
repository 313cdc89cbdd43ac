#!/usr/bin/env bash
# format_compare on small matrices, and the papers' figures from its results.
#   test_papers.sh ROOT FORMAT_COMPARE
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMP_NUM_THREADS=1
quick=(--rounds 2 --batch-ms 0.2)

compare() {  # ARGUMENT...; prints the exit code
  local code=0
  "$program" "${quick[@]}" "$@" >log 2>&1 || code=$?
  echo $code
}
column() {  # FILE NAME FORMAT MATRIX; the value in the line of a format and a matrix
  python3 - "$@" <<'P'
import csv, sys
path, name, fmt, matrix = sys.argv[1:]
print(next(row[name] for row in csv.DictReader(open(path)) if (row["format"], row["matrix"]) == (fmt, matrix)))
P
}

printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '4 4 6' '1 1 2' '2 2 2' '3 1 -1' '3 3 2' '4 4 2' '3 1 -0.5' \
  | gzip >small.mtx.gz

say_case "every format has a line for every matrix: measured, or the reason for its refusal"
expect "exit code" 0 "$(compare --backend host stencil7:6,5,4 small.mtx.gz --csv all.csv --analysis all.json)"
formats=$(cut -d, -f1 <(grep -oE '^[a-z_0-9]+ ' log | tr -d ' ' | sort -u | grep -v '^format$') | wc -l)
expect "lines" $((1 + 2 * formats)) "$(wc -l <all.csv)"
expect "status of csr" ok "$(column all.csv status csr stencil7:6,5,4)"
expect "status of cusparse_csr on the host" refused "$(column all.csv status cusparse_csr stencil7:6,5,4)"
case $(column all.csv reason cusparse_csr stencil7:6,5,4) in
  *"cuda backend only"*) expect "reason" there there ;;
  *) show_log all.csv "no reason for the refusal" ;;
esac

say_case "a file is expanded and its duplicates are summed"
expect "nonzeros" 6 "$(column all.csv nonzeros csr small.mtx.gz)"
expect "effective bytes" $((12 * 6 + 4 * 4 + 8 * 4 + 8 * 4)) "$(column all.csv effective_bytes csr small.mtx.gz)"
expect "row lengths" '[[1, 2], [2, 2]]' "$(python3 -c 'import json; print(json.load(open("all.json"))[1]["rows_of_length"])')"

say_case "some formats, another value type"
expect "exit code" 0 "$(compare --backend debug --formats pjds,csr --value complex_float stencil7:6,5,4 --csv some.csv)"
expect "lines" 3 "$(wc -l <some.csv)"

say_case "invalid arguments are refused"
expect "unknown format" 2 "$(compare --backend host --formats csx stencil7:2,2,2)"
expect "unknown backend" 2 "$(compare --backend gpu stencil7:2,2,2)"
expect "no matrix" 2 "$(compare --backend host)"
expect "one matrix of two is missing" 4 "$(compare --backend host missing.mtx stencil7:6,5,4 --csv left.csv)"
expect "the other one is measured" ok "$(column left.csv status csr stencil7:6,5,4)"

say_case "tables and figures"
printf '%s\n' '# a comment' "$folder/small.mtx.gz" 'powerlaw:300,6,60   # after a matrix' 'elasticity:3,3,3' >list
# shellcheck source=jobs/common.sh
source "$root/jobs/common.sh"
# shellcheck disable=SC2086  # words
if ! find_python $spmv_packages; then
  echo "no figures: $how_to_get_packages"
else
  "$root/jobs/papers/run.sh" --program "$program" --backend host --matrices list --out papers -- "${quick[@]}" >log 2>&1 ||
    show_log log "run.sh failed"
  for file in kreutzer2012_table1 kreutzer2012_fig3 vazquez2011_table1 vazquez2011_fig4 vazquez2011_fig5 wang2020_table1 all_formats; do
    expect "$file.csv" there "$([ -s papers/$file.csv ] && echo there)"
    expect "$file on the page" 1 "$(grep -c "<figure class=\"figure-$file\"" papers/summary.html)"
  done
  # Row lengths of three matrices, and eleven figures.
  expect "charts" 14 "$(grep -c '<script type="application/json">' papers/summary.html)"
  expect "share of HYB" "small,4,6,1.5,0.5,0.5,33.3,100" \
    "$(sed -n '2s/33.33[0-9]*/33.3/;2s/\.0\b//gp' papers/vazquez2011_table1.csv | tr -d '\r')"
  # Many matrices, copies of one under other names: a heat map, and the page must not get too large.
  mkdir many
  python3 - papers many <<'P'
import csv, json, sys
source, target = sys.argv[1:]
with open(f"{source}/formats.csv", newline="") as file:
    lines = list(csv.DictReader(file))
of_one = [line for line in lines if line["matrix"] == lines[0]["matrix"]]
with open(f"{source}/analysis.json") as file:
    analysis = next(a for a in json.load(file) if a["matrix"] == lines[0]["matrix"])
names = [f"a <matrix> with a name number {i}" for i in range(60)]
with open(f"{target}/formats.csv", "w", newline="") as file:
    writer = csv.DictWriter(file, lines[0].keys())
    writer.writeheader()
    writer.writerows({**line, "matrix": name} for name in names for line in of_one)
json.dump([{**analysis, "matrix": name} for name in names], open(f"{target}/analysis.json", "w"))
P
  python_tool papers many >log 2>&1 || show_log log "the figures of many matrices failed"
  expect "a page of at most three megabytes" yes "$([ "$(wc -c <many/summary.html)" -le 3000000 ] && echo yes)"
  expect "figures" 1 "$(grep -c '<figure class="figure-vazquez2011_fig4"' many/summary.html)"
  expect "names with markup" 0 "$(grep -c '<matrix>' many/summary.html)"
  status=0
  python_tool papers . >log 2>&1 || status=$?
  expect "a folder without measurements" "4 1" "$status $(grep -c 'spmv_dist.papers: ./formats.csv: ' log)"
fi
passed
