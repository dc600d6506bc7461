// SPDX-License-Identifier: Apache-2.0
#include "blockyard/store/detail/seal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <vector>

#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"
#include "blockyard/store/posix.h"

namespace blockyard::store {
namespace {

using base::Errc;
using base::Error;

constexpr std::size_t part_bytes = std::size_t{4} << 20;
constexpr std::array<char, 8> magic = {'B', 'L', 'K', 'S', 'E', 'A', 'L', '1'};

struct Seal {
  std::array<char, 8> magic{};
  std::uint64_t length = 0;    ///< of the file without the seal
  std::uint64_t checksum = 0;  ///< of the checksums of its parts
};
static_assert(sizeof(Seal) == 24);

std::uint64_t checksum_of(File& file, std::uint64_t length) {
  std::vector<std::byte> part(
      static_cast<std::size_t>(std::min<std::uint64_t>(length, part_bytes)));
  std::vector<std::uint64_t> checksums;
  for (std::uint64_t at = 0; at < length; at += part_bytes) {
    const auto bytes = std::span(part).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(part_bytes, length - at)));
    file.read_at(at, bytes);
    checksums.push_back(base::checksum(bytes));
  }
  return base::checksum(std::as_bytes(std::span(checksums)));
}

}  // namespace

void append_seal(const std::filesystem::path& path) {
  const auto file = PosixStore().open(path, OpenMode::read);
  const std::uint64_t length = file->size();
  const Seal seal{magic, length, checksum_of(*file, length)};
  std::array<char, sizeof seal> bytes;
  std::memcpy(bytes.data(), &seal, sizeof seal);
  std::ofstream out(path, std::ios::binary | std::ios::app);
  out.write(bytes.data(), std::ssize(bytes));
  out.close();
  if (!out) throw Error(Errc::io, fmt::format("cannot write {}", path.string()));
}

void check_seal(const std::filesystem::path& path) {
  const auto file = PosixStore().open(path, OpenMode::read);
  Seal seal;
  const std::uint64_t size = file->size();
  if (size < sizeof seal) return;
  file->read_at(size - sizeof seal, std::as_writable_bytes(std::span(&seal, 1)));
  if (seal.magic != magic) return;
  if (seal.length != size - sizeof seal || seal.checksum != checksum_of(*file, seal.length))
    throw Error(
        Errc::bad_input,
        fmt::format("{} is damaged: its bytes are not those that were written", path.string()));
}

}  // namespace blockyard::store
