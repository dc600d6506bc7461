// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "blockyard/base/error.h"

namespace blockyard::rpc::socket {

/// Sole owner of a descriptor. A program that closes all that is open, as those do that become
/// daemons, may take the number for a file of its own: that one is neither used nor closed. Any
/// thread.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {
    struct stat now {};
    if (number < 0 || ::fstat(number, &now) != 0) return;
    device_ = now.st_dev;
    inode_ = now.st_ino;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept { swap(other); }
  Descriptor& operator=(Descriptor&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Descriptor() {
    if (is_open()) ::close(number_);
  }
  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }
  /// Whether the number still means what it was made for.
  [[nodiscard]] bool is_open() const noexcept {
    struct stat now {};
    return number_ >= 0 && ::fstat(number_, &now) == 0 && now.st_dev == device_ &&
           now.st_ino == inode_;
  }

 private:
  void swap(Descriptor& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(device_, other.device_);
    std::swap(inode_, other.inode_);
  }

  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

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
