// SPDX-License-Identifier: Apache-2.0
// The kernels of G4 on devices, in words that OpenCL C, CUDA C++ and C++ share: device_slice.cpp includes them and
// hands the same text to devices. What differs has a name, which is defined before:
//   Index              a signed integer of 64 bits
//   DeviceVoid         the result of a function of a device; DeviceIndex one that is an Index
//   Numbers, Wholes    pointers to const double and const int in memory of the device
//   Singles            a pointer to const float there
//   Values, Integers, WholeValues   pointers to double, Index and int there
//   to_integer(x)      the nearest Index
// Complex arrays are two planes unless said otherwise. Layouts: green.h, two_particle.h.

/// Times and matrices of a spin out of a sample, as encode() wrote it, to `numbers`, sites and bands
/// of its vertices to `wholes`. item, singles, ints: the same memory. Elements are those of `numbers`.
DeviceVoid g4_unpack(Index first, Index count, Index j, Values numbers, WholeValues wholes,
                     Numbers item, Singles singles, Wholes ints, G4Item what, G4Spin spin) {
  const Index n = spin.count;
  const Index matrix = what.from + 2 * n;
  (void)j;
  for (Index e = first; e < first + count; ++e) {
    if (e < n) {
      const Index vertex = what.from + 2 * e;
      wholes[e] = ints[2 * vertex + 1];
      wholes[e + n] = ints[2 * vertex];
      numbers[e] = item[vertex + 1];
    } else if (what.is_single != 0) {
      numbers[e] = singles[2 * matrix + e - n];
    } else {
      numbers[e] = item[matrix + e - n];
    }
  }
}

/// The tiles of the units here out of a Green's function: element of a tile, j = number of its pair.
/// order: where the tiles of pairs are in a whole one.
DeviceVoid g4_pick(Index first, Index count, Index j, Values tiles, Numbers item, Singles singles,
                   Wholes order, G4Item what) {
  const Index from = what.length * (what.is_part != 0 ? j : order[j]);
  const Index to = what.to + what.length * j;
  for (Index e = first; e < first + count; ++e)
    tiles[to + e] = what.is_single != 0 ? singles[from + e] : item[from + e];
}

/// exp(i k r) exp(i w tau) by (k, vertex, w): element k + momenta * vertex, j = w.
/// numbers: tau of the vertices; wholes: their sites, then their bands; phases: exp(i k r) by (r, k).
DeviceVoid g4_phases(Index first, Index count, Index j, Values left, Numbers numbers,
                     Wholes wholes, Numbers phases, Numbers frequencies, G4Spin spin,
                     G4Extents extents) {
  const Index nk = extents.momenta;
  const Index plane = nk * nk;
  const Index all = nk * spin.count * extents.extended;
  for (Index e = first; e < first + count; ++e) {
    const Index k = e % nk;
    const Index vertex = e / nk;
    const double angle = frequencies[j] * numbers[spin.numbers + vertex];
    const double re = cos(angle);
    const double im = sin(angle);
    const Index at = k * nk + wholes[spin.wholes + vertex];
    left[e + nk * spin.count * j] = phases[at] * re - phases[plane + at] * im;
    left[e + nk * spin.count * j + all] = phases[at] * im + phases[plane + at] * re;
  }
}

/// The walker matrix times conjugate phases, by (k, vertex, column, band):
///   right(k, i, w, b) = sum over vertices j of band b of M_ij conj(left(k, j, w))
/// element k + momenta * i, j = number of the column, k = band.
DeviceVoid g4_right(Index first, Index count, Index j, Index k, Values right, Numbers left,
                    Numbers numbers, Wholes wholes, Wholes columns, G4Spin spin,
                    G4Extents extents) {
  const Index nk = extents.momenta;
  const Index n = spin.count;
  const Index left_plane = nk * n * extents.extended;
  const Index right_plane = nk * n * spin.columns * extents.bands;
  const Index real = spin.numbers + n;
  const Index imaginary = real + n * n;
  for (Index e = first; e < first + count; ++e) {
    const Index momentum = e % nk;
    const Index row = e / nk;
    double re = 0;
    double im = 0;
    for (Index vertex = 0; vertex < n; ++vertex) {
      if (wholes[spin.wholes + n + vertex] != k) continue;
      const Index at = momentum + nk * (vertex + n * columns[j]);
      const double m_re = numbers[real + vertex * n + row];
      re += m_re * left[at];
      im -= m_re * left[at + left_plane];
      if (spin.is_complex == 0) continue;
      const double m_im = numbers[imaginary + vertex * n + row];
      re += m_im * left[at + left_plane];
      im += m_im * left[at];
    }
    const Index to = e + nk * n * (j + spin.columns * k);
    right[to] = re;
    right[to + right_plane] = im;
  }
}

