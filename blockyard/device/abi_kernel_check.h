/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a kernel and of its runs that every device makes before any work. Plain C. */
#ifndef BLOCKYARD_DEVICE_ABI_KERNEL_CHECK_H
#define BLOCKYARD_DEVICE_ABI_KERNEL_CHECK_H

#include <stddef.h>

#include "blockyard/device/abi_kernel.h"

/* Whether it is a whole descriptor of a kernel that this header knows. */
static inline int blockyard_is_kernel(const blockyard_operation* operation) {
  return operation->kind == BLOCKYARD_KERNEL && operation->size >= sizeof(blockyard_kernel) &&
         (operation->flags & ~(uint32_t)blockyard_groups) == 0;
}

static inline const char* blockyard_parameter_fault(const blockyard_kernel* kernel, uint32_t n) {
  const blockyard_parameter* one = &kernel->parameters[n];
  const int has_text = kernel->opencl != NULL || kernel->cuda != NULL;
  if (one->kind > BLOCKYARD_LOCAL) return "a parameter is of an unknown kind";
  if (one->kind == BLOCKYARD_VALUE && (one->bytes == 0 || one->bytes > blockyard_max_value_bytes))
    return "a value has 1 to 64 bytes";
  if (one->kind == BLOCKYARD_LOCAL && (kernel->operation.flags & blockyard_groups) == 0)
    return "local memory needs groups";
  if (has_text && (one->type == NULL || one->type[0] == '\0'))
    return "a parameter of a text has no type";
  return NULL;
}

/* The fault of a kernel, or null. */
static inline const char* blockyard_kernel_fault(const blockyard_kernel* kernel) {
  uint32_t n = 0;
  if (kernel->order < 1 || kernel->order > 3) return "a grid has one, two or three extents";
  if (kernel->parameter_count > blockyard_max_parameters)
    return "a kernel has at most 24 parameters";
  if (kernel->parameter_count > 0 && kernel->parameters == NULL) return "there are no parameters";
  if (kernel->entry == NULL || kernel->entry[0] == '\0') return "a kernel without a name";
  for (n = 0; n < kernel->parameter_count; ++n) {
    const char* const fault = blockyard_parameter_fault(kernel, n);
    if (fault != NULL) return fault;
  }
  return NULL;
}

/* The elements of the grid; -1: an extent is negative, or there are more than 2^31. */
static inline int64_t blockyard_grid_elements(uint32_t order, const blockyard_kernel_run* run) {
  const int64_t most = INT64_C(1) << 31;
  int64_t elements = 1;
  uint32_t n = 0;
  for (n = 0; n < order; ++n)
    if (run->extent[n] < 0) return -1;
  for (n = 0; n < order; ++n)
    if (run->extent[n] == 0) return 0;
  for (n = 0; n < order; ++n) {
    if (run->extent[n] > most / elements) return -1;
    elements *= run->extent[n];
  }
  return elements;
}

static inline const char* blockyard_argument_fault(const blockyard_parameter* parameter,
                                                   const blockyard_argument* argument,
                                                   uint64_t* local_bytes) {
  if (parameter->kind == BLOCKYARD_VALUE) {
    if (argument->bytes != parameter->bytes) return "a value has not the size of its parameter";
    if (argument->value == NULL) return "a value is missing";
  } else if (parameter->kind == BLOCKYARD_LOCAL) {
    if (argument->bytes == 0) return "local memory of no bytes";
    if (argument->bytes > blockyard_max_local_bytes - *local_bytes)
      return "a group has at most 32768 bytes of local memory";
    *local_bytes += argument->bytes;
  } else if (argument->address == 0 && argument->bytes > 0) {
    return "an address is missing";
  }
  return NULL;
}

/* The fault of a run of a kernel with these parameters, or null. The device itself checks
 * addresses. */
static inline const char* blockyard_kernel_run_fault(uint32_t order, uint32_t flags,
                                                     const blockyard_parameter* parameters,
                                                     uint32_t parameter_count,
                                                     const blockyard_kernel_run* run) {
  uint64_t local_bytes = 0;
  uint32_t n = 0;
  if (run->run.size < sizeof *run) return "the run is not that of a kernel";
  if (run->argument_count != parameter_count) return "the number of arguments is not the kernel's";
  if (blockyard_grid_elements(order, run) < 0)
    return "a grid has at most 2^31 elements, and no negative extents";
  if (run->group < 0 || run->group > blockyard_max_group) return "a group has at most 1024 items";
  if (run->per_item < 0 || run->per_item > (INT64_C(1) << 31))
    return "an item has at most 2^31 elements";
  if ((flags & blockyard_groups) != 0 && (run->group == 0 || run->per_item == 0))
    return "a kernel with groups says how many items a group has, and elements an item";
  for (n = 0; n < parameter_count; ++n) {
    const char* const fault =
        blockyard_argument_fault(&parameters[n], &run->arguments[n], &local_bytes);
    if (fault != NULL) return fault;
  }
  return NULL;
}

#endif
