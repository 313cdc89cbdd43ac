#!/usr/bin/env bash
# Makes manual pages from what --help prints: spmv_dist(1), and one for every command, such as spmv_dist-plan(1).
#   jobs/site/man_pages.sh PROGRAM FOLDER      FOLDER/man1 gets them: PREFIX/share/man is where man looks
# Needs help2man.
set -euo pipefail
if [ $# != 2 ] || [ ! -x "$1" ]; then
  sed -n '2,4s/^# \?//p' "$0"
  exit 2
fi
command -v help2man >/dev/null || {
  echo "$(basename "$0"): help2man is missing: on Debian or Ubuntu, apt-get install help2man" >&2
  exit 5
}
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2/man1"

# page FILE SUMMARY WORDS_BEFORE_HELP
page() {
  local out=$1 summary=$2 before=$3
  help2man --no-info --section 1 --name "$summary" --source spmv_dist --manual "User commands" --help-option "$before--help" --output "$out.part" "$program"
  mv "$out.part" "$out"
}
commands=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\)  \+\(.*\)/\1 \2/p')
page "$2/man1/spmv_dist.1" "distributed sparse matrix-vector product on GPUs and processors" ""
while read -r name summary; do
  page "$2/man1/spmv_dist-$name.1" "$summary" "$name "
done <<<"$commands"
echo "$2/man1: $(find "$2/man1" -name 'spmv_dist*.1' | wc -l) pages"
