// SPDX-License-Identifier: Apache-2.0
#include "blockyard/blas/router/device_products.h"

#include <algorithm>
#include <cstring>

#include "blockyard/base/error.h"

namespace blockyard::blas {

namespace {

constexpr std::int64_t part_bytes = std::int64_t{8} << 20;  // of a panel of b or c
constexpr std::int64_t most_packed_bytes = std::int64_t{128} << 20;
constexpr std::int64_t long_column_bytes = std::int64_t{64} << 10;  // sent as it lies

template <class T>
constexpr std::uint32_t element = BLOCKYARD_F64;
template <>
constexpr std::uint32_t element<float> = BLOCKYARD_F32;
template <>
constexpr std::uint32_t element<c64> = BLOCKYARD_C64;
template <>
constexpr std::uint32_t element<c128> = BLOCKYARD_C128;

template <class T>
std::complex<double> wide(T value) {
  return std::complex<double>(value);
}

/// Indexes: 0 rows of the result, 1 its columns, 2 what is summed.
blockyard_operand matrix(std::int32_t first, std::int64_t rows, std::int32_t second,
                         std::int64_t columns) {
  blockyard_operand operand{};
  operand.order = 2;
  operand.name[0] = first, operand.name[1] = second;
  operand.extent[0] = rows, operand.extent[1] = columns;
  return operand;
}

template <class T>
blockyard_operation operation_of(const Product<T>& p, std::int64_t columns) {
  blockyard_operation operation{};
  operation.size = sizeof operation;
  operation.kind = BLOCKYARD_CONTRACT;
  operation.element = element<T>;
  if constexpr (!std::is_floating_point_v<T>) {
    if (p.op_a == 'C') operation.flags |= blockyard_conjugate_left;
    if (p.op_b == 'C') operation.flags |= blockyard_conjugate_right;
  }
  operation.result = matrix(0, p.m, 1, columns);
  operation.left = p.op_a == 'N' ? matrix(0, p.m, 2, p.k) : matrix(2, p.k, 0, p.m);
  operation.right = p.op_b == 'N' ? matrix(2, p.k, 1, columns) : matrix(1, columns, 2, p.k);
  return operation;
}

}  // namespace

/// A product with what its parts share.
template <class T>
struct DeviceProducts::Call {
  const Product<T>& product;
  std::int64_t columns;  ///< of a part
  const device::Plan* plan;
  const device::Plan* last_plan;  ///< of the last part, which may have fewer
};

DeviceProducts::DeviceProducts(const device::Table& table, const std::string& options)
    : device_(table, 0, options),
      in_(device_.open_stream()),
      work_(device_.open_stream()),
      out_(device_.open_stream()),
      slots_{Slot{{},
                  {},
                  device_.open_event(),
                  device_.open_event(),
                  device_.open_event(),
                  {},
                  {},
                  {},
                  0,
                  0},
             Slot{{},
                  {},
                  device_.open_event(),
                  device_.open_event(),
                  device_.open_event(),
                  {},
                  {},
                  {},
                  0,
                  0}} {}

/// Memory is kept between calls: allocating makes a round trip, and the server clears it.
bool DeviceProducts::reserve(std::optional<device::Memory>& memory, std::int64_t bytes) {
  if (memory && memory->bytes() >= bytes) return true;
  memory.reset();
  memory = device_.allocate(bytes);
  return memory.has_value();
}

/// Exactly the elements of the matrix, and nothing between its columns. Columns go as they lie if
/// they follow each other or are long; else they are packed, as far as memory for it lasts.
void DeviceProducts::send(device::Address to, const std::byte* from, std::int64_t column_bytes,
                          std::int64_t columns, std::int64_t stride_bytes,
                          std::vector<std::byte>& packed) {
  const std::int64_t all = column_bytes * columns;
  const auto bytes = [](const std::byte* begin, std::int64_t length) {
    return std::span(begin, static_cast<std::size_t>(length));
  };
  if (stride_bytes == column_bytes) return in_.copy_in(to, bytes(from, all));
  if (column_bytes >= long_column_bytes || all > most_packed_bytes) {
    for (std::int64_t j = 0; j < columns; ++j)
      in_.copy_in(to + static_cast<device::Address>(j * column_bytes),
                  bytes(from + j * stride_bytes, column_bytes));
    return;
  }
  packed.resize(static_cast<std::size_t>(all));
  for (std::int64_t j = 0; j < columns; ++j)
    std::memcpy(packed.data() + j * column_bytes, from + j * stride_bytes,
                static_cast<std::size_t>(column_bytes));
  in_.copy_in(to, packed);
}

template <class T>
bool DeviceProducts::start(const Call<T>& call, Slot& slot) {
  const Product<T> part = call.product.columns(slot.from, slot.to);
  constexpr std::int64_t each = sizeof(T);
  if (!reserve(slot.right, part.k * call.columns * each) ||
      !reserve(slot.result, part.m * call.columns * each))
    return false;
  const bool is_plain = part.op_b == 'N';
  const std::int64_t rows = is_plain ? part.k : part.n, columns = is_plain ? part.n : part.k;
  send(slot.right->address(), reinterpret_cast<const std::byte*>(part.b), rows * each, columns,
       part.ldb * each, slot.packed_right);
  if (part.beta != T{})
    send(slot.result->address(), reinterpret_cast<const std::byte*>(part.c), part.m * each, part.n,
         part.ldc * each, slot.packed_result);
  in_.record(slot.sent);
  work_.wait(slot.sent);
  const bool is_last = slot.to == call.product.n;
  work_.run(is_last ? *call.last_plan : *call.plan,
            {.alpha = wide(part.alpha),
             .beta = wide(part.beta),
             .result = slot.result->address(),
             .left = left_->address(),
             .right = slot.right->address(),
             .workspace = workspace_ ? workspace_->address() : 0});
  work_.record(slot.computed);
  out_.wait(slot.computed);
  slot.arrived.resize(static_cast<std::size_t>(part.m * part.n * each));
  out_.copy_out(slot.arrived, slot.result->address());
  out_.record(slot.returned);
  return true;
}

template <class T>
void DeviceProducts::finish(const Call<T>& call, Slot& slot, std::int64_t& complete) {
  if (slot.from == slot.to) return;
  slot.returned.wait();
  const Product<T>& p = call.product;
  const std::size_t column_bytes = static_cast<std::size_t>(p.m) * sizeof(T);
  for (std::int64_t j = slot.from; j < slot.to; ++j)
    std::memcpy(p.c + j * p.ldc,
                slot.arrived.data() + static_cast<std::size_t>(j - slot.from) * column_bytes,
                column_bytes);
  complete = slot.to;
  slot.from = slot.to = 0;
}

/// Nothing on its way reads or writes memory of the caller any more.
void DeviceProducts::drain() noexcept {
  for (device::Stream* stream : {&in_, &work_, &out_}) try {
      stream->synchronise();
    } catch (const std::exception&) {  // it has failed, and touches nothing
    }
  for (Slot& slot : slots_) slot.from = slot.to = 0;
}

template <class T>
void DeviceProducts::compute(const Product<T>& p, std::int64_t& complete) {
  constexpr std::int64_t each = sizeof(T);
  const std::int64_t by_bytes = part_bytes / (std::max(p.m, p.k) * each);
  const std::int64_t columns =
      std::clamp<std::int64_t>(by_bytes, std::min<std::int64_t>(p.n, 64), p.n);
  const std::int64_t rest = p.n % columns == 0 ? columns : p.n % columns;
  complete = 0;
  try {
    const auto plan = device_.open_plan(operation_of(p, columns));
    const auto last_plan = device_.open_plan(operation_of(p, rest));
    if (!plan || !last_plan || !reserve(left_, p.m * p.k * each)) return;
    const std::int64_t needed = std::max(plan->workspace_bytes(), last_plan->workspace_bytes());
    if (needed > 0 && !reserve(workspace_, needed)) return;
    const bool is_plain = p.op_a == 'N';
    send(left_->address(), reinterpret_cast<const std::byte*>(p.a), (is_plain ? p.m : p.k) * each,
         is_plain ? p.k : p.m, p.lda * each, packed_left_);
    const Call<T> call = {p, columns, &*plan, &*last_plan};
    std::size_t number = 0;
    bool has_room = true;
    for (std::int64_t from = 0; from < p.n && has_room; from += columns, ++number) {
      Slot& slot = slots_[number % slots];
      finish(call, slot, complete);
      slot.from = from, slot.to = std::min(from + columns, p.n);
      has_room = start(call, slot);
      if (!has_room) slot.from = slot.to = 0;
    }
    for (std::size_t k = 0; k < slots; ++k) finish(call, slots_[(number + k) % slots], complete);
  } catch (...) {
    drain();
    throw;
  }
  drain();
}

template void DeviceProducts::compute<float>(const Product<float>&, std::int64_t&);
template void DeviceProducts::compute<double>(const Product<double>&, std::int64_t&);
template void DeviceProducts::compute<c64>(const Product<c64>&, std::int64_t&);
template void DeviceProducts::compute<c128>(const Product<c128>&, std::int64_t&);

}  // namespace blockyard::blas
