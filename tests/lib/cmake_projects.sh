#!/usr/bin/env bash
# The library in other CMake projects: found by find_package, whatever their languages, and as a subproject, which must not change
# their settings.
#
#   cmake_projects.sh CMAKE BUILD SOURCE FORTRAN CUDA      compilers; empty if there are none
set -u
cmake=$1 build=$2 source=$3 fortran=$4 cuda=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# verdict NAME: reports whether the last command succeeded; prints its log if not.
verdict() {
  local code=$?
  if [ "$code" = 0 ]; then echo "passed: $1"; else
    echo "FAILED: $1"
    sed 's/^/    /' "$work/log" | tail -30
    failures=$((failures + 1))
  fi
  return "$code"
}
# project FOLDER LINES...: a project with these lines in its CMakeLists.txt.
project() {
  mkdir -p "$work/$1"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.24)' "${@:2}" >"$work/$1/CMakeLists.txt"
}
configure() { "$cmake" -S "$work/$1" -B "$work/$1/b" "${@:2}" >"$work/log" 2>&1; }
build() { "$cmake" --build "$work/$1/b" "${@:2}" >"$work/log" 2>&1; }

"$cmake" --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1
verdict "install" || exit 1

# Projects of one language find the library.
printf '#include <spmv_dist/spmv_dist.h>\nint main(void) { return spmv_dist_version()[0] == 0; }\n' >"$work/main.c"
printf '#include <spmv_dist/spmv_dist.hpp>\nint main() { return spmv_dist::version()[0] == 0; }\n' >"$work/main.cpp"
cp "$work/main.cpp" "$work/main.cu"
cat >"$work/main.f90" <<'F'
program main
  use iso_c_binding
  interface
    function version() bind(c, name='spmv_dist_version')
      import c_ptr
      type(c_ptr) :: version
    end function
  end interface
  if (.not. c_associated(version())) stop 1
end program
F
for language_and_file in C:c CXX:cpp Fortran:f90 CUDA:cu; do
  language=${language_and_file%:*} file=$work/main.${language_and_file#*:}
  case $language:$fortran:$cuda in
    Fortran::* | CUDA:*:) echo "skipped: a project of $language alone, because its compiler is missing" && continue ;;
  esac
  project "only_$language" "project(only_$language $language)" 'find_package(spmv_dist REQUIRED)' "add_executable(a $file)" \
    'target_link_libraries(a PRIVATE spmv_dist::spmv_dist)'
  configure "only_$language" -DCMAKE_PREFIX_PATH="$work/prefix" ${cuda:+-DCMAKE_CUDA_COMPILER="$cuda"}
  verdict "a project of $language alone is configured" || continue
  build "only_$language"
  verdict "a project of $language alone is built" || continue
  "$work/only_$language/b/a" >"$work/log" 2>&1
  verdict "a project of $language alone runs"
done

# A C++ ABI unlike the library's is refused with a message.
refuses() {
  if configure only_CXX -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS="$1" && build only_CXX --clean-first; then false; else
    grep -q "error.*spmv_dist was compiled $2" "$work/log"
  fi
  verdict "$1 is refused"
}
if ! grep -qE 'WITH_(GLIBCXX_DEBUG [^0]|CXX11_ABI 0)' "$work"/prefix/include/spmv_dist/abi_cxx.h; then
  refuses -D_GLIBCXX_DEBUG 'without _GLIBCXX_DEBUG.*_GLIBCXX_ASSERTIONS'
  refuses -D_GLIBCXX_USE_CXX11_ABI=0 'without _GLIBCXX_USE_CXX11_ABI=0.*leave it out'
  configure only_CXX -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS && build only_CXX --clean-first
  verdict "-D_GLIBCXX_ASSERTIONS is not refused"
else
  echo "skipped: a refused ABI, because the library itself has another one"
fi
# The C interface has no C++ types, so C++ projects of any ABI can use it.
cp "$work/main.c" "$work/main_of_c.cpp"
project c_interface 'project(c_interface CXX)' 'find_package(spmv_dist REQUIRED)' "add_executable(a $work/main_of_c.cpp)" \
  'target_link_libraries(a PRIVATE spmv_dist::spmv_dist)'
configure c_interface -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_FLAGS=-D_GLIBCXX_DEBUG && build c_interface
verdict "the C interface in C++ with _GLIBCXX_DEBUG"

