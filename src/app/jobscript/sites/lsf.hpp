#pragma once

#include "app/jobscript/sites.hpp"

namespace spmv {

extern const Site lsf_site;

}  // namespace spmv
