/* SPDX-License-Identifier: Apache-2.0 */
/* Host forms of kernels (abi_kernel.h), also those of super instructions (super/c_abi.h). Plain C.
 */
#ifndef BLOCKYARD_DEVICE_ABI_RANGE_H
#define BLOCKYARD_DEVICE_ABI_RANGE_H

#include <stdint.h>

/* The range that one call of a host form computes. */
typedef struct blockyard_range {
  int64_t first; /* of the first extent */
  int64_t count;
  int64_t j;     /* in the second extent; 0 */
  int64_t k;     /* in the third */
  int64_t group; /* its number along the first extent; 0 without blockyard_groups */
} blockyard_range;

/* arguments[n]: the pointer, of memory and local memory; else a pointer to the value. Called from
 * several threads at a time. Must not let an exception out. */
typedef void (*blockyard_host_kernel)(const blockyard_range* range, void* const* arguments);

#endif
