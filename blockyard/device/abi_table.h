/* SPDX-License-Identifier: Apache-2.0 */
/* The table of functions that have the names of its fields. Plain C. */
#ifndef BLOCKYARD_DEVICE_ABI_TABLE_H
#define BLOCKYARD_DEVICE_ABI_TABLE_H

#include "blockyard/device/abi.h"

/* Initialises a blockyard_device_table: `= BLOCKYARD_TABLE_BY_NAMES;` where functions called count,
   open, ... are in scope. In the order of the fields. */
#define BLOCKYARD_TABLE_BY_NAMES                                                                   \
  {                                                                                                \
    blockyard_device_version, sizeof(blockyard_device_table), count, open, close, describe,        \
        last_error, allocate, release, stream_open, stream_close, stream_synchronise, stream_wait, \
        event_open, event_close, event_record, event_test, copy, fill, plan_open, plan_workspace,  \
        plan_run, plan_close, host_lock, host_unlock, network_pointer, copy_peer                   \
  }

#endif
