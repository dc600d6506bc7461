// SPDX-License-Identifier: Apache-2.0
// Whether cuTENSOR, as it is called here, gives what our kernels and cuBLAS give.
#include <algorithm>
#include <limits>
#include <vector>

#include "plugins/device_cuda/machine.h"

namespace blockyard::cuda {
namespace {

constexpr std::uint64_t block_bytes = 1 << 14;  // room for each block below, of any element
constexpr std::uint64_t room_bytes = 8 << 20;   // those, and a workspace

struct Index {
  std::int32_t name;
  std::int64_t extent;
};
constexpr Index a{0, 9}, b{1, 10}, k{2, 5}, l{3, 6};

blockyard_operand operand(std::initializer_list<Index> indexes) {
  blockyard_operand made{};
  for (const Index& index : indexes) {
    made.name[made.order] = index.name;
    made.extent[made.order++] = index.extent;
  }
  return made;
}

/// result(a,b) = sum over k, l of left(k,a,l)* right(l,b,k), or result(l,k,a) = left(k,a,l)*
blockyard_operation operation(std::uint32_t kind, std::uint32_t element) {
  blockyard_operation made{};
  made.size = sizeof made;
  made.kind = kind;
  made.element = element;
  made.flags = blockyard_conjugate_left;
  made.left = operand({k, a, l});
  made.result = kind == BLOCKYARD_CONTRACT ? operand({a, b}) : operand({l, k, a});
  if (kind == BLOCKYARD_CONTRACT) made.right = operand({l, b, k});
  return made;
}

}  // namespace

bool Machine::agree(std::uint32_t element) {
  const std::uint64_t room = allocate(room_bytes);
  if (room == 0) return false;
  Stream* const stream = open_stream();
  bool is_same = true;
  try {
    for (const std::uint32_t kind : {BLOCKYARD_CONTRACT, BLOCKYARD_PERMUTE}) {
      const auto one = operation(kind, element);
      Place const at = *find(room, room_bytes);
      const bool is_double = element == BLOCKYARD_F64 || element == BLOCKYARD_C128;
      is_same = is_same && (is_double ? gives_same<double>(*stream, one, at)
                                      : gives_same<float>(*stream, one, at));
    }
  } catch (const std::exception&) {  // what is wrong with the GPU itself shows again
    is_same = false;
  }
  close_stream(stream);
  static_cast<void>(release(room));
  return is_same;
}

/// All values are small whole numbers: no rounding. A result that is overwritten held no numbers.
template <class Real>
bool Machine::gives_same(Stream& stream, const blockyard_operation& operation, Place room) {
  plugin::Form form;
  const char* why = nullptr;
  if (plugin::analyse(operation, form, &why) != BLOCKYARD_OK) return false;
  std::array<Plan, 2> ways{Plan{steps_of(operation, form), {}},
                           Plan{steps_of(operation, form), {}}};
  ways[1].tensors = tensor_plan(ways[1]);
  if (!ways[1].tensors) return false;
  const Places places{room, room + block_bytes, room + 2 * block_bytes, room + 3 * block_bytes};
  std::vector<Real> numbers(block_bytes / sizeof(Real));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Real>(i * 7 % 11) - 4;
  const std::vector<Real> none(numbers.size(), std::numeric_limits<Real>::quiet_NaN());
  blockyard_run run{};
  run.size = sizeof run;
  const std::uint64_t result_bytes =
      plugin::element_count(operation.result) * plugin::element_bytes(operation.element);
  for (const bool overwrites : {true, false}) {
    run.alpha[0] = 2;
    run.alpha[1] = -1;
    run.beta[0] = run.beta[1] = overwrites ? 0 : 3;
    std::array<std::vector<Real>, 2> found;
    for (std::size_t way = 0; way < 2; ++way) {
      write(stream, places.left, numbers.data(), block_bytes);
      write(stream, places.right, numbers.data(), block_bytes);
      write(stream, places.result, overwrites ? none.data() : numbers.data(), block_bytes);
      this->run(stream, ways[way], run, places);
      found[way].resize(result_bytes / sizeof(Real));
      read(stream, found[way].data(), places.result, result_bytes);
      finish(pending(stream));
    }
    if (found[0] != found[1]) return false;
  }
  return true;
}

}  // namespace blockyard::cuda
