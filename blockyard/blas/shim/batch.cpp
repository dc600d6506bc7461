// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/batch.h"

#include <algorithm>
#include <string_view>

namespace blockyard::blas {

template <class T>
void compute_batch(const std::vector<Call<T>>& products, const Site& site,
                   const LocalCalls<T>& others, const std::function<void()>& forward) {
  const bool is_any_offered =
      std::ranges::any_of(products, [](const Call<T>& one) { return is_offered(one); });
  // What is no letter of ours may be one of the program's routine.
  const bool is_known = std::ranges::all_of(products, [](const Call<T>& one) {
    constexpr std::string_view known = "NTC";
    return known.find(one.op_a) != known.npos && known.find(one.op_b) != known.npos;
  });
  if ((!is_any_offered || !is_known) && site.function != nullptr) return forward();
  const std::function<void(const Call<T>&)> local = [&](const Call<T>& one) { others(one); };
  for (const Call<T>& one : products)
    is_offered(one) ? route_level3<T>(one, site.thread_count(), others, local) : local(one);
}

template void compute_batch(const std::vector<Call<float>>&, const Site&, const LocalCalls<float>&,
                            const std::function<void()>&);
template void compute_batch(const std::vector<Call<double>>&, const Site&,
                            const LocalCalls<double>&, const std::function<void()>&);
template void compute_batch(const std::vector<Call<c64>>&, const Site&, const LocalCalls<c64>&,
                            const std::function<void()>&);
template void compute_batch(const std::vector<Call<c128>>&, const Site&, const LocalCalls<c128>&,
                            const std::function<void()>&);

}  // namespace blockyard::blas
