// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tcgmsg.h>

#include <algorithm>
#include <vector>

#include "blockyard/ga/fortran.h"

// What Fortran's calls of TCGMSG need besides those of C, whose integers are long.
namespace blockyard::ga::fortran {

template <class Integer>
void sum_integers(long type, Integer* x, long n, char* op) {
  std::vector<long> wide(x, x + n);
  tcg_igop(type, wide.data(), n, op);
  std::copy(wide.begin(), wide.end(), x);
}

template <class Integer>
void receive(long type, void* buffer, long bytes, Integer* length, long node, Integer* from,
             long sync) {
  long found_length = 0, found_from = 0;
  tcg_rcv(type, buffer, bytes, &found_length, node, &found_from, sync);
  *length = static_cast<Integer>(found_length);
  *from = static_cast<Integer>(found_from);
}

}  // namespace blockyard::ga::fortran
