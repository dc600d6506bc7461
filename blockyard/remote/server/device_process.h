// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/rpc/socket/socket.h"

namespace blockyard::remote {

/// A process of its own for a device, so that a driver that crashes ends nothing else. It is a
/// server as well, and listens at a socket that this process keeps: when it ends it is started
/// again, and clients that connect meanwhile wait. Any thread.
class DeviceProcess {
 public:
  /// The descriptor of the socket in the process that is started.
  static constexpr int adopted = 3;
  /// Starts `command`, whose first word is the path of a program, and again whenever it ends.
  /// path: of the socket. log: a line whenever it ended. Returns when it answers there. Throws
  /// Error{comm}.
  DeviceProcess(std::vector<std::string> command, const std::string& path,
                std::function<void(const std::string&)> log);
  /// Ends the process.
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

 private:
  void keep_alive();
  void end() noexcept;

  const std::vector<std::string> command_;
  const std::function<void(const std::string&)> log_;
  rpc::socket::SocketListener listener_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  pid_t process_ = -1;  ///< -1: none runs
  bool is_ended_ = false;
  std::thread thread_;
};

/// In a process that `parent` started so: it ends when that one does.
void end_with(pid_t parent);

/// What a program prints; empty if it fails. Throws Error{io} if it cannot be started.
[[nodiscard]] std::string output_of(const std::vector<std::string>& command);

}  // namespace blockyard::remote
