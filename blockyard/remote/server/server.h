// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "blockyard/remote/server/session.h"

namespace blockyard::remote {

/// Where a server listens, and whether its clients must prove a token, and speak TLS.
/// Where a token is required, TLS is accepted in any case.
struct Door {
  std::unique_ptr<rpc::Listener> listener;
  bool wants_proof = false;
  bool wants_tls = false;
};

/// Lends devices to clients. A client gets a thread; its resources are free when it has
/// gone, however it went.
class Server {
 public:
  /// log: a line for each client that connects, leaves, or is rejected. Any thread calls it.
  Server(std::vector<Door> doors, const Terms& terms, std::function<void(const std::string&)> log);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Rejects clients that are late to prove a token, and forgets those gone; call repeatedly.
  void sweep();
  /// Accepts no more clients, and gives those connected `seconds` to leave.
  void stop(double seconds);
  /// Clients that are connected now.
  [[nodiscard]] std::size_t clients();

 private:
  struct Guest {
    std::unique_ptr<Session> session;
    std::thread thread;
    bool must_prove = false;
    bool has_gone = false;
  };
  void receive_at(const Door& door);
  void take_in(const Door& door, std::unique_ptr<rpc::Transport> transport);
  void run(Guest& guest);
  [[nodiscard]] bool has_room(const Door& door);

  std::vector<Door> doors_;
  Terms open_terms_;
  Terms proof_terms_;
  std::function<void(const std::string&)> log_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::list<Guest> guests_;
  std::vector<std::thread> threads_;
  bool is_stopped_ = false;
};

}  // namespace blockyard::remote
