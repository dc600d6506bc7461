// SPDX-License-Identifier: Apache-2.0
// Hostile program files: read refuses them, or what it gives runs without leaving its tables. The
// input is a payload: the header is put before it here, since no mutation finds a checksum.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "blockyard/base/bytes.h"
#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"
#include "blockyard/program/detail/random_walk.h"
#include "blockyard/program/file.h"
#include "blockyard/program/print.h"

namespace {

using namespace blockyard;

std::vector<std::byte> with_header(std::span<const std::byte> payload) {
  base::ByteWriter out;
  out.raw(std::as_bytes(std::span(program::file_magic)));
  out.value(program::file_version);
  out.value(static_cast<std::uint64_t>(payload.size()));
  out.value(base::checksum(payload));
  out.raw(payload);
  return out.take();
}

/// Whatever stands there, reading ends with a program or with Error{bad_input}.
void read_one(std::span<const std::byte> file) {
  program::Program program;
  try {
    program = program::read(file);
  } catch (const base::Error& error) {
    if (error.code() != base::Errc::bad_input) std::abort();
    return;
  }
  const auto again = program::write(program);
  if (!std::ranges::equal(again, file)) std::abort();
  (void)program::print(program);
  for (unsigned seed = 0; seed < 4; ++seed) program::detail::walk_at_random(program, seed, 400);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span input(reinterpret_cast<const std::byte*>(data), size);
  read_one(input);
  read_one(with_header(input));
  return 0;
}
