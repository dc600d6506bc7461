// SPDX-License-Identifier: Apache-2.0
#include "blockyard/base/last_words.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

namespace blockyard::base {

namespace {

bool is_unread_pipe(int descriptor) noexcept {
  struct stat status = {};
  int count = 0;
  return ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) &&
         ::ioctl(descriptor, FIONREAD, &count) == 0 && count > 0;
}

}  // namespace

void say_last_words(std::string_view text) noexcept {
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while ((is_unread_pipe(STDOUT_FILENO) || is_unread_pipe(STDERR_FILENO)) &&
         std::chrono::steady_clock::now() < enough)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace blockyard::base
