#!/usr/bin/env bash
# The library as users have it: installed, moved, found by CMake and pkg-config, and run.
#
#   install_and_run.sh BUILD EXAMPLES MPIEXEC
set -u
build=$1 examples=$2 mpiexec=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# check NAME COMMAND...: runs the command, and prints its output if it fails.
check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "passed: $name"
  else
    echo "FAILED: $name"
    sed 's/^/    /' "$work/log"
    failures=$((failures + 1))
  fi
}
# shellcheck disable=SC2317  # called by check
ranks() { "$mpiexec" -n "$@"; }

check "install" cmake --install "$build" --prefix "$work/first"
[ "$failures" = 0 ] || exit 1
mv "$work/first" "$work/moved here"  # no installed file may contain its old path; blanks must work
prefix="$work/moved here"

library=$(find "$prefix" -name 'libspmv_dist.so' | head -n 1)
if [ -n "$library" ]; then
  foreign=$(nm -D --defined-only "$library" | c++filt | cut -d ' ' -f 3- |
    sed -E 's/^(void|spmv_dist::(Moments|EvolveResult|EigenResult<(float|double|std::complex<(float|double)> ?)>)) //' |
    grep -vE '^spmv_dist(_[a-z_]+$|::(version|multiply|Error|Options|Context|LoadedRows<|Matrix<|Vector<|MultiVector<|to_string|Solver<|Number::|slot|Workspace<|Combination<|Hierarchy<|eigen<|moments<|moments_of<|evolve<|density_of_states))|^(typeinfo|typeinfo name|vtable) for spmv_dist::Error')
  check "the shared library exports only its interface: $foreign" [ -z "$foreign" ]
  check "it exports its interface" test "$(nm -D --defined-only "$library" | grep -c ' T spmv_dist_')" -ge 20
fi

check "configure" cmake -S "$examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix"
check "build with CMake" cmake --build "$work/build"
for n in 1 3 4; do check "multiply on $n ranks" ranks "$n" "$work/build/multiply"; done
check "conjugate gradients on 3 ranks" ranks 3 "$work/build/conjugate_gradients"
for n in 1 3; do check "a solver of one's own on $n ranks" ranks "$n" "$work/build/own_cg" stencil27:12,12,12; done
for n in 1 3; do check "levels of one's own on $n ranks" ranks "$n" "$work/build/multigrid"; done
check "benchmark on 2 ranks" ranks 2 "$work/build/benchmark" 16 "partition=metis format=pjds"
check "C on 3 ranks" ranks 3 "$work/build/multiply_c"
for optional in "multiply_fortran:Fortran and its MPI" "solve_fortran:Fortran and its MPI" "petsc_shell_ksp:PETSc" "slepc_holstein_hubbard:SLEPc"; do
  program=${optional%%:*}
  if [ -x "$work/build/$program" ]; then
    check "$program on 3 ranks" ranks 3 "$work/build/$program"
  else
    echo "skipped: $program, because CMake did not find ${optional#*:}"
  fi
done

if command -v pkg-config >/dev/null; then
  ln -s "$prefix" "$work/prefix"  # make cannot handle blanks
  cp "$examples"/multiply.c* "$examples/Makefile" "$work"
  pc=$(find -L "$work/prefix" -name spmv_dist.pc)
  check "build with pkg-config" env PKG_CONFIG_PATH="${pc%/*}" make -C "$work"
  awk '/^[`][`][`]/ { code = /cpp/; next } code' "$examples/../../README.md" >"$work/first_page.cpp"
  check "build the first page's program" env PKG_CONFIG_PATH="${pc%/*}" make -C "$work" first_page
  printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 1 3\n' >"$work/small.mtx"
  check "the first page's program on 2 ranks" ranks 2 "$work/first_page" "$work/small.mtx"
  for n in 1 3 4; do check "multiply on $n ranks, by pkg-config" ranks "$n" "$work/multiply"; done
  check "C on 3 ranks, by pkg-config" ranks 3 "$work/multiply_c"
else
  echo "skipped: pkg-config is not installed"
fi
exit "$((failures > 0))"
