// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "blockyard/rpc/transport.h"

/// Frames: docs/rpc.md has the bytes.
namespace blockyard::rpc {

inline constexpr std::uint32_t frame_magic = 0x66724279;  // "yBrf" in memory
inline constexpr std::size_t head_bytes = 40;
inline constexpr std::size_t max_body_bytes = std::size_t{64} << 10;
inline constexpr std::size_t max_payload_bytes = std::size_t{4} << 20;

/// The header of a body, without the magic and the checksum of head and body.
struct Head {
  std::uint16_t kind = 0;
  std::uint16_t flags = 0;
  std::uint64_t request = 0;  ///< by which an answer is told; 0: none is expected
  std::uint32_t body_bytes = 0;
  std::uint32_t payload_bytes = 0;
  std::uint64_t payload_checksum = 0;  ///< 0 where the transport checks
  friend bool operator==(const Head&, const Head&) = default;
};

/// A frame as it is received: the payload still waits in the transport.
struct Frame {
  Head head;
  std::vector<std::byte> body;
};

/// A frame to be sent. The payload stays where it is until it is sent.
struct Outgoing {
  std::uint16_t kind = 0;
  std::uint64_t request = 0;
  std::vector<std::byte> body;
  Bytes payload;
};

/// Head and body of `frame` as bytes; `with_checksum`: of the payload too.
/// Throws Error{internal} if body or payload are longer than a frame may be.
[[nodiscard]] std::vector<std::byte> encode(const Outgoing& frame, bool with_checksum);

/// Sends frames back to back, with one call of the transport if it takes them. One thread.
void send_frames(Transport& transport, std::span<const Outgoing> frames);

/// The next head with its body; the caller must then take the payload. False: the other end
/// has ended the connection. Throws Error{comm} for an invalid frame: no memory is allocated before
/// magic and lengths are checked.
[[nodiscard]] bool receive_frame(Transport& transport, Frame& frame);

/// The payload of `frame` into `into`, which has as many bytes. Throws Error{comm} also if it is
/// not what was sent; what `into` holds then means nothing.
void receive_payload(Transport& transport, const Frame& frame, std::span<std::byte> into);

/// Sends frames of several threads one after the other.
class SharedSender {
 public:
  explicit SharedSender(Transport& transport) noexcept : transport_(&transport) {}
  /// Sends what comes next by another transport.
  void use(Transport& transport);
  /// Any thread. Throws Error{comm}.
  void send(const Outgoing& frame);

 private:
  Transport* transport_;
  std::mutex mutex_;  ///< one frame at a time
};

}  // namespace blockyard::rpc
