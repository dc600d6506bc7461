// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blockyard/base/fields.h"
#include "blockyard/device/abi.h"
#include "blockyard/rpc/frame.h"
#include "blockyard/rpc/hmac.h"

/// The messages between a client and a server of devices: bodies of frames, the fields of a
/// struct in the order of `fields` (docs/remote.md).
namespace blockyard::remote {

inline constexpr std::uint32_t protocol_version = 4;
/// Bytes of a copy that travel as one payload.
inline constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// The kinds of frames. `c`: from the client, `s`: from the server.
enum class Kind : std::uint16_t {
  hello = 1,    ///< c: Hello
  welcome,      ///< s: Welcome
  refused,      ///< s: Text
  prove,        ///< c, s: Proof
  ping,         ///< c: nothing
  pong,         ///< s: nothing
  open,         ///< c: Open, answered
  close,        ///< c: Number, answered when all its work is done
  describe,     ///< c: Number, answered with a description
  allocate,     ///< c: Memory with bytes, answered with an address
  release,      ///< c: Memory with an address
  stream,       ///< c: Place
  end_stream,   ///< c: Place
  copy_in,      ///< c: Copy and a payload
  copy_out,     ///< c: Copy, answered by pieces
  copy_within,  ///< c: Copy
  copy_peer,    ///< c: Copy
  fill,         ///< c: Fill
  plan,         ///< c: Plan, answered with the bytes of its workspace
  end_plan,     ///< c: Number, of device and plan
  run,          ///< c: Run
  record,       ///< c: Place: says `done` when it is
  wait,         ///< c: Wait
  answer,       ///< s: Answer, with the number of the request
  piece,        ///< s: Piece and a payload
  done,         ///< s: Place: all to that number is done
  failed,       ///< s: Failure
  status,       ///< c: nothing, answered with a Usage
  load,         ///< s: Load
  trim,         ///< s: Trim
  widen,        ///< c: Widen, the first after the greeting, answered with the sockets it may have
  join,         ///< c: Join, in place of hello
  work,         ///< c: Number with an index of Welcome, answered with a WorkSeconds
};

struct Hello {
  std::uint32_t version = protocol_version;
  rpc::Digest nonce{};
  std::string identity;  ///< the name of its token; empty: it has none
  void fields(auto& f) { f.fields(version, nonce, identity); }
};

/// One device of a server.
struct Offer {
  std::string kind;
  std::string name;
};

struct Welcome {
  std::uint32_t version = protocol_version;
  rpc::Digest nonce{};
  std::uint8_t wants_proof = 0;
  std::vector<Offer> devices;
  void fields(auto& f) {
    f.fields(version, nonce, wants_proof);
    f.each(devices, [&](auto& offer) { f.fields(offer.kind, offer.name); });
  }
};

struct Proof {
  rpc::Digest digest{};
  void fields(auto& f) { f.fields(digest); }
};

struct Text {
  std::string text;
  void fields(auto& f) { f.fields(text); }
};

/// The client wants its connection to have this many sockets.
struct Widen {
  std::uint32_t sockets = 1;
  void fields(auto& f) { f.fields(sockets); }
};

/// This socket belongs to the connection whose server chose the nonce; as its number `index`.
struct Join {
  rpc::Digest nonce{};
  std::uint32_t index = 0;
  rpc::Digest proof{};  ///< of the direction `join INDEX`
  void fields(auto& f) { f.fields(nonce, index, proof); }
};

/// A device of the connection, under the number that the client chose, and sometimes a plan.
struct Number {
  std::uint32_t device = 0;
  std::uint32_t plan = 0;
  void fields(auto& f) { f.fields(device, plan); }
};

struct Open {
  std::uint32_t device = 0;  ///< the client's number for what is opened
  std::uint32_t index = 0;   ///< among the devices of Welcome
  std::string options;
  void fields(auto& f) { f.fields(device, index, options); }
};

struct Memory {
  std::uint32_t device = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  void fields(auto& f) { f.fields(device, address, bytes); }
};

/// A point of a stream: what it has been given, counted from 1.
struct Place {
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint64_t sequence = 0;
  void fields(auto& f) { f.fields(device, stream, sequence); }
};

struct Copy {
  Place place;
  std::uint64_t to = 0;
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
  std::uint32_t from_device = 0;  ///< of copy_peer
  void fields(auto& f) {
    place.fields(f);
    f.fields(to, from, bytes, from_device);
  }
};

struct Fill {
  Place place;
  std::uint64_t to = 0;
  std::uint32_t element = 0;
  std::array<double, 2> value{};
  std::uint64_t count = 0;
  void fields(auto& f) {
    place.fields(f);
    f.fields(to, element, value, count);
  }
};

struct Plan {
  Number number;
  blockyard_operation operation{};
  void fields(auto& f) {
    number.fields(f);
    f.fields(operation);
  }
};

struct Run {
  Place place;
  std::uint32_t plan = 0;
  std::array<double, 2> alpha{};
  std::array<double, 2> beta{};
  std::uint64_t result = 0;
  std::uint64_t left = 0;
  std::uint64_t right = 0;
  std::uint64_t workspace = 0;
  void fields(auto& f) {
    place.fields(f);
    f.fields(plan, alpha, beta, result, left, right, workspace);
  }
};

struct Wait {
  Place place;
  std::uint32_t other_stream = 0;
  std::uint64_t other_sequence = 0;
  void fields(auto& f) {
    place.fields(f);
    f.fields(other_stream, other_sequence);
  }
};

struct Answer {
  std::uint32_t status = BLOCKYARD_OK;
  std::string text;
  std::uint64_t value = 0;
  blockyard_description description{};
  void fields(auto& f) { f.fields(status, text, value, description); }
};

struct Piece {
  Place place;  ///< of the copy
  std::uint64_t offset = 0;
  void fields(auto& f) {
    place.fields(f);
    f.fields(offset);
  }
};

struct Failure {
  Place place;  ///< from here on nothing of the stream happens
  std::string text;
  void fields(auto& f) {
    place.fields(f);
    f.fields(text);
  }
};

template <class Message>
[[nodiscard]] std::vector<std::byte> encode(Message message) {
  base::FieldWriter out;
  message.fields(out);
  return out.take();
}

/// Throws Error{bad_input} if the body ends early.
template <class Message>
[[nodiscard]] Message decode(std::span<const std::byte> body) {
  base::FieldReader in(body);
  Message message;
  message.fields(in);
  return message;
}
template <class Message>
[[nodiscard]] Message decode(const rpc::Frame& frame) {
  return decode<Message>(frame.body);
}

template <class Message>
[[nodiscard]] rpc::Outgoing frame_of(Kind kind, const Message& message, std::uint64_t request = 0,
                                     rpc::Bytes payload = {}) {
  return {static_cast<std::uint16_t>(kind), request, encode(message), payload};
}

/// The proof of a token: HMAC of the direction and of both numbers.
[[nodiscard]] rpc::Digest proof_of(std::string_view direction, std::string_view secret,
                                   const rpc::Digest& client_nonce,
                                   const rpc::Digest& server_nonce);
/// The same of a further socket of a connection.
[[nodiscard]] rpc::Digest join_proof_of(std::uint32_t index, std::string_view secret,
                                        const rpc::Digest& client_nonce,
                                        const rpc::Digest& server_nonce);

}  // namespace blockyard::remote
