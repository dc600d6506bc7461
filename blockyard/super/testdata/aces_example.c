/* SPDX-License-Identifier: Apache-2.0 */
/* Super instructions as they are compiled for ACES4. */

/* y = x scaled by `by`, and what the arguments are: the first elements of `seen` become ranks,
 * sizes, first index values and first extents of the three operands. */
void aces_scale(int* slot_y, int* rank_y, int* index_y, int* size_y, int* extents_y, double* y,
                int* slot_x, int* rank_x, int* index_x, int* size_x, int* extents_x, double* x,
                int* slot_by, int* rank_by, int* index_by, int* size_by, int* extents_by,
                double* by, int* slot_seen, int* rank_seen, int* index_seen, int* size_seen,
                int* extents_seen, double* seen, int* ierr) {
  const double all[12] = {*rank_y,    *size_y,    index_y[1],   extents_y[0],  *rank_x, *rank_by,
                          *size_by,   index_x[0], extents_x[1], index_seen[0], *slot_y, *slot_seen};
  (void)slot_x, (void)slot_by, (void)index_by, (void)extents_by, (void)rank_seen;
  (void)extents_seen, (void)size_x, (void)ierr;
  for (int k = 0; k < *size_y; ++k) y[k] = *by * x[k];
  for (int k = 0; k < 12 && k < *size_seen; ++k) seen[k] = all[k];
}

/* As Fortran names it without BIND(C). */
void aces_refuse_(int* slot, int* rank, int* index_values, int* size, int* extents, double* data,
                  int* ierr) {
  (void)slot, (void)rank, (void)index_values, (void)size, (void)extents;
  *ierr = data[0] < 0 ? 3 : 0;
}

static int calls = 0;

void aces_count(int* slot, int* rank, int* index_values, int* size, int* extents, double* data,
                int* ierr) {
  (void)slot, (void)rank, (void)index_values, (void)size, (void)extents, (void)ierr;
  *data = ++calls;
}
