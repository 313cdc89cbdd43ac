// The partitioners' functions; dist/partitioners.cpp says what each of them does.
#pragma once

#include "dist/partitioner.hpp"

namespace spmv {

Assign assign_by_rows;
Assign assign_by_nonzeros;
Assign assign_by_metis;
Assign assign_by_metis_groups;
Assign assign_by_scotch;
Assign assign_by_auto;  // says in Assignment::choice what it took and why

/// See Partitioner::missing.
extern const char* const scotch_missing;

}  // namespace spmv
