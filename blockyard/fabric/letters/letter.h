// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "blockyard/fabric/cut.h"

// Letters between processes that share no memory.
namespace blockyard::fabric::letters {

enum class Kind : std::uint8_t {
  get,
  put,
  accumulate,
  gather,
  scatter,
  scatter_add,
  fetch_and_add,
  lock,
  unlock,
  fence,
  answer,  ///< to one of the above
  meet,    ///< of a collective
  abort    ///< body: the cause
};

/// Letters of one way arrive in the order of posting; a long one delays those after it.
enum class Way : std::uint8_t { there, back };

/// How a letter begins. Both ends are the same program: sent as it lies in memory.
struct alignas(16) Front {
  Kind kind = Kind::answer;
  Element element = Element::f64;
  std::int32_t region = -1;  ///< by the number it has at the receiver
  std::uint64_t ticket = 0;  ///< matches an answer to its question; meet: the group
  std::uint64_t offset = 0;  ///< meet: the round
  std::uint64_t count = 0;   ///< of values in a list
  std::uint64_t width = 0;   ///< bytes of each
  std::int64_t value = 0;    ///< an increment, a result
  std::uint64_t body_bytes = 0;
  std::uint64_t piece_bytes = 0;  ///< of the body, or of that of the answer
  std::array<std::byte, 16> factor{};
  Strided rows;  ///< far: at the receiver
};
static_assert(std::is_trivially_copyable_v<Front>);

/// Bodies up to this length travel with the front: together within the eager limit of the
/// shared-memory transports of Open MPI and MPICH.
inline constexpr std::size_t short_bytes = 3072;

/// What follows the front: rows in a caller's memory (far), packed on the way (near).
struct Body {
  Strided rows;
  std::byte* place = nullptr;
  std::vector<std::byte> owned = {};

  [[nodiscard]] static Body of(std::vector<std::byte> bytes) {
    Body body{one_row(bytes.size()), nullptr, std::move(bytes)};
    body.place = body.owned.data();  // moving a vector leaves its bytes where they are
    return body;
  }
};

struct Letter {
  Front front;
  Body body;
  std::function<void()> was_sent = {};  ///< the memory of a long body may be used again
};

/// The destination of an incoming long body.
struct Intake {
  Body body;
  /// Applied to each piece instead of a copy.
  std::function<void(const Cut& cut, const std::byte* packed)> apply = {};
};

/// Receives the letters of this process, in order.
class Desk {
 public:
  virtual ~Desk() = default;
  /// A letter with a short body, or none.
  virtual void take(int from, const Front& front, std::span<const std::byte> body) = 0;
  /// The destination of a letter's long body, and notice that it arrived.
  [[nodiscard]] virtual Intake open(int from, const Front& front) = 0;
  virtual void close(int from, const Front& front, Intake& intake) = 0;
  /// No letters can be moved any more. Called while none is being moved.
  virtual void end() noexcept = 0;
};

/// Moves letters. One thread at a time.
class Courier {
 public:
  virtual ~Courier() = default;
  /// A short body is copied at once; the memory of a long one is left alone until it was sent.
  virtual void post(int to, Way way, Letter letter) = 0;
  /// True if anything moved.
  virtual bool progress() = 0;
  [[nodiscard]] virtual bool is_sending() const noexcept = 0;
  /// Collective. Begins a barrier that progress() advances; true once all ranks have called it.
  virtual void begin_barrier() = 0;
  [[nodiscard]] virtual bool is_barrier_over() = 0;
};

}  // namespace blockyard::fabric::letters
