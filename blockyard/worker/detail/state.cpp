// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/state.h"

#include <cstring>
#include <type_traits>

#include "blockyard/base/bytes.h"

namespace blockyard::worker::detail {

namespace {

/// Writes fields one after the other, sequences and maps with their length first.
class Out {
 public:
  template <class T>
  void field(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      out_.value(value);
    } else if constexpr (requires { value.c_str(); }) {
      out_.text(value);
    } else if constexpr (requires { typename T::mapped_type; }) {
      out_.value(std::uint64_t{value.size()});
      for (const auto& [key, mapped] : value) {
        field(key);
        field(mapped);
      }
    } else if constexpr (requires { value.extents; }) {
      field(value.extents);
      field(value.values);
    } else {
      out_.value(std::uint64_t{value.size()});
      if constexpr (std::is_trivially_copyable_v<typename T::value_type>)
        out_.raw(std::as_bytes(std::span(value)));
      else
        for (const auto& element : value) field(element);
    }
  }
  [[nodiscard]] std::vector<std::byte> take() { return out_.take(); }

 private:
  base::ByteWriter out_;
};

class In {
 public:
  explicit In(std::span<const std::byte> bytes) : in_(bytes) {}

  template <class T>
  void field(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      value = in_.value<T>();
    } else if constexpr (requires { value.c_str(); }) {
      value = in_.text();
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (auto count = in_.value<std::uint64_t>(); count > 0; --count) {
        typename T::key_type key;
        field(key);
        field(value[key]);
      }
    } else if constexpr (requires { value.extents; }) {
      field(value.extents);
      field(value.values);
    } else {
      sequence(value);
    }
  }

 private:
  template <class T>
  void sequence(T& value) {
    using Element = typename T::value_type;
    const auto count = in_.value<std::uint64_t>();
    if constexpr (std::is_trivially_copyable_v<Element>) {
      if (count > in_.left() / sizeof(Element)) (void)in_.raw(in_.left() + 1);  // throws
      value.resize(count);
      const auto bytes = in_.raw(count * sizeof(Element));
      if (count > 0) std::memcpy(value.data(), bytes.data(), bytes.size());
    } else {
      for (std::uint64_t k = 0; k < count; ++k) field(value.emplace_back());
    }
  }
  base::ByteReader in_;
};

/// The one list of fields, for writing and reading.
template <class Stream, class State>
void all_fields(Stream& stream, State& state) {
  stream.field(state.pc);
  stream.field(state.epoch);
  stream.field(state.prints);
  stream.field(state.calls);
  stream.field(state.ints);
  stream.field(state.scalars);
  stream.field(state.index_values);
  stream.field(state.loops);
  stream.field(state.entered);
  stream.field(state.region_bounds);
  stream.field(state.scope);
  stream.field(state.scope_begins);
  stream.field(state.marked_arrays);
  stream.field(state.marked_scalars);
  stream.field(state.frames);
}

template <class Stream, class State>
void all_job_fields(Stream& stream, State& state) {
  stream.field(state.in_program);
  stream.field(state.kept.scalars);
  stream.field(state.kept.arrays);
  stream.field(state.kept.distributed);
  stream.field(state.arrays);
}

}  // namespace

std::vector<std::byte> encode(const ProgramState& state) {
  Out out;
  all_fields(out, state);
  return out.take();
}

ProgramState decode_program_state(std::span<const std::byte> bytes) {
  ProgramState state;
  In in(bytes);
  all_fields(in, state);
  return state;
}

std::vector<std::byte> encode(const JobState& state) {
  Out out;
  all_job_fields(out, state);
  return out.take();
}

JobState decode_job_state(std::span<const std::byte> bytes) {
  JobState state;
  In in(bytes);
  all_job_fields(in, state);
  return state;
}

}  // namespace blockyard::worker::detail
