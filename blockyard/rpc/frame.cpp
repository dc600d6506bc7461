// SPDX-License-Identifier: Apache-2.0
#include "blockyard/rpc/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "blockyard/base/bytes.h"
#include "blockyard/base/checksum.h"
#include "blockyard/base/error.h"

namespace blockyard::rpc {

using base::Errc;
using base::Error;

namespace {

constexpr std::size_t checksum_at = head_bytes - sizeof(std::uint64_t);

/// Of the head less itself, and of the body.
std::uint64_t checksum_of(std::span<const std::byte> head, std::span<const std::byte> body) {
  std::array<std::byte, 512> few;  // most are
  std::vector<std::byte> many;
  const std::size_t size = checksum_at + body.size();
  if (size > few.size()) many.resize(size);
  const std::span both = many.empty() ? std::span(few).first(size) : std::span(many);
  std::ranges::copy(head.first(checksum_at), both.begin());
  std::ranges::copy(body, both.begin() + checksum_at);
  return base::checksum(both);
}

[[noreturn]] void refuse(const Transport& transport, std::string_view why) {
  throw Error(Errc::comm,
              fmt::format("{} sent something that is not a frame: {}", transport.peer(), why));
}

Head decode(const Transport& transport, std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  if (in.value<std::uint32_t>() != frame_magic) refuse(transport, "it does not begin like one");
  Head head;
  head.kind = in.value<std::uint16_t>();
  head.flags = in.value<std::uint16_t>();
  head.request = in.value<std::uint64_t>();
  head.body_bytes = in.value<std::uint32_t>();
  head.payload_bytes = in.value<std::uint32_t>();
  head.payload_checksum = in.value<std::uint64_t>();
  if (head.body_bytes > max_body_bytes) refuse(transport, "its body is too long");
  if (head.payload_bytes > max_payload_bytes) refuse(transport, "its payload is too long");
  return head;
}

}  // namespace

std::vector<std::byte> encode(const Outgoing& frame, bool with_checksum) {
  base::require(frame.body.size() <= max_body_bytes, "the body of a frame fits");
  base::require(frame.payload.size() <= max_payload_bytes, "the payload of a frame fits");
  base::ByteWriter out;
  out.value(std::uint64_t{0});  // the room of the checksum, to which the head then moves up
  out.value(frame_magic);
  out.value(frame.kind);
  out.value(std::uint16_t{0});
  out.value(frame.request);
  out.value(static_cast<std::uint32_t>(frame.body.size()));
  out.value(static_cast<std::uint32_t>(frame.payload.size()));
  const bool has_sum = with_checksum && !frame.payload.empty();
  out.value(has_sum ? base::checksum(frame.payload) : std::uint64_t{0});
  out.raw(frame.body);
  std::vector<std::byte> bytes = out.take();
  const std::uint64_t checksum = base::checksum(std::span(bytes).subspan(sizeof(std::uint64_t)));
  std::memmove(bytes.data(), bytes.data() + sizeof checksum, checksum_at);
  std::memcpy(bytes.data() + checksum_at, &checksum, sizeof checksum);
  return bytes;
}

void send_frames(Transport& transport, std::span<const Outgoing> frames) {
  std::vector<std::vector<std::byte>> heads;
  std::vector<Bytes> parts;
  heads.reserve(frames.size());
  for (const Outgoing& frame : frames) {
    parts.emplace_back(heads.emplace_back(encode(frame, !transport.is_checked())));
    parts.push_back(frame.payload);
  }
  send_all(transport, parts);
}

bool receive_frame(Transport& transport, Frame& frame) {
  std::array<std::byte, head_bytes> bytes{};
  if (!receive_all(transport, bytes)) return false;
  frame.head = decode(transport, bytes);
  frame.body.resize(frame.head.body_bytes);
  if (!receive_all(transport, frame.body)) end_within_message(transport);
  std::uint64_t said = 0;
  std::memcpy(&said, bytes.data() + checksum_at, sizeof said);
  if (said != checksum_of(bytes, frame.body)) refuse(transport, "its checksum is wrong");
  return true;
}

void receive_payload(Transport& transport, const Frame& frame, std::span<std::byte> into) {
  base::require(into.size() == frame.head.payload_bytes, "a payload lands in as many bytes");
  if (into.empty()) return;
  std::optional<base::Checksum> sum;
  if (!transport.is_checked()) sum.emplace();
  if (!receive_all(transport, into, sum ? &*sum : nullptr)) end_within_message(transport);
  if (sum && sum->value() != frame.head.payload_checksum)
    throw Error(Errc::comm,
                fmt::format("data from {} was damaged in transit: the checksum is wrong",
                            transport.peer()));
}

void SharedSender::send(const Outgoing& frame) {
  const std::lock_guard lock(mutex_);
  send_frames(*transport_, {&frame, 1});
}

void SharedSender::use(Transport& transport) {
  const std::lock_guard lock(mutex_);
  transport_ = &transport;
}

}  // namespace blockyard::rpc
