// SPDX-License-Identifier: Apache-2.0
#include "blockyard/fabric/delay/delay.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <deque>
#include <unordered_map>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/text.h"

namespace blockyard::fabric {
namespace {

/// One direction between two ranks: it carries one thing after the other.
class Link {
 public:
  /// When what was sent then is there.
  double arrival(double sent, std::size_t bytes, const Delay& delay) {
    const double carried =
        delay.bytes_per_second > 0 ? static_cast<double>(bytes) / delay.bytes_per_second : 0.0;
    free_ = std::max(free_, sent) + carried;
    return free_ + delay.latency_seconds;
  }

 private:
  double free_ = 0;
};

class Delayed final : public Fabric {
 public:
  Delayed(std::unique_ptr<Fabric> fabric, const Delay& delay)
      : fabric_(std::move(fabric)),
        delay_(delay),
        from_(static_cast<std::size_t>(fabric_->size())),
        windows_to_(static_cast<std::size_t>(fabric_->size())) {}

  [[nodiscard]] int rank() const noexcept override { return fabric_->rank(); }
  [[nodiscard]] int size() const noexcept override { return fabric_->size(); }

  void send(int to, Message message) override {
    const double now = base::now_seconds();
    const auto* bytes = reinterpret_cast<const std::byte*>(&now);
    message.head.insert(message.head.end(), bytes, bytes + sizeof now);
    fabric_->send(to, std::move(message));
  }

  [[nodiscard]] bool is_remote(int to) const noexcept override { return fabric_->is_remote(to); }

  [[nodiscard]] bool reads_devices(int to, std::size_t bytes) const noexcept override {
    return fabric_->reads_devices(to, bytes);
  }

  void land_by(NameLanding name) override { fabric_->land_by(std::move(name)); }

  [[nodiscard]] std::optional<Message> poll(double wait_seconds) override {
    if (!is_sharp_) sharpen();
    const double begin = base::now_seconds();
    const double end = begin + std::max(0.0, wait_seconds);
    double patience = 0;
    while (true) {
      while (auto message = fabric_->poll(patience)) {
        hold(std::move(*message));
        patience = 0;
      }
      const double now = base::now_seconds();
      Held* next = first();
      if (next != nullptr && next->due <= now) return take(*next);
      if (now >= end) return std::nullopt;
      patience = (next != nullptr ? std::min(next->due, end) : end) - now;
    }
  }

  [[nodiscard]] int window(std::size_t bytes) override { return fabric_->window(bytes); }
  [[nodiscard]] Ticket get(int window, int rank, std::size_t offset,
                           std::span<std::byte> into) override {
    return begin(rank, into.size(), fabric_->get(window, rank, offset, into));
  }
  [[nodiscard]] Ticket put(int window, int rank, std::size_t offset,
                           std::span<const std::byte> from) override {
    return begin(rank, from.size(), fabric_->put(window, rank, offset, from));
  }
  [[nodiscard]] Ticket accumulate(int window, int rank, std::size_t offset,
                                  std::span<const double> values) override {
    return begin(rank, values.size_bytes(), fabric_->accumulate(window, rank, offset, values));
  }
  [[nodiscard]] bool done(Ticket ticket) override {
    const auto found = transfers_.find(ticket);
    if (found == transfers_.end()) return fabric_->done(ticket);
    if (base::now_seconds() < found->second || !fabric_->done(ticket)) return false;
    transfers_.erase(found);
    return true;
  }

  void barrier() override { fabric_->barrier(); }
  void broadcast(std::span<std::byte> bytes, int root) override { fabric_->broadcast(bytes, root); }
  void reduce(std::span<double> values) override { fabric_->reduce(values); }
  void abort(std::string_view cause) noexcept override { fabric_->abort(cause); }

 private:
  struct Held {
    double due = 0;
    Message message;
  };
  struct Sender {
    Link link;
    std::deque<Held> held;  // in the order of sending, which is that of `due`
  };

