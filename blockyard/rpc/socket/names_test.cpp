// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/socket/names.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <string_view>

#include "blockyard/base/clock.h"
#include "blockyard/base/error.h"
#include "blockyard/rpc/socket/socket.h"

namespace {

constexpr const char* silent_host = "silent.invalid";  // whose name servers do not answer
constinit std::atomic<bool> has_ended = false;

}  // namespace

/// Of the C library, but for the silent host.
extern "C" int getaddrinfo(const char* host, const char* service, const addrinfo* wanted,
                           addrinfo** first) {
  if (host == std::string_view(silent_host) && (wanted->ai_flags & AI_NUMERICHOST) == 0) {
    has_ended.wait(false);
    return EAI_AGAIN;
  }
  static const auto of_system =
      reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return of_system(host, service, wanted, first);
}

namespace blockyard::rpc::socket {
namespace {

TEST(Names, are_not_waited_for_longer_than_a_connection) {
  std::string told;
  try {
    static_cast<void>(connect(parse_address(silent_host), 0.01));
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::Errc::comm);
    told = error.what();
  }
  EXPECT_NE(told.find(silent_host), std::string::npos);
  has_ended = true;
  has_ended.notify_all();
}

TEST(Names, of_this_machine_are_found) {
  const double until = base::now_seconds() + 60;
  EXPECT_NE(find_names(parse_address("127.0.0.1"), until), nullptr);
  EXPECT_NE(find_names(parse_address("localhost"), until), nullptr);
}

}  // namespace
}  // namespace blockyard::rpc::socket
