// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "blockyard/remote/messages.h"
#include "blockyard/remote/token.h"
#include "blockyard/remote/use.h"
#include "blockyard/rpc/transport.h"

namespace blockyard::remote {

/// A stream of a device, numbers that the client chose.
struct StreamKey {
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

/// The progress of a stream.
struct Progress {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t done = 0;             ///< all to this number is done
  std::uint64_t failed_from = never;  ///< nothing from this number on happens
  std::string text;                   ///< why
};

/// A connection to a server. A thread sends what is posted, another receives; once the link is
/// lost neither touches memory of the caller any more. Any thread.
class Link {
 public:
  /// How long silence may last while an answer is due before the link counts as lost.
  static constexpr double default_patience_seconds = 20;

  /// Shakes hands. Throws Error{comm} that says why the server does not want us.
  Link(std::unique_ptr<rpc::Transport> transport, const std::optional<Token>& token,
       double patience_seconds = default_patience_seconds)
      : Link(std::move(transport), token, patience_seconds, {}) {}
  /// Further sockets of the connection, long payloads are divided among.
  struct More {
    std::uint32_t sockets = 1;  ///< in all, that are wanted
    std::function<std::unique_ptr<rpc::Transport>()> connect = {};
    double greeting_seconds = default_patience_seconds;
    bool wants_proof = false;  ///< others than the server could answer at its address
  };
  Link(std::unique_ptr<rpc::Transport> transport, const std::optional<Token>& token,
       double patience_seconds, const More& more);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  [[nodiscard]] const std::vector<Offer>& devices() const noexcept { return devices_; }
  [[nodiscard]] std::uint32_t next_number() noexcept;

  /// Sends a frame later, in the order of the calls; its payload stays where it is till then.
  void post(rpc::Outgoing frame);
  /// The same for work that has this number on a stream.
  void post_work(const StreamKey& key, std::uint64_t sequence, rpc::Outgoing frame);
  /// Sends a frame and waits for its answer. A lost link answers FAILED.
  [[nodiscard]] Answer ask(Kind kind, std::vector<std::byte> body) {
    return wait_for_answer(ask_ahead(kind, std::move(body)));
  }
  /// The same in two steps; what `ask_ahead` returns is for one `wait_for_answer`.
  [[nodiscard]] std::uint64_t ask_ahead(Kind kind, std::vector<std::byte> body);
  [[nodiscard]] Answer wait_for_answer(std::uint64_t request);
  [[nodiscard]] bool is_answered(std::uint64_t request);
  /// What our work on the device with this index took there: asks, and later takes the answer.
  [[nodiscard]] std::uint64_t ask_work(std::uint32_t index);
  [[nodiscard]] std::optional<WorkSeconds> wait_for_work(std::uint64_t request);
  /// Seconds that payloads have taken here.
  struct Carried {
    double to_server = 0, from_server = 0;
  };
  [[nodiscard]] Carried carried();
  /// Before a copy_out is posted: where its bytes land.
  void expect(const StreamKey& key, std::uint64_t sequence, std::span<std::byte> into);

  [[nodiscard]] Progress progress(const StreamKey& key);
  /// Marks work that the client itself knows to fail.
  void fail(const StreamKey& key, std::uint64_t from, const std::string& text);
  /// Returns when the stream is done to `sequence`, has failed, or the link is lost: nothing of it
  /// to that number touches memory of the caller any more.
  void wait(const StreamKey& key, std::uint64_t sequence);
  /// Whether `wait` would return at once.
  [[nodiscard]] bool is_over(const StreamKey& key, std::uint64_t sequence);
  void forget(const StreamKey& key);

  /// What is called, on the thread that receives, when the server tells of the device with this
  /// index; it must not wait for the link, nor drop its last owner.
  struct Watcher {
    std::function<void(const Load&)> on_load;
    std::function<void(std::uint64_t)> on_trim;  ///< bytes that the server wants back
  };
  void watch(std::uint32_t index, Watcher watcher);

  /// Why the link is lost; empty: it is not.
  [[nodiscard]] std::string lost();
  /// Ends the link; returns when no thread of it touches memory of the caller.
  void cut(std::string why);

 private:
  struct Landing {
    std::uint64_t sequence;
    std::span<std::byte> into;
    std::size_t missing_bytes;
  };
  struct Stream {
    Progress progress;
    std::uint64_t posted = 0;  ///< number of the last work that the server was given
    std::deque<Landing> landings;
  };

  void shake_hands(const std::optional<Token>& token, const More& more);
  void widen(const More& more, std::string_view secret, const rpc::Digest& client_nonce,
             const rpc::Digest& server_nonce);
  [[nodiscard]] rpc::Frame expect_frame();
  void send_posted() noexcept;
  void receive_all() noexcept;
  void take(const rpc::Frame& frame);
  void take_piece(const rpc::Frame& frame);
  void take_done(const Place& place);
  void take_news(const rpc::Frame& frame);
  void lose(std::unique_lock<std::mutex>& lock, std::string why) noexcept;
  [[nodiscard]] std::string why_lost() const noexcept;
  /// Waits until `holds()` or the link is lost; tries the link meanwhile.
  template <class Holds>
  void wait_until(std::unique_lock<std::mutex>& lock, const Holds& holds);
  [[nodiscard]] bool is_over() const noexcept { return !lost_.empty() && threads_ == 0; }
  [[nodiscard]] bool is_reached(const StreamKey& key, std::uint64_t sequence);
  /// Whether a payload of this stream is being sent.
  [[nodiscard]] bool is_sending(const StreamKey& key) const noexcept;
  void let_go(const StreamKey& key);

  std::vector<std::unique_ptr<rpc::Transport>> sockets_;  ///< that `transport_` divides among
  std::unique_ptr<rpc::Transport> transport_;
  std::vector<Offer> devices_;
  double patience_seconds_;
  std::mutex mutex_;  ///< guards the rest
  std::condition_variable posted_cv_;
  std::condition_variable changed_;
  struct Posted {
    rpc::Outgoing frame;
    StreamKey key = {};  ///< of work
  };
  std::deque<Posted> posted_;
  std::vector<StreamKey> sending_;  ///< whose payloads are being sent
  std::map<StreamKey, Stream> streams_;
  std::map<std::uint64_t, std::optional<Answer>> asked_;
  std::map<std::uint32_t, Watcher> watchers_;
  std::uint64_t requests_ = 0;
  std::uint32_t numbers_ = 0;
  double heard_ = 0;   ///< when something arrived last, or was taken of what is long
  double pinged_ = 0;  ///< when a ping went out last
  Carried carried_;
  std::string lost_;
  int threads_ = 0;  ///< that may still touch memory of callers
  std::thread sender_;
  std::thread receiver_;
};

}  // namespace blockyard::remote
