/* SPDX-License-Identifier: Apache-2.0 */
/* The table a device plug-in fills and Blockyard calls. Plain C: a plug-in may be built by another
 * compiler, and includes no other header of ours. docs/device_abi.md explains it.
 *
 * Rules for all functions:
 * - They return a status and never let an exception or a signal out. The text of the last failure
 *   of a device is read with last_error.
 * - Calls on different devices may come from different threads at the same time, and so may calls
 *   on one device.
 * - copy, copy_peer, fill, plan_run, event_record and stream_wait only enqueue: they return before
 *   it is done, and the host memory they name must stay as it is until then. The operations of a
 *   stream happen in order; between streams only events order them.
 * - A failure of enqueued work is returned by stream_synchronise and may be returned by any later
 *   call on that stream; what follows on the stream is skipped. An event recorded there fails too,
 *   and so do the streams that wait for it.
 * - Closing or releasing an object waits for work of its device that uses it; the source of a
 *   copy_peer must be kept until then. Closing a device closes what is left. Null or 0 is ignored.
 */
#ifndef BLOCKYARD_DEVICE_ABI_H
#define BLOCKYARD_DEVICE_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Changes when a function or a field changes its meaning; grows by `size` alone otherwise. */
enum { blockyard_device_version = 1, blockyard_max_order = 8 };

typedef enum blockyard_status {
  BLOCKYARD_OK = 0,
  BLOCKYARD_UNSUPPORTED = 1, /* this device cannot; the host will */
  BLOCKYARD_NO_MEMORY = 2,
  BLOCKYARD_NOT_READY = 3, /* only from event_test */
  BLOCKYARD_BAD_ARGUMENT = 4,
  BLOCKYARD_FAILED = 5
} blockyard_status;

typedef enum blockyard_element {
  BLOCKYARD_F32 = 0,
  BLOCKYARD_F64 = 1,
  BLOCKYARD_C64 = 2, /* two f32: real, imaginary */
  BLOCKYARD_C128 = 3 /* two f64 */
} blockyard_element;

/* A place in device memory. Only the device knows what the number means; 0 is not a valid address.
 * Sums of an address and a count of bytes inside one allocation are addresses too; blocks of a fill
 * or of a plan begin at multiples of their element (a device may refuse others). A device that
 * works in place takes host pointers as well: it reads and writes there, and sees what the host
 * wrote before the work was enqueued. The caller keeps that memory, and neither touches what the
 * work writes nor writes what it reads, until the work is done. */
typedef uint64_t blockyard_address;

typedef struct blockyard_device blockyard_device;
typedef struct blockyard_stream blockyard_stream;
typedef struct blockyard_event blockyard_event;
typedef struct blockyard_plan blockyard_plan;

typedef struct blockyard_description {
  uint32_t size; /* of this struct, set by the caller; fields past it are not written */
  uint32_t shares_host_memory; /* 1: an address is also a host pointer */
  uint64_t memory_bytes;       /* that can be allocated in total; 0: not known */
  uint64_t free_bytes;         /* 0: none, or not known: others use the same memory */
  char name[64];
  uint64_t lock_page_bytes; /* host memory is locked in pages of this size; 0: never */
  uint32_t works_in_place;  /* 1: a host pointer, a multiple of 64, is an address too: see below */
} blockyard_description;

typedef enum blockyard_direction {
  BLOCKYARD_TO_DEVICE = 0,
  BLOCKYARD_TO_HOST = 1,
  BLOCKYARD_WITHIN_DEVICE = 2
} blockyard_direction;

typedef enum blockyard_kind {
  BLOCKYARD_PERMUTE = 0,  /* result = alpha * left with its indexes reordered + beta * result */
  BLOCKYARD_CONTRACT = 1, /* result = alpha * sum left * right + beta * result, as names say */
  BLOCKYARD_AXPBY = 2,    /* result = alpha * left + beta * result, same extents and order */
  BLOCKYARD_DOT = 3       /* result = alpha * sum of all left * right + beta * result, order 0 */
} blockyard_kind;
/* A dense block, first index fastest. Equal names mean the same index. */
typedef struct blockyard_operand {
  uint32_t order; /* at most blockyard_max_order */
  int32_t name[blockyard_max_order];
  int64_t extent[blockyard_max_order];
} blockyard_operand;

enum { blockyard_conjugate_left = 1, blockyard_conjugate_right = 2 };

/* The operation of a plan. New kinds and fields extend this struct, never the table. */
typedef struct blockyard_operation {
  uint32_t size; /* of this struct */
  uint32_t kind;
  uint32_t element;
  uint32_t flags;
  blockyard_operand result;
  blockyard_operand left;
  blockyard_operand right; /* order 0 where the kind has one operand */
} blockyard_operation;

/* The blocks of one run. Complex factors have two parts; the second part of real ones is not read.
 * beta == 0 overwrites the result without reading it. The result overlaps nothing else. */
