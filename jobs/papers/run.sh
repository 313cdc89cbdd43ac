#!/usr/bin/env bash
# Reproduces the tables and figures of the papers about storage formats on this machine: one page, and CSV files.
#   jobs/papers/run.sh [OPTION...] [-- OPTION OF format_compare...]
#
#   --matrices FILE   a Matrix Market file (.mtx, .mtx.gz, .mtx.xz) or generator per line (default: jobs/papers/matrices.txt,
#                     and the real matrices below SPMV_TEST_MATRICES if it is set)
#   --out DIR         default: jobs/results/raw/papers; the page is DIR/summary.html
#   --backend B       default: cuda if there is a usable GPU, otherwise host
#   --program FILE    default: build/bin/format_compare
#
# Measures all formats in double and those of [Kreutzer 2012] in single precision on the device, and CSR on this machine's cores.
# To draw DIR's results again: python3 -m spmv_dist.papers DIR. A matrix that cannot be read is skipped, and its exit code
# becomes the script's; a wrong result ends the script with exit code 3.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
# shellcheck source=jobs/common.sh
source "$(dirname "$(readlink -f "$0")")/../common.sh"

usage() { sed -n '2,14s/^# \?//p' "$0"; }
refuse() { fail 2 "$*; see jobs/papers/run.sh --help"; }

list='' out=$SPMV_ROOT/jobs/results/raw/papers backend='' program=$SPMV_ROOT/build/bin/format_compare extra=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --) shift; extra=("$@"); break ;;
    --*) [ $# -ge 2 ] || refuse "$1 needs a value" ;;&
    --matrices) list=$2 ;;
    --out) out=$2 ;;
    --backend) backend=$2 ;;
    --program) program=$2 ;;
    *) refuse "unknown argument '$1'" ;;
  esac
  shift 2
done
[ -x "$program" ] || fail $exit_environment "no $program: build it first (cmake --build build --target format_compare), or name it with --program"
written=("$out"/*.csv "$out"/{formats,formats_float,host}.txt "$out"/{analysis.json,summary.html})
keep_apart "${written[@]}" -- "$list" "$program"
# shellcheck disable=SC2086  # words
find_python $spmv_packages || fail $exit_environment "$how_to_get_packages"
mkdir -p "$out"

# Prints the file's name, unpacked first if the reader does not know its packing.
readable() {  # FILE
  case $1 in
    *.xz)
      local plain
      plain=$out/unpacked/$(basename "${1%.xz}")
      command -v xz >/dev/null || fail $exit_environment "no xz to unpack $1: on Debian or Ubuntu apt-get install xz-utils"
      mkdir -p "$out/unpacked"
      [ -s "$plain" ] || { xz -dc "$1" >"$plain.part" && mv "$plain.part" "$plain"; }
      echo "$plain"
      ;;
    *) echo "$1" ;;
  esac
}

is_complex() {  # FILE.mtx or FILE.mtx.gz
  local banner
  banner=$(case $1 in *.gz) gzip -dc "$1" 2>/dev/null ;; *) cat "$1" ;; esac | head -n 1 || true)
  [[ $banner == *complex* || $banner == *Complex* ]]
}

matrices=() line='' file=''
while read -r line || [ -n "$line" ]; do
  line=${line%%#*}
  line=${line%"${line##*[![:space:]]}"}
  [ -z "$line" ] || matrices+=("$(readable "$line")")
done <"${list:-$SPMV_ROOT/jobs/papers/matrices.txt}"
if [ -z "$list" ] && [ -n "${SPMV_TEST_MATRICES:-}" ]; then
  for file in "$SPMV_TEST_MATRICES"/real/*.mtx "$SPMV_TEST_MATRICES"/real/*.mtx.gz "$SPMV_TEST_MATRICES"/real/*.mtx.xz; do
    [ -e "$file" ] || continue
    file=$(readable "$file")
    is_complex "$file" || matrices+=("$file")
  done
fi
[ ${#matrices[@]} -gt 0 ] || refuse "no matrices in $list"
keep_apart "${written[@]}" -- "${matrices[@]}"

if [ -z "$backend" ]; then
  backend=cuda
  "$program" --backend cuda stencil7:2,2,2 --formats csr --rounds 1 --batch-ms 1 >/dev/null 2>&1 || backend=host
fi
say "${#matrices[@]} matrices on backend $backend; results in $out"

status=0
compare() {  # NAME ARGUMENT...
  local code=0
  "$program" --csv "$out/$1.csv" "${@:2}" ${extra[0]+"${extra[@]}"} "${matrices[@]}" >"$out/$1.txt" || code=$?
  case $code in
    0) ;;
    1 | 3 | 5) tail -n 20 "$out/$1.txt" >&2; fail $code "format_compare failed; its output is in $out/$1.txt" ;;
    *) status=$code ;;
  esac
}

say "all formats, double"
compare formats --backend "$backend" --analysis "$out/analysis.json"
say "ELLPACK-R, pJDS and CSR, float"
compare formats_float --backend "$backend" --value float --formats csr,ellpack_r,pjds
if [ "$backend" = host ]; then
  rm -f "$out/host.csv"  # it has this machine's results already
else
  say "CSR on this machine's cores"
  compare host --backend host --formats csr
fi
python_tool papers "$out"
say "done: $out/summary.html"
exit $status
