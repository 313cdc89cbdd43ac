#!/usr/bin/env bash
# A page of figures: of a run, of its file, and of many; what is no result of a run is refused, and names from outside stay text.
# shellcheck source-path=SCRIPTDIR source=common.sh
. "$(dirname "$0")/common.sh"
cd "$folder" || exit 1
PATH=$(dirname "$(command -v "$mpirun")"):$PATH  # where scale finds it
export PATH

figures=(modes overlap timeline roofline spy communication imbalance row_lengths environment)
# drawn FILE NAME...: these figures are there, each with its sentence.
drawn() {
  local file=$1 name
  shift
  for name in "$@"; do
    grep -q "<figure class=\"figure-$name\" data-figure=\"$name\"><h3>[^<]*</h3><figcaption>[^<]\{20,\}" "$file" || fail "no figure $name in $file"
  done
}

# Of a run, and of what it wrote: the same page but for the name of the source.
hostile="<img src=x onerror=\"alert(1)\">&'=cmd().mtx"
expect 0 1 generate powerlaw:3000,9,400 -o m.mtx
mv m.mtx "$hostile"
expect 0 3 "$hostile" --mode vector,naive,task --format csr --partition metis --backend host "${quick[@]}" --json 3.json --html 3.html
drawn 3.html "${figures[@]}"
has 3.html 'Strong scaling: left out, because'
expect 0 1 report 3.json -o again.html
sed -i 's/>From [^<]*</>From</' 3.html again.html
cmp -s 3.html again.html || fail "the page of a run is not that of its file"
[ "$(grep -c '<img' 3.html)" = 0 ] || fail "the name of a file is markup"
has 3.html '&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;=cmd().mtx'
# Nothing of it is elsewhere, and a browser is told to get nothing.
if grep -nE '(src|href|action)=[^x]|@import|url\(|https?:' 3.html; then fail "the page needs more than itself"; fi
has 3.html "default-src 'none'"

# Counts of the pictures are those of the run.
if command -v python3 >/dev/null; then
  python3 - 3.json <<'P' || fail "pictures that are not those of the run"
import json, sys
r = json.load(open(sys.argv[1]))
p, m = r["pictures"], r["matrix"]
assert sum(c[2] for c in p["spy_before"]["cells"]) == m["nonzeros"], "before"
assert sum(c[2] for c in p["spy_after"]["cells"]) == m["nonzeros"], "after"
assert p["every_row"] == 1 and p["spy_before"]["side"] == 64
assert sum(c[2] for c in p["row_lengths"]) == m["rows"] and len(p["row_lengths"]) <= 64
assert sum(map(sum, p["communication"]["bytes"])) == 8 * r["partition"]["halo_total"]
assert all(p["communication"]["bytes"][i][i] == 0 for i in range(3))
shares = p["shares"]["values"]
assert [sum(s[k] for s in shares) for k in ("rows", "nonzeros", "halo")] == [m["rows"], m["nonzeros"], r["partition"]["halo_total"]]
# Behind the partition each rank has a range of rows, in the order of ranks; before it they are mixed.
def turns(cells):
    owners = {}
    for row, col, n, rank in cells:
        if row == col:
            owners[row] = rank
    order = [owners[row] for row in sorted(owners)]
    return sum(a != b for a, b in zip(order, order[1:]))
assert turns(p["spy_after"]["cells"]) == 2, "after: %d" % turns(p["spy_after"]["cells"])
assert turns(p["spy_before"]["cells"]) > 2, "before: %d" % turns(p["spy_before"]["cells"])
assert len(p["timelines"]) == 3 and all(len(t["ranks"]) == 3 for t in p["timelines"])
P
fi

# Several runs: how the matrix scales, the most ranks first.
for ranks in 1 2; do
  expect 0 "$ranks" "$hostile" --mode vector --format csr --backend host "${quick[@]}" --json "$ranks.json"
done
# How the matrix was read is the same for any number of ranks.
if command -v python3 >/dev/null; then
  python3 -c 'import json, sys
