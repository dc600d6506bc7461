/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the user's own as operations of a device: a plan of kind BLOCKYARD_KERNEL is opened
 * from forms of one function, and runs over a grid of elements. A device takes the first form that
 * it can use and answers UNSUPPORTED if there is none. Plain C, as abi.h. docs/device_abi.md has
 * examples.
 *
 * Elements are independent of each other: a device computes them in any order and many at a time.
 * The function computes a range of elements, so that one text serves every choice of how many an
 * item (thread) gets: entry(first, count, arguments...) computes first .. first + count - 1 of the
 * first extent. With two extents it is entry(first, count, j, arguments...), with three
 * entry(first, count, j, k, arguments...). These are `long` in OpenCL C, `long long` in CUDA C. */
#ifndef BLOCKYARD_DEVICE_ABI_KERNEL_H
#define BLOCKYARD_DEVICE_ABI_KERNEL_H

#include "blockyard/device/abi.h"
#include "blockyard/device/abi_range.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BLOCKYARD_KERNEL = 9 }; /* another value of blockyard_operation::kind */

/* A flag: items work in groups with barriers and local memory. The run then says how many items a
 * group has and how many elements an item; every item calls the function, those beyond the end with
 * count = 0. The host form is called once for each group, with all of its elements. */
enum { blockyard_groups = 2048 };

enum {
  blockyard_max_parameters = 24,
  blockyard_max_value_bytes = 64,
  blockyard_max_local_bytes = 32768, /* of all local parameters together */
  blockyard_max_group = 1024
};

typedef enum blockyard_parameter_kind {
  BLOCKYARD_MEMORY = 0, /* an address: a pointer to `type`, in OpenCL C a global one */
  BLOCKYARD_VALUE = 1,  /* `bytes` bytes, passed by value */
  BLOCKYARD_LOCAL = 2   /* memory of a group: a pointer to `type`, in OpenCL C a local one */
} blockyard_parameter_kind;

typedef struct blockyard_parameter {
  uint32_t kind;
  uint32_t bytes;   /* of a value, or of the element a pointer points to; sizeof(type) */
  const char* type; /* as the texts say it, "double"; null: there are no texts */
} blockyard_parameter;

typedef struct blockyard_kernel {
  /* Its size is that of this struct, its kind BLOCKYARD_KERNEL, its flags 0 or blockyard_groups;
   * nothing else of it is read. Pointed-to data is copied. */
  blockyard_operation operation;
  uint32_t order; /* extents of the grid: 1, 2 or 3 */
  uint32_t parameter_count;
  const blockyard_parameter* parameters;
  const char* entry; /* the function's name in the texts */
  /* The forms; null: no form of that kind. */
  blockyard_host_kernel host;
  const char* opencl; /* OpenCL C 1.2: void entry(long first, long count, ...) */
  const char* cuda;   /* CUDA C++: __device__ void entry(long long first, long long count, ...) */
  /* PTX: a kernel .visible .entry `entry` whose parameters are three .s64, the first two extents
   * and the elements of an item, then the arguments; a local one is a .u32, where it begins in
   * dynamic shared memory. Blocks stand in a row along x: those along the first extent, for each j,
   * for each k. */
  const char* ptx;
} blockyard_kernel;

typedef struct blockyard_argument {
  blockyard_address address; /* of memory; 0 where bytes is 0 */
  uint64_t bytes;            /* that may be used from there on; of local memory; of the value */
  const void* value;         /* of a value; copied by plan_run */
} blockyard_argument;

/* A description that asks for more: its `size` is that of this struct. */
typedef struct blockyard_kernel_description {
  blockyard_description description;
  /* Set by the caller: where to write, with a final 0, lines for a person on how the device
   * launches kernels and why. Null: nowhere. A device that does not know this writes nothing. */
  char* choices;
  uint64_t choices_bytes;
} blockyard_kernel_description;

typedef struct blockyard_kernel_run {
  blockyard_run run; /* its size is that of this struct; nothing else of it is read */
  /* Those that `order` says; 0: no computation. At most 2^31 elements in total. */
  int64_t extent[3];
  int64_t group;    /* items of a group; 0: the device chooses */
  int64_t per_item; /* elements of an item, along the first extent; 0: the device chooses */
  uint32_t argument_count;
  uint32_t reserved;
  const blockyard_argument* arguments;
} blockyard_kernel_run;

#ifdef __cplusplus
}
#endif

#endif
