#if 0
/* SPDX-License-Identifier: Apache-2.0 */
/* Files of one process: bytes at offsets, which are doubles. Calls return 0 or a code, which EAF_Errmsg explains. */
#endif
#ifndef BLOCKYARD_EAF_H
#define BLOCKYARD_EAF_H

#define EAF_RW -1
#define EAF_W -2
#define EAF_R -3

#ifndef EAF_FORTRAN
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef double eaf_off_t;

int EAF_Open(const char* fname, int type, int* fd);
int EAF_Close(int fd);
int EAF_Delete(const char* fname);
int EAF_Read(int fd, eaf_off_t offset, void* buf, size_t bytes);
int EAF_Write(int fd, eaf_off_t offset, const void* buf, size_t bytes);
int EAF_Aread(int fd, eaf_off_t offset, void* buf, size_t bytes, int* req_id);
int EAF_Awrite(int fd, eaf_off_t offset, const void* buf, size_t bytes, int* req_id);
int EAF_Wait(int fd, int id);
/* status: 0 when it is complete, else 1 */
int EAF_Probe(int id, int* status);
int EAF_Length(int fd, eaf_off_t* length);
int EAF_Truncate(int fd, eaf_off_t length);
int EAF_Stat(const char* path, long* avail_kb, char* fstype, int fslen);
/* whether a code says that the file ended too early */
int EAF_Eof(int code);
void EAF_Errmsg(int code, char* msg);
void EAF_Print_stats(int fd);

#ifdef __cplusplus
}
#endif
#endif

#endif
