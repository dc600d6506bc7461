// SPDX-License-Identifier: Apache-2.0
// The C interface of MA, for one width of Integer.
#include <fmt/format.h>
#include <macdecls.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "blockyard/ga/ints.h"
#include "blockyard/ga/ma.h"

extern "C" {
// The bases that indexes count from: programs write ma_cb_dbl[index + k]. Blocks are aligned to 64
// bytes, so that elements of 32 bytes need a base aligned to as many.
alignas(16) char ma_cb_char[16];
alignas(16) int ma_cb_int[4];
alignas(16) long ma_cb_long[2];
alignas(16) long long ma_cb_longlong[2];
alignas(16) float ma_cb_float[4];
alignas(16) double ma_cb_dbl[2];
alignas(16) MA_LongDouble ma_cb_ldbl[1];
alignas(16) MA_SingleComplex ma_cb_scpl[2];
alignas(16) MA_DoubleComplex ma_cb_dcpl[1];
alignas(64) MA_LongDoubleComplex ma_cb_ldcpl[1];
// The same for Fortran: its common blocks.
extern char mbc_byte_[2], mbc_int_[16], mbc_log_[16];
extern float mbc_real_[2], mbc_scpl_[4];
extern double mbc_dbl_[2], mbc_dcpl_[4];
}

namespace {

using blockyard::ga::counted, blockyard::ga::Ma;

/// The allocator of the process and what its caller asked of it.
struct Place {
  std::optional<Ma> ma;
  bool prints_errors = true, fails_hard = false, verifies = false, traces = false;
  Integer alignment_power = 6;
  void (*end)(const char*, int) = nullptr;  ///< in place of exit
};

Place& place() {
  static auto* const only = new Place;
  return *only;
}

std::optional<std::size_t> bytes_of(Integer type) {
  return Ma::bytes_of(type, static_cast<int>(sizeof(Integer)));
}

/// The base that indexes of a type count from; null: unknown type.
void* base_of(Integer type) {
  switch (type) {
    case MT_F_BYTE:
      return mbc_byte_;
    case MT_F_INT:
      return mbc_int_;
    case MT_F_LOG:
      return mbc_log_;
    case MT_F_REAL:
      return mbc_real_;
    case MT_F_DBL:
      return mbc_dbl_;
    case MT_F_SCPL:
      return mbc_scpl_;
    case MT_F_DCPL:
      return mbc_dcpl_;
    case MT_C_CHAR:
      return ma_cb_char;
    case MT_C_INT:
      return ma_cb_int;
    case MT_C_LONGINT:
      return ma_cb_long;
    case MT_C_LONGLONG:
      return ma_cb_longlong;
    case MT_C_FLOAT:
      return ma_cb_float;
    case MT_C_DBL:
      return ma_cb_dbl;
    case MT_C_LDBL:
      return ma_cb_ldbl;
    case MT_C_SCPL:
      return ma_cb_scpl;
    case MT_C_DCPL:
      return ma_cb_dcpl;
    case MT_C_LDCPL:
      return ma_cb_ldcpl;
    default:
      return nullptr;
  }
}

Boolean fail(const std::string& text) {
  const bool is_hard = place().fails_hard;
  if (is_hard || place().prints_errors) std::fputs(fmt::format("MA: {}\n", text).c_str(), stderr);
  if (is_hard && place().end == nullptr) std::exit(1);
  if (is_hard) place().end("MA aborting", 0);
  return MA_FALSE;
}

/// An error after which there is no number to return: ends the process at any rate, as the original
/// does. 0, if the caller's function to end it returns.
Integer fail_fatally(const std::string& text) {
  const bool was_hard = std::exchange(place().fails_hard, true);
  fail(text);
  place().fails_hard = was_hard;
  return 0;
}

/// Whether MA is up, and whole if that shall be looked after.
bool is_ready(const char* call) {
  if (place().traces) std::fputs(fmt::format("MA: {}\n", call).c_str(), stderr);
  if (!place().ma) return fail(fmt::format("{}: MA_init was not called", call)) == MA_TRUE;
  if (place().verifies && MA_verify_allocator_stuff() == MA_FALSE) return false;
  return true;
}

Boolean take(const char* call, bool on_stack, Integer type, Integer elements, const char* name,
             Integer* handle) {
  if (!is_ready(call)) return MA_FALSE;
  if (base_of(type) == nullptr) return fail(fmt::format("{}: {} is not a type", call, type));
  if (elements < 0) return fail(fmt::format("{}: {} elements are asked for", call, elements));
  const auto count = static_cast<std::size_t>(elements);
  auto& ma = *place().ma;
  const auto made = on_stack ? ma.push(type, count, name) : ma.allocate(type, count, name);
  if (!made)
    return fail(fmt::format("{}: no room for {} elements of \"{}\" ({} bytes are left)", call,
                            elements, name, ma.gap()));
  *handle = *made;
  return MA_TRUE;
}

const Ma::Block* block_of(const char* call, Integer handle) {
  if (!is_ready(call)) return nullptr;
  const Ma::Block* block = place().ma->find(handle);
  if (block == nullptr) fail(fmt::format("{}: {} is not the handle of a block", call, handle));
  return block;
}

/// Elements of a type that fit into the bytes that `room` tells, including what MA adds; 0 where MA
/// is not up.
template <class Room>
Integer fitting(const char* call, Integer type, const Room& room) {
  if (!is_ready(call)) return 0;
  const auto width = bytes_of(type);
  if (!width) return fail_fatally(fmt::format("{}: {} is not a type", call, type));
  const std::size_t bytes = room(*place().ma), overhead = Ma::with_overhead(0);
  return bytes < overhead ? 0 : counted<Integer>((bytes - overhead) / *width);
}

Boolean said(bool is_done, const char* call, Integer handle, const char* why) {
  return is_done ? MA_TRUE : fail(fmt::format("{}: block {} {}", call, handle, why));
}

}  // namespace

