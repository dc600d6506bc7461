// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "blockyard/blas/level3.h"
#include "blockyard/blas/whole.h"

namespace blockyard::blas {

/// A call of the program's own routine of another name than the one that was called: of what a call
/// is made of where a device has no room for it. One thread.
template <class T>
class LocalCalls {
 public:
  /// symbol: the exported name that was called; it outlives this. width: of its integers.
  LocalCalls(std::string_view symbol, const void* caller, int width)
      : symbol_(symbol), caller_(caller), width_(width) {}

  /// False: the program's libraries have no such name, or it is none of these.
  [[nodiscard]] bool has(Form form) const;
  [[nodiscard]] bool has(Task task) const;
  void operator()(const Call<T>& call) const;
  /// getrf and potrf.
  void operator()(const WholeCall<T>& call) const;
  /// "dgetrf"; empty for tasks that are not called here.
  [[nodiscard]] static std::string name_of(Task task);
  [[nodiscard]] int width() const noexcept { return width_; }

 private:
  // Null: there is none.
  [[nodiscard]] void* find(Form form) const;
  [[nodiscard]] void* find(const std::string& routine) const;

  std::string_view symbol_;
  const void* caller_;
  int width_;
  /// What was looked for before, by form: batches are of many small products. An array, since
  /// signal handlers, which must not allocate, may call.
  mutable std::array<std::optional<void*>, static_cast<std::size_t>(Form::gemmt) + 1> found_;
};

// Made by generate.py.

template <class T>
void invoke_level3(void* function, int width, const Call<T>& call);
template <class T>
void invoke_whole(void* function, const WholeCall<T>& call);

}  // namespace blockyard::blas