/// value -= x y z, of complex numbers that lie one behind the other, x and z of them.
DeviceVoid g4_subtract(Numbers g0, Index x, G4Value y, Index z, G4Value* value) {
  const double re = g0[2 * x] * y.re - g0[2 * x + 1] * y.im;
  const double im = g0[2 * x] * y.im + g0[2 * x + 1] * y.re;
  value->re -= re * g0[2 * z] - im * g0[2 * z + 1];
  value->im -= re * g0[2 * z + 1] + im * g0[2 * z];
}

/// The tiles of a spin: element k1 + momenta * k2, j = number of the pair.
/// pairs: row, column, and the number of the column, of each; g0: (b1, b2, s, k, w), complex numbers.
DeviceVoid g4_tiles(Index first, Index count, Index j, Values tiles, Numbers left, Numbers right,
                    Wholes wholes, Wholes pairs, Numbers g0, double beta, G4Spin spin,
                    G4Extents extents) {
  const Index nk = extents.momenta;
  const Index nb = extents.bands;
  const Index n = spin.count;
  const Index plane = nk * nk;
  const Index left_plane = nk * n * extents.extended;
  const Index right_plane = nk * n * spin.columns * nb;
  const Index row = pairs[3 * j];
  const Index column = pairs[3 * j + 1];
  const Index number = pairs[3 * j + 2];
  for (Index e = first; e < first + count; ++e) {
    const Index k1 = e % nk;
    const Index k2 = e / nk;
    G4Value matrix[4];
    for (Index b = 0; b < nb * nb; ++b) {
      G4Value sum = {0, 0};
      for (Index vertex = 0; vertex < n; ++vertex) {
        if (wholes[spin.wholes + n + vertex] != b % nb) continue;
        const Index at = k1 + nk * (vertex + n * row);
        const Index with = k2 + nk * (vertex + n * (number + spin.columns * (b / nb)));
        const double l_re = left[at], l_im = left[at + left_plane];
        const double r_re = right[with], r_im = right[with + right_plane];
        sum.re += l_re * r_re - l_im * r_im;
        sum.im += l_re * r_im + l_im * r_re;
      }
      matrix[b].re = sum.re / (1.0 * nk);
      matrix[b].im = sum.im / (1.0 * nk);
    }
    for (Index b = 0; b < nb * nb; ++b) {
      const Index b1 = b % nb;
      const Index b2 = b / nb;
      const Index of_row = nb * nb * (spin.spin + 2 * (k1 + nk * row));
      const Index of_column = nb * nb * (spin.spin + 2 * (k2 + nk * column));
      G4Value value = {0, 0};
      for (Index c = 0; c < nb * nb; ++c)
        g4_subtract(g0, of_row + b1 + nb * (c % nb), matrix[c], of_column + c / nb + nb * b2,
                    &value);
      if (k1 == k2 && row == column) {
        value.re += beta * g0[2 * (of_row + b)];
        value.im += beta * g0[2 * (of_row + b) + 1];
      }
      const Index to =
          spin.tiles + (j * 2 * nb * nb + b + nb * nb * spin.spin) * 2 * plane + e;
      tiles[to] = value.re;
      tiles[to + plane] = value.im;
    }
  }
}

