#!/usr/bin/env bash
# run.sh SECONDS [HARNESS...]: runs each harness, or those named, for SECONDS, one after another. Saves new inputs to
# BUILD/fuzz/corpus/HARNESS, and inputs that broke a guarantee to BUILD/fuzz/findings. Prints a line per harness:
# executions, executions per second of one process, findings. Exit code 1 if there are findings.
#   SPMV_FUZZ_BUILD      the build, by default build-fuzz of this tree
#   SPMV_FUZZ_PROCESSES  processes that share the corpus, by default one for every core
#   SPMV_FUZZ_SEEDS      the kept corpus, by default the folder seeds beside this script; python3 unpacks it
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${SPMV_FUZZ_BUILD:-$here/../../build-fuzz}
seeds=${SPMV_FUZZ_SEEDS:-$here/seeds}
processes=${SPMV_FUZZ_PROCESSES:-$(nproc)}
[[ ${1:-} =~ ^[0-9]+$ ]] || { sed -n 's/^# \{0,1\}//; 2,8p' "$0"; exit 2; }
seconds=$1
shift
names=("$@")
if [ ${#names[@]} = 0 ]; then
  for file in "$seeds"/*.txt; do names+=("$(basename "$file" .txt)"); done
fi

export OMP_NUM_THREADS=1 ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:malloc_context_size=6} UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
findings=$build/fuzz/findings
mkdir -p "$findings"
found=0
for name in "${names[@]}"; do
  program=$build/bin/fuzz_$name
  [ -x "$program" ] || { echo "there is no $program: build it with the preset fuzz" >&2; exit 2; }
  corpus=$build/fuzz/corpus/$name logs=$build/fuzz/logs/$name
  mkdir -p "$corpus" "$logs"
  rm -f "$logs"/*
  python3 "$here/corpus.py" unpack "$seeds/$name.txt" "$build/fuzz/seeds/$name"
  more=()
  case $name in matrix_market | gzip) [ -d "$here/../data/invalid" ] && more=("$here/../data/invalid") ;; esac
  dictionary=()
  [ -f "$here/dictionaries/$name.dict" ] && dictionary=(-dict="$here/dictionaries/$name.dict")
  before=$(find "$findings" -type f | wc -l)
  for ((process = 0; process < processes; ++process)); do
    # Every second process also keeps inputs that only come closer to passing a comparison: slower,
    # but reaches more code.
    "$program" -use_value_profile=$((process % 2)) -max_total_time="$seconds" -max_len=2048 -timeout=60 -rss_limit_mb=3000 -reload=10 -print_final_stats=1 \
      -artifact_prefix="$findings/$name-" "${dictionary[@]}" \
      "$corpus" "$build/fuzz/seeds/$name" "${more[@]}" >"$logs/$process" 2>&1 || true &
  done
  wait
  executions=$(awk '/stat::number_of_executed_units/ { n += $2 } END { print n + 0 }' "$logs"/*)
  now=$(($(find "$findings" -type f | wc -l) - before))
  # A process that ended early without saving an input counts as a finding.
  silent=$(grep -L 'stat::number_of_executed_units' "$logs"/* | wc -l || true)
  [ "$now" = 0 ] && now=$silent
  printf '%-16s %12d executions %10.0f per second and process %3d findings\n' "$name" "$executions" \
    "$(awk -v n="$executions" -v s="$seconds" -v p="$processes" 'BEGIN { print n / s / p }')" "$now"
  if [ "$now" != 0 ]; then
    found=1
    grep -hE 'ERROR|runtime error|what\(\)|Test unit written' "$logs"/* | sort | uniq -c | head -20 || true
  fi
done
exit $found
