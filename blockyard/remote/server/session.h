// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "blockyard/remote/server/exported.h"
#include "blockyard/remote/server/joins.h"
#include "blockyard/remote/token.h"
#include "blockyard/rpc/transport.h"

namespace blockyard::remote {

/// The resources a server lends, and its clients.
struct Terms {
  std::vector<Export> devices;
  std::uint64_t client_memory_bytes = 0;  ///< of each client on each device; 0: what there is
  std::size_t staging_bytes = std::size_t{64} << 20;  ///< received and not on a device yet
  std::size_t max_clients = 256;                      ///< at a time
  std::vector<Token> tokens;
  bool wants_proof = false;  ///< of clients that connect
  double join_seconds = 5;   ///< that the further sockets of a client have
  /// Shared by the sessions of a server: a client may have several sockets.
  std::shared_ptr<Joins> joins = std::make_shared<Joins>();
};

/// One client, from its first byte to its last. One thread runs it.
class Session {
 public:
  Session(std::unique_ptr<rpc::Transport> transport, const Terms& terms);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Returns when the client has left, or was rejected; its resources are free then. The text says
  /// why if it was not by its own will.
  [[nodiscard]] std::string run();
  /// Sends the client away. Any thread.
  void cut() noexcept {
    staging_.end();  // the thread that receives may wait for room
    const std::lock_guard lock(cutting_);
    link_.load()->cut();
  }
  /// It was a further socket of another one.
  [[nodiscard]] bool has_joined() const noexcept { return has_joined_; }
  [[nodiscard]] bool is_proven() const noexcept { return is_proven_; }
  [[nodiscard]] double began() const noexcept { return began_; }
  [[nodiscard]] std::string client() const { return client_; }

 private:
  [[nodiscard]] bool shake_hands();
  [[nodiscard]] bool join(const rpc::Frame& frame);
  void widen(const rpc::Frame& frame);
  void leave() noexcept;
  void take(const rpc::Frame& frame);
  void take_plan(const rpc::Frame& frame);
  void take_enqueued(const rpc::Frame& frame);
  void take_copy_in(const rpc::Frame& frame);
  [[nodiscard]] Answer answer(const rpc::Frame& frame);
  [[nodiscard]] Answer open(const Open& asked);
  void close(std::uint32_t device);
  [[nodiscard]] Exported& device(std::uint32_t number) const;
  [[nodiscard]] Seat& seat(std::uint32_t index);
  [[nodiscard]] Answer usage() const;
  [[nodiscard]] Answer work(std::uint32_t index);
  void tell_later(const Place& done) noexcept;
  void tell_news() noexcept;
  void add_loads(std::map<std::uint32_t, Load>& told, std::vector<rpc::Outgoing>& news);
  void send(Kind kind, const auto& message, std::uint64_t request = 0);

  std::unique_ptr<rpc::Transport> transport_;
  std::unique_ptr<rpc::Transport> striped_;  ///< over it and those that joined
  std::atomic<rpc::Transport*> link_;        ///< what is used
  std::mutex cutting_;                       ///< held while `link_` is cut or leaves `striped_`
  const Terms& terms_;
  rpc::SharedSender sender_;
  Staging staging_;
  std::mutex telling_;  ///< guards what follows
  std::condition_variable told_;
  std::map<std::uint32_t, std::unique_ptr<Seat>> seats_;  ///< by the server's number of the device
  std::map<std::pair<std::uint32_t, std::uint32_t>, Place> done_;  ///< by device and stream
  bool is_over_ = false;
  std::atomic<double> taking_since_ = 0;   ///< messages, without waiting for one; 0: it waits
  std::atomic<double> message_since_ = 0;  ///< the one that it takes
  std::thread teller_;  ///< tells the client what is done, and what others do with the devices
  std::map<std::uint32_t, std::unique_ptr<Exported>> devices_;
  std::atomic<bool> is_proven_ = false;
  std::atomic<bool> has_joined_ = false;
  rpc::Digest client_nonce_{}, server_nonce_{};
  std::string secret_;
  double began_;
  std::string client_ = "a client";
  double weight_ = 1;
};

}  // namespace blockyard::remote
