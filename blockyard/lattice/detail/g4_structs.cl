// SPDX-License-Identifier: Apache-2.0
// The structs of g4_kernels.cl. Index is a signed integer of 64 bits.

typedef struct {
  double re, im;
} G4Value;

/// Extents: those of Axes, and how many exchange momenta (transfers) and frequencies (exchange).
typedef struct {
  int momenta, bands, compact, extended, offset, transfers, exchange, channels;
} G4Extents;

/// The samples of one run, all of one bin; `first`: where they begin in `signs` and `slots`.
typedef struct {
  int first, count, bin, unit;
} G4Batch;

/// One spin of a sample: where its numbers and whole numbers begin.
typedef struct {
  Index numbers, wholes, tiles;
  int count, spin, is_complex, columns;
} G4Spin;

/// An item as it travelled. from, to: where a spin's vertices or the tiles begin in it and in what
/// is made of it; length: of a tile. is_part: it has the tiles of the units here and no others.
typedef struct {
  Index from, to, length;
  int is_single, is_part;
} G4Item;

/// Where the tiles of a block of rows begin among those of a sample: factors of the products, legs.
typedef struct {
  Index a, b, u, v;
} G4Pairs;
