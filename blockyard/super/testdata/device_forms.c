/* SPDX-License-Identifier: Apache-2.0 */
/* Super instructions with device forms: good ones, a wrong one, and one that does not compile. */
#include <string.h>

#include "blockyard/super/c_abi.h"

/* scale b factor: b = factor * b */
static int scale(blockyard_operand* operands, int32_t count, const blockyard_context* context) {
  (void)count;
  (void)context;
  for (int64_t k = 0; k < operands[0].element_count; ++k)
    operands[0].data[k] *= operands[1].data[0];
  return 0;
}

static void scale_range(const blockyard_range* range, void* const* arguments) {
  double* b = arguments[0];
  const double factor = *(const double*)arguments[1];
  for (int64_t k = range->first; k < range->first + range->count; ++k) b[k] *= factor;
}

/* The device forgets the third element. */
static void wrong_range(const blockyard_range* range, void* const* arguments) {
  double* b = arguments[0];
  for (int64_t k = range->first; k < range->first + range->count; ++k)
    if (k != 2) b[k] *= *(const double*)arguments[1];
}

/* number b: b(k) = start + k for its elements in memory, k from 0; `start` is an int constant. */
static int number(blockyard_operand* operands, int32_t count, const blockyard_context* context) {
  int64_t start = 0;
  (void)count;
  if (context->int_constant(context->self, "start", &start) != 0) {
    strcpy(context->message, "the job must give the int constant \"start\"");
    return 1;
  }
  for (int64_t k = 0; k < operands[0].element_count; ++k)
    operands[0].data[k] += (double)(start + k);
  return 0;
}

static void number_range(const blockyard_range* range, void* const* arguments) {
  double* b = arguments[0];
  for (int64_t k = range->first; k < range->first + range->count; ++k)
    b[k] += (double)(*(const int64_t*)arguments[1] + k);
}

static int prepare_number(const blockyard_operand* operands, int32_t count,
                          const blockyard_context* context, blockyard_super_call* call) {
  (void)operands;
  (void)count;
  /* Without it the host says what is missing. */
  return context->int_constant(context->self, "start", call->values[0]);
}

static const blockyard_super_instruction instructions[] = {
    {"scale", "ur", scale, 0},
    {"wrong_scale", "ur", scale, 0},
    {"broken_scale", "ur", scale, 0},
    {"number", "w", number, 0},
};
static const blockyard_super_table table = {blockyard_super_abi_version, 4, instructions};
const blockyard_super_table* blockyard_super_instructions(void) { return &table; }

static const blockyard_super_value start_value[] = {{"long", 8}};

static const blockyard_super_device_form forms[] = {
    {.name = "scale",
     .entry = "scale",
     .order = 1,
     .host = scale_range,
     .opencl = "void scale(long first, long count, global double* b, double factor) {\n"
               "  for (long k = first; k < first + count; ++k) b[k] *= factor;\n"
               "}\n",
     .cuda = "__device__ void scale(long long first, long long count, double* b, double factor) {\n"
             "  for (long long k = first; k < first + count; ++k) b[k] *= factor;\n"
             "}\n"},
    {.name = "wrong_scale",
     .entry = "wrong_scale",
     .order = 1,
     .host = wrong_range,
     .opencl = "void wrong_scale(long first, long count, global double* b, double factor) {\n"
               "  for (long k = first; k < first + count; ++k) b[k] *= k == 2 ? 1 : factor;\n"
               "}\n"},
    {.name = "broken_scale",
     .entry = "broken_scale",
     .order = 1,
     .opencl = "void broken_scale(long first, long count, global double* b, double factor) {\n"
               "  for (long k = first; k < first + count; ++k) b[k] *= no_such_name;\n"
               "}\n"},
    {.name = "number",
     .entry = "number",
     .order = 1,
     .value_count = 1,
     .values = start_value,
     .prepare = prepare_number,
     .host = number_range,
     .opencl = "void number(long first, long count, global double* b, long start) {\n"
               "  for (long k = first; k < first + count; ++k) b[k] += start + k;\n"
               "}\n"},
};
static const blockyard_super_device_table device_table = {blockyard_super_device_version, 4, forms};
const blockyard_super_device_table* blockyard_super_device_forms(void) { return &device_table; }
