# Sourced by the tests of the job scripts.
# shellcheck shell=bash
failures=0

say_case() { printf -- '-- %s\n' "$*"; }

expect() {  # WHAT EXPECTED FOUND
  if [ "$2" = "$3" ]; then
    printf 'ok      %s: %s\n' "$1" "$3"
  else
    printf 'FAILED  %s: expected %s, found %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}

show_log() {  # FILE MESSAGE
  printf 'FAILED  %s\n' "$2"
  cat "$1" || true
  failures=$((failures + 1))
}

passed() {
  [ "$failures" = 0 ] || {
    echo "$failures checks failed"
    exit 1
  }
}
