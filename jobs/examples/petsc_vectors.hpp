// PETSc's solvers on this library's products without copying a vector: PETSc's vectors lie in memory of spmv_dist::Vectors, in
// the rank's basis and with the room for the halo after them, and the product of a shell matrix uses them as they are.
//
//   Context context = make_context(PETSC_COMM_WORLD);
//   Mat shell;  make_shell(A, &shell);            A must outlive it
//   Vec b;      MatCreateVecs(shell, &b, nullptr);
//   vector_of(b).set(natural);                    to the rank's basis; get() is the way back
//   KSPSetOperators(ksp, shell, shell); ...       what KSP and EPS duplicate lies in such memory, too
//
// A PETSc that was built with CUDA gets CUDA vectors, and products run on the GPU that PETSc has chosen, in the order of its
// stream.
#pragma once

#include <utility>

#include <petscmat.h>
#ifdef PETSC_HAVE_CUDA
#include <cuda_runtime_api.h>
#include <petscdevice.h>
#endif
#include <spmv_dist/spmv_dist.hpp>

namespace on_spmv_dist {

/// What a PETSc vector keeps.
struct Placed {
  spmv_dist::Matrix<double> A;
  spmv_dist::Vector<double> vector;
};

inline constexpr const char* key = "spmv_dist_vector";

inline PetscErrorCode destroy_placed(void* placed) {
  delete static_cast<Placed*>(placed);
  return PetscErrorCode(0);
}

/// What `vec`, which make_vec() has made, keeps. Ends the program for any other vector.
inline Placed& placed_in(Vec vec) {
  PetscObject container = nullptr;
  void* placed = nullptr;
  PetscCallAbort(PETSC_COMM_SELF, PetscObjectQuery(reinterpret_cast<PetscObject>(vec), key, &container));
  if (container == nullptr)
    PetscCallAbort(PETSC_COMM_SELF,
                   PetscError(PETSC_COMM_SELF, __LINE__, __func__, __FILE__, PETSC_ERR_ARG_WRONG,
                              PETSC_ERROR_INITIAL, "a vector in other memory: make it by MatCreateVecs()"));
  PetscCallAbort(PETSC_COMM_SELF,
                 PetscContainerGetPointer(reinterpret_cast<PetscContainer>(container), &placed));
  return *static_cast<Placed*>(placed);
}
inline spmv_dist::Vector<double>& vector_of(Vec vec) {
  return placed_in(vec).vector;
}

inline PetscErrorCode make_vec(const spmv_dist::Matrix<double>& A, Vec* vec);
inline PetscErrorCode duplicate(Vec vec, Vec* copy) {
  PetscCall(make_vec(placed_in(vec).A, copy));
  return PetscErrorCode(0);
}

/// VecDuplicateVecs(). PETSc's own may give all vectors one piece of memory.
inline PetscErrorCode duplicate_several(Vec vec, PetscInt count, Vec** copies) {
  PetscCall(PetscMalloc1(count, copies));
  for (PetscInt i = 0; i < count; ++i) PetscCall(duplicate(vec, *copies + i));
  return PetscErrorCode(0);
}

/// The library on the device that PETSc computes on. Collective; throws spmv_dist::Error.
inline spmv_dist::Context make_context(MPI_Comm communicator) {
#ifdef PETSC_HAVE_CUDA
  PetscCallAbort(communicator, PetscDeviceInitialize(PETSC_DEVICE_CUDA));  // makes its GPU the current one
  return spmv_dist::Context(communicator, {{"backend", "cuda"}, {"device", "current"}});
#else
  return spmv_dist::Context(communicator, {{"backend", "host"}});
#endif
}

/// A vector of zeros.
inline PetscErrorCode make_vec(const spmv_dist::Matrix<double>& A, Vec* vec) {
  auto* placed = new Placed{A, A.make_x()};
  const auto rows = static_cast<PetscInt>(placed->vector.size());
#ifdef PETSC_HAVE_CUDA
  PetscCall(
      VecCreateMPICUDAWithArray(PETSC_COMM_WORLD, 1, rows, PETSC_DETERMINE, placed->vector.data(), vec));
#else
  PetscCall(VecCreateMPIWithArray(PETSC_COMM_WORLD, 1, rows, PETSC_DETERMINE, placed->vector.data(), vec));
#endif
  PetscContainer container = nullptr;
  PetscCall(PetscContainerCreate(PETSC_COMM_WORLD, &container));
  PetscCall(PetscContainerSetPointer(container, placed));
  PetscCall(PetscContainerSetUserDestroy(container, destroy_placed));
  PetscCall(
      PetscObjectCompose(reinterpret_cast<PetscObject>(*vec), key, reinterpret_cast<PetscObject>(container)));
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(VecSetOperation(*vec, VECOP_DUPLICATE, reinterpret_cast<void (*)()>(duplicate)));
  constexpr auto duplicate_vecs = static_cast<VecOperation>(VECOP_DUPLICATE + 1);  // has no name
  PetscCall(VecSetOperation(*vec, duplicate_vecs, reinterpret_cast<void (*)()>(duplicate_several)));
  return PetscErrorCode(0);
}

/// MatCreateVecs() of the shell matrix.
inline PetscErrorCode make_vecs(Mat shell, Vec* right, Vec* left) {
  spmv_dist::Matrix<double>* A = nullptr;
  PetscCall(MatShellGetContext(shell, &A));
  for (Vec* vec : {right, left})
    if (vec != nullptr) PetscCall(make_vec(*A, vec));
  return PetscErrorCode(0);
}

/// y = A x. PETSc is told that y has changed, and where, by the calls that lend its memory.
inline PetscErrorCode multiply_shell(Mat shell, Vec x, Vec y) {
  spmv_dist::Matrix<double>* A = nullptr;
  const PetscScalar* from = nullptr;
  PetscScalar* to = nullptr;
  PetscCall(MatShellGetContext(shell, &A));
#ifdef PETSC_HAVE_CUDA
  PetscCall(VecCUDAGetArrayRead(x, &from));
  PetscCall(VecCUDAGetArrayWrite(y, &to));
#else
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
#endif
  if (from != vector_of(x).data() || to != vector_of(y).data())
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc has moved a vector to other memory");
  try {  // no exception may leave through PETSc
    multiply_queued(*A, vector_of(x), vector_of(y));
  } catch (const spmv_dist::Error& error) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", error.what());
  }
#ifdef PETSC_HAVE_CUDA
  PetscCall(VecCUDARestoreArrayRead(x, &from));
  PetscCall(VecCUDARestoreArrayWrite(y, &to));
#else
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscCall(VecRestoreArrayWrite(y, &to));
#endif
  return PetscErrorCode(0);
}

/// A shell matrix whose product is that of A. A is square, and its rows stay on their ranks (option partition=keep).
inline PetscErrorCode make_shell(spmv_dist::Matrix<double>& A, Mat* shell) {
  const auto rows = static_cast<PetscInt>(A.size(spmv_dist::Side::y));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, rows, rows, PETSC_DETERMINE, PETSC_DETERMINE, &A, shell));
  PetscCall(MatShellSetOperation(*shell, MATOP_MULT, reinterpret_cast<void (*)()>(multiply_shell)));
  PetscCall(MatShellSetOperation(*shell, MATOP_CREATE_VECS, reinterpret_cast<void (*)()>(make_vecs)));
#ifdef PETSC_HAVE_CUDA
  PetscDeviceContext context = nullptr;
  void* stream = nullptr;  // its address
  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetStreamHandle(context, &stream));
  A.order_with(*static_cast<cudaStream_t*>(stream));
#endif
  return PetscErrorCode(0);
}

}  // namespace on_spmv_dist
