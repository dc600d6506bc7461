/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients for the five-point Laplacian of a square grid, with a sparse matrix of global arrays.
   Usage: mpirun -n 4 sparse_cg [SIDE]      a grid of SIDE x SIDE points, default 40 */
#include <ga.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int line(const char* name, int length) {
  int g = NGA_Create(C_DBL, 1, &length, (char*)name, NULL);
  if (g == 0) GA_Error("no memory", 1);
  GA_Zero(g);
  return g;
}

/* Each process adds the rows of its share of the grid's lines. */
static int laplacian(int side) {
  int n = side * side, a = NGA_Sprs_array_create(n, n, C_DBL);
  double four = 4.0, minus = -1.0;
  for (int i = GA_Nodeid(); i < side; i += GA_Nnodes())
    for (int j = 0; j < side; ++j) {
      int row = i * side + j;
      NGA_Sprs_array_add_element(a, row, row, &four);
      if (i > 0) NGA_Sprs_array_add_element(a, row, row - side, &minus);
      if (i < side - 1) NGA_Sprs_array_add_element(a, row, row + side, &minus);
      if (j > 0) NGA_Sprs_array_add_element(a, row, row - 1, &minus);
      if (j < side - 1) NGA_Sprs_array_add_element(a, row, row + 1, &minus);
    }
  NGA_Sprs_array_assemble(a);
  return a;
}

int main(int argc, char** argv) {
  int side = argc > 1 ? atoi(argv[1]) : 40, iterations = 0;
  double one = 1.0, minus = -1.0;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (side < 1) GA_Error("usage: sparse_cg [SIDE]", 1);
  int a = laplacian(side), n = side * side;
  int b = line("right side", n), x = line("solution", n), r = line("residual", n);
  int p = line("direction", n), ap = line("matrix times direction", n);
  GA_Fill(b, &one);
  GA_Copy(b, r);
  GA_Copy(b, p);
  double norm = GA_Ddot(b, b), rr = norm;
  while (rr > 1e-20 * norm && iterations < 10 * side) {
    NGA_Sprs_array_matvec_multiply(a, p, ap);
    double alpha = rr / GA_Ddot(p, ap), less = -alpha;
    GA_Add(&one, x, &alpha, p, x);
    GA_Add(&one, r, &less, ap, r);
    double next = GA_Ddot(r, r), beta = next / rr;
    GA_Add(&one, r, &beta, p, p);
    rr = next;
    ++iterations;
  }
  /* What is left of b - a x, computed anew. */
  NGA_Sprs_array_matvec_multiply(a, x, ap);
  GA_Add(&one, b, &minus, ap, r);
  double left = sqrt(GA_Ddot(r, r) / norm);
  if (GA_Nodeid() == 0)
    printf("%d unknowns, %d iterations, residual %.1e: %s\n", n, iterations, left,
           left < 1e-8 ? "solved" : "NOT SOLVED");
  NGA_Sprs_array_destroy(a);
  int arrays[] = {b, x, r, p, ap};
  for (int i = 0; i < 5; ++i) GA_Destroy(arrays[i]);
  GA_Terminate();
  MPI_Finalize();
  return left < 1e-8 ? 0 : 1;
}
