/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLOCKYARD_TESTS_GARRAY_CHECK_H
#define BLOCKYARD_TESTS_GARRAY_CHECK_H

#include <ga.h>
#include <macdecls.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the job unless `holds`, with the place. */
static void check_at(int holds, const char* what, int line) {
  char text[200];
  if (holds) return;
  snprintf(text, sizeof text, "line %d: not so: %s", line, what);
  GA_Error(text, 1);
}
#define CHECK(holds) check_at(holds, #holds, __LINE__)

/* The first process makes a folder from a pattern of mkdtemp; all know its name then. */
static inline void make_folder(char* pattern) {
  if (GA_Nodeid() == 0) CHECK(mkdtemp(pattern) != NULL);
  GA_Brdcst(pattern, (int)strlen(pattern) + 1, 0);
}

#endif