a, b = ({tuple(c[:3]) for c in json.load(open(name))["pictures"]["spy_before"]["cells"]} for name in sys.argv[1:])
assert a == b, len(a ^ b)' 1.json 3.json || fail "the matrix as read depends on the ranks"
fi
expect 0 1 report 1.json 2.json 3.json -o all.html
drawn all.html scaling "${figures[@]}"
[ "$(sed -n 's/.*<h2>\([0-9]*\) rank.*/\1/p' all.html | tr -d '\n')" = 321 ] || fail "runs are not in the order of their ranks"
# A study, whose points have one mode each.
expect 0 1 scale --generate=powerlaw:300,6,60 --ranks=1,2 --mode=vector,task --format=csr --partition=rows --launcher=mpirun --results=points.jsonl -- --backend=host --warmup=0 --min-repetitions=6 --max-repetitions=6
expect 0 1 report points.jsonl -o points.html
drawn points.html scaling modes roofline environment
[ "$(grep -c '<section class="run">' points.html)" = 2 ] || fail "points of one run are not together"
# The same from lines, and from one that is empty.
for ranks in 1 2 3; do tr -d '\n' <"$ranks.json" && printf '\n\n'; done >all.jsonl
expect 0 1 report all.jsonl -o lines.html
[ "$(grep -c '<section class="run">' lines.html)" = 3 ] || fail "not a run for each line"

# What has no data is left out and says why; numbers may be null.
expect 0 1 report 1.json -o one.html
for words in "one rank has no halo" "one rank sends nothing" "one rank has all of it"; do has one.html "left out, because $words"; done
sed -E 's/("[a-z0-9_]+_s"): [0-9.e-]+/\1: null/' 3.json >null.json
expect 0 1 report null.json -o null.html
has null.html "no mode of this run has a time"
sed -E '/^  "pictures"/s/: \{.*/: {}/' 3.json >old.json
expect 0 1 report old.json -o old.html
drawn old.html modes roofline environment
has old.html "Row lengths: left out, because these results have nothing of it in a section"
[ "$(grep -c 'left out, because these results have nothing' old.html)" = 1 ] || fail "one reason is told more than once"

# However many runs: two megabytes, and what has no room is named.
for ((i = 0; i < 60; ++i)); do tr -d '\n' <3.json && echo; done >many.jsonl
expect 0 1 report many.jsonl -o many.html
[ "$(wc -c <many.html)" -le 2000000 ] || fail "a page of $(wc -c <many.html) bytes"
has many.html "Left out, because the page would be larger than two megabytes"
has many.html "many.jsonl, line 60"

# What is no result of a run, by name; a page that was there stays.
echo old >page.html
refuses 4 "none.json,cannot be read" 1 report none.json -o page.html
refuses 4 "is a folder" 1 report . -o page.html
echo '{"modes": [' >broken.json
refuses 4 "broken.json,is no JSON" 1 report 3.json broken.json -o page.html
for text in '[]' '3' '{}' '{"environment": {"ranks": 0}}' '{"environment": {"ranks": 2}, "matrix": 3}' '{"environment": {"ranks": 2}, "matrix": {"name": "a"}, "modes": 3}' \
  '{"environment": {"ranks": 2}, "matrix": {"name": "a"}, "modes": [3]}'; do
  echo "$text" >foreign.json
  refuses 4 "foreign.json,is no result of a run" 1 report foreign.json -o page.html
done
{ cat all.jsonl && echo '{"a": 1}'; } >half.jsonl
refuses 4 "half.jsonl,line 7" 1 report half.jsonl -o page.html
: >empty.jsonl
refuses 4 "empty.jsonl,holds no run" 1 report empty.jsonl -o page.html
[ "$(cat page.html)" = old ] || fail "a page that could not be made has replaced another"
refuses 2 "same file" 1 report 3.json -o ./3.json
refuses 2 "same file" 1 m.mtx --json a --html ./a
refuses 5 "none/page.html" 1 report 3.json -o none/page.html
expect 2 1 report -o page.html
expect 2 1 report 3.json
[ -z "$(find . -name '*.tmp*' -o -name '.*.html*')" ] || fail "temporary files are left"

# Nothing of MPI is started: a page can be made where it cannot start. It has no ranks.
if is_open_mpi; then
  OMPI_MCA_pml=none_of_them expect 0 1 report 3.json -o page.html
  drawn page.html modes
  refuses 2 "has no ranks" 2 report 3.json -o two.html
  [ ! -e two.html ] || fail "several ranks wrote a page"
fi
finish
