// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/opcode.h"

namespace blockyard::program {
namespace {

using enum OperandKind;
using O = Opcode;

// clang-format off
constexpr std::array<OpcodeRow, opcode_count> table = {{
  {O::halt,          "halt",          {none, none, none},          "",   "",  "end of the program"},
  {O::stop,          "stop",          {none, none, none},          "",   "",  "end the whole job with an error"},
  {O::jump,          "jump",          {target, none, none},        "",   "",  "go to a"},
  {O::jump_if_false, "jump_if_false", {target, none, none},        "b",  "",  "go to a unless the popped truth holds"},
  {O::call,          "call",          {target, none, none},        "",   "",  "remember the next pc, go to a"},
  {O::return_,       "return",        {none, none, none},          "",   "",  "go to the pc that the matching call remembered"},
  {O::do_begin,      "do_begin",      {index, target, none},       "",   "",  "set index a to its first value and open a scope; go to b if the range is empty. A subindex ranges over the current segment of its parent"},
  {O::do_next,       "do_next",       {index, target, none},       "",   "",  "end the iteration: temps of its scope go; next value of index a and go to b, or leave the loop"},
  {O::do_leave,      "do_leave",      {index, none, none},         "",   "",  "leave the loop over index a early (a jump follows)"},
  {O::pardo_begin,   "pardo_begin",   {pardo, target, none},       "",   "",  "begin pardo a; go to b if there is no iteration for this worker, else to the body"},
  {O::where_end,     "where_end",     {none, none, none},          "b",  "",  "end of the where code of a pardo, which pardo_begin and pardo_next run for each setting of the indexes: the popped truth says whether it is an iteration"},
  {O::pardo_next,    "pardo_next",    {pardo, none, none},         "",   "",  "end the iteration: temps of its scope go; next iteration of pardo a at its body, or leave the loop"},
  {O::pardo_leave,   "pardo_leave",   {pardo, none, none},         "",   "",  "leave pardo a early: this worker drops the rest of its share (a jump follows)"},
  {O::section_begin, "section_begin", {none, none, none},          "",   "",  "the pardos up to section_end have no order among each other"},
  {O::section_end,   "section_end",   {none, none, none},          "",   "",  "a barrier"},
  {O::barrier,       "barrier",       {none, none, none},          "",   "",  "wait for all own transfers and for all workers; a new epoch begins"},
  {O::gpu_begin,     "gpu_begin",     {none, none, none},          "",   "",  "hint: block work from here is better done on a device"},
  {O::gpu_end,       "gpu_end",       {none, none, none},          "",   "",  "end of that hint"},
  {O::push_int,      "push_int",      {integer, none, none},       "",   "i", "push the number a"},
  {O::push_literal,  "push_literal",  {literal, none, none},       "",   "s", "push literal a"},
  {O::push_int_name, "push_int_name", {int_name, none, none},      "",   "i", "push the value of int a"},
  {O::push_scalar,   "push_scalar",   {scalar, none, none},        "",   "v", "push the value of scalar a"},
  {O::push_index,    "push_index",    {index, none, none},         "",   "i", "push the value of index a"},
  {O::push_block,    "push_block",    {selector, none, none},      "",   "v", "push the one element of block a"},
  {O::push_product,  "push_product",  {product, none, none},       "",   "v", "push the full contraction of the blocks of product a"},
  {O::int_add,       "int_add",       {none, none, none},          "ii", "i", "sum"},
  {O::int_subtract,  "int_subtract",  {none, none, none},          "ii", "i", "difference"},
  {O::int_multiply,  "int_multiply",  {none, none, none},          "ii", "i", "product"},
  {O::int_divide,    "int_divide",    {none, none, none},          "ii", "i", "quotient, toward zero; zero divisor: error"},
  {O::int_negate,    "int_negate",    {none, none, none},          "i",  "i", "negative"},
  {O::add,           "add",           {number, none, none},        "nn", "n", "sum"},
  {O::subtract,      "subtract",      {number, none, none},        "nn", "n", "difference"},
  {O::multiply,      "multiply",      {number, none, none},        "nn", "n", "product"},
  {O::divide,        "divide",        {number, none, none},        "nn", "n", "quotient"},
  {O::negate,        "negate",        {number, none, none},        "n",  "n", "negative"},
  {O::power,         "power",         {number, none, none},        "nn", "n", "power"},
  {O::square_root,   "square_root",   {number, none, none},        "n",  "n", "square root"},
  {O::absolute,      "absolute",      {number, none, none},        "n",  "s", "absolute value"},
  {O::make_complex,  "make_complex",  {none, none, none},          "ss", "z", "the complex number of a real and an imaginary part"},
  {O::real_part,     "real_part",     {none, none, none},          "z",  "s", "real part"},
  {O::imaginary_part,"imaginary_part",{none, none, none},          "z",  "s", "imaginary part"},
  {O::conjugate,     "conjugate",     {none, none, none},          "z",  "z", "complex conjugate"},
  {O::to_scalar,     "to_scalar",     {none, none, none},          "i",  "s", "integer as a scalar"},
  {O::to_int,        "to_int",        {none, none, none},          "s",  "i", "nearest integer, ties to even"},
  {O::compare_int,   "compare_int",   {relation, none, none},      "ii", "b", "relation a of two integers"},
  {O::compare,       "compare",       {relation, none, none},      "ss", "b", "relation a of two scalars"},
  {O::and_,          "and",           {none, none, none},          "bb", "b", "both"},
  {O::or_,           "or",            {none, none, none},          "bb", "b", "either"},
  {O::not_,          "not",           {none, none, none},          "b",  "b", "not"},
  {O::exists,        "exists",        {selector, none, none},      "",   "b", "whether block a of a sparse array was ever written"},
  {O::store_int,     "store_int",     {int_name, mode, none},      "i",  "",  "int a = or += or -= or *= the popped value"},
  {O::store_scalar,  "store_scalar",  {scalar, mode, none},        "v",  "",  "scalar a = or += or -= or *= the popped value"},
  {O::block_fill,    "block_fill",    {selector, mode, none},      "v",  "",  "every element of block a = or += or -= or *= the popped value"},
  {O::block_copy,    "block_copy",    {selector, selector, flags}, "",   "",  "block a = or += [scalar *] block b, matched by index name; a or b may be a slice or a region"},
  {O::block_product, "block_product", {selector, product, flags},  "",   "",  "block a = or += [scalar *] the product of the blocks of b: names decide what is summed"},
  {O::bind_region,   "bind_region",   {selector, none, none},      "r",  "",  "set the ranges of region a for the instruction that follows; a named position takes the value of its index"},
  {O::allocate,      "allocate",      {selector, none, none},      "",   "",  "make the selected blocks of a local array, zero"},
  {O::deallocate,    "deallocate",    {selector, none, none},      "",   "",  "remove the selected blocks of a local array"},
  {O::allocate_region,   "allocate_region",   {selector, none, none}, "", "", "make region a of a contiguous array, zero"},
  {O::deallocate_region, "deallocate_region", {selector, none, none}, "", "", "remove region a of a contiguous array"},
  {O::get,           "get",           {selector, none, none},      "",   "",  "get or request: start the transfer of block a to this worker"},
  {O::put,           "put",           {selector, selector, mode},  "",   "",  "put or prepare: block a at its home = or += block b (set, add, subtract)"},
  {O::put_scalar,    "put_scalar",    {selector, mode, none},      "v",  "",  "put or prepare: every element of block a at its home = or += or *= the popped value"},
  {O::create_array,  "create_array",  {array, none, none},         "",   "",  "array a begins, without blocks"},
  {O::delete_array,  "delete_array",  {array, none, none},         "",   "",  "delete or destroy: all blocks of array a go"},
  {O::execute,       "execute",       {special, argument, count},  "",   "",  "run super instruction a on c arguments from b"},
  {O::collective_sum,"collective_sum",{scalar, none, none},        "v",  "",  "scalar a += the sum over workers of the popped value"},
  {O::assert_same,   "assert_same",   {scalar, none, none},        "",   "",  "scalar a is nearly the same on all workers, and then that of worker 0"},
  {O::broadcast,     "broadcast",     {array, none, none},         "i",  "",  "static array a of the worker with the popped number goes to all"},
  {O::persist_array, "persist_array", {array, text, none},         "",   "",  "at the end of the program array a is kept under label b"},
  {O::persist_scalar,"persist_scalar",{scalar, text, none},        "",   "",  "at the end of the program scalar a is kept under label b"},
  {O::restore_array, "restore_array", {array, text, none},         "",   "",  "array a takes what is kept under label b"},
  {O::restore_scalar,"restore_scalar",{scalar, text, none},        "",   "",  "scalar a takes what is kept under label b"},
  {O::print_text,    "print_text",    {text, integer, none},       "",   "",  "worker 0 prints text a, a newline, and b more newlines"},
  {O::print_int_name,"print_int_name",{int_name, integer, none},   "",   "",  "worker 0 prints name and value of int a, then b more newlines"},
  {O::print_scalar,  "print_scalar",  {scalar, integer, none},     "",   "",  "worker 0 prints name and value of scalar a, then b more newlines"},
  {O::print_index,   "print_index",   {index, integer, none},      "",   "",  "worker 0 prints name and value of index a, then b more newlines"},
  {O::print_int,     "print_int",     {integer, none, none},       "i",  "",  "worker 0 prints the popped value, then a more newlines"},
  {O::print_value,   "print_value",   {integer, number, none},     "n",  "",  "worker 0 prints the popped value, then a more newlines"},
  {O::print_block,   "print_block",   {selector, integer, none},   "",   "",  "worker 0 prints block or region a, then b more newlines"},
  {O::print_array,   "print_array",   {array, integer, none},      "",   "",  "worker 0 prints static array a, then b more newlines"},
}};
// clang-format on

constexpr bool is_in_order() {
  for (std::size_t k = 0; k < table.size(); ++k)
    if (static_cast<std::size_t>(table[k].opcode) != k) return false;
  return true;
}
static_assert(is_in_order(), "the table and enum Opcode list the opcodes in the same order");

}  // namespace

const std::array<OpcodeRow, opcode_count>& opcode_table() noexcept { return table; }

}  // namespace blockyard::program
