// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/socket/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/base/without_signals.h"

namespace blockyard::rpc::socket {

namespace {

struct Answer {
  int error = 0;
  Names names;
};

Answer ask(const Address& address, int flags) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags;
  addrinfo* first = nullptr;
  const int error = ::getaddrinfo(address.host.c_str(), address.port.c_str(), &wanted, &first);
  return {error, Names(error == 0 ? first : nullptr)};
}

/// Shared by who waits and by the thread that asks, which may take longer. The mutex guards the
/// answer.
struct Question {
  explicit Question(const Address& given) : address(given) {}

  const Address address;
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<Answer> answer;
};

[[noreturn]] void refuse(const Address& address, std::string_view why) {
  throw base::Error(base::Errc::comm, fmt::format("{}: {}", format_address(address), why));
}

Names names_in(Answer answer, const Address& address) {
  if (answer.error != 0) refuse(address, ::gai_strerror(answer.error));
  return std::move(answer.names);
}

}  // namespace

Names find_names(const Address& address, double until) {
  if (Answer known = ask(address, AI_NUMERICHOST); known.error == 0) return std::move(known.names);
  const auto question = std::make_shared<Question>(address);
  {
    const base::WithoutSignals quiet;
    std::thread([question] {
      Answer found = ask(question->address, 0);
      const std::lock_guard lock(question->mutex);
      question->answer = std::move(found);
      question->answered.notify_all();
    }).detach();
  }
  const std::chrono::duration<double> left(std::max(0.0, until - base::now_seconds()));
  std::unique_lock lock(question->mutex);
  if (!question->answered.wait_for(lock, left, [&] { return question->answer.has_value(); }))
    refuse(address, "no name server answers");
  return names_in(std::move(*question->answer), address);
}

Names find_own_names(const Address& address) { return names_in(ask(address, AI_PASSIVE), address); }

}  // namespace blockyard::rpc::socket
