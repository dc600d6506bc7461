// SPDX-License-Identifier: Apache-2.0
// The kernels for the GPU.
#include <cuda_runtime.h>

namespace blockyard::cuda {
namespace {

template <class Kernel, class... Arguments>
void launch(cudaStream_t stream, Kernel* kernel, dim3 grid, dim3 block, Arguments... arguments) {
  kernel<<<grid, block, 0, stream>>>(arguments...);
}

}  // namespace
}  // namespace blockyard::cuda

#include "plugins/device_cuda/launches.h"
