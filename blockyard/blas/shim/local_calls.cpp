// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/shim/local_calls.h"

#include "blockyard/base/error.h"
#include "blockyard/blas/local/entry.h"

namespace blockyard::blas {

template <class T>
std::string LocalCalls<T>::name_of(Task task) {
  if (task != Task::getrf && task != Task::potrf) return {};
  return blas::name_of<T>(Form::gemm).front() +
         std::string(task == Task::getrf ? "getrf" : "potrf");
}

/// In the form of the name that was called: those of wheels, and those with 64-bit integers.
template <class T>
void* LocalCalls<T>::find(const std::string& routine) const {
  if (routine.empty()) return nullptr;
  const bool is_wide = symbol_.find("64") != std::string_view::npos;
  const std::string name =
      (symbol_.starts_with("scipy_") ? "scipy_" : "") + routine + (is_wide ? "_64_" : "_");
  return find_local(name.c_str(), caller_);
}

template <class T>
void* LocalCalls<T>::find(Form form) const {
  auto& found = found_[static_cast<std::size_t>(form)];
  if (!found) found = find(blas::name_of<T>(form));
  return *found;
}

template <class T>
bool LocalCalls<T>::has(Form form) const {
  return find(form) != nullptr;
}

template <class T>
bool LocalCalls<T>::has(Task task) const {
  return find(name_of(task)) != nullptr;
}

template <class T>
void LocalCalls<T>::operator()(const Call<T>& call) const {
  void* const function = find(call.form);
  base::require(function != nullptr, "a routine that was found before");
  invoke_level3(function, width_, call);
}

template <class T>
void LocalCalls<T>::operator()(const WholeCall<T>& call) const {
  void* const function = find(name_of(call.task));
  base::require(function != nullptr, "a routine that was found before");
  invoke_whole(function, call);
}

template class LocalCalls<float>;
template class LocalCalls<double>;
template class LocalCalls<c64>;
template class LocalCalls<c128>;

}  // namespace blockyard::blas
