# shellcheck shell=bash disable=SC2034  # what is not used here is used by those who source it
# Shared by the tests of the program as a user starts it: SCRIPT PROGRAM MPIRUN DATA. Sourced.
set -u
program=$1
mpirun=$2
data=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# A product or two: a run that checks everything around them.
quick=(--max-seconds 0.01 --min-repetitions 1 --max-repetitions 2 --warmup 0)

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# run RANKS ARGUMENTS...: sets $code, writes $folder/out and $folder/err. One rank is started without a launcher.
run() {
  local ranks=$1
  shift
  local start=()
  if [ "$ranks" -gt 1 ]; then start=("$mpirun" -np "$ranks"); fi
  timeout 120 "${start[@]}" "$program" "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
}

show() { sed 's/^/    /' "$folder/err" | head -20; }

# expect CODE RANKS ARGUMENTS...
expect() {
  local wanted=$1
  shift
  run "$@"
  [ "$code" = "$wanted" ] && return
  fail "exit code $code instead of $wanted: on $*"
  show
}

# refuses CODE WORDS RANKS ARGUMENTS...: ends with this code on this many ranks and on stderr, exactly once, with a
# message of the program that holds every one of the comma-separated words.
refuses() {
  local wanted=$1 words=$2
  shift 2
  expect "$wanted" "$@"
  local messages
  messages=$(grep -c '^spmv_dist: ' "$folder/err")
  [ "$messages" = 1 ] || { fail "$messages messages instead of one: on $*" && show; }
  local word
  while IFS= read -r -d, word; do
    grep '^spmv_dist: ' "$folder/err" | grep -qF -- "$word" || { fail "no '$word' in the message: on $*" && show; }
  done <<<"$words,"
}

# has FILE TEXT
has() { grep -qF -- "$2" "$1" || fail "no '$2' in $1"; }

finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures failures"
    exit 1
  fi
  exit 0
}
