# shellcheck shell=bash disable=SC2034  # variables are used by the scripts that source this
# Shared by the tests of the program as a user starts it: SCRIPT PROGRAM MPIRUN DATA. Sourced.
set -u
program=$1
mpirun=$2
data=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0
# A run that takes this many seconds hangs, even on a busy machine.
at_most=900

# Measures a product or two, for tests of everything else.
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
  timeout "$at_most" "${start[@]}" "$program" "$@" >"$folder/out" 2>"$folder/err" </dev/null
  code=$?
}

show() { sed 's/^/    /' "$folder/err" | head -20; }

# Whether the launcher is MPICH's. When a rank fails it kills the others, and may return the exit
# code of a killed one.
kills_the_others() { "$mpirun" --version 2>&1 | grep -q HYDRA; }

# ended_with CODE: whether the ranks ended with this code, as far as the launcher's exit code shows.
ended_with() {
  [ "$code" = "$1" ] || { { [ "$code" = 137 ] || [ "$code" = 9 ]; } && kills_the_others; }
}

# Whether the launcher is Open MPI's, any release; Open MPI 4's mpiexec calls itself OpenRTE.
is_open_mpi() { "$mpirun" --version 2>&1 | grep -E 'Open MPI|OpenRTE' >/dev/null; }

# Whether the launcher is Open MPI 5's. It waits for ever for a rank that stops before MPI has started there, and output of ranks
# that it ends does not always reach the terminal.
is_prterun() { "$mpirun" --version 2>&1 | grep -qE 'Open MPI\) ([5-9]|[1-9][0-9])'; }

# expect CODE RANKS ARGUMENTS...
expect() {
  local wanted=$1
  shift
  run "$@"
  [ "$code" = "$wanted" ] && return
  fail "exit code $code instead of $wanted: on $*"
  show
}

# refuses CODE WORDS RANKS ARGUMENTS...: the run must end with this code, and with exactly one message of the program on stderr,
# which contains each of the comma-separated words.
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

# column FILE NAME: the cells of a column of a CSV file, one per line, without quotes.
column() {
  awk -v name="$2" '
    {
      cells = 0; cell = ""; quoted = 0
      for (i = 1; i <= length($0); ++i) {
        c = substr($0, i, 1)
        if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { row[++cells] = cell; cell = "" }
        else cell = cell c
      }
      row[++cells] = cell
      if (NR > 1) print row[at]
      else for (i = 1; i <= cells; ++i) if (row[i] == name) at = i
      if (!at) { print "no column " name; exit 1 }
    }' "$1"
}

# has_column FILE NAME VALUE: the column must have cells, all with this value.
has_column() {
  [ "$(column "$1" "$2" | sort -u)" = "$3" ] ||
    fail "column $2 of $1 has '$(column "$1" "$2" | sort -u | head -3 | tr '\n' ' ')' instead of '$3'"
}

finish() {
  if [ "$failures" -gt 0 ]; then
    echo "$failures failures"
    exit 1
  fi
  exit 0
}

# matrix FILE KIND BODY: a Matrix Market file.
matrix() { printf '%%%%MatrixMarket matrix coordinate %s\n%b' "$2" "$3" >"$1"; }
# Matrices at the edge of what has a spectrum, in the current folder.
write_odd_matrices() {
  matrix nothing.mtx "real general" "0 0 0\n"
  matrix zeros.mtx "real general" "5 5 0\n"
  matrix row.mtx "real general" "1 1 1\n1 1 3.5\n"
  matrix nan.mtx "real general" "3 3 2\n1 1 1\n2 2 nan\n"
  matrix large.mtx "real general" "3 3 3\n1 1 1e200\n2 2 -1e200\n3 3 1e200\n"
  matrix hermitian.mtx "complex hermitian" "3 3 4\n1 1 1 0\n2 1 0 1\n2 2 2 0\n3 3 3 0\n"
}
