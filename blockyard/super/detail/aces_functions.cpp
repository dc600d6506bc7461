// SPDX-License-Identifier: Apache-2.0
#include "blockyard/super/detail/aces_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"

namespace blockyard::super::detail {

namespace {

using base::Errc;
using base::Error;

constexpr std::size_t most_operands = 6;
constexpr std::size_t most_indexes = 6;
constexpr std::size_t pointers_per_operand = 6;

/// The function called `name` of this object itself: a look-up also finds those of the libraries
/// that it is linked with, and `special read` does not mean the one of the C library.
void* find_own(void* object, const std::string& name) {
  link_map* map = nullptr;
  if (dlinfo(object, RTLD_DI_LINKMAP, &map) != 0) return nullptr;
  for (const std::string& symbol : {name, name + "_"}) {
    void* const found = dlsym(object, symbol.c_str());
    Dl_info where{};
    if (found != nullptr && dladdr(found, &where) != 0 &&
        std::string_view(where.dli_fname) == map->l_name)
      return found;
  }
  return nullptr;
}

int to_int(Extent value) {
  if (value > INT32_MAX || value < INT32_MIN)
    throw Error(Errc::bad_input, "more elements than ACES4's int can count");
  return static_cast<int>(value);
}

/// The targets of the pointers of one operand.
struct Argument {
  int slot = 0;
  int rank = 0;
  int size = 0;
  std::array<int, most_indexes> index_values{};
  std::array<int, most_indexes> extents{};
};

using Pointers = std::array<void*, most_operands * pointers_per_operand>;

template <std::size_t>
using Pointer = void*;

template <std::size_t... Number>
void call_with(void* function, const Pointers& pointers, int* ierr,
               std::index_sequence<Number...>) {
  // POSIX promises that a pointer from dlsym may be cast to a function.
  using Function = void (*)(Pointer<Number>..., int*);
  reinterpret_cast<Function>(function)(pointers[Number]..., ierr);
}

template <std::size_t Count>
void call(void* function, const Pointers& pointers, int* ierr) {
  call_with(function, pointers, ierr, std::make_index_sequence<Count * pointers_per_operand>());
}

constexpr std::array<void (*)(void*, const Pointers&, int*), most_operands + 1> calls_by_count = {
    call<0>, call<1>, call<2>, call<3>, call<4>, call<5>, call<6>};

/// Calls a function with operands in ACES4's layout.
class Caller {
 public:
  Caller(void* function, std::mutex& calls) : function_(function), calls_(&calls) {}

  void operator()(std::span<Operand> operands, const Context&) {
    std::array<Argument, most_operands> arguments;
    Pointers pointers{};
    for (std::size_t k = 0; k < operands.size(); ++k) {
      Argument& argument = arguments[k];
      lay_out(operands[k], static_cast<int>(k) + 1, argument);
      const std::array<void*, pointers_per_operand> own = {
          &argument.slot, &argument.rank,          argument.index_values.data(),
          &argument.size, argument.extents.data(), operands[k].values.data()};
      std::ranges::copy(own, pointers.begin() + static_cast<std::ptrdiff_t>(k * own.size()));
    }
    int ierr = 0;
    {
      const std::lock_guard lock(*calls_);
      calls_by_count[operands.size()](function_, pointers, &ierr);
    }
    if (ierr != 0) throw Error(Errc::bad_input, fmt::format("it returned ierr = {}", ierr));
  }

 private:
  static void lay_out(const Operand& from, int slot, Argument& to) {
    if (from.extents.size() > most_indexes)
      throw Error(Errc::bad_input, "an operand of more indexes than ACES4 has");
    to.slot = slot;
    to.rank = static_cast<int>(from.extents.size());
    to.size = to_int(std::ssize(from.values));
    to.index_values.fill(1);
    to.extents.fill(1);
    std::ranges::transform(from.extents, to.extents.begin(), to_int);
    std::ranges::transform(from.segments, to.index_values.begin(), to_int);
  }

  void* function_;
  std::mutex* calls_;
};

}  // namespace

void add_aces_functions(Table& table, void* object, const std::string& path, std::mutex& calls,
                        std::span<const Declared> declared) {
  std::map<std::string, std::vector<std::string>> signatures;
  for (const Declared& one : declared) {
    if (find_own(object, one.name) == nullptr) continue;
    if (one.signature.size() > most_operands)
      throw Error(Errc::bad_input,
                  fmt::format("{}: super instruction {} has {} operands; ACES4's have at most {}",
                              path, one.name, one.signature.size(), most_operands));
    signatures[one.name].push_back(one.signature);
  }
  for (const auto& [name, all] : signatures) {
    try {
      table.add({name, all.front(), Caller(find_own(object, name), calls), all});
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
    }
  }
}

}  // namespace blockyard::super::detail
