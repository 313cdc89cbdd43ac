#pragma once

namespace spmv {

/// A rank in a user namespace of its own, as in a rootless container, cannot copy from another rank's memory. Open MPI 4
/// notices that while it connects the ranks, and then messages of 16 MB and more together never arrive. This sets Open MPI's
/// variables so that it does not try, unless the user has set them. Before MPI starts. Local.
void prepare_mpi_for_containers();

}  // namespace spmv
