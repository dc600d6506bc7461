/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Super instructions from a shared object, in any language with a C calling convention. Plain C.
 * The shared object exports one function, blockyard_super_instructions. Every worker calls the
 * instructions from its own thread: what they share among calls they must guard themselves. */

#include <stdint.h>

#include "blockyard/device/abi_range.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when the layout of a struct below changes; a library of another version is refused. */
enum { blockyard_super_abi_version = 3 };

enum { blockyard_read = 0, blockyard_write = 1, blockyard_update = 2 };

/* Element types: double, float, and pairs of them, real part first. */
enum { blockyard_f64 = 0, blockyard_f32 = 1, blockyard_c128 = 2, blockyard_c64 = 3 };

/* One argument of `execute`: a block, a region, a whole static array, or a scalar (order 0). */
typedef struct blockyard_operand {
  const char* name;        /* of the array or scalar; "" for a number */
  double* data;            /* f64: element_count values, first index fastest; else null */
  int64_t element_count;   /* 1 for a scalar */
  const int64_t* extents;  /* order values */
  const int64_t* segments; /* order values: segment numbers; the first ones of a whole array */
  const int32_t* kinds;    /* order values: 0 simple, 1 ao, 2 mo, 3 moa, 4 mob, 5 la */
  int32_t order;
  int32_t access; /* blockyard_read: the data must stay as they are */
  void* elements; /* element_count of them, of the type below; of f64 the same as data */
  int32_t type;   /* blockyard_f64, ...; never one that the instruction does not name */
} blockyard_operand;

/* What an instruction may know of the run. `self` is the first argument of the functions; they
 * return 0, or 1 if it does not exist (then *value stays as it was). */
typedef struct blockyard_context {
  const void* self;
  int32_t worker; /* 0 .. workers - 1 */
  int32_t workers;
  char* message;        /* on failure: the text for the user, NUL-terminated */
  int64_t message_size; /* bytes at message, at least 256 */
  int (*int_constant)(const void* self, const char* name, int64_t* value);
  int (*scalar_constant)(const void* self, const char* name, double* value);
  int (*segment_count)(const void* self, int32_t kind, int64_t* value);
  int (*segment_extent)(const void* self, int32_t kind, int64_t number, int64_t* value);
  /* A predefined array of the job; ints of a .dat file as numbers. extents: order values; values:
   * their product, first index fastest. Both stay where they are during the call. */
  int (*predefined_array)(const void* self, const char* name, int32_t* order,
                          const int64_t** extents, const double** values);
} blockyard_context;

/* Does the work. Returns 0, or anything else to end the run with context->message.
 * Must not let an exception or a longjmp out. */
typedef int (*blockyard_super_function)(blockyard_operand* operands, int32_t count,
                                        const blockyard_context* context);

typedef struct blockyard_super_instruction {
  const char* name;      /* as SIAL programs say it, lower case */
  const char* signature; /* one letter r, w or u for each operand */
  blockyard_super_function function;
  const char* types; /* "f64|c128 f64": element types of each operand, with '|' between them, or
                      * any; one word is for all operands; null: f64 */
} blockyard_super_instruction;

typedef struct blockyard_super_table {
  uint32_t version; /* blockyard_super_abi_version of the compiled library */
  uint32_t count;
  const blockyard_super_instruction* instructions;
} blockyard_super_table;

/* The function that the shared object exports; its result is valid as long as it is loaded. */
typedef const blockyard_super_table* (*blockyard_super_instructions_function)(void);
const blockyard_super_table* blockyard_super_instructions(void);

/* A second function may be exported, blockyard_super_device_forms: some of the instructions as
 * kernels, which run on devices where blocks are. The functions above stay the reference. */

enum { blockyard_super_device_version = 1 };

/* A value that a form's kernel gets after the operands. */
typedef struct blockyard_super_value {
  const char* type; /* as the texts say it, "long" */
  uint32_t bytes;   /* sizeof(type), at most 64 */
} blockyard_super_value;

/* What one call computes on a device. */
typedef struct blockyard_super_call {
  int64_t extents[3];  /* of the grid; before: the elements of the first w or u operand, 1, 1 */
  void* const* values; /* where to write each of the form's values; zeros before */
} blockyard_super_call;

/* Says what is computed. `data` and `elements` of blocks and arrays are null. Returns 0; anything
 * else: the host is to do it, and to report what is wrong with the operands. */
typedef int (*blockyard_super_prepare)(const blockyard_operand* operands, int32_t count,
                                       const blockyard_context* context,
                                       blockyard_super_call* call);

/* A function over a range of elements of a grid, entry(first, count, arguments...) in one to three
 * extents; docs/device_abi.md says what the texts look like. Its arguments are the operands in
 * their order, a pointer to the elements of a block or an array, a double for a scalar or a number,
 * and then the values. A device takes the first text that it can use; without one the host does it.
 */
typedef struct blockyard_super_device_form {
  const char* name;  /* of an instruction of this library */
  const char* entry; /* the function's name in the texts */
  uint32_t order;    /* extents of the grid, 1 to 3 */
  uint32_t value_count;
  const blockyard_super_value* values;
  blockyard_super_prepare prepare; /* null: a grid as said above, and zeros for values */
  blockyard_host_kernel host;      /* for simulated devices; null: none */
  const char* opencl;              /* OpenCL C 1.2; null: none, as in the next two */
  const char* cuda;                /* CUDA C++ */
  const char* ptx;
  const char* types; /* the element type of each operand ("f64 f32"), or of all; null: f64 */
} blockyard_super_device_form;

typedef struct blockyard_super_device_table {
  uint32_t version; /* blockyard_super_device_version of the compiled library */
  uint32_t count;
  const blockyard_super_device_form* forms;
} blockyard_super_device_table;

typedef const blockyard_super_device_table* (*blockyard_super_device_forms_function)(void);
const blockyard_super_device_table* blockyard_super_device_forms(void);

#ifdef __cplusplus
}
#endif
