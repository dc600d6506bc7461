// SPDX-License-Identifier: Apache-2.0
#include "blockyard/program/opcode.h"

namespace blockyard::program {
namespace {

using enum OperandKind;
using enum Control;
using namespace effect;
using O = Opcode;

// clang-format off
constexpr std::array<OpcodeRow, opcode_count> table = {{
  {O::halt,          "halt",          {none, none, none},          "",   "", end,         nothing,                   "end of the program"},
  {O::stop,          "stop",          {none, none, none},          "",   "", stop,        nothing,                   "end the whole job with an error"},
  {O::jump,          "jump",          {target, none, none},        "",   "", jump,        nothing,                   "go to a"},
  {O::jump_if_false, "jump_if_false", {target, none, none},        "b",  "", branch,      nothing,                   "go to a unless the popped truth holds"},
  {O::call,          "call",          {target, none, none},        "",   "", call,        nothing,                   "remember the next pc, go to a"},
  {O::return_,       "return",        {none, none, none},          "",   "", return_,     nothing,                   "go to the pc that the matching call remembered"},
  {O::do_begin,      "do_begin",      {index, target, none},       "",   "", loop_begin,  nothing,                   "set index a to its first value and open a scope; go to b if the range is empty. A subindex ranges over the current segment of its parent"},
  {O::do_next,       "do_next",       {index, target, none},       "",   "", loop_next,   nothing,                   "end the iteration: temps of its scope go; next value of index a and go to b, or leave the loop"},
  {O::do_leave,      "do_leave",      {index, none, none},         "",   "", loop_leave,  nothing,                   "leave the loop over index a early (a jump follows)"},
  {O::pardo_begin,   "pardo_begin",   {pardo, target, none},       "",   "", loop_begin,  nothing,                   "begin pardo a; go to b if this worker has no iteration, else to the body"},
  {O::where_end,     "where_end",     {none, none, none},          "b",  "", where_end,   nothing,                   "end of the where code of a pardo, which pardo_begin and pardo_next run for each setting of the indexes: the popped truth says whether it is an iteration"},
  {O::pardo_next,    "pardo_next",    {pardo, none, none},         "",   "", loop_next,   nothing,                   "end the iteration: temps of its scope go; next iteration of pardo a at its body, or leave the loop"},
  {O::pardo_leave,   "pardo_leave",   {pardo, none, none},         "",   "", loop_leave,  nothing,                   "leave pardo a early: this worker drops the rest of its share (a jump follows)"},
  {O::section_begin, "section_begin", {none, none, none},          "",   "", next,        nothing,                   "the pardos up to section_end have no order among each other"},
  {O::section_end,   "section_end",   {none, none, none},          "",   "", next,        meets | ends_epoch,        "a barrier"},
  {O::barrier,       "barrier",       {none, none, none},          "",   "", next,        meets | ends_epoch,        "wait for all own transfers and for all workers; a new epoch begins"},
  {O::gpu_begin,     "gpu_begin",     {none, none, none},          "",   "", next,        nothing,                   "hint: block work from here is better done on a device"},
  {O::gpu_end,       "gpu_end",       {none, none, none},          "",   "", next,        nothing,                   "end of that hint"},
  {O::push_int,      "push_int",      {integer, none, none},       "",   "i", next,        nothing,                   "push the number a"},
  {O::push_literal,  "push_literal",  {literal, none, none},       "",   "s", next,        nothing,                   "push literal a"},
  {O::push_int_name, "push_int_name", {int_name, none, none},      "",   "i", next,        nothing,                   "push the value of int a"},
  {O::push_scalar,   "push_scalar",   {scalar, none, none},        "",   "v", next,        nothing,                   "push the value of scalar a"},
  {O::push_index,    "push_index",    {index, none, none},         "",   "i", next,        nothing,                   "push the value of index a"},
  {O::push_block,    "push_block",    {selector, none, none},      "",   "v", next,        nothing,                   "push the one element of block a"},
  {O::push_product,  "push_product",  {product, none, none},       "",   "v", next,        nothing,                   "push the full contraction of the blocks of product a"},
  {O::int_add,       "int_add",       {none, none, none},          "ii", "i", next,        nothing,                   "sum"},
  {O::int_subtract,  "int_subtract",  {none, none, none},          "ii", "i", next,        nothing,                   "difference"},
  {O::int_multiply,  "int_multiply",  {none, none, none},          "ii", "i", next,        nothing,                   "product"},
  {O::int_divide,    "int_divide",    {none, none, none},          "ii", "i", next,        nothing,                   "quotient, toward zero; zero divisor: error"},
  {O::int_negate,    "int_negate",    {none, none, none},          "i",  "i", next,        nothing,                   "negative"},
  {O::add,           "add",           {number, none, none},        "nn", "n", next,        nothing,                   "sum"},
  {O::subtract,      "subtract",      {number, none, none},        "nn", "n", next,        nothing,                   "difference"},
  {O::multiply,      "multiply",      {number, none, none},        "nn", "n", next,        nothing,                   "product"},
  {O::divide,        "divide",        {number, none, none},        "nn", "n", next,        nothing,                   "quotient"},
  {O::negate,        "negate",        {number, none, none},        "n",  "n", next,        nothing,                   "negative"},
  {O::power,         "power",         {number, none, none},        "nn", "n", next,        nothing,                   "power"},
  {O::square_root,   "square_root",   {number, none, none},        "n",  "n", next,        nothing,                   "square root"},
  {O::absolute,      "absolute",      {number, none, none},        "n",  "s", next,        nothing,                   "absolute value"},
  {O::make_complex,  "make_complex",  {none, none, none},          "ss", "z", next,        nothing,                   "the complex number of a real and an imaginary part"},
  {O::real_part,     "real_part",     {none, none, none},          "z",  "s", next,        nothing,                   "real part"},
  {O::imaginary_part,"imaginary_part",{none, none, none},          "z",  "s", next,        nothing,                   "imaginary part"},
  {O::conjugate,     "conjugate",     {none, none, none},          "z",  "z", next,        nothing,                   "complex conjugate"},
  {O::to_scalar,     "to_scalar",     {none, none, none},          "i",  "s", next,        nothing,                   "integer as a scalar"},
  {O::to_int,        "to_int",        {none, none, none},          "s",  "i", next,        nothing,                   "nearest integer, ties to even"},
  {O::compare_int,   "compare_int",   {relation, none, none},      "ii", "b", next,        nothing,                   "relation a of two integers"},
  {O::compare,       "compare",       {relation, none, none},      "ss", "b", next,        nothing,                   "relation a of two scalars"},
  {O::and_,          "and",           {none, none, none},          "bb", "b", next,        nothing,                   "both"},
  {O::or_,           "or",            {none, none, none},          "bb", "b", next,        nothing,                   "either"},
  {O::not_,          "not",           {none, none, none},          "b",  "b", next,        nothing,                   "not"},
  {O::exists,        "exists",        {selector, none, none},      "",   "b", next,        nothing,                   "whether block a of a sparse array was ever written"},
  {O::store_int,     "store_int",     {int_name, mode, none},      "i",  "", next,        writes,                    "int a = or += or -= or *= the popped value"},
  {O::store_scalar,  "store_scalar",  {scalar, mode, none},        "v",  "", next,        writes,                    "scalar a = or += or -= or *= the popped value"},
  {O::block_fill,    "block_fill",    {selector, mode, none},      "v",  "", next,        writes,                    "every element of block a = or += or -= or *= the popped value"},
  {O::block_copy,    "block_copy",    {selector, selector, flags}, "",   "", next,        writes,                    "block a = or += [scalar *] block b, matched by index name; a or b may be a slice or a region"},
  {O::block_product, "block_product", {selector, product, flags},  "",   "", next,        writes,                    "block a = or += [scalar *] the product of the blocks of b: names decide what is summed"},
  {O::bind_region,   "bind_region",   {selector, none, none},      "r",  "", next,        nothing,                   "set the ranges of region a for the instruction that follows; a named position takes the value of its index"},
  {O::allocate,      "allocate",      {selector, none, none},      "",   "", next,        writes | makes,            "make the selected blocks of a local array, zero"},
  {O::deallocate,    "deallocate",    {selector, none, none},      "",   "", next,        writes,                    "remove the selected blocks of a local array"},
  {O::allocate_region,   "allocate_region",   {selector, none, none}, "", "", next,        writes | makes,            "make region a of a contiguous array, zero"},
  {O::deallocate_region, "deallocate_region", {selector, none, none}, "", "", next,        writes,                    "remove region a of a contiguous array"},
  {O::get,           "get",           {selector, none, none},      "",   "", next,        gets,                      "get or request: start the transfer of block a to this worker"},
  {O::put,           "put",           {selector, selector, mode},  "",   "", next,        puts,                      "put or prepare: block a at its home = or += block b (set, add, subtract)"},
  {O::put_scalar,    "put_scalar",    {selector, mode, none},      "v",  "", next,        puts,                      "put or prepare: every element of block a at its home = or += or *= the popped value"},
  {O::create_array,  "create_array",  {array, none, none},         "",   "", next,        nothing,                   "array a begins, without blocks"},
  {O::delete_array,  "delete_array",  {array, none, none},         "",   "", next,        replaces | meets,          "delete or destroy: all blocks of array a go"},
  {O::execute,       "execute",       {special, argument, count},  "",   "", next,        nothing,                   "run super instruction a on c arguments from b"},
  {O::collective_sum,"collective_sum",{scalar, none, none},        "v",  "", next,        updates | meets,           "scalar a += the sum over workers of the popped value"},
  {O::assert_same,   "assert_same",   {scalar, none, none},        "",   "", next,        updates | meets,           "scalar a is nearly the same on all workers, and then that of worker 0"},
  {O::broadcast,     "broadcast",     {array, none, none},         "i",  "", next,        updates | meets,           "static array a of the worker with the popped number goes to all"},
  {O::persist_array, "persist_array", {array, text, none},         "",   "", next,        nothing,                   "at the end of the program array a is kept under label b"},
  {O::persist_scalar,"persist_scalar",{scalar, text, none},        "",   "", next,        nothing,                   "at the end of the program scalar a is kept under label b"},
  {O::restore_array, "restore_array", {array, text, none},         "",   "", next,        writes | replaces | meets, "array a takes what is kept under label b"},
  {O::restore_scalar,"restore_scalar",{scalar, text, none},        "",   "", next,        writes | meets,            "scalar a takes what is kept under label b"},
  {O::print_text,    "print_text",    {text, integer, none},       "",   "", next,        nothing,                   "worker 0 prints text a, a newline, and b more newlines"},
  {O::print_int_name,"print_int_name",{int_name, integer, none},   "",   "", next,        nothing,                   "worker 0 prints name and value of int a, then b more newlines"},
  {O::print_scalar,  "print_scalar",  {scalar, integer, none},     "",   "", next,        nothing,                   "worker 0 prints name and value of scalar a, then b more newlines"},
  {O::print_index,   "print_index",   {index, integer, none},      "",   "", next,        nothing,                   "worker 0 prints name and value of index a, then b more newlines"},
  {O::print_int,     "print_int",     {integer, none, none},       "i",  "", next,        nothing,                   "worker 0 prints the popped value, then a more newlines"},
  {O::print_value,   "print_value",   {integer, number, none},     "n",  "", next,        nothing,                   "worker 0 prints the popped value, then a more newlines"},
  {O::print_block,   "print_block",   {selector, integer, none},   "",   "", next,        nothing,                   "worker 0 prints block or region a, then b more newlines"},
  {O::print_array,   "print_array",   {array, integer, none},      "",   "", next,        nothing,                   "worker 0 prints static array a, then b more newlines"},
}};
// clang-format on

constexpr bool is_in_order() {
  for (std::size_t k = 0; k < table.size(); ++k)
    if (static_cast<std::size_t>(table[k].opcode) != k) return false;
  return true;
}
static_assert(is_in_order(), "the table and enum Opcode list the opcodes in the same order");

}  // namespace

std::span<const OpcodeRow> opcode_table() noexcept { return table; }

}  // namespace blockyard::program