typedef struct blockyard_run {
  uint32_t size; /* of this struct */
  uint32_t reserved;
  double alpha[2];
  double beta[2];
  blockyard_address result;
  blockyard_address left;
  blockyard_address right;
  blockyard_address workspace; /* at least as many bytes as plan_workspace said */
} blockyard_run;

typedef struct blockyard_device_table {
  uint32_t version; /* blockyard_device_version */
  uint32_t size;    /* of this struct as the plug-in knows it */

  /* Devices. Options are "key=value" with blanks between; an unknown key is BAD_ARGUMENT. All know
   * network=1: memory is made so that network libraries may read it, where the device can do that.
   * Where open fails but gives a device, that one can only be asked for its last_error and closed.
   */
  blockyard_status (*count)(uint32_t* devices);
  blockyard_status (*open)(uint32_t index, const char* options, blockyard_device** device);
  void (*close)(blockyard_device*);
  blockyard_status (*describe)(blockyard_device*, blockyard_description*);
  /* Copies the text of the last failure, with a final 0, into `text` of `bytes` bytes. */
  void (*last_error)(blockyard_device*, char* text, uint64_t bytes);

  /* Memory, aligned to 64 bytes. NO_MEMORY is an answer, not a failure. */
  blockyard_status (*allocate)(blockyard_device*, uint64_t bytes, blockyard_address*);
  blockyard_status (*release)(blockyard_device*, blockyard_address);

  blockyard_status (*stream_open)(blockyard_device*, blockyard_stream**);
  blockyard_status (*stream_close)(blockyard_device*, blockyard_stream*);
  blockyard_status (*stream_synchronise)(blockyard_device*, blockyard_stream*);
  /* Later work on the stream waits for the last record of the event before this call. */
  blockyard_status (*stream_wait)(blockyard_device*, blockyard_stream*, blockyard_event*);

  /* An event is done when all work its stream held at the last record is done, or never recorded.
   */
  blockyard_status (*event_open)(blockyard_device*, blockyard_event**);
  blockyard_status (*event_close)(blockyard_device*, blockyard_event*);
  blockyard_status (*event_record)(blockyard_device*, blockyard_event*, blockyard_stream*);
  /* OK if done, FAILED if work before it failed; else NOT_READY, but with `wait` not 0 it waits.
   * Polling ends in an answer. */
  blockyard_status (*event_test)(blockyard_device*, blockyard_event*, uint32_t wait);

  /* `to` or `from` is a host pointer as a number where the direction says so. */
  blockyard_status (*copy)(blockyard_device*, blockyard_stream*, blockyard_direction, uint64_t to,
                           uint64_t from, uint64_t bytes);
  /* Sets `count` elements to value; value[1] is the imaginary part. */
  blockyard_status (*fill)(blockyard_device*, blockyard_stream*, blockyard_address to,
                           blockyard_element, const double value[2], uint64_t count);

  /* A prepared operation; may run many times, also at the same time with different workspaces. */
  blockyard_status (*plan_open)(blockyard_device*, const blockyard_operation*, blockyard_plan**);
  blockyard_status (*plan_workspace)(blockyard_device*, blockyard_plan*, uint64_t* bytes);
  blockyard_status (*plan_run)(blockyard_device*, blockyard_plan*, blockyard_stream*,
                               const blockyard_run*);
  blockyard_status (*plan_close)(blockyard_device*, blockyard_plan*);

  /* Host memory in whole pages, as describe says, that stays where it is: copies of it are faster
   * and do not block the caller. It counts for all devices of the table in this process.
   * UNSUPPORTED where there are no such pages; NO_MEMORY: the system locks no more. */
  blockyard_status (*host_lock)(blockyard_device*, uint64_t host, uint64_t bytes);
  /* Ends it, after the work that is enqueued on this device; before the memory goes. */
  blockyard_status (*host_unlock)(blockyard_device*, uint64_t host);

  /* The pointer by which a network library of this process that reads device memory finds
   * `bytes` from an address on, as long as they are allocated. The library ignores streams: work
   * that writes them must be done before it reads, and none may write them until it has read.
   * UNSUPPORTED: under none, or the device was opened without network=1 and its memory is not the
   * host's. */
  blockyard_status (*network_pointer)(blockyard_device*, blockyard_address, uint64_t bytes,
                                      const void** pointer);

  /* Enqueues a copy from another open device of this table. The source is written before
   * the call, and stays until the copy is done. UNSUPPORTED: the devices do not reach each other,
   * or the other one has failed; no copy is enqueued then. */
  blockyard_status (*copy_peer)(blockyard_device*, blockyard_stream*, blockyard_address to,
                                blockyard_device* from_device, blockyard_address from,
                                uint64_t bytes);
} blockyard_device_table;

/* The one symbol of a plug-in. */
#if defined(_WIN32)
#define BLOCKYARD_DEVICE_EXPORT __declspec(dllexport)
#else
#define BLOCKYARD_DEVICE_EXPORT __attribute__((visibility("default")))
#endif
BLOCKYARD_DEVICE_EXPORT const blockyard_device_table* blockyard_device_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
