// SPDX-License-Identifier: Apache-2.0
/// Loaded before a program, this lets one allocation of libblockyard_offload fail: the one whose
/// number FAILING_ALLOCATION says.
#include <dlfcn.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t);

namespace {

bool is_of_library(const void* caller) noexcept {
  Dl_info found{};
  return dladdr(caller, &found) != 0 && found.dli_fname != nullptr &&
         std::strstr(found.dli_fname, "libblockyard_offload") != nullptr;
}

long number() noexcept {
  const char* const text = std::getenv("FAILING_ALLOCATION");
  return text == nullptr ? -1 : std::strtol(text, nullptr, 10);
}

std::atomic<long> allocations = 0;

}  // namespace

extern "C" __attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
  const bool fails = is_of_library(__builtin_return_address(0)) && allocations++ == number();
  return fails ? nullptr : __libc_malloc(bytes);
}
