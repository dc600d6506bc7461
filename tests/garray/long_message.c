/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of TCGMSG that are longer than a count of MPI, and short ones for which there is as much room. Takes 2 GiB. */
#include <tcgmsg.h>

#include "check.h"

enum { tag = 5 };
static const long bytes = (1L << 31) + 77;

static void send(char *buffer, long length, long is_complete) {
  buffer[0] = 'a';
  buffer[length - 1] = 'z';
  tcg_snd(tag, buffer, length, 1, is_complete);
  tcg_waitcom(-1);
}

static void receive(char *buffer, long length) {
  long found = -1, from = -1;
  buffer[length - 1] = 0;
  tcg_rcv(tag, buffer, bytes, &found, -1, &from, 1);
  CHECK(found == length && from == 0);
  CHECK(buffer[0] == 'a' && buffer[length - 1] == 'z');
}

int main(int argc, char **argv) {
  const long lengths[] = {bytes, 1L << 31, (1L << 31) - 1, 40};
  char *buffer = calloc((size_t)bytes, 1);
  MPI_Init(&argc, &argv);
  GA_Initialize();
  CHECK(buffer != NULL);
  for (int k = 0; k < 4; ++k) {
    if (tcg_nodeid() == 0) send(buffer, lengths[k], k % 2);
    if (tcg_nodeid() == 1) receive(buffer, lengths[k]);
    tcg_synch(tag);
  }
  free(buffer);
  GA_Terminate();
  MPI_Finalize();
  return 0;
}
