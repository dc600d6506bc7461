// SPDX-License-Identifier: Apache-2.0
#include "blockyard/worker/detail/state.h"

#include <type_traits>

#include "blockyard/base/error.h"
#include "blockyard/base/fields.h"

namespace blockyard::worker::detail {

namespace {

/// The one list of fields, for writing and reading.
constexpr auto program_fields = [](auto& stream, auto& state) {
  stream.fields(state.pc, state.epoch, state.do_all_print, state.calls, state.ints, state.scalars,
                state.index_values, state.loops, state.entered, state.region_bounds, state.scope,
                state.scope_begins, state.marked_arrays, state.marked_scalars, state.frames);
};

template <class Stream, class Arrays>
void array_fields(Stream& stream, Arrays& arrays) {
  std::uint64_t count = arrays.size();
  stream.field(count);
  if constexpr (std::is_const_v<Arrays>) {
    for (const auto& [name, array] : arrays)
      stream.fields(name, array.extents, array.values, array.type);
  } else {
    for (; count > 0; --count) {
      std::string name;
      stream.field(name);
      DenseArray& array = arrays[name];
      stream.fields(array.extents, array.values, array.type);
    }
  }
}

constexpr auto job_fields = [](auto& stream, auto& state) {
  stream.fields(state.in_program, state.kept.scalars, state.kept.distributed,
                state.kept.element_types);
  array_fields(stream, state.kept.arrays);
  array_fields(stream, state.arrays);
};

template <class State, class Fields>
std::vector<std::byte> encode_fields(const State& state, const Fields& fields) {
  base::FieldWriter out;
  fields(out, state);
  return out.take();
}

template <class State, class Fields>
State decode_fields(std::span<const std::byte> bytes, const Fields& fields) {
  State state;
  base::FieldReader in(bytes);
  fields(in, state);
  return state;
}

}  // namespace

std::vector<std::byte> encode(const ProgramState& state) {
  return encode_fields(state, program_fields);
}

ProgramState decode_program_state(std::span<const std::byte> bytes) {
  return decode_fields<ProgramState>(bytes, program_fields);
}

void refuse_state() {
  throw base::Error(base::Errc::bad_input,
                    "the state of a worker in the checkpoint does not fit its program");
}

std::vector<std::byte> encode(const JobState& state) { return encode_fields(state, job_fields); }

JobState decode_job_state(std::span<const std::byte> bytes) {
  return decode_fields<JobState>(bytes, job_fields);
}

}  // namespace blockyard::worker::detail
