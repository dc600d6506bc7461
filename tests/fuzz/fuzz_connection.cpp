// SPDX-License-Identifier: Apache-2.0
// A client that lies: frames of any kind and content come over a connection that is open already.
// The server refuses them or does what they say within what the client has; the frame reader also
// meets the raw input.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/device/host/host.h"
#include "blockyard/device/sim/sim.h"
#include "blockyard/remote/server/session.h"

namespace {

using namespace blockyard;
using remote::Kind;

/// Receives recorded bytes; discards what is sent.
class Recorded final : public rpc::Transport {
 public:
  explicit Recorded(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::size_t send(std::span<const rpc::Bytes> parts) override {
    std::size_t all = 0;
    for (const rpc::Bytes& part : parts) all += part.size();
    return all;
  }
  std::size_t receive(std::span<std::byte> into) override {
    const std::size_t count = std::min(into.size(), bytes_.size());
    std::ranges::copy(bytes_.first(count), into.begin());
    bytes_ = bytes_.subspan(count);
    return count;
  }
  void cut() noexcept override {}
  [[nodiscard]] bool is_checked() const noexcept override { return true; }
  [[nodiscard]] std::string peer() const override { return "fuzz"; }

 private:
  std::span<const std::byte> bytes_;
};

/// Fields from the input: mostly small numbers, which name what there is, sometimes any number.
class Draw {
 public:
  explicit Draw(std::span<const std::uint8_t> input) : input_(input) {}
  [[nodiscard]] bool is_over() const { return input_.empty(); }
  std::uint8_t byte() {
    if (input_.empty()) return 0;
    const std::uint8_t value = input_.front();
    input_ = input_.subspan(1);
    return value;
  }
  std::uint64_t number() {
    const std::uint8_t first = byte();
    if (first < 192) return first % 32;
    if (first < 224) return (std::uint64_t{1} << 20) + first % 32 * 16;  // addresses begin there
    std::uint64_t value = 0;
    for (int k = 0; k < 8; ++k) value = value << 8 | byte();
    return first < 240 ? value % 4096 : value;
  }
  template <class... Fields>
  void fields(Fields&... all) {
    (draw(all), ...);
  }
  template <class Item, class Each>
  void each(std::vector<Item>&, Each) {}

 private:
  template <class T>
  requires std::is_integral_v<T>
  void draw(T& value) { value = static_cast<T>(number()); }
  void draw(double& value) { value = static_cast<double>(byte()) - 100; }
  void draw(std::string& value) {
    const char* const all[] = {"", "memory=4096", "memory=0", "seed=1",
                               "memory=99999999999999999999"};
    value = all[byte() % 5];
  }
  template <class T, std::size_t count>
  void draw(std::array<T, count>& values) {
    for (T& value : values) draw(value);
  }
  void draw(std::byte& value) { value = static_cast<std::byte>(byte()); }
  void draw(blockyard_operand& operand) {
    operand.order = static_cast<std::uint32_t>(number() % 11);
    for (std::uint32_t k = 0; k < std::min<std::uint32_t>(operand.order, blockyard_max_order);
         ++k) {
      operand.name[k] = static_cast<std::int32_t>(byte() % 4) - 1;
      operand.extent[k] = static_cast<std::int64_t>(number());
    }
  }
  void draw(blockyard_operation& operation) {
    operation.size = byte() == 7 ? 1 : sizeof operation;
    operation.kind = byte() % 10;
    operation.element = byte() % 5;
    operation.flags = byte() % 2 == 0 ? 0 : static_cast<std::uint32_t>(number());
    draw(operation.result), draw(operation.left), draw(operation.right);
  }
  void draw(blockyard_description&) {}

