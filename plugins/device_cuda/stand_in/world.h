// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "plugins/device_cuda/stand_in/books.h"

namespace blockyard::cuda::stand_in {

/// What the calls of CUDA find, which have no argument for it: one in the process, as CUDA is.
class World {
 public:
  [[nodiscard]] static World& here();

  /// Held by every call.
  [[nodiscard]] std::recursive_mutex& mutex() { return mutex_; }
  [[nodiscard]] Books& books() { return *books_; }
  /// All anew: no device is open. No thread has chosen one then.
  void begin(const Settings& settings);
  void choose(int device);
  /// The device that this thread has chosen. Fails if it has chosen none: CUDA would take the first
  /// one, which the plug-in never wants.
  [[nodiscard]] int chosen(const char* call) const;
  /// Fails unless the stream is open, and one of the device that this thread has chosen.
  [[nodiscard]] Stream& chosen(Stream* stream, const char* call);

 private:
  std::recursive_mutex mutex_;
  std::unique_ptr<Books> books_ = std::make_unique<Books>(Settings{});
  std::uint64_t beginnings_ = 1;
};

}  // namespace blockyard::cuda::stand_in
