// SPDX-License-Identifier: Apache-2.0
#include "blockyard/lattice/sample.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "blockyard/base/bytes.h"
#include "blockyard/base/error.h"

namespace blockyard::lattice {

using base::Errc;
using base::Error;

namespace {

struct SpinHead {
  std::uint64_t count = 0;
  std::uint32_t is_complex = 0;
  std::uint32_t is_single = 0;
};

/// Of the matrices of a spin, with what fills up the last 8 bytes.
std::size_t matrix_bytes(std::size_t values, bool is_single) {
  return is_single ? (values + 1) / 2 * 8 : values * sizeof(double);
}

void check_vertex(const Vertex& vertex, const Axes& axes) {
  if (vertex.band < 0 || vertex.band >= axes.bands)
    throw Error(Errc::bad_input, fmt::format("band {} of {}", vertex.band, axes.bands));
  if (vertex.site < 0 || vertex.site >= axes.sites)
    throw Error(Errc::bad_input, fmt::format("site {} of {}", vertex.site, axes.sites));
  if (!(vertex.tau >= 0 && vertex.tau <= axes.beta))
    throw Error(Errc::bad_input,
                fmt::format("time {}, which is not within 0 and beta = {}", vertex.tau, axes.beta));
}

class Writer {
 public:
  explicit Writer(std::span<std::byte> out) : out_(out) {}
  void write(const void* from, std::size_t bytes) {
    if (bytes > 0) std::memcpy(out_.subspan(at_, bytes).data(), from, bytes);
    at_ += bytes;
  }
  void matrix(const std::vector<double>& values, bool is_single) {
    if (!is_single) return write(values.data(), values.size() * sizeof(double));
    const std::vector<float> single(values.begin(), values.end());
    write(single.data(), single.size() * sizeof(float));
  }
  void fill_up() {
    constexpr std::array<std::byte, 8> zeros{};
    write(zeros.data(), (8 - at_ % 8) % 8);
  }

 private:
  std::span<std::byte> out_;
  std::size_t at_ = 0;
};

std::vector<double> read_matrix(base::ByteReader& in, std::size_t count, bool is_single) {
  std::vector<double> values(count);
  if (!is_single) {
    const auto bytes = in.raw(count * sizeof(double));
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  std::vector<float> single(count);
  const auto bytes = in.raw(count * sizeof(float));
  if (count > 0) std::memcpy(single.data(), bytes.data(), bytes.size());
  return {single.begin(), single.end()};
}

}  // namespace

void check(const Sample& sample, const Axes& axes) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (!is_finite(sample.sign.real()) || !is_finite(sample.sign.imag()))
    throw Error(Errc::bad_input, "its sign is not a finite number");
  for (int s = 0; s < 2; ++s) {
    const SpinSample& spin = sample.spins[static_cast<std::size_t>(s)];
    for (std::size_t i = 0; i < spin.count(); ++i) {
      try {
        check_vertex(spin.vertices[i], axes);
      } catch (const Error& error) {
        throw Error(Errc::bad_input,
                    fmt::format("vertex {} of spin {} has {}", i, s, error.what()));
      }
    }
    for (const auto* part : {&spin.real, &spin.imaginary})
      for (std::size_t at = 0; at < part->size(); ++at)
        if (!is_finite((*part)[at]))
          throw Error(Errc::bad_input,
                      fmt::format("element ({}, {}) of the walker matrix of spin {} is not finite",
                                  at % spin.count(), at / spin.count(), s));
  }
}

ItemHead head_of(const Sample* sample, Complex sign, int bin, bool is_single) {
  ItemHead head{sign.real(), sign.imag(), bin, is_single ? 1 : 0, {}, {}};
  for (std::size_t s = 0; sample != nullptr && s < 2; ++s) {
    head.vertices[s] = static_cast<std::int32_t>(sample->spins[s].count());
    head.is_complex[s] = sample->spins[s].imaginary.empty() ? 0 : 1;
  }
  return head;
}

ItemHead decode_head(std::span<const std::byte> bytes) {
  ItemHead head;
  base::require(bytes.size() == sizeof head, "an item of a sample has its head");
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

std::int64_t second_vertices(const ItemHead& head) {
  const auto n = static_cast<std::size_t>(head.vertices[0]);
  const std::size_t bytes =
      2 * sizeof(SpinHead) + n * sizeof(Vertex) +
      matrix_bytes(n * n * (head.is_complex[0] != 0 ? 2 : 1), head.is_single != 0);
  return static_cast<std::int64_t>(bytes / sizeof(double));
}

std::size_t payload_bytes(const Sample& sample, bool is_single) {
  std::size_t bytes = 0;
  for (const SpinSample& spin : sample.spins)
    bytes += sizeof(SpinHead) + spin.count() * sizeof(Vertex) +
             matrix_bytes(spin.real.size() + spin.imaginary.size(), is_single);
  return bytes;
}

void encode(const Sample& sample, bool is_single, std::span<std::byte> payload) {
  Writer out(payload);
  for (const SpinSample& spin : sample.spins) {
    const SpinHead head{spin.count(), spin.imaginary.empty() ? 0U : 1U, is_single ? 1U : 0U};
    out.write(&head, sizeof head);
    out.write(spin.vertices.data(), spin.count() * sizeof(Vertex));
    out.matrix(spin.real, is_single);
    out.matrix(spin.imaginary, is_single);
    out.fill_up();
  }
}

Sample decode(std::span<const std::byte> payload) {
  base::ByteReader in(payload);
  Sample sample;
  for (SpinSample& spin : sample.spins) {
    const auto head = in.value<SpinHead>();
    const auto vertices = in.raw(head.count * sizeof(Vertex));
    spin.vertices.resize(head.count);
    if (head.count > 0) std::memcpy(spin.vertices.data(), vertices.data(), vertices.size());
    const std::size_t values = head.count * head.count;
    spin.real = read_matrix(in, values, head.is_single != 0);
    if (head.is_complex != 0) spin.imaginary = read_matrix(in, values, head.is_single != 0);
    const std::size_t all = spin.real.size() + spin.imaginary.size();
    if (head.is_single != 0) (void)in.raw(matrix_bytes(all, true) - all * sizeof(float));
  }
  return sample;
}

}  // namespace blockyard::lattice
