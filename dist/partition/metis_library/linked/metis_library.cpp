#include "dist/partition/metis_library/metis_library.hpp"

// METIS's functions under the names that cmake/SpmvMetis.cmake gives them.
extern "C" {
extern decltype(METIS_SetDefaultOptions) spmv_METIS_SetDefaultOptions;
extern decltype(METIS_PartGraphKway) spmv_METIS_PartGraphKway;
extern decltype(METIS_PartGraphRecursive) spmv_METIS_PartGraphRecursive;
}

namespace spmv {

MetisLibrary find_metis() {
  return {.set_default_options = spmv_METIS_SetDefaultOptions,
          .part_kway = spmv_METIS_PartGraphKway,
          .part_recursive = spmv_METIS_PartGraphRecursive,
          .name = "the METIS that is linked",
          .loaded = {}};
}

}  // namespace spmv
