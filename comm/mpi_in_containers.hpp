#pragma once

namespace spmv {

/// In a user namespace of its own, as in a rootless container, a rank cannot copy from another rank's memory. Open MPI 4 finds
/// that out while it connects the ranks, and goes on in a way in which messages of 16 MB and more together never arrive. This
/// tells it beforehand not to try, unless the user has said how it should copy. Before MPI starts. Local.
void prepare_mpi_for_containers();

}  // namespace spmv
