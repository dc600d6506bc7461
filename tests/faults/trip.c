/* SPDX-License-Identifier: Apache-2.0 */
/* Makes something happen to a process at a chosen call of a chosen function, without a sleep: put it
 * before the program with LD_PRELOAD. From the environment:
 *   TRIP_CALL    send | read | pwrite | fsync | rename | pread | fflush: which function is counted
 *   TRIP_AT      the number of the call, from 1 on, at which it trips (all later ones too if an error)
 *   TRIP_SIGNAL  signal that the process then gets, or
 *   TRIP_ERRNO   error that the call then fails with, or
 *   TRIP_FLIP    pread: a bit of what is read is wrong
 *   TRIP_RANK    of MPI: only this rank (as the launcher numbers it)
 *   TRIP_PATH    read, pwrite, pread and rename: only files whose (old) path has this text
 * "fflush" is that of standard output, "send" is pthread_mutex_lock: what every message takes at least once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { flip = -1 };
static atomic_long calls;

static const char* setting(const char* name) {
  const char* text = getenv(name);
  return text != NULL ? text : "";
}

static int is_our_rank(void) {
  const char* wanted = getenv("TRIP_RANK");
  if (wanted == NULL) return 1;
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return rank != NULL && strcmp(rank, wanted) == 0;
}

/* The handler has run when this returns, however busy the machine is: a signal of the process would wait for its main
 * thread. */
static void tell(int signal) {
  sigset_t blocked;
  sigemptyset(&blocked);
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  if (sigismember(&blocked, signal) == 1)
    kill(getpid(), signal);
  else
    raise(signal);
}

/* 0, or the error that the call is to fail with. */
static int trip(const char* function, const char* path) {
  static _Thread_local int is_inside;
  int error = 0;
  if (is_inside) return 0;
  is_inside = 1;
  const int is_counted = strcmp(setting("TRIP_CALL"), function) == 0 && is_our_rank() &&
                         (path == NULL || strstr(path, setting("TRIP_PATH")) != NULL);
  if (is_counted) {
    const long count = atomic_fetch_add(&calls, 1) + 1;
    const long at = atol(setting("TRIP_AT"));
    if (getenv("TRIP_ERRNO") != NULL && count >= at) error = atoi(setting("TRIP_ERRNO"));
    if (getenv("TRIP_FLIP") != NULL && count == at) error = flip;
    if (getenv("TRIP_SIGNAL") != NULL && count == at) tell(atoi(setting("TRIP_SIGNAL")));
  }
  is_inside = 0;
  return error;
}

static const char* path_of(int file, char* path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, size - 1);
  path[length > 0 ? length : 0] = 0;
  return path;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* Counted before the mutex is taken, so that the handler of a signal finds nothing locked. */
int pthread_mutex_lock(pthread_mutex_t* mutex) {
  static int (*real)(pthread_mutex_t*);
  if (real == NULL) real = REAL(pthread_mutex_lock);
  if (getenv("TRIP_CALL") != NULL) (void)trip("send", NULL);
  return real(mutex);
}

ssize_t read(int file, void* bytes, size_t count) {
  char path[4096];
  const int error = trip("read", path_of(file, path, sizeof path));
  if (error == 0) return REAL(read)(file, bytes, count);
  errno = error;
  return -1;
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  char path[4096];
  const int error = trip("pwrite", path_of(file, path, sizeof path));
  if (error == 0) return REAL(pwrite)(file, bytes, count, offset);
  errno = error;
  return -1;
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off_t offset) {
  return pwrite(file, bytes, count, offset);
}

ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  char path[4096];
  const int error = trip("pread", path_of(file, path, sizeof path));
  if (error == 0 || error == flip) {
    const ssize_t got = REAL(pread)(file, bytes, count, offset);
    if (error == flip && got > 0) ((unsigned char*)bytes)[got / 2] ^= 8;
    return got;
  }
  errno = error;
  return -1;
}
ssize_t pread64(int file, void* bytes, size_t count, off_t offset) {
  return pread(file, bytes, count, offset);
}

int fsync(int file) {
  const int error = trip("fsync", NULL);
  if (error == 0) return REAL(fsync)(file);
  errno = error;
  return -1;
}

int fflush(FILE* stream) {
  const int error = stream == stdout ? trip("fflush", NULL) : 0;
  if (error == 0) return REAL(fflush)(stream);
  errno = error;
  return EOF;
}

int rename(const char* from, const char* to) {
  const int error = trip("rename", from);
  if (error == 0) return REAL(rename)(from, to);
  errno = error;
  return -1;
}
