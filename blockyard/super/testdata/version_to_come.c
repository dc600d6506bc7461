/* SPDX-License-Identifier: Apache-2.0 */
#include "blockyard/super/c_abi.h"

static const blockyard_super_table table = {blockyard_super_abi_version + 1, 0, 0};

const blockyard_super_table* blockyard_super_instructions(void) { return &table; }
