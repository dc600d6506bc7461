/* SPDX-License-Identifier: Apache-2.0
 * execute scale_by block x: block(i, j, ...) becomes x * block(i, j, ...). Any shape. */
#include <blockyard/super/c_abi.h>

static int scale_by(blockyard_operand* operands, int32_t count, const blockyard_context* context) {
  (void)count; /* the signature below says 2 */
  (void)context;
  for (int64_t k = 0; k < operands[0].element_count; ++k)
    operands[0].data[k] *= operands[1].data[0];
  return 0;
}

static const blockyard_super_instruction instructions[] = {{"scale_by", "ur", scale_by, 0}};
static const blockyard_super_table table = {blockyard_super_abi_version, 1, instructions};

const blockyard_super_table* blockyard_super_instructions(void) { return &table; }
