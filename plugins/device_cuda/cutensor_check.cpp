// SPDX-License-Identifier: Apache-2.0
// Whether cuTENSOR, as it is called here, gives what our kernels and cuBLAS give.
#include <algorithm>
#include <vector>

#include "plugins/device_cuda/check_numbers.h"
#include "plugins/device_cuda/machine.h"

namespace blockyard::cuda {
namespace {

constexpr std::uint64_t block_bytes = 1 << 14;  // room for each block below, of any element
constexpr std::uint64_t room_bytes = 8 << 20;   // those, and a workspace

}  // namespace

bool Machine::agree(std::uint32_t element) {
  const std::uint64_t room = allocate(room_bytes);
  if (room == 0) return false;
  Stream* const stream = open_stream();
  bool is_same = true;
  try {
    for (const std::uint32_t kind : {BLOCKYARD_CONTRACT, BLOCKYARD_PERMUTE}) {
      const auto one = check_operation(kind, element);
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

template <class Real>
bool Machine::gives_same(Stream& stream, const blockyard_operation& operation, Place room) {
  plugin::Form form;
  const char* why = nullptr;
  if (plugin::analyse(operation, form, &why) != BLOCKYARD_OK) return false;
  std::array<Plan, 2> ways{};
  for (Plan& way : ways) static_cast<Steps&>(way) = steps_of(operation, form);
  ways[1].tensors = tensor_plan(ways[1]);
  if (!ways[1].tensors) return false;
  const Places places{room, room + block_bytes, room + 2 * block_bytes, room + 3 * block_bytes};
  blockyard_run run{};
  run.size = sizeof run;
  const std::uint64_t result_bytes =
      plugin::element_count(operation.result) * plugin::element_bytes(operation.element);
  for (const auto& numbers : check_numbers<Real>(operation, block_bytes / sizeof(Real))) {
    std::copy_n(numbers.alpha, 2, run.alpha);
    std::copy_n(numbers.beta, 2, run.beta);
    std::array<std::vector<Real>, 2> found;
    for (std::size_t way = 0; way < 2; ++way) {
      write(stream, places.left, numbers.left.data(), block_bytes);
      write(stream, places.right, numbers.right.data(), block_bytes);
      write(stream, places.result, numbers.result.data(), block_bytes);
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
