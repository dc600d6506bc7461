/* SPDX-License-Identifier: Apache-2.0 */
/* Files of all processes: collectively made and ended, bytes at offsets. Calls return 0 or a code,
   which SF_Errmsg explains. */
#ifndef BLOCKYARD_SF_H
#define BLOCKYARD_SF_H

#include <typesf2c.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double SFsize_t;

/* Limits of 0: none. The soft one and the usual size of requests are hints. */
int SF_Create(char* fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit, SFsize_t req_size,
              int* handle);
int SF_Create_suffix(char* fname, SFsize_t size_hard_limit, SFsize_t size_soft_limit,
                     SFsize_t req_size, int* handle, int suffix);
int SF_Open(int handle);
int SF_Close(int handle);
int SF_Destroy(int handle);
/* from now on it is read only */
int SF_Rwtor(int handle);
int SF_Fsync(int handle);
/* these two by any process; complete after the wait */
int SF_Write(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id);
int SF_Read(int handle, SFsize_t offset, SFsize_t bytes, char* buffer, int* req_id);
int SF_Wait(int* req_id);
int SF_Waitall(int* list, int num);
void SF_Errmsg(int code, char* msg);

#ifdef __cplusplus
}
#endif

#endif
