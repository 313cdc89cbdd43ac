#pragma once

#include "app/jobscript/sites.hpp"

namespace spmv {

extern const Site slurm_site;

}  // namespace spmv
