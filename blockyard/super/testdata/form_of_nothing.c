/* SPDX-License-Identifier: Apache-2.0 */
/* A device form of an instruction that the library has not. */
#include "blockyard/super/c_abi.h"

static const blockyard_super_table table = {blockyard_super_abi_version, 0, 0};
const blockyard_super_table* blockyard_super_instructions(void) { return &table; }

static const blockyard_super_device_form form = {.name = "twice", .entry = "twice", .order = 1};
static const blockyard_super_device_table device_table = {blockyard_super_device_version, 1, &form};
const blockyard_super_device_table* blockyard_super_device_forms(void) { return &device_table; }
