// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "blockyard/base/error.h"
#include "blockyard/base/handle.h"

namespace blockyard::rpc::socket {

struct DescriptorKind {
  using Raw = int;
  static Raw null() noexcept { return -1; }
  static void release(Raw raw) noexcept { ::close(raw); }
};
using Descriptor = base::Handle<DescriptorKind>;

[[noreturn]] inline void fail(const std::string& what, int cause) {
  throw base::Error(base::Errc::comm, what + ": " + std::strerror(cause));
}

/// A program may have closed 0 to 2 and take what opens next for its own output.
[[nodiscard]] inline int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > 2) return descriptor;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
  ::close(descriptor);
  return moved;
}

}  // namespace blockyard::rpc::socket