# As a subproject, the library must leave the project's settings alone. Only the project's own
# source is compiled.
part='set(SPMV_CUDA OFF)
set(SPMV_SCOTCH OFF)'
# shellcheck disable=SC2016  # CMake expands it
print='foreach(name CMAKE_BUILD_TYPE BUILD_SHARED_LIBS SPMV_BUILD_TESTS SPMV_BUILD_BENCHMARKS SPMV_BUILD_PROGRAM SPMV_INSTALL CMAKE_CXX_STANDARD
        CMAKE_POSITION_INDEPENDENT_CODE CMAKE_RUNTIME_OUTPUT_DIRECTORY CMAKE_MODULE_PATH CMAKE_EXPORT_COMPILE_COMMANDS)
  list(APPEND values "${name}=${${name}}")
endforeach()
get_property(tests DIRECTORY "@source@" PROPERTY TESTS)
get_property(options DIRECTORY PROPERTY COMPILE_OPTIONS)
message(STATUS "seen: ${values};tests=${tests};options=${options}")
add_executable(linked ../main.cpp)
target_link_libraries(linked PRIVATE spmv_dist::spmv_dist)
# A source with the include folders of the library, which is not built.
find_package(MPI REQUIRED COMPONENTS C)
add_library(own OBJECT ../main.cpp)
target_include_directories(own PRIVATE $<TARGET_PROPERTY:spmv_dist::spmv_dist,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(own PRIVATE MPI::MPI_C)'
untouched='CMAKE_BUILD_TYPE=;BUILD_SHARED_LIBS=;SPMV_BUILD_TESTS=OFF;SPMV_BUILD_BENCHMARKS=OFF;SPMV_BUILD_PROGRAM=OFF;SPMV_INSTALL=OFF;CMAKE_CXX_STANDARD=;CMAKE_POSITION_INDEPENDENT_CODE=;CMAKE_RUNTIME_OUTPUT_DIRECTORY=;CMAKE_MODULE_PATH=;CMAKE_EXPORT_COMPILE_COMMANDS=;tests=;options='
# part_of NAME HOW: HOW is the CMake command that adds the sources.
part_of() {
  project "$1" "project($1 LANGUAGES C CXX)" "$part" "$2" "${print/@source@/$source}"
  configure "$1" && grep -qF "seen: $untouched" "$work/log" && ! grep -q 'CMake Warning' "$work/log"
  verdict "$1: configured, and the project is untouched" && build "$1" --target own
  verdict "$1: a source of the project is compiled"
}
part_of subdirectory "add_subdirectory(\"$source\" spmv_dist)"
part_of fetch_content "include(FetchContent)
FetchContent_Declare(spmv_dist SOURCE_DIR \"$source\" BINARY_DIR spmv_dist)
FetchContent_MakeAvailable(spmv_dist)"

# What a static library is made of meets a program whose standard library has the same symbols.
printf '#include <memory>\nstd::shared_ptr<int> of_library() { return std::make_shared<int>(2); }\n' >"$work/part.cpp"
cat >"$work/shares.cpp" <<'C'
#include <memory>
std::shared_ptr<int> __attribute__((visibility("hidden"))) of_library() { return std::make_shared<int>(1); }
int in_library();
int main() { return in_library() == 2 && *of_library() == 1 ? 0 : 1; }
C
printf 'int __attribute__((visibility("default"))) in_library() { return *of_library(); }\n' >>"$work/part.cpp"
# shellcheck disable=SC2016
project static 'project(static LANGUAGES C CXX)' "$part" 'set(BUILD_SHARED_LIBS OFF)' "add_subdirectory(\"$source\" spmv_dist)" \
  'add_library(part OBJECT ../part.cpp)' 'set_target_properties(part PROPERTIES CXX_VISIBILITY_PRESET hidden)' \
  'target_link_libraries(part PRIVATE spmv_flags)' 'spmv_join_objects(${CMAKE_BINARY_DIR}/joined.o TARGETS part OBJECTS $<TARGET_OBJECTS:part>)' \
  'add_executable(shares ../shares.cpp ${CMAKE_BINARY_DIR}/joined.o)'
configure static && build static --target shares && "$work/static/b/shares" >"$work/log" 2>&1
verdict "a program with std::make_shared links with joined objects"
exit "$((failures > 0))"
