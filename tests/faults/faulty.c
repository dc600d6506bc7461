/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "blockyard/super/c_abi.h"

/* Super instructions that go wrong. */

static int fail_on_worker_1(blockyard_operand* operands, int32_t count,
                            const blockyard_context* context) {
  (void)operands;
  (void)count;
  if (context->worker != 1) return 0;
  snprintf(context->message, (size_t)context->message_size, "the sun is in the wrong place");
  return 1;
}

static int never_return_on_worker_1(blockyard_operand* operands, int32_t count,
                                    const blockyard_context* context) {
  (void)operands;
  (void)count;
  while (context->worker == 1) pause();
  return 0;
}

static int write_to_read_operand(blockyard_operand* operands, int32_t count,
                                 const blockyard_context* context) {
  (void)count;
  (void)context;
  operands[0].data[0] += 1.0;
  return 0;
}

static int ask_for_checkpoint(blockyard_operand* operands, int32_t count,
                              const blockyard_context* context) {
  (void)operands;
  (void)count;
  // To this thread: it has come when raise() returns; one to the process may come later.
  return context->worker == 0 ? raise(SIGUSR1) : 0;
}

static const blockyard_super_instruction instructions[] = {
    {"fail_on_worker_1", "", fail_on_worker_1, 0},
    {"never_return_on_worker_1", "", never_return_on_worker_1, 0},
    {"ask_for_checkpoint", "", ask_for_checkpoint, 0},
    {"write_to_read_operand", "r", write_to_read_operand, 0},
};

static const blockyard_super_table table = {blockyard_super_abi_version, 4, instructions};

const blockyard_super_table* blockyard_super_instructions(void) { return &table; }