  /// Waits of this thread end within a microsecond, not within the usual fifty.
  void sharpen() {
    ::prctl(PR_SET_TIMERSLACK, 1000UL);
    is_sharp_ = true;
  }

  void hold(Message message) {
    double sent = 0;
    base::require(message.head.size() >= sizeof sent, "a delayed message has its time");
    const std::size_t length = message.head.size() - sizeof sent;
    std::memcpy(&sent, message.head.data() + length, sizeof sent);
    // Not resize(): g++ 12 warns of the growth that it sees there under the sanitizers.
    message.head.erase(message.head.begin() + static_cast<std::ptrdiff_t>(length),
                       message.head.end());
    Sender& sender = from_[static_cast<std::size_t>(message.from)];
    const std::size_t bytes = length + (message.payload ? message.payload->size() : 0) +
                              (message.landing ? message.landing->bytes() : 0);
    const double due = message.from == rank() ? sent : sender.link.arrival(sent, bytes, delay_);
    sender.held.push_back({due, std::move(message)});
  }

  Held* first() {
    Held* next = nullptr;
    for (Sender& sender : from_)
      if (!sender.held.empty() && (next == nullptr || sender.held.front().due < next->due))
        next = &sender.held.front();
    return next;
  }

  Message take(Held& held) {
    Message message = std::move(held.message);
    from_[static_cast<std::size_t>(message.from)].held.pop_front();
    return message;
  }

  Ticket begin(int rank, std::size_t bytes, Ticket ticket) {
    if (rank != this->rank())
      transfers_[ticket] =
          windows_to_[static_cast<std::size_t>(rank)].arrival(base::now_seconds(), bytes, delay_);
    return ticket;
  }

  std::unique_ptr<Fabric> fabric_;
  Delay delay_;
  std::vector<Sender> from_;
  std::vector<Link> windows_to_;
  std::unordered_map<Ticket, double> transfers_;  // not done before then
  bool is_sharp_ = false;
};

/// The number that a text begins with; the text is cut down to what follows it.
double take_number(std::string_view& text, std::string_view whole) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !(value >= 0) || !std::isfinite(value))
    throw base::Error(base::Errc::bad_input,
                      fmt::format("\"{}\" is not a delay: write it like 100us,1GB/s", whole));
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

double parse_seconds(std::string_view text, std::string_view whole) {
  const double value = take_number(text, whole);
  for (const auto& [unit, scale] :
       {std::pair{"ns", 1e-9}, std::pair{"us", 1e-6}, std::pair{"ms", 1e-3}, std::pair{"s", 1.0}})
    if (text == unit) return value * scale;
  throw base::Error(base::Errc::bad_input,
                    fmt::format("\"{}\": the latency needs a unit: ns, us, ms or s", whole));
}

double parse_rate(std::string_view text, std::string_view whole) {
  const double value = take_number(text, whole);
  for (const auto& [unit, scale] : {std::pair{"kb/s", 1e3}, std::pair{"mb/s", 1e6},
                                    std::pair{"gb/s", 1e9}, std::pair{"b/s", 1.0}})
    if (value > 0 && base::lower(text) == unit) return value * scale;
  throw base::Error(base::Errc::bad_input,
                    fmt::format("\"{}\": the bandwidth is like 500MB/s or 1GB/s", whole));
}

}  // namespace

Delay parse_delay(std::string_view text) {
  const std::size_t comma = text.find(',');
  Delay delay;
  delay.latency_seconds = parse_seconds(text.substr(0, comma), text);
  if (comma != std::string_view::npos)
    delay.bytes_per_second = parse_rate(text.substr(comma + 1), text);
  return delay;
}

std::unique_ptr<Fabric> delayed(std::unique_ptr<Fabric> fabric, const Delay& delay) {
  return std::make_unique<Delayed>(std::move(fabric), delay);
}

}  // namespace blockyard::fabric
