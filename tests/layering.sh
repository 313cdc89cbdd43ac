#!/usr/bin/env bash
# Checks which folder includes which: layering.sh ROOT. Prints every line that breaks a rule.
#
#   src/app ---> src/load ---> dist -> kernels -> src/core        tests and jobs may include anything
#   src/lib --'     |           '---> comm ---------^
#                   '---> src/io --------------------'
set -u
cd "$1" || exit 1
failures=0

# forbid RULE LINES: LINES are the matches of grep; fails if there are any.
forbid() {
  [ -z "$2" ] && return
  echo "FAILED: $1"
  printf '%s\n' "$2" | sed 's/^/    /'
  failures=$((failures + 1))
}

# includes REGEX PLACES...: file:line of every #include whose target matches, in the sources of the places.
includes() {
  local regex=$1
  shift
  grep -rnE --include='*.[ch]pp' --include='*.cu' --include='*.cuh' "^ *# *include *[<\"]($regex)" "$@"
}
product=(src comm dist kernels)

# circles BOX: files that include each other, directly or not. A header and its source count as one
# file.
circles() {
  includes "${1#src/}/[^\"]*" "$1" | sed -E 's/^(src\/)?([^:]*)\.[a-z]+:.*"(.*)\.[a-z]+".*/\2 \3/' | awk '$1 != $2' | sort -u |
    tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([a-z].*\)/\1/p'
}

forbid "src/core includes nothing above it" "$(includes '(app|lib|load|io|dist|comm|kernels)/' src/core)"
forbid "src/io includes nothing about ranks or kernels" "$(includes '(app|lib|load|dist|comm|kernels)/' src/io)"
forbid "kernels do not include comm and the layers above" "$(includes '(app|lib|load|io|dist|comm)/' kernels)"
forbid "families of formats do not include the tuner" "$(includes 'kernels/tune/' kernels | grep -v '^kernels/tune/')"
forbid "the tuner includes families only in its costs (sizes of their arrays) and analysis (packing)" \
  "$(includes 'kernels/[a-z]+/' kernels/tune | grep -vE '"kernels/(parts|combine|tune)/|^kernels/tune/(costs|costs_slices|analysis)\.')"
for box in src/core kernels comm dist src/io src/load src/lib src/app; do
  forbid "no file of $box includes itself indirectly" "$(circles "$box")"
done
forbid "comm moves bytes: it does not include kernels and the layers above" "$(includes '(app|lib|load|io|dist|kernels)/' comm)"
forbid "dist does not know the application or its files" "$(includes '(app|lib|load|io)/' dist)"
forbid "src/load does not include its users" "$(includes '(app|lib)/' src/load)"
forbid "the library does not know the application" "$(includes 'app/' src/lib)"
forbid "only src/load reads matrices; the options list the generators" \
  "$(includes 'io/' src/app src/lib | grep -vE 'src/app/options/option_(groups|names)\.cpp:')"
forbid "the public headers include no internal header" \
  "$(includes '.*' src/lib/include | grep -vE '<(array|complex|cstddef|cstdint|functional|initializer_list|memory|stdexcept|string|type_traits|utility|vector|stdint\.h|mpi\.h)>|\"spmv_dist/(export|version|abi_mpi|abi_cxx|spmv_dist|solve)\.h(pp)?\"')"
forbid "the bindings for Python include public headers alone" \
  "$(includes '.*' src/python/bindings | grep -vE '<(spmv_dist|nanobind)/[a-z_/]+\.hp*>|\"bindings\.hpp\"|<[a-z_]+>')"
forbid "the product does not include tests or jobs" "$(includes '(tests|support|jobs)/' "${product[@]}")"

forbid "mpi.h is for comm's sources and the public headers" "$(includes 'mpi\.h' src dist kernels tests | grep -vE '^(tests/(main_mpi|faults/planted_mpi|cli/(corrupting|printing|silent|stopping)_mpi)\.cpp|tests/lib/[a-z_]*\.cpp|src/lib/include/spmv_dist/spmv_dist\.hpp|dist/partition/scotch/on/scotch\.cpp):')"
forbid "ptscotch.h, which needs mpi.h, is for one file" \
  "$(includes '(pt)?scotch\.h' "${product[@]}" tests | grep -v '^dist/partition/scotch/on/scotch\.cpp:')"
forbid "in comm's headers, mpi.h is for mpi_check.hpp only" \
  "$(includes 'mpi\.h' comm | grep '\.hpp:' | grep -v '^comm/mpi_check\.hpp:')"
forbid "metis.h is for one file" \
  "$(includes 'metis\.h' "${product[@]}" tests | grep -v '^dist/partition/metis_library/metis_library\.hpp:')"
forbid "hwloc.h is for one file" \
  "$(includes 'hwloc\.h' "${product[@]}" tests | grep -v '^comm/place/near_cores/on/near_cores\.cpp:')"
forbid "CUDA headers are for .cu and .cuh files, cuda_check.hpp and the planted failures" \
  "$(includes '(cuda|cub|cusparse|thrust|cooperative_groups|nv)[_a-zA-Z0-9/.]*(\.h|\.cuh)?[>\"]' "${product[@]}" tests |
    grep -vE '^[^:]*\.cuh?:|^(src/core/cuda_check\.hpp|tests/faults/planted_cuda\.cpp):|[<"]cuda_launch\.hpp|[<"](kernels|src|support)/')"
forbid "cuda_check.hpp is for .cu files" "$(includes 'core/cuda_check\.hpp' "${product[@]}" tests | grep -vE '^[^:]*\.cuh?:')"
forbid "kernel launches are for .cu files" \
  "$(grep -rnE --include='*.[ch]pp' '<<<' "${product[@]}" tests)"
forbid "CMake picks files; no #if chooses a backend" \
  "$(grep -rnE --include='*.[ch]pp' --include='*.cu' --include='*.cuh' '^ *# *(if|ifdef|ifndef|elif)\b' "${product[@]}" |
    grep -vE '__CUDA_ARCH__|__CUDACC__')"
# The caller's locale may have a decimal comma: core/number.hpp parses numbers, fmt prints them.
forbid "numbers do not depend on the locale" \
  "$(grep -rnE --include='*.[ch]pp' --include='*.cu' --include='*.cuh' \
    '\b(strto(d|f|ld|l|ll|ul|ull|imax)|sto(d|f|ld|i|l|ll|ul|ull)|ato(f|i|l|ll)|v?(|s|f)scanf|v?(|s|sn|f|as)printf|setlocale|imbue) *\(' \
    "${product[@]}" jobs/bench | grep -vE '^(dist/partition/scotch/on/scotch\.cpp|jobs/bench/(cache_reuse|sum_latency)\.cu):.*printf')"
forbid "numbers are not written to streams, which depend on the locale" \
  "$(grep -rnE --include='*.[ch]pp' --include='*.cu' --include='*.cuh' \
    'std::(o|w)?(string|f)stream\b|std::(cout|cerr|clog)\b' "${product[@]}" | grep -vE '^dist/machine/tuning_cache\.cpp:|\.rdbuf\(')"
forbid "no using namespace in headers" "$(grep -rnE --include='*.hpp' --include='*.cuh' '^ *using namespace' "${product[@]}")"

long=$(find "${product[@]}" tests jobs \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.sh' \) -exec wc -l {} + |
  awk '$2 != "total" && $1 > 400')
forbid "no file is longer than 400 lines" "$long"

[ "$failures" = 0 ] && echo "layering: no rule is broken"
exit "$((failures > 0))"