extern "C" {

Boolean MA_init(Integer datatype, Integer nominal_stack, Integer nominal_heap) {
  constexpr std::size_t usual_bytes = std::size_t{16} << 20;
  if (place().ma) return fail("MA_init: it was called before");
  const auto width = bytes_of(datatype);
  if (!width) return fail(fmt::format("MA_init: {} is not a type", datatype));
  const auto bytes = [&](Integer elements) {
    if (elements < 0) return usual_bytes;
    // Small requests still hold a few blocks.
    return static_cast<std::size_t>(elements) * *width + Ma::with_overhead(0);
  };
  try {
    place().ma.emplace(bytes(nominal_stack), bytes(nominal_heap), sizeof(Integer));
  } catch (const std::bad_alloc&) {
    return fail(fmt::format("MA_init: the system has no {} bytes",
                            bytes(nominal_stack) + bytes(nominal_heap)));
  }
  return MA_TRUE;
}
Boolean MA_initialized(void) { return place().ma ? MA_TRUE : MA_FALSE; }

Boolean MA_allocate_heap(Integer datatype, Integer nelem, const char* name, Integer* memhandle) {
  return take("MA_allocate_heap", false, datatype, nelem, name, memhandle);
}
Boolean MA_push_stack(Integer datatype, Integer nelem, const char* name, Integer* memhandle) {
  return take("MA_push_stack", true, datatype, nelem, name, memhandle);
}
Boolean MA_alloc_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                     MA_AccessIndex* index) {
  if (take("MA_alloc_get", false, datatype, nelem, name, memhandle) == MA_FALSE) return MA_FALSE;
  return MA_get_index(*memhandle, index);
}
Boolean MA_push_get(Integer datatype, Integer nelem, const char* name, Integer* memhandle,
                    MA_AccessIndex* index) {
  if (take("MA_push_get", true, datatype, nelem, name, memhandle) == MA_FALSE) return MA_FALSE;
  return MA_get_index(*memhandle, index);
}
Boolean MA_free_heap(Integer memhandle) {
  if (!is_ready("MA_free_heap")) return MA_FALSE;
  return said(place().ma->free(memhandle), "MA_free_heap", memhandle, "is not on the heap");
}
Boolean MA_free_heap_piece(Integer memhandle, Integer nelem) {
  if (!is_ready("MA_free_heap_piece")) return MA_FALSE;
  return said(nelem >= 0 && place().ma->free_piece(memhandle, static_cast<std::size_t>(nelem)),
              "MA_free_heap_piece", memhandle, "is not on the heap, or has fewer elements");
}
Boolean MA_pop_stack(Integer memhandle) {
  if (!is_ready("MA_pop_stack")) return MA_FALSE;
  return said(place().ma->pop(memhandle), "MA_pop_stack", memhandle, "is not on top of the stack");
}
Boolean MA_chop_stack(Integer memhandle) {
  if (!is_ready("MA_chop_stack")) return MA_FALSE;
  return said(place().ma->chop(memhandle), "MA_chop_stack", memhandle, "is not on the stack");
}

Boolean MA_get_index(Integer memhandle, MA_AccessIndex* index) {
  const Ma::Block* block = block_of("MA_get_index", memhandle);
  if (block == nullptr) return MA_FALSE;
  const auto distance =
      static_cast<char*>(place().ma->data_of(*block)) - static_cast<char*>(base_of(block->type));
  *index = distance / static_cast<std::ptrdiff_t>(*bytes_of(block->type));
  return MA_TRUE;
}
Boolean MA_get_pointer(Integer memhandle, void* pointer) {
  const Ma::Block* block = block_of("MA_get_pointer", memhandle);
  if (block == nullptr) return MA_FALSE;
  *static_cast<void**>(pointer) = place().ma->data_of(*block);
  return MA_TRUE;
}
Pointer MA_get_mbase(Integer datatype) {
  void* base = base_of(datatype);
  if (base == nullptr) fail_fatally(fmt::format("MA_get_mbase: {} is not a type", datatype));
  return static_cast<Pointer>(base);
}
Boolean MA_init_memhandle_iterator(Integer* ithandle) {
  if (!is_ready("MA_init_memhandle_iterator")) return MA_FALSE;
  *ithandle = 0;
  return MA_TRUE;
}
Boolean MA_get_next_memhandle(Integer* ithandle, Integer* memhandle) {
  if (!is_ready("MA_get_next_memhandle")) return MA_FALSE;
  const auto next = place().ma->next(*ithandle);
  if (!next) return MA_FALSE;
  *ithandle = *memhandle = *next;
  return MA_TRUE;
}

