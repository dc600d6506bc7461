/* SPDX-License-Identifier: Apache-2.0 */
/* Files of one process and files of all. */
#include <eaf.h>
#include <mpi.h>
#include <sf.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

enum { N = 1000 };

static int me, count;

static void own_files(const char* folder) {
  char path[200], text[200], kind[20];
  double out[N], in[N], length;
  int fd, other, requests[4], status = 1, code;
  long kilobytes = 0;
  snprintf(path, sizeof path, "%s/own.%d", folder, me);
  for (int i = 0; i < N; ++i) out[i] = i + me;
  CHECK(EAF_Open(path, EAF_R, &fd) != 0);
  CHECK(EAF_Open(path, -7, &fd) != 0);
  CHECK(EAF_Open(path, EAF_RW, &fd) == 0);
  CHECK(EAF_Write(fd, 80.0, out, sizeof out) == 0);
  CHECK(EAF_Length(fd, &length) == 0 && length == 80.0 + sizeof out);
  CHECK(EAF_Read(fd, 80.0, in, sizeof in) == 0);
  CHECK(memcmp(in, out, sizeof in) == 0);
  code = EAF_Read(fd, 100.0, in, sizeof in);
  CHECK(code != 0 && EAF_Eof(code) && !EAF_Eof(0));
  EAF_Errmsg(code, text);
  CHECK(strstr(text, "ends") != NULL);
  EAF_Errmsg(EAF_Write(99, 0.0, out, 8), text);
  CHECK(strstr(text, "handle") != NULL);
  CHECK(EAF_Write(fd, -8.0, out, 8) != 0);
  for (int r = 0; r < 4; ++r)
    CHECK(EAF_Awrite(fd, r * 2000.0, out + r * 250, 2000, &requests[r]) == 0);
  for (int r = 0; r < 4; ++r) CHECK(EAF_Wait(fd, requests[r]) == 0);
  CHECK(EAF_Wait(fd, requests[0]) != 0);
  memset(in, 0, sizeof in);
  CHECK(EAF_Aread(fd, 0.0, in, sizeof in, &requests[0]) == 0);
  while (status != 0) CHECK(EAF_Probe(requests[0], &status) == 0);
  CHECK(EAF_Wait(fd, requests[0]) == 0 && memcmp(in, out, sizeof in) == 0);
  CHECK(EAF_Truncate(fd, 16.0) == 0);
  CHECK(EAF_Length(fd, &length) == 0 && length == 16.0);
  CHECK(EAF_Stat(folder, &kilobytes, kind, sizeof kind) == 0 && kilobytes > 0);
  CHECK(EAF_Close(fd) == 0 && EAF_Close(fd) != 0);
  CHECK(EAF_Open(path, EAF_R, &other) == 0);
  CHECK(EAF_Write(other, 0.0, out, 8) != 0);
  CHECK(EAF_Read(other, 8.0, in, 8) == 0 && in[0] == out[1]);
  CHECK(EAF_Close(other) == 0 && EAF_Delete(path) == 0 && EAF_Delete(path) == 0);
}

static void shared_files(const char* folder) {
  char path[200];
  double out[N], in[N];
  int file, requests[2], next = (me + 1) % count;
  /* Names that differ by process: that of the first one counts. */
  snprintf(path, sizeof path, "%s/all.%d", folder, me);
  CHECK(SF_Create(path, (double)(count * sizeof out), 0, 0, &file) == 0);
  for (int i = 0; i < N; ++i) out[i] = i + 1000 * me;
  CHECK(SF_Write(file, me * (double)sizeof out, sizeof out / 2, (char*)out, &requests[0]) == 0);
  CHECK(SF_Write(file, (me + 0.5) * (double)sizeof out, sizeof out / 2, (char*)(out + N / 2),
                 &requests[1]) == 0);
  CHECK(SF_Waitall(requests, 2) == 0);
  CHECK(SF_Write(file, count * (double)sizeof out, 8, (char*)out, &requests[0]) != 0);
  GA_Sync();
  CHECK(SF_Read(file, next * (double)sizeof in, sizeof in, (char*)in, &requests[0]) == 0);
  CHECK(SF_Wait(&requests[0]) == 0);
  for (int i = 0; i < N; ++i) CHECK(in[i] == i + 1000 * next);
  CHECK(SF_Fsync(file) == 0);
  CHECK(SF_Close(file) == 0);
  CHECK(SF_Read(file, 0, 8, (char*)in, &requests[0]) != 0);
  CHECK(SF_Open(file) == 0);
  /* Opening an open file leaves its requests alone. */
  CHECK(SF_Read(file, next * (double)sizeof in, sizeof in, (char*)in, &requests[0]) == 0);
  CHECK(SF_Open(file) == 0);
  CHECK(SF_Wait(&requests[0]) == 0);
  CHECK(SF_Rwtor(file) == 0);
  CHECK(SF_Write(file, 0, 8, (char*)out, &requests[0]) == 0 && SF_Wait(&requests[0]) != 0);
  CHECK(SF_Close(file) == 0 && SF_Open(file) == 0);
  CHECK(SF_Write(file, 0, 8, (char*)out, &requests[0]) == 0 && SF_Wait(&requests[0]) != 0);
  CHECK(SF_Destroy(file) == 0);
  snprintf(path, sizeof path, "%s/none/here", folder);
  CHECK(SF_Create(path, 0, 0, 0, &file) != 0);
  snprintf(path, sizeof path, "%s/all", folder);
  CHECK(SF_Create_suffix(path, 0, 0, 0, &file, 3) == 0);
  strcat(path, ".3");
  CHECK(access(path, F_OK) == 0);
  GA_Sync();
  CHECK(SF_Destroy(file) == 0 && SF_Destroy(file) != 0);
}

int main(int argc, char** argv) {
  char folder[] = "/tmp/ga_files_XXXXXX";
  MPI_Init(&argc, &argv);
  GA_Initialize();
  me = GA_Nodeid();
  count = GA_Nnodes();
  make_folder(folder);
  own_files(folder);
  shared_files(folder);
  GA_Sync();
  if (me == 0) CHECK(rmdir(folder) == 0);
  if (me == 0) printf("files: ok\n");
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
