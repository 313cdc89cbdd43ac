# METIS_INCLUDE_DIR and METIS_LIBRARY from metis.h and libmetis; Debian ships no CMake or pkg-config file for it. Where that is
# an archive, METIS_GKLIB is the GKlib that it may have left out.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
if(METIS_LIBRARY MATCHES "\\.a$")
  find_library(METIS_GKLIB NAMES libGKlib.a)
  mark_as_advanced(METIS_GKLIB)
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)
