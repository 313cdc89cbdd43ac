#!/usr/bin/env bash
# documents.sh ROOT PROGRAM: checks that documents name only what exists. Prints every broken link, every option and command
# that the manual lacks, every test in PROMISES.md that does not exist, and whether the first page is too long.
set -u
root=$1 program=$2
cd "$root" || exit 1
failures=0

failed() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# A document without its code blocks.
prose() { awk '/^[`][`][`]/ { code = !code; next } !code' "$1"; }

# The anchors of a document's headings.
anchors() {
  grep -oE '<a id="[^"]*"' "$1" | cut -d '"' -f 2
  prose "$1" | sed -n 's/^#\+ //p' | tr '[:upper:]' '[:lower:]' | sed -E 's/\]\([^)]*\)//g; s/[^a-z0-9 _-]//g; s/ /-/g'
}

documents=$(find . -maxdepth 1 -name '*.md'; find src comm dist kernels tests jobs -name '*.md')
for document in $documents; do
  while IFS= read -r link; do
    file=${link%%#*} anchor=
    [[ $link == *#* ]] && anchor=${link#*#}
    [ -z "$file" ] && target=$document || target=$(dirname "$document")/$file
    if [ ! -e "$target" ]; then
      failed "$document links to $link, which is not there"
    elif [ -n "$anchor" ] && ! anchors "$target" | grep -qxF -- "$anchor"; then
      failed "$document links to $link, but $target has no such heading"
    fi
  done < <(prose "$document" | grep -oE '\]\([^) ]+\)' | sed 's/^](//; s/)$//' | grep -vE '^(https?|mailto):')
done

# Every main folder has a README.
for folder in . src src/core src/io src/load src/lib src/app src/python comm dist kernels tests jobs; do
  [ -f "$folder/README.md" ] || failed "$folder has no README.md"
done
[ "$(wc -l <README.md)" -le 120 ] || failed "README.md has more than 120 lines"
[ "$(wc -w <README.md)" -le 1000 ] || failed "README.md has more than 1000 words"
grep -qF jobs/test.sh README.md || failed "README.md does not say how to run the tests"

manual=src/app/README.md
help=$("$program" --help) || failed "$program --help"
commands=$(printf '%s\n' "$help" | awk '/^Subcommands:/ { inside = 1; next } /^[^ ]/ { inside = 0 } inside && /^  [a-z]/ { print $1 }')
[ -n "$commands" ] || failed "--help names no commands"
for command in '' $commands; do
  [ -z "$command" ] || grep -qE "(^|[\`| ])${command}[\` ]" $manual || failed "$manual does not name the command $command"
  # shellcheck disable=SC2086  # an empty command must not become an argument
  for option in $("$program" $command --help | awk '/^ +-/ { print $1 }' | tr ',' '\n' | sed -n 's/{.*//; /^--/p'); do
    grep -qE -- "$option([^a-z-]|\$)" $manual || failed "$manual does not name $option of ${command:-a run}"
  done
done

# The Python tools are documented in the manual or beside the scripts that start them.
manuals=("$manual" jobs/README.md jobs/*/README.md)
while read -r file; do
  tool=${file#src/python/} tool=${tool%.py} tool=${tool%/__main__}
  tool=${tool//\//.}
  grep -qF "python3 -m $tool" "${manuals[@]}" || failed "no manual names $tool"
  for option in $(PYTHONPATH=src/python python3 -m "$tool" --help | awk '/^ +-/ { print $1, $2, $3 }' | grep -oE -- '--[a-z-]+'); do
    grep -qE -- "$option([^a-z-]|\$)" "${manuals[@]}" || failed "no manual names $option of $tool"
  done
done < <(grep -l '^if __name__ == "__main__"' src/python/spmv_dist/*.py src/python/spmv_dist/*/__main__.py)

# PROMISES.md: `cli.wrong`, `mpi.*` (Products, Overlap)
for test in $(grep -oE '`[a-z]+\.[a-z_]+' PROMISES.md | tr -d '`' | sort -u); do
  [[ $test == oob_* ]] || grep -rqwE --include=CMakeLists.txt "(${test#*.}|${test})" tests || failed "PROMISES.md names the test $test, which does not exist"
done
for suite in $(grep -oE '` \([A-Z][A-Za-z*, ]*\)' PROMISES.md | tr -d '`()*,' | tr ' ' '\n' | sort -u); do
  grep -rqE --include='*.cpp' "(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P)\($suite" tests || failed "PROMISES.md names the tests $suite, which do not exist"
done

[ "$failures" = 0 ] && echo "documents: all links, options and tests that they name exist"
exit "$((failures > 0))"
