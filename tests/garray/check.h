/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLOCKYARD_TESTS_GARRAY_CHECK_H
#define BLOCKYARD_TESTS_GARRAY_CHECK_H

#include <ga.h>
#include <macdecls.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the job unless `holds`, with the place. */
static void check_at(int holds, const char* what, int line) {
  char text[200];
  if (holds) return;
  snprintf(text, sizeof text, "line %d: not so: %s", line, what);
  GA_Error(text, 1);
}
#define CHECK(holds) check_at(holds, #holds, __LINE__)

#endif
