#!/usr/bin/env bash
# What a site installs beside the program: module, manual pages, completion, recipes.
#   test_site.sh SOURCE_FOLDER PROGRAM
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/jobs/checks.sh
source "$here/checks.sh"
root=$1 program=$2
site=$root/jobs/site
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skipped=()
version=$(sed -n 's/^project(spmv_dist VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")

say_case "completion"
completion=$site/completion.bash
bash -n "$completion"
cat >"$work/complete" <<'P'
# complete LINE: what bash would offer at its end, sorted.
compopt() { :; }
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
_spmv_dist
printf '%s\n' "${COMPREPLY[@]}" | sort | xargs
P
offered() { PATH=$(dirname "$program"):$PATH bash "$work/complete" "$completion" "$1"; }
cd "$work"
mkdir files
touch files/a.mtx files/b.spmv
expect "a command" "doctor" "$(offered "spmv_dist doc")"
expect "options of a command" "--machine" "$(offered "spmv_dist plan --mach")"
expect "an option that a command does not have" "" "$(offered "spmv_dist plan --csv")"
expect "words of an option" "pellr pjds" "$(offered "spmv_dist a.mtx --format p")"
expect "a list" "vector,device vector,naive vector,task vector,vector vector,all" \
  "$(for mode in $(offered "spmv_dist a.mtx --mode vector,"); do echo "$mode"; done | sort -t, -k2 | sed 's/vector,all/zz/' | sort | sed 's/zz/vector,all/' | xargs)"
expect "a generator" "stencil27: stencil5: stencil7: stencil9:" "$(offered "spmv_dist --generate sten")"
expect "files" "files/a.mtx files/b.spmv" "$(offered "spmv_dist files/")"
expect "files of an option" "files/a.mtx" "$(offered "spmv_dist m.mtx --json files/a")"
expect "nothing for a number" "" "$(offered "spmv_dist m.mtx --seed ")"
# Completion offers every name of every table at its option.
"$program" --list >list
while read -r option title; do
  while read -r word; do
    [[ " $(offered "spmv_dist m.mtx $option $word") " == *" $word "* ]] || expect "$option $word" offered missing
  done < <(sed -n "/^$title\$/,/^[a-z]/s/^  \([a-z_0-9]*\) .*/\1/p" list)
done <<<"--format formats
--mode modes
--transport transports
--partition partitioners
--order orders
--backend backends
--layout layouts
--hint hints
--solver solvers
--preconditioner preconditioners"

say_case "manual pages"
if command -v help2man >/dev/null; then
  bash "$site/man_pages.sh" "$program" "$work/man" >"$work/log" 2>&1 || show_log "$work/log" "man_pages.sh failed"
  commands=$("$program" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z]\+\)  .*/\1/p' | wc -l)
  expect "pages of the program" "$((commands + 1))" "$(find "$work/man/man1" -name 'spmv_dist.1' -o -name 'spmv_dist-*.1' | wc -l)"
  for tool in scale jobscript; do
    grep -q -- '\\-\\-results' "$work/man/man1/spmv_dist.$tool.1" || expect "--results in the manual of $tool" there missing
  done
  for option in --partition --timeout --trace; do
    grep -q -- "${option//-/\\\\-}" "$work/man/man1/spmv_dist.1" || expect "$option in the manual" there missing
  done
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W error "$work"/man/man1/*.1 >"$work/log" 2>&1 || show_log "$work/log" "mandoc finds errors"
  fi
else
  skipped+=("manual pages: there is no help2man")
fi

say_case "module"
modules=$(find /usr/share/modules/init /usr/share/Modules/init -name bash 2>/dev/null | head -n 1 || true)
if [ -n "$modules" ]; then
  prefix="$work/with blank"
  mkdir -p "$prefix"/{bin,lib/pkgconfig} "$prefix/share/modulefiles/spmv_dist"
  cp "$site/modulefiles/spmv_dist" "$prefix/share/modulefiles/spmv_dist/$version"
  ln -s "$program" "$prefix/bin/spmv_dist"
  loaded=$(
    set +eu
    # shellcheck disable=SC1090
    source "$modules"
    module use "$prefix/share/modulefiles"
    module load spmv_dist 2>&1
    command -v spmv_dist
    echo "$PKG_CONFIG_PATH" | tr : '\n' | head -n 1
    echo "$PYTHONPATH" | tr : '\n' | head -n 1
    module unload spmv_dist
    command -v spmv_dist || echo "gone"
  )
  expect "loaded" "$prefix/bin/spmv_dist|$prefix/lib/pkgconfig|$prefix/share/spmv_dist/python|gone" "$(tr '\n' '|' <<<"$loaded" | sed 's/|$//')"
else
  skipped+=("module: there are no Environment Modules")
fi

say_case "recipes"
python3 "$here/fake_spack.py" "$site/spack/package.py" "$root/cmake/SpmvOptions.cmake" "$version" || failures=$((failures + 1))
while read -r from _; do [ -e "$root/$from" ] || expect "$from, which the image copies" there missing; done \
  < <(sed -n '0,/^%files/d; /^%post/q; s/^ \+\([^ ]*\) \/src.*/\1/p' "$site/spmv_dist.def")
while read -r option; do
  grep -qE "(option|set)\($option\b" "$root/cmake/SpmvOptions.cmake" || expect "$option, which the image's build is given" known unknown
done < <(grep -o -- '-DSPMV_[A-Z_]*' "$site/spmv_dist.def" | sed 's/-D//')
expect "the image's version" "$version" "$(sed -n 's/^ *Version //p' "$site/spmv_dist.def")"
for text in "${skipped[@]}"; do echo "skipped: $text"; done
passed
