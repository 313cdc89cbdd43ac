#pragma once

#include <functional>

namespace spmv {

/// Bytes of the idx_t of the METIS that this METIS_SetDefaultOptions is of; 0 where it has neither 4 nor 8. The width is in
/// METIS's header only, which may be another one's. Local.
int metis_width(const std::function<void(void*)>& set_default_options);

}  // namespace spmv
