#pragma once

#include "app/jobscript/sites.hpp"

namespace spmv {

extern const Site pbs_site;

}  // namespace spmv
