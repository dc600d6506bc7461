// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/striped/striped.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "blockyard/base/error.h"

namespace blockyard::rpc::striped {

using base::Errc;
using base::Error;

namespace {

/// Shorter parts are not worth the division.
constexpr std::size_t short_bytes = std::size_t{64} << 10;
constexpr std::size_t longest_record = std::size_t{8} << 20;
constexpr std::size_t most_parts = 62;  // of one record: what a socket takes at once

/// Before the bytes of a record on the first member.
struct Head {
  std::uint32_t bytes = 0;
  std::uint32_t is_divided = 0;
};

/// Does one thing after the other on a thread of its own.
class Helper {
 public:
  Helper() : thread_([this] { work(); }) {}
  ~Helper() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void post(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  /// Returns when all is done. What failed first; no work is done after that.
  [[nodiscard]] std::exception_ptr finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.empty(); });
    return failed_;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return is_over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = tasks_.front();
      const bool is_wanted = failed_ == nullptr;
      lock.unlock();
      std::exception_ptr failed;
      try {
        if (is_wanted) task();
      } catch (...) {
        failed = std::current_exception();
      }
      lock.lock();
      if (failed) failed_ = failed;
      tasks_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;  ///< guards the rest
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  ///< the first one is being done
  std::exception_ptr failed_;
  bool is_over_ = false;
  std::thread thread_;  ///< last: it uses the others
};

class StripedTransport final : public Transport {
 public:
  explicit StripedTransport(std::vector<Transport*> members)
      : members_(std::move(members)),
        senders_(members_.size() - 1),
        receivers_(members_.size() - 1) {}
  ~StripedTransport() override { cut(); }
  StripedTransport(const StripedTransport&) = delete;
  StripedTransport& operator=(const StripedTransport&) = delete;

  [[nodiscard]] std::size_t send(std::span<const Bytes> parts) override;
  [[nodiscard]] std::size_t receive(std::span<std::byte> into) override;
  void cut() noexcept override {
    for (Transport* const member : members_) member->cut();
  }
  [[nodiscard]] bool is_checked() const noexcept override {
    return std::ranges::all_of(members_, &Transport::is_checked);
  }
  [[nodiscard]] std::string peer() const override { return members_.front()->peer(); }

 private:
  template <class Whole>
  [[nodiscard]] Whole share(Whole whole, std::size_t member) const {
    const std::size_t begin = whole.size() * member / members_.size();
    return whole.subspan(begin, whole.size() * (member + 1) / members_.size() - begin);
  }
  void send_divided(Bytes part);
  [[nodiscard]] bool receive_divided(std::span<std::byte> into);
  void finish(std::vector<Helper>& helpers);
  [[nodiscard]] bool read_head(Head& head);
  [[nodiscard]] std::size_t receive_record(std::span<std::byte> into, std::size_t bytes);
  [[nodiscard]] std::size_t take_rest(std::span<std::byte> into);

