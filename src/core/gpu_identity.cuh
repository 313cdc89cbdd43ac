// What tells one GPU from another, and who else may run on it at the same time.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>

#include <cuda_runtime.h>

#include "core/cuda_check.hpp"
#include "core/this_machine.hpp"

namespace spmv {

/// Of this process's GPU with this number.
inline std::string pci_address(int device) {
  char address[32] = {};
  cuda_check(cudaDeviceGetPCIBusId(address, sizeof address, device), "read the device's PCI address");
  return address;
}

/// As nvidia-smi -L shows it. Parts of a GPU have names with MIG in them.
inline std::string uuid_of(const cudaDeviceProp& properties) {
  constexpr int groups_end[] = {4, 6, 8, 10};
  constexpr char digits[] = "0123456789abcdef";
  std::string text = std::string(properties.name).find(" MIG ") != std::string::npos ? "MIG-" : "GPU-";
  for (int i = 0; i < static_cast<int>(sizeof properties.uuid.bytes); ++i) {
    if (std::find(std::begin(groups_end), std::end(groups_end), i) != std::end(groups_end)) text += '-';
    const auto byte = static_cast<unsigned char>(properties.uuid.bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// Whether MPS has this process's contexts. Drivers that don't know the question leave it to the daemon's pipe.
inline bool under_mps(int device) {
  constexpr auto mps_enabled =
      static_cast<cudaDeviceAttr>(133);  // cudaDevAttrMpsEnabled, named since CUDA 12.4
  int enabled = 0;
  if (cudaDeviceGetAttribute(&enabled, mps_enabled, device) == cudaSuccess) return enabled != 0;
  cudaGetLastError();  // the question failed, the program did not
  return finds_mps_pipe();
}

}  // namespace spmv
