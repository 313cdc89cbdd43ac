#pragma once

#include "app/jobscript/sites.hpp"

namespace spmv {

extern const Site local_site;

}  // namespace spmv
