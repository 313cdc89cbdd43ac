#!/usr/bin/env bash
# Makes manual pages from --help: spmv_dist(1), one per command, such as spmv_dist-plan(1), and one per Python tool, such as
# spmv_dist.scale(1).
#   jobs/site/man_pages.sh PROGRAM FOLDER      writes to FOLDER/man1; man looks in PREFIX/share/man
# Needs help2man and python3.
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" "$@"
set -euo pipefail
if [ $# != 2 ] || [ ! -x "$1" ]; then
  sed -n '2,5s/^# \?//p' "$0"
  exit 2
fi
command -v help2man >/dev/null || {
  echo "$(basename "$0"): help2man is missing: on Debian or Ubuntu, apt-get install help2man" >&2
  exit 5
}
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
mkdir -p "$2/man1"

# page FILE SUMMARY WORDS_BEFORE_HELP PROGRAM [OPTION OF help2man...]
page() {
  local out=$1 summary=$2 before=$3
  help2man --no-info --section 1 --name "$summary" --source spmv_dist --manual "User commands" --help-option "$before--help" \
    --output "$out.part" "${@:5}" "$4"
  mv "$out.part" "$out"
}
commands=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\)  \+\(.*\)/\1 \2/p')
page "$2/man1/spmv_dist.1" "distributed sparse matrix-vector product on GPUs and processors" "" "$program"
while read -r name summary; do
  page "$2/man1/spmv_dist-$name.1" "$summary" "$name " "$program"
done <<<"$commands"

# A tool is a module with a main program, or a folder with one.
tools=$(cd "$(dirname "$(readlink -f "$0")")/../../src/python" && pwd)
version=$("$program" --version | sed -n '1s/^spmv_dist \([^,]*\),.*/\1/p')
starts=$(mktemp -d)
trap 'rm -rf "$starts"' EXIT
while read -r file; do
  name=${file#"$tools"/}
  name=${name%.py} name=${name%/__main__} name=${name//\//.}
  printf '#!/usr/bin/env bash\nPYTHONPATH=%q exec python3 -m %s "$@"\n' "$tools" "$name" >"$starts/$name"
  chmod +x "$starts/$name"
  page "$2/man1/$name.1" "$("$starts/$name" --help | sed -n 3p)" "" "$starts/$name" --version-string "$version"
done < <(grep -l '^if __name__ == "__main__"' "$tools"/spmv_dist/*.py "$tools"/spmv_dist/*/__main__.py)
echo "$2/man1: $(find "$2/man1" -name 'spmv_dist*.1' | wc -l) pages"
