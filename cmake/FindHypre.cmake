# HYPRE_INCLUDE_DIR and HYPRE_LIBRARY, which is loaded while a program runs: a shared one. -DHypre_ROOT=DIR or the environment's Hypre_ROOT names a place of its own.
find_path(HYPRE_INCLUDE_DIR _hypre_parcsr_ls.h PATH_SUFFIXES hypre)
find_library(HYPRE_LIBRARY NAMES libHYPRE.so HYPRE)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hypre REQUIRED_VARS HYPRE_LIBRARY HYPRE_INCLUDE_DIR)
mark_as_advanced(HYPRE_INCLUDE_DIR HYPRE_LIBRARY)