Integer MA_inquire_avail(Integer datatype) {
  return fitting("MA_inquire_avail", datatype, [](const Ma& ma) { return ma.gap(); });
}
Integer MA_inquire_heap(Integer datatype) {
  return fitting("MA_inquire_heap", datatype, [](const Ma& ma) { return ma.room_within(false); });
}
Integer MA_inquire_heap_check_stack(Integer datatype) {
  return fitting("MA_inquire_heap_check_stack", datatype,
                 [](const Ma& ma) { return ma.longest_heap_piece(true); });
}
Integer MA_inquire_heap_no_partition(Integer datatype) {
  return fitting("MA_inquire_heap_no_partition", datatype,
                 [](const Ma& ma) { return ma.longest_heap_piece(false); });
}
Integer MA_inquire_stack(Integer datatype) {
  return fitting("MA_inquire_stack", datatype, [](const Ma& ma) { return ma.room_within(true); });
}
Integer MA_inquire_stack_check_heap(Integer datatype) { return MA_inquire_stack(datatype); }
Integer MA_inquire_stack_no_partition(Integer datatype) { return MA_inquire_avail(datatype); }

Integer MA_sizeof(Integer datatype1, Integer nelem1, Integer datatype2) {
  const auto from = bytes_of(datatype1), to = bytes_of(datatype2);
  if (!from || !to)
    return fail_fatally(fmt::format("MA_sizeof: {} is not a type", from ? datatype2 : datatype1));
  if (nelem1 < 0) return fail_fatally(fmt::format("MA_sizeof: there are no {} elements", nelem1));
  return counted<Integer>((static_cast<std::size_t>(nelem1) * *from + *to - 1) / *to);
}
Integer MA_sizeof_overhead(Integer datatype) {
  const auto width = bytes_of(datatype);
  if (!width) return fail_fatally(fmt::format("MA_sizeof_overhead: {} is not a type", datatype));
  return static_cast<Integer>((Ma::with_overhead(0) + *width - 1) / *width);
}

Boolean MA_get_numalign(Integer* value) {
  *value = place().alignment_power;
  return MA_TRUE;
}
Boolean MA_set_numalign(Integer value) {
  if (value < 0 || value > 30) return fail(fmt::format("MA_set_numalign: {}", value));
  place().alignment_power = value;  // blocks are aligned to 64 bytes at any rate
  return MA_TRUE;
}
Boolean MA_set_auto_verify(Boolean value) {
  return std::exchange(place().verifies, value != MA_FALSE) ? MA_TRUE : MA_FALSE;
}
Boolean MA_set_error_print(Boolean value) {
  return std::exchange(place().prints_errors, value != MA_FALSE) ? MA_TRUE : MA_FALSE;
}
Boolean MA_set_hard_fail(Boolean value) {
  return std::exchange(place().fails_hard, value != MA_FALSE) ? MA_TRUE : MA_FALSE;
}
void MA_set_error_callback(void (*func)(const char*, int)) { place().end = func; }
void ma_set_error_callback(void (*func)(const char*, int)) { MA_set_error_callback(func); }
void MA_trace(Boolean value) { place().traces = value != MA_FALSE; }

void MA_print_stats(Boolean /*printroutines*/) {
  if (!is_ready("MA_print_stats")) return;
  std::fputs(fmt::format("MA: {} blocks, {} bytes between heap and stack\n",
                         place().ma->blocks().size(), place().ma->gap())
                 .c_str(),
             stdout);
}
void MA_summarize_allocated_blocks(void) {
  if (!is_ready("MA_summarize_allocated_blocks")) return;
  for (const auto& [handle, block] : place().ma->blocks())
    std::fputs(fmt::format("MA: {} {} \"{}\": {} elements of type {}, {} bytes\n",
                           block.is_on_stack ? "stack" : "heap", handle, block.name, block.elements,
                           block.type, block.bytes)
                   .c_str(),
               stdout);
}
Boolean MA_verify_allocator_stuff(void) {
  if (!place().ma) return fail("MA_verify_allocator_stuff: MA_init was not called");
  const Ma::Block* broken = place().ma->broken();
  if (broken == nullptr) return MA_TRUE;
  return fail(fmt::format("memory before or after block \"{}\" was overwritten", broken->name));
}
}
