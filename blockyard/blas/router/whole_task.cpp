// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/whole_task.h"

#include "blockyard/blas/router/whole_work.h"

namespace blockyard::blas {

template <class T>
bool compute_there(const WholeCall<T>& call, DeviceProducts& products) {
  const On on = products.begin_whole();
  switch (call.task) {
    case Task::getrf:
    case Task::gesv:
    case Task::getrs:
    case Task::potrf:
    case Task::posv:
    case Task::potrs:
    case Task::getri:
    case Task::potri:
      return compute_by_factors(call, on);
    case Task::geqrf:
    case Task::ormqr:
    case Task::orgqr:
    case Task::gels:
      return compute_by_reflectors(call, on);
    default:
      return compute_spectrum(call, on);
  }
}

template bool compute_there(const WholeCall<float>&, DeviceProducts&);
template bool compute_there(const WholeCall<double>&, DeviceProducts&);
template bool compute_there(const WholeCall<c64>&, DeviceProducts&);
template bool compute_there(const WholeCall<c128>&, DeviceProducts&);

}  // namespace blockyard::blas