  std::span<const std::uint8_t> input_;
};

void append(std::vector<std::byte>& bytes, const rpc::Outgoing& frame) {
  const auto head = rpc::encode(frame, false);
  bytes.insert(bytes.end(), head.begin(), head.end());
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
}

template <class Message>
void append_drawn(std::vector<std::byte>& bytes, Draw& draw, Kind kind, std::uint64_t& sequence) {
  Message message;
  message.fields(draw);
  // Mostly of what there is, and numbered rightly, so that what follows is met.
  const auto number = [&](auto& device) {
    if (draw.byte() % 16 != 0) device = kind == Kind::open ? 2 + draw.byte() % 2 : 1;
  };
  if constexpr (requires { message.number; }) {
    number(message.number.device);
    message.number.plan %= 4;
  }
  if constexpr (requires { message.device; }) number(message.device);
  if constexpr (requires { message.plan; }) message.plan %= 4;
  if constexpr (requires { message.place; })
    if (draw.byte() % 16 != 0) message.place = {1, 1, ++sequence};
  std::vector<std::byte> payload;
  if constexpr (std::is_same_v<Message, remote::Copy>)
    if (kind == Kind::copy_in) payload.resize(draw.byte() == 9 ? 3 : message.bytes % 4096);
  append(bytes, remote::frame_of(kind, message, 1, payload));
}

void append_message(std::vector<std::byte>& bytes, Draw& draw, std::uint64_t& sequence) {
  const int first = static_cast<int>(Kind::open), last = static_cast<int>(Kind::wait);
  const std::uint8_t drawn = draw.byte();
  const auto kind =
      static_cast<Kind>(drawn < 250 ? first + drawn % (last - first + 1) : drawn - 250);
  switch (kind) {
    case Kind::open:
      return append_drawn<remote::Open>(bytes, draw, kind, sequence);
    case Kind::close:
    case Kind::describe:
    case Kind::end_plan:
      return append_drawn<remote::Number>(bytes, draw, kind, sequence);
    case Kind::allocate:
    case Kind::release:
      return append_drawn<remote::Memory>(bytes, draw, kind, sequence);
    case Kind::copy_in:
    case Kind::copy_out:
    case Kind::copy_within:
    case Kind::copy_peer:
      return append_drawn<remote::Copy>(bytes, draw, kind, sequence);
    case Kind::fill:
      return append_drawn<remote::Fill>(bytes, draw, kind, sequence);
    case Kind::plan:
      return append_drawn<remote::Plan>(bytes, draw, kind, sequence);
    case Kind::run:
      return append_drawn<remote::Run>(bytes, draw, kind, sequence);
    case Kind::wait:
      return append_drawn<remote::Wait>(bytes, draw, kind, sequence);
    default:
      return append_drawn<remote::Place>(bytes, draw, kind, sequence);
  }
}

void serve(std::span<const std::byte> bytes, const remote::Terms& terms) {
  remote::Session session(std::make_unique<Recorded>(bytes), terms);
  static_cast<void>(session.run());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool is_host = size > 0 && data[0] % 2 == 0;
  remote::Terms terms;
  terms.client_memory_bytes = 1 << 20;
  terms.join_seconds = 0;
  terms.devices = {is_host ? remote::Export{&device::host::table(), 0, "", "host"}
                           : remote::Export{&device::sim::table(), 0, "seed=1", "sim"}};
  const std::span input(data, size);
  serve(std::as_bytes(input), terms);
  std::vector<std::byte> bytes;
  append(bytes, remote::frame_of(Kind::hello, remote::Hello{}));
  append(bytes, remote::frame_of(Kind::open, remote::Open{1, 0, ""}, 1));
  append(bytes, remote::frame_of(Kind::stream, remote::Place{1, 1, 0}));
  append(bytes, remote::frame_of(Kind::allocate, remote::Memory{1, 0, 512}, 2));
  append(bytes, remote::frame_of(Kind::status, remote::Text{}, 3));
  Draw draw(input);
  std::uint64_t sequence = 0;
  for (int count = 0; count < 40 && !draw.is_over(); ++count) append_message(bytes, draw, sequence);
  serve(bytes, terms);
  return 0;
}
