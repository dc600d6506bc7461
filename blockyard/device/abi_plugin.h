/* SPDX-License-Identifier: Apache-2.0 */
/* What a plug-in says of itself before a device is opened. Plain C; grows by `size` alone. */
#ifndef BLOCKYARD_DEVICE_ABI_PLUGIN_H
#define BLOCKYARD_DEVICE_ABI_PLUGIN_H

#include "blockyard/device/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct blockyard_plugin_about {
  uint32_t size; /* of this struct as the plug-in knows it */
  /* Where no kind is named, the plug-ins that know GPUs are tried, the one with the largest number
   * first; 0: this one is used only where it is named. */
  uint32_t preference;
  uint32_t opens_again; /* 1: a device may be open several times, with a part of its units each */
  uint32_t reserved;
  /* So much work comes before a device is opened: more than ten times what opening it costs. */
  double open_after_seconds;
  /* Paths with ':' between them. If none is there (or it is an empty folder), there is no such
   * device, and none is looked for in the midst of a run, which takes a driver long. Null: nothing
   * is needed. */
  const char* needs;
} blockyard_plugin_about;

/* A symbol next to blockyard_device_plugin. A plug-in without it is used only where it is named. */
BLOCKYARD_DEVICE_EXPORT const blockyard_plugin_about* blockyard_device_about(void);

#ifdef __cplusplus
}
#endif

#endif
