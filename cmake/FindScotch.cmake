# Scotch::PTScotch from ptscotch.h and its libraries. -DScotch_ROOT=DIR or the environment's Scotch_ROOT names a place of its
# own. Preferred are 64-bit numbers (Debian keeps several widths side by side, all by one soname), and archives: what is linked
# from them meets no other width that a process may have loaded, as PETSc's. SCOTCH_NUM_BITS is the width.
find_path(SCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch-int64 scotch)
find_library(PTSCOTCH_LIBRARY NAMES libptscotch.a ptscotch PATH_SUFFIXES scotch-int64)
find_library(SCOTCH_LIBRARY NAMES libscotch.a scotch PATH_SUFFIXES scotch-int64)
set(SCOTCH_ERROR_LIBRARY)
if(NOT PTSCOTCH_LIBRARY MATCHES "\\.a$")  # which bring no functions for their messages that would be overridden
  find_library(PTSCOTCHERR_LIBRARY ptscotcherr PATH_SUFFIXES scotch-int64)
  set(SCOTCH_ERROR_LIBRARY ${PTSCOTCHERR_LIBRARY})
  mark_as_advanced(PTSCOTCHERR_LIBRARY)
endif()
if(SCOTCH_INCLUDE_DIR)
  file(STRINGS ${SCOTCH_INCLUDE_DIR}/scotch.h scotch_lines REGEX "#define SCOTCH_(VERSION|RELEASE|PATCHLEVEL) ")
  string(REGEX REPLACE "[^0-9;]" "" SCOTCH_VERSION "${scotch_lines}")
  string(REPLACE ";" "." SCOTCH_VERSION "${SCOTCH_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Scotch REQUIRED_VARS PTSCOTCH_LIBRARY SCOTCH_LIBRARY SCOTCH_INCLUDE_DIR
                                  VERSION_VAR SCOTCH_VERSION)
if(Scotch_FOUND AND NOT TARGET Scotch::PTScotch)
  add_library(Scotch::PTScotch UNKNOWN IMPORTED)
  set_target_properties(Scotch::PTScotch PROPERTIES IMPORTED_LOCATION ${PTSCOTCH_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${SCOTCH_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES "${SCOTCH_LIBRARY};${SCOTCH_ERROR_LIBRARY}")
endif()
mark_as_advanced(SCOTCH_INCLUDE_DIR PTSCOTCH_LIBRARY SCOTCH_LIBRARY)
