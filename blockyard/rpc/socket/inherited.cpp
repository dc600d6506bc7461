// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/socket/inherited.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>

namespace blockyard::rpc::socket {
namespace {

/// The inodes of sockets by number, 0 where there was none. A socket that was closed stays here:
/// its inode tells it from what has the number now. Higher numbers stay with the child.
constinit std::array<std::atomic<ino_t>, 4096> connections{};

/// 0 for what is no open socket.
ino_t inode_of_socket(int number) noexcept {
  struct stat now {};
  return ::fstat(number, &now) == 0 && S_ISSOCK(now.st_mode) ? now.st_ino : 0;
}

}  // namespace

void note_connection(const Descriptor& socket) noexcept {
  const auto number = static_cast<std::size_t>(socket.get());
  if (socket && number < connections.size()) connections[number] = inode_of_socket(socket.get());
}

void close_inherited() noexcept {
  for (std::size_t number = 0; number < connections.size(); ++number) {
    const ino_t noted = connections[number].exchange(0);
    const auto open = static_cast<int>(number);
    if (noted != 0 && inode_of_socket(open) == noted) ::close(open);
  }
}

}  // namespace blockyard::rpc::socket
