#include "app/jobscript/sites.hpp"

#include "app/jobscript/sites/local.hpp"
#include "app/jobscript/sites/lsf.hpp"
#include "app/jobscript/sites/pbs.hpp"
#include "app/jobscript/sites/slurm.hpp"

namespace spmv {

const std::vector<Site>& sites() {
  static const std::vector<Site> table = {slurm_site, pbs_site, lsf_site, local_site};
  return table;
}

}  // namespace spmv
