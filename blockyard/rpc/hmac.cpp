// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/hmac.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::rpc {

namespace {

using Words = std::array<std::uint32_t, 8>;
constexpr std::size_t block_bytes = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> constants = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t word_at(const std::byte* bytes) {
  std::uint32_t word = 0;
  for (int k = 0; k < 4; ++k) word = word << 8 | std::to_integer<std::uint32_t>(bytes[k]);
  return word;
}

void add_block(Words& state, const std::byte* block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t t = 0; t < 16; ++t) w[t] = word_at(block + 4 * t);
  for (std::size_t t = 16; t < 64; ++t) {
    const std::uint32_t a = w[t - 15], b = w[t - 2];
    w[t] = w[t - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[t - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t t = 0; t < 64; ++t) {
    const std::uint32_t first = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                                ((e & f) ^ (~e & g)) + constants[t] + w[t];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const Words added = {a, b, c, d, e, f, g, h};
  for (std::size_t k = 0; k < state.size(); ++k) state[k] += added[k];
}

}  // namespace

Digest sha256(std::span<const std::byte> message) {
  Words state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::vector<std::byte> padded(message.begin(), message.end());
  padded.push_back(std::byte{0x80});
  while (padded.size() % block_bytes != block_bytes - 8) padded.push_back(std::byte{0});
  const std::uint64_t bits = std::uint64_t{message.size()} * 8;
  for (int shift = 56; shift >= 0; shift -= 8)
    padded.push_back(static_cast<std::byte>(bits >> shift & 0xff));
  for (std::size_t at = 0; at < padded.size(); at += block_bytes)
    add_block(state, padded.data() + at);
  Digest digest{};
  for (std::size_t k = 0; k < digest.size(); ++k)
    digest[k] = static_cast<std::byte>(state[k / 4] >> (24 - 8 * (k % 4)) & 0xff);
  return digest;
}

Digest hmac(std::span<const std::byte> key, std::span<const std::byte> message) {
  std::array<std::byte, block_bytes> padded{};
  if (key.size() > block_bytes) {
    std::ranges::copy(sha256(key), padded.begin());
  } else {
    std::ranges::copy(key, padded.begin());
  }
  const auto round = [&](std::byte pad, std::span<const std::byte> text) {
    std::vector<std::byte> all;
    for (const std::byte byte : padded) all.push_back(byte ^ pad);
    all.insert(all.end(), text.begin(), text.end());
    return sha256(all);
  };
  return round(std::byte{0x5c}, round(std::byte{0x36}, message));
}

bool is_same(const Digest& one, const Digest& two) noexcept {
  std::byte difference{0};
  for (std::size_t k = 0; k < one.size(); ++k) difference |= one[k] ^ two[k];
  return difference == std::byte{0};
}

Digest random_bytes() {
  Digest bytes{};
  base::require(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
                "the system gives random bytes");
  return bytes;
}

}  // namespace blockyard::rpc
