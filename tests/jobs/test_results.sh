#!/usr/bin/env bash
# jobs/results: a page and its tables only; scripts write their results to a folder that git
# ignores.
#   test_results.sh ROOT
set -euo pipefail
root=$(readlink -f "$1")
# shellcheck source=tests/jobs/checks.sh
source "$(dirname "$0")/checks.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cd "$root"
say_case "the page links every table, and every table is a file of one shape"
page() {  # the files in git; without git, all files except raw results
  if [ -e .git ]; then git ls-files jobs/results; else find jobs/results -path jobs/results/raw -prune -o -type f -print; fi
}
expect "files" "$({ echo README.md; grep -oE '\([^)/]+\.csv\)' jobs/results/README.md | tr -d '()'; } | sort -u)" \
  "$(page | sed "s|^jobs/results/||" | sort)"
expect "at most 500 KB" yes "$([ "$(page | tr '\n' '\0' | xargs -0 cat | wc -c)" -le 500000 ] && echo yes)"
expect "incomplete tables" "" "$(page | grep '\.csv$' | python3 -c '
import csv, sys
for name in sys.stdin.read().split("\n")[:-1]:
    head, *rows = csv.reader(open(name))
    wrong = [r for r in rows if len(r) != len(head) or not float(r[-2]) > 0]
    if head[:4] != ["machine", "date", "commit", "matrix"] or head[-2:] != ["value", "unit"] or not rows or wrong:
        print(name)
')"

# A repository with only the scripts, and programs that only write their output files.
say_case "the scripts' results go to jobs/results/raw, which git ignores"
if ! command -v git >/dev/null; then
  echo "skipped: git is missing"
  passed
  exit 0
fi
tree=$folder/tree
mkdir -p "$tree" "$folder/bin"
tar -c --exclude=jobs/results --exclude=__pycache__ jobs .gitignore | tar -x -C "$tree"
git -C "$tree" init -q
git -C "$tree" add -A
# A fake python3 with all packages, which draws nothing.
tee "$folder/bin/python3" >"$folder/bin/program" <<'P'
#!/usr/bin/env bash
for word in "$@"; do
  case $word in --results=*) echo '{}' >"${word#--results=}" ;; esac
done
P
printf '#!/bin/sh\n' >"$folder/bin/mpirun"
chmod +x "$folder/bin"/*
export PYTHONDONTWRITEBYTECODE=1
run() { PATH=$folder/bin:$PATH "$tree/jobs/$1" --program "$folder/bin/program" "${@:2}" >"$folder/log" 2>&1 || true; }
measured() { (cd "$tree/jobs/results/raw" 2>/dev/null && find . -type "$1" -path "$2" | wc -l); }
run strong_scaling.sh --machine here --generate stencil7:4,4,4
expect "of strong_scaling.sh" 1 "$(measured f './here/*.jsonl')"
run regress.sh --machine there
expect "of regress.sh" 1 "$(measured f ./there/regress_usual.jsonl)"
run transports/run.sh --ranks 1
expect "of transports/run.sh" 1 "$(measured d './transports/*')"
run papers/run.sh
expect "of papers/run.sh" 1 "$(measured d ./papers)"
expect "what git sees of it" "" "$(git -C "$tree" status --porcelain | grep -v '^A ' || true)"
passed
