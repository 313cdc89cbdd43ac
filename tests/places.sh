#!/usr/bin/env bash
# places.sh ROOT: a new format, transport, mode ... is its own files and one row in a table (--list prints the tables);
# no other code needs a change. So only the row and those files may contain its name. Prints every other place that does.
set -u
shopt -s extglob nullglob
cd "$1" || exit 1
failures=0

# kind | file of its rows | its own files | other ways that code may spell it (NAME stands for its name)
tables='
transport    | comm/transports.cpp            | comm/transports/NAME[./]    |
mode         | dist/modes.cpp                 | dist/modes/NAME[.]          |
partitioner  | dist/partitioners.cpp          | dist/partition/NAME[./]     |
layout       | dist/layouts.cpp               | dist/layouts/NAME[.]        |
format       | kernels/!(tune)/*.cpp          |                             |
option       | kernels/format_options.cpp     |                             |
backend      | src/core/backends.cpp          | src/core/backend_NAME[._]   |
generator    | src/io/generate/generators.cpp |                             |
solver       | dist/solve/solvers.cpp         | dist/solve/NAME[.]          |
preconditioner | dist/solve/preconditioners.cpp | dist/solve/NAME[.]       |
'

# kind | name, * for any | file, * for any | why the name may stand there. Some are other words with the same spelling.
allowed='
transport | staged | dist/dist_options.hpp | default of the options
format | pjds | dist/dist_options.hpp | default of the options
format | sell | dist/solve/block_jacobi.cpp | suits rows of like length, and keeps their order
format | sell | dist/solve/hierarchy.cpp | the same, for the short rows of prolongations
format | csr_vector | dist/solve/hierarchy.cpp | suits long rows, and keeps their order
mode | vector | dist/solve/hierarchy_level.cpp | works with every transport and layout
layout | merged | dist/solve/hierarchy_level.cpp | keeps the order of rows
format | * | kernels/tune/format_models.cpp | what the tuner knows of a format is a row of its own, by the name of the format
option | * | kernels/tune/format_models.cpp | a candidate names the options that are varied
format | * | kernels/tune/candidates.cpp | a hint names formats
format | csr | kernels/tune/search_reason.cpp | what every choice is compared with
backend | cuda | kernels/tune/paces.cpp | the part of the file of paces for GPUs
backend | host | kernels/tune/paces.cpp | the part of the file of paces for hosts
format | csr_vector | kernels/tune/search.cpp | ranges in which options are varied
option | * | kernels/tune/search.cpp | ranges in which options are varied
format | csr | kernels/tune/tuner.cpp | what every block fits
format | csr_vector | kernels/tune/tuner.cpp | what is built from the same arrays as csr
transport | mpi | src/core/phase_log.cpp | the phase in which messages travel
partitioner | auto | * | the word for a choice, of whatever kind
partitioner | * | dist/partition/auto.cpp | what it chooses among
partitioner | nonzeros | src/app/report/ranks_report.cpp | head of a column
layout | split | dist/dist_options.hpp | default of the options
layout | split | dist/modes.cpp | a mode names its layouts, the standard one first
layout | parted | dist/modes.cpp | a mode names its layouts, the standard one first
layout | merged | dist/modes.cpp | a mode names its layouts, the standard one first
layout | merged | src/app/report/run_report.hpp | default of a result that is not filled in yet
layout | merged | src/app/run/measurements.hpp | default of a measurement that is not filled in yet
layout | merged | src/core/phase_log.cpp | the phase of the product of all rows
mode | device | src/lib/context.cpp | option device: which GPU
mode | vector | src/lib/c_interface.cpp | name of an argument
partitioner | rows | src/lib/c_interface.cpp | name of an argument
backend | cuda | dist/machine/place.cpp | what --backend auto takes where every rank has it
backend | host | src/app/launch/machine.cpp | what a command that multiplies nothing runs on
backend | host | dist/machine/place.cpp | what --backend auto takes elsewhere
backend | cuda | comm/transports/gpu_aware/gpu_aware.cpp | a library of that vendor
backend | host | comm/transports/gpu_aware/gpu_aware.cpp | any MPI takes its memory
backend | host | comm/transports.cpp | where gpu_aware is called mpi
backend | cuda | kernels/cusparse/cusparse.cpp | a library of that vendor
backend | host | src/core/cuda_off.cpp | what a build without CUDA has instead
backend | host | kernels/parts/format_checks.cpp | the memory of the host, whatever the backend
backend | host | src/app/report/matrix_report.cpp | where --vectors has them
backend | host | src/app/run/run.hpp | where --vectors has them
mode | device | src/app/run/run.hpp | where --vectors has them
mode | device | dist/machine/tuning_cache.cpp | key of a file: the device that a choice was made on
mode | vector | src/io/matrix_market_header.cpp | word of a file: object vector
generator | banded | kernels/tune/candidates.cpp | the hint of that name
partitioner | rows | dist/prepare/number_columns.cpp | word of a message
solver | cg | src/app/commands/solver_options.hpp | default of the options
solver | cg | src/lib/c_solve.cpp | default of the options
solver | cg | src/lib/include/spmv_dist/solve.hpp | default of the options
preconditioner | chebyshev | src/lib/include/spmv_dist/hierarchy.hpp | the smoother of that name
preconditioner | none | * | the word for nothing, of whatever kind
preconditioner | jacobi | dist/solve/hierarchy.cpp | a smoother of that name
preconditioner | chebyshev | dist/solve/hierarchy.cpp | a smoother of that name
preconditioner | chebyshev | dist/solve/hierarchy.hpp | default of the options: the smoother
preconditioner | chebyshev | dist/solve/preconditioner.hpp | default of the options: the smoother
preconditioner | block_jacobi | src/lib/solver.cpp | the library keeps the blocks of its rows, up to option largest_block
'

# The sources without their comments, as file:line:text.
code=$(grep -rn --include='*.[ch]pp' --include='*.cu' --include='*.cuh' '' src dist comm kernels |
  sed -E 's:^([^ ]*\:[0-9]+\:)(.*[ ;{}]|)//.*:\1\2:')

# A row begins with .name = "NAME", or with {"NAME", at the beginning of a line.
row_of() { printf '([.]name = |^ *[{])"%s",' "$1"; }

while IFS='|' read -r kind files own alias; do
  kind=${kind// /} files=${files// /} own=${own// /} alias=${alias// /}
  [ -z "$kind" ] && continue
  # shellcheck disable=SC2206  # a pattern of files
  files=($files)
  found=$(grep -hoE "$(row_of '[a-z0-9_-]+')" "${files[@]}" /dev/null | sed -E 's/[^"]*"([^"]*)".*/\1/' | sort -u)
  if [ -z "$found" ]; then
    echo "FAILED: no row for any $kind where its table should be"
    failures=$((failures + 1))
  fi
  for name in $found; do
    known=$'\n'$(printf '%s' "$allowed" | awk -F'|' -v kind="$kind" -v name="$name" '
      { gsub(/ +/, "", $1); gsub(/ +/, "", $2); gsub(/ +/, "", $3) } $1 == kind && ($2 == name || $2 == "*") { print $3 }')$'\n'
    pattern="\"$name\"${alias:+|\\b${alias//NAME/$name}\\b}"
    rows=$'\n'$(grep -lE "$(row_of "$name")" "${files[@]}")$'\n'
    while IFS= read -r place; do
      file=${place%%:*}
      [[ $rows == *$'\n'"$file"$'\n'* ]] && continue
      [ -n "$own" ] && [[ $file =~ ^${own//NAME/$name} ]] && continue
      [[ $known == *$'\n'"$file"$'\n'* || $known == *$'\n*\n'* ]] && continue
      echo "FAILED: the name of $kind $name is in $place"
      failures=$((failures + 1))
    done < <(grep -E "^[^:]*:[0-9]+:.*($pattern)" <<<"$code" |
      grep -vE "^src/app/[^:]*:[0-9]+:.*([{]+\"$name\",|\[\"$name\"\]|plain\(\"$name\"\))")
  done
done <<<"$tables"

echo "Allowed elsewhere, with the reason:$allowed"
[ "$failures" = 0 ] && echo "places: every name is in one place only"
exit "$((failures > 0))"