/// sum += sign * tiles[x] tiles[y]
DeviceVoid g4_add_product(Numbers tiles, Index x, Index y, Index plane, double sign,
                          G4Value* sum) {
  sum->re += sign * (tiles[x] * tiles[y] - tiles[x + plane] * tiles[y + plane]);
  sum->im += sign * (tiles[x] * tiles[y + plane] + tiles[x + plane] * tiles[y]);
}

/// Where the number of a pair's tile is looked up, times the length of a tile.
DeviceIndex g4_pair(Wholes index, Index row, Index column, G4Extents extents) {
  const Index nk = extents.momenta;
  const Index length = 2 * extents.bands * extents.bands * 2 * nk * nk;
  return length * index[row * extents.extended + column];
}

/// What one sample adds to one value, without its sign. t: its tiles; at(s, x, y) is a spin and bands
/// in a tile; k1, k2 and what turns says of them: q - k or k + q.
DeviceVoid g4_value(Numbers t, Wholes turn, int channel, G4Pairs pairs, Index k1, Index k2,
                    int bands, G4Extents extents, G4Value* sum) {
  const Index nk = extents.momenta;
  const int nb = extents.bands;
  const Index plane = nk * nk;
  const Index of_bands = 2 * plane;
  const Index of_spin = of_bands * nb * nb;
  const int b1 = bands % nb, b2 = bands / nb % nb, b3 = bands / nb / nb % nb;
  const int b4 = bands / nb / nb / nb;
  const Index here = k1 + nk * k2;
  const Index turned =
      channel == 0 ? turn[k1] + nk * turn[k2] : turn[k2] + nk * turn[k1];
  const Index of_a = pairs.a + here + of_bands * (channel == 0 ? b3 + nb * b1 : b1 + nb * b3);
  const Index of_b = pairs.b + turned + of_bands * (b4 + nb * b2);
  sum->re = 0;
  sum->im = 0;
  if (channel < 5)  // all but ph_up_down
    for (int s = 0; s < 2; ++s) {
      const int other = channel < 2 ? 1 - s : s;
      g4_add_product(t, of_a + of_spin * s, of_b + of_spin * other, plane,
                     channel == 0 ? 1.0 : -1.0, sum);
    }
  if (channel < 2) return;
  const Index u = pairs.u + turn[k1] * nk + k1 + of_bands * (b1 + nb * b2);
  const Index v = pairs.v + k2 * nk + turn[k2] + of_bands * (b4 + nb * b3);
  for (int s = 0; s < 2; ++s) {
    if (channel != 5) g4_add_product(t, u + of_spin * s, v + of_spin * s, plane, 1.0, sum);
    if (channel != 4)
      g4_add_product(t, u + of_spin * s, v + of_spin * (1 - s), plane,
                     channel == 2 ? -1.0 : 1.0, sum);
  }
}

/// The tiles that the rows of a frequency w1 + compact * (q + transfers * nu) need.
DeviceVoid g4_find(Wholes index, Index rows, Index w2, int is_pp, G4Extents extents,
                   G4Pairs* pairs) {
  const Index w1 = rows % extents.compact;
  const Index nu = rows / extents.compact / extents.transfers;
  const Index off = extents.offset;
  const Index top = nu + extents.compact - 1 + off;
  pairs->a = g4_pair(index, w1 + off, w2 + off, extents);
  pairs->u = 0;
  pairs->v = 0;
  if (is_pp != 0) {
    pairs->b = g4_pair(index, top - w1, top - w2, extents);
  } else {
    pairs->b = g4_pair(index, w2 + nu + off, w1 + nu + off, extents);
    pairs->u = g4_pair(index, w1 + off, w1 + nu + off, extents);
    pairs->v = g4_pair(index, w2 + nu + off, w2 + off, extents);
  }
}

/// Where the values of (w1, q, nu) = rows, of number = channel + channels * side, begin in a unit.
DeviceIndex g4_place(Index rows, Index number, int bin, G4Extents extents) {
  const Index pairs = extents.bands * extents.bands;
  const Index of_rows = extents.momenta * pairs * pairs * 2 * extents.momenta;
  const Index of_channel = of_rows * extents.compact * extents.transfers * extents.exchange;
  return (number + 2 * extents.channels * bin) * of_channel + of_rows * rows;
}