  std::vector<Transport*> members_;
  std::vector<Helper> senders_, receivers_;  ///< of the further members
  // Of the thread that receives.
  std::size_t plain_left_ = 0;   ///< bytes of the record that come by the first member
  std::vector<std::byte> rest_;  ///< of a divided record that was longer than what was asked for
  std::size_t rest_at_ = 0;
};

/// Nothing touches memory of the caller any more when this returns or throws.
void StripedTransport::finish(std::vector<Helper>& helpers) {
  std::exception_ptr failed;
  for (Helper& helper : helpers)
    if (const std::exception_ptr now = helper.finish(); now && !failed) failed = now;
  if (failed) std::rethrow_exception(failed);
}

void StripedTransport::send_divided(Bytes part) {
  for (std::size_t k = 1; k < members_.size(); ++k)
    senders_[k - 1].post([this, k, mine = share(part, k)] {
      try {
        send_all(*members_[k], {&mine, 1});
      } catch (...) {
        cut();
        throw;
      }
    });
  const Head head{static_cast<std::uint32_t>(part.size()), 1};
  const std::array<Bytes, 2> mine = {std::as_bytes(std::span(&head, 1)), share(part, 0)};
  send_all(*members_.front(), mine);
}

std::size_t StripedTransport::send(std::span<const Bytes> parts) {
  std::size_t sent = 0;
  try {
    for (std::size_t k = 0; k < parts.size();) {
      if (parts[k].size() >= short_bytes) {
        const Bytes part = parts[k].first(std::min(parts[k].size(), longest_record));
        ++k;
        send_divided(part);
        sent += part.size();
        if (part.size() == longest_record) break;  // the rest of it comes next
        continue;
      }
      Head head;
      std::vector<Bytes> together = {std::as_bytes(std::span(&head, 1))};
      for (; k < parts.size() && parts[k].size() < short_bytes && together.size() < most_parts;
           ++k) {
        together.push_back(parts[k]);
        head.bytes += static_cast<std::uint32_t>(parts[k].size());
      }
      if (head.bytes > 0) send_all(*members_.front(), together);
      sent += head.bytes;
    }
    finish(senders_);
  } catch (...) {
    cut();
    for (Helper& helper : senders_) static_cast<void>(helper.finish());
    throw;
  }
  return sent;
}

bool StripedTransport::receive_divided(std::span<std::byte> into) {
  for (std::size_t k = 1; k < members_.size(); ++k)
    receivers_[k - 1].post([this, k, mine = share(into, k)] {
      if (receive_all(*members_[k], mine)) return;
      cut();
      throw Error(Errc::comm, peer() + " has ended one of the connections");
    });
  bool is_whole = false;
  try {
    is_whole = receive_all(*members_.front(), share(into, 0));
    if (!is_whole) cut();
  } catch (...) {
    cut();
    for (Helper& helper : receivers_) static_cast<void>(helper.finish());
    throw;
  }
  finish(receivers_);
  return is_whole;
}

/// False: the connection has ended.
bool StripedTransport::read_head(Head& head) {
  if (!receive_all(*members_.front(), std::as_writable_bytes(std::span(&head, 1)))) return false;
  if (head.bytes == 0 || head.bytes > longest_record || head.is_divided > 1)
    throw Error(Errc::comm, peer() + " sent what is not part of a divided connection");
  return true;
}

std::size_t StripedTransport::take_rest(std::span<std::byte> into) {
  const std::size_t bytes = std::min(into.size(), rest_.size() - rest_at_);
  std::memcpy(into.data(), rest_.data() + rest_at_, bytes);
  rest_at_ += bytes;
  return bytes;
}

/// Where the caller wants it, if there is room for all of it.
std::size_t StripedTransport::receive_record(std::span<std::byte> into, std::size_t bytes) {
  if (bytes <= into.size()) return receive_divided(into.first(bytes)) ? bytes : 0;
  rest_.resize(bytes);
  rest_at_ = bytes;
  if (!receive_divided(rest_)) return 0;
  rest_at_ = 0;
  return take_rest(into);
}

std::size_t StripedTransport::receive(std::span<std::byte> into) {
  if (rest_at_ < rest_.size()) return take_rest(into);
  if (plain_left_ == 0) {
    Head head;
    if (!read_head(head)) return 0;
    if (head.is_divided != 0) return receive_record(into, head.bytes);
    plain_left_ = head.bytes;
  }
  const std::size_t bytes =
      members_.front()->receive(into.first(std::min(into.size(), plain_left_)));
  plain_left_ -= bytes;
  return bytes;
}

}  // namespace

std::unique_ptr<Transport> over(std::vector<Transport*> members) {
  base::require(!members.empty() && members.size() <= most_members, "a connection has members");
  return std::make_unique<StripedTransport>(std::move(members));
}

}  // namespace blockyard::rpc::striped
