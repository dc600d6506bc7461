/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>

#include "blockyard/super/c_abi.h"

/* y = y + factor * x, elementwise; `factor` is a scalar constant of the job. */
static int scaled_add(blockyard_operand* operands, int32_t count,
                      const blockyard_context* context) {
  double factor = 1.0;
  (void)count;
  context->scalar_constant(context->self, "factor", &factor);
  if (operands[0].element_count != operands[1].element_count) {
    snprintf(context->message, (size_t)context->message_size, "%s and %s differ in length",
             operands[0].name, operands[1].name);
    return 1;
  }
  for (int64_t k = 0; k < operands[0].element_count; ++k)
    operands[0].data[k] += factor * operands[1].data[k];
  return 0;
}

/* x = 1000 * kind + 100 * segments of that kind + 10 * segment number + extent, of the first index.
 */
static int describe_first_index(blockyard_operand* operands, int32_t count,
                                const blockyard_context* context) {
  int64_t segments = 0;
  int64_t extent = 0;
  (void)count;
  context->segment_count(context->self, operands[1].kinds[0], &segments);
  context->segment_extent(context->self, operands[1].kinds[0], operands[1].segments[0], &extent);
  operands[0].data[0] = (double)(1000 * operands[1].kinds[0] + 100 * segments +
                                 10 * operands[1].segments[0] + extent);
  return 0;
}

/* x = 100 * order + 10 * first extent + last value of the array `weights` of the job. */
static int describe_weights(blockyard_operand* operands, int32_t count,
                            const blockyard_context* context) {
  int32_t order = 0;
  const int64_t* extents = 0;
  const double* values = 0;
  int64_t elements = 1;
  (void)count;
  if (context->predefined_array(context->self, "weights", &order, &extents, &values) != 0) {
    snprintf(context->message, (size_t)context->message_size, "there are no weights");
    return 1;
  }
  for (int32_t k = 0; k < order; ++k) elements *= extents[k];
  operands[0].data[0] = 100.0 * order + 10.0 * (double)extents[0] + values[elements - 1];
  return 0;
}

/* b = b / 2, of elements of any type. */
static int halve(blockyard_operand* operands, int32_t count, const blockyard_context* context) {
  const int is_single = operands[0].type == blockyard_f32 || operands[0].type == blockyard_c64;
  const int is_complex = operands[0].type == blockyard_c128 || operands[0].type == blockyard_c64;
  const int64_t numbers = operands[0].element_count * (is_complex ? 2 : 1);
  (void)count;
  (void)context;
  for (int64_t k = 0; k < numbers; ++k)
    if (is_single)
      ((float*)operands[0].elements)[k] *= 0.5F;
    else
      ((double*)operands[0].elements)[k] *= 0.5;
  return 0;
}

/* x = where the operands and the name of the second stand in memory, in one number. */
static int describe_places(blockyard_operand* operands, int32_t count,
                           const blockyard_context* context) {
  (void)count;
  (void)context;
  operands[0].data[0] = (double)((uintptr_t)operands ^ (uintptr_t)operands[1].name);
  return 0;
}

static int fail_silently(blockyard_operand* operands, int32_t count,
                         const blockyard_context* context) {
  (void)operands;
  (void)count;
  (void)context;
  return 7;
}

static const blockyard_super_instruction instructions[] = {
    {"scaled_add", "ur", scaled_add, 0},
    {"describe_first_index", "wr", describe_first_index, 0},
    {"describe_weights", "w", describe_weights, 0},
    {"fail_silently", "", fail_silently, 0},
    {"halve", "u", halve, "any"},
    {"describe_places", "wr", describe_places, 0},
};

static const blockyard_super_table table = {blockyard_super_abi_version, 6, instructions};

const blockyard_super_table* blockyard_super_instructions(void) { return &table; }