/// Adds samples to a unit of a slice: element k1 + momenta * k2, j = w1 + compact * (q + transfers * nu),
/// k = channel + channels * side, side as SliceShape has it. Each value is read and written once.
/// turns: for each q, q - k of all k, then k + q; signs: half of a sample's sign, two numbers each;
/// starts: where the tiles of a sample begin.
DeviceVoid g4_add(Index first, Index count, Index j, Index k, Values unit, Numbers tiles,
                  Numbers signs, Wholes slots, Wholes index, Wholes turns, Wholes channels,
                  Index tile_values, G4Batch batch, G4Extents extents) {
  const Index nk = extents.momenta;
  const int channel = channels[k % extents.channels];
  const Index w2 = k < extents.channels ? batch.unit : extents.compact - 1 - batch.unit;
  const int bands = extents.bands * extents.bands * extents.bands * extents.bands;
  const Index q = j / extents.compact % extents.transfers;
  Wholes turn = turns + (2 * q + (channel == 0 ? 0 : 1)) * nk;
  Values out = unit + g4_place(j, k, batch.bin, extents);
  G4Pairs pairs;
  g4_find(index, j, w2, channel == 0 ? 1 : 0, extents, &pairs);
  for (Index e = first; e < first + count; ++e) {
    const Index k1 = e % nk;
    const Index k2 = e / nk;
    for (int b = 0; b < bands; ++b) {
      const Index at = (k2 * bands + b) * 2 * nk + k1;
      double re = out[at];
      double im = out[at + nk];
      for (int n = batch.first; n < batch.first + batch.count; ++n) {
        G4Value x;
        g4_value(tiles + tile_values * slots[n], turn, channel, pairs, k1, k2, b, extents, &x);
        re += x.re * signs[2 * n] - x.im * signs[2 * n + 1];
        im += x.re * signs[2 * n + 1] + x.im * signs[2 * n];
      }
      out[at] = re;
      out[at + nk] = im;
    }
  }
}

/// The same in exact sums: each contribution, times scale, becomes the nearest integer. One that is
/// above the bound goes to `worst`, which any of several may write.
DeviceVoid g4_add_exactly(Index first, Index count, Index j, Index k, Integers unit,
                          Numbers tiles, Numbers signs, Wholes slots, Wholes index, Wholes turns,
                          Wholes channels, Index tile_values, G4Batch batch, G4Extents extents,
                          double scale, double bound, Values worst) {
  const Index nk = extents.momenta;
  const int channel = channels[k % extents.channels];
  const Index w2 = k < extents.channels ? batch.unit : extents.compact - 1 - batch.unit;
  const int bands = extents.bands * extents.bands * extents.bands * extents.bands;
  const Index q = j / extents.compact % extents.transfers;
  Wholes turn = turns + (2 * q + (channel == 0 ? 0 : 1)) * nk;
  Integers out = unit + g4_place(j, k, batch.bin, extents);
  G4Pairs pairs;
  g4_find(index, j, w2, channel == 0 ? 1 : 0, extents, &pairs);
  for (Index e = first; e < first + count; ++e) {
    const Index k1 = e % nk;
    const Index k2 = e / nk;
    for (int b = 0; b < bands; ++b) {
      const Index at = (k2 * bands + b) * 2 * nk + k1;
      Index re = out[at];
      Index im = out[at + nk];
      for (int n = batch.first; n < batch.first + batch.count; ++n) {
        G4Value x;
        g4_value(tiles + tile_values * slots[n], turn, channel, pairs, k1, k2, b, extents, &x);
        const double add_re = x.re * signs[2 * n] - x.im * signs[2 * n + 1];
        const double add_im = x.re * signs[2 * n + 1] + x.im * signs[2 * n];
        if (!(fabs(add_re) <= bound)) worst[0] = fabs(add_re);
        if (!(fabs(add_im) <= bound)) worst[0] = fabs(add_im);
        re += to_integer(add_re * scale);
        im += to_integer(add_im * scale);
      }
      out[at] = re;
      out[at + nk] = im;
    }
  }
}
