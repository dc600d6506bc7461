// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace blockyard::blas {

class Entry;

/// The function that a call from one place of the program would have reached without us.
struct Site {
  const Entry* entry;  ///< the name
  const void* caller;
  void* function;    ///< null: nothing
  int width;         ///< bits of its integers: 32 or 64
  int (*threads)();  ///< with how many the library computes; null: it does not say
  const Site* next;  ///< in its list

  [[nodiscard]] int thread_count() const noexcept { return threads == nullptr ? 1 : threads(); }
};

/// An exported name, and the functions of that name in the program's own libraries, by place of
/// the call: several copies of a BLAS with different integers may live in one process. It works
/// before constructors have run and after destructors have. Any thread.
class Entry {
 public:
  /// width: of the integers under this name; 0: it depends on the library.
  /// substitute: another name, by which the program can do the same where it lacks this one; the
  /// sites have no function then.
  constexpr Entry(const char* name, int width, const char* substitute = nullptr) noexcept
      : name_(name), width_(width), substitute_(substitute) {}

  /// Where a call that returns to `caller` goes. Costs a few nanoseconds but the first time.
  [[nodiscard]] const Site& find(const void* caller) noexcept {
    for (const Site* site = list_of(caller).load(std::memory_order_acquire); site != nullptr;
         site = site->next)
      if (site->caller == caller && site->entry == this) return *site;
    return add(caller);
  }
  [[nodiscard]] const char* name() const noexcept { return name_; }
  /// Ends the process, as the linker does for a name that it does not find.
  [[noreturn]] void end_without() const noexcept;

 private:
  using List = std::atomic<const Site*>;
  /// The sites of all names whose callers have one hash; a list only grows. There are more lists
  /// than most programs have sites.
  [[nodiscard]] static List& list_of(const void* caller) noexcept {
    constexpr int bits = 10;
    constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // of 2^64: it spreads close callers
    static constinit std::array<List, std::size_t{1} << bits> lists{};
    return lists[(reinterpret_cast<std::uintptr_t>(caller) * golden_ratio) >> (64 - bits)];
  }
  [[nodiscard]] const Site& add(const void* caller) noexcept;

  const char* name_;
  int width_;
  const char* substitute_;
};

/// The function `name` that `caller` would have reached: of the library that
/// BLOCKYARD_OFFLOAD_LIBRARY names, of those after us in the order of the linker, of those that the
/// caller's own names, of any that is loaded; in this order.
[[nodiscard]] void* find_local(const char* name, const void* caller) noexcept;

/// Whether a library calls itself there: `caller` is in the object of `function`, in an exported
/// function whose name has `word` in it. A program that was linked with the archive of a library
/// has other functions.
[[nodiscard]] bool is_inner(const void* caller, void* function, const char* word) noexcept;

/// The function of the library of `function` that says how many threads it uses: of OpenBLAS or
/// MKL. Null: it is another one.
[[nodiscard]] int (*find_threads(void* function) noexcept)();

/// 32 or 64: the integers that the library of `function`, a routine of BLAS, was built with.
[[nodiscard]] int probe_width(void* function) noexcept;

}  // namespace blockyard::blas
