#!/usr/bin/env bash
# No output of a script destroys a file that the script, or what it starts, reads.
#   test_outputs.sh ROOT PROGRAM
set -euo pipefail
root=$(readlink -f "$1")
program=$(readlink -f "$2")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$(type -P true)" program

# kept FILE SCRIPT ARGUMENT...: the script must refuse to write over this file.
kept() {
  local file=$1 script=$2 status=0
  shift 2
  cp "$file" before
  "$root/jobs/$script" "$@" >log 2>&1 || status=$?
  expect "exit code of $script $*" 2 $status
  grep -q "is the same file as .*name another file" log || show_log log "the reason is not named"
  expect "$file" "$(cksum <before)" "$(cksum <"$file")"
}

mkdir -p out/m
echo "stencil5:4,4" >out/formats.txt
kept out/formats.txt papers/run.sh --matrices out/formats.txt --out out --program ./program
ln -s formats.txt out/best.csv
cp out/formats.txt list && ln -f list out/host.txt
kept list papers/run.sh --matrices ./list --out out/ --program ./program
cp program out/refused.csv
kept out/refused.csv papers/run.sh --matrices /dev/null --out out --program "$folder/out/refused.csv"

cp out/formats.txt out/table.md
kept out/table.md transports/run.sh --matrices out/table.md --out "$folder/out" --program ./program
ln -sf table.md out/list
kept out/table.md transports/run.sh --matrices out/list --out out --program ./program
kept out/table.md transports/run.sh --matrices list --out out --program ./program -- --read-x=out/table.md

for name in regress_usual.jsonl regress_usual_latest.jsonl; do
  cp program out/m/$name
  kept out/m/$name regress.sh --folder out --machine m --program out/m/$name
  kept out/m/$name regress.sh --folder out --machine m --program ./program -- --ranks=1 out/m/$name
done
kept out/m/regress_usual_latest.jsonl regress.sh --accept --folder out --machine m --program out/m/regress_usual_latest.jsonl

cp list a.html
kept a.html strong_scaling.sh --matrix a.html --results a.jsonl --program ./program
kept a.html strong_scaling.sh --matrix list --results a.jsonl --program ./program -- --read-x a.html
cp list a.mtx
kept a.mtx strong_scaling.sh --matrix a.mtx --results ./a.mtx --program "$program"

cp -r "$root/jobs" . && mkdir build && ln -s "$folder/list" build/quickstart.json
root=$folder
kept list quickstart.sh list --backend host
kept list quickstart.sh --generate stencil5:4,4 --read-x=list
passed
