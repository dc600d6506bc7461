/* SPDX-License-Identifier: Apache-2.0 */
/* A shear wave in a viscous fluid by the lattice Boltzmann method (D2Q9, single relaxation time) on a
   periodic grid. Each process has a block of the grid with one row and column of ghost cells around it,
   which one call updates; its wave decays as exp(-viscosity k^2 t).
   Usage: mpirun -n 4 lattice_boltzmann [SIDE [STEPS]]      default 32 and 200 */
#include <ga.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { directions = 9 };
static const int cx[directions] = {0, 1, 0, -1, 0, 1, -1, -1, 1};
static const int cy[directions] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
static const double weight[directions] = {4.0 / 9,  1.0 / 9,  1.0 / 9,  1.0 / 9, 1.0 / 9,
                                          1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36};
static const double relaxation = 0.8, amplitude = 0.01;

static double equilibrium(int q, double rho, double ux, double uy) {
  double cu = 3.0 * (cx[q] * ux + cy[q] * uy);
  return weight[q] * rho * (1.0 + cu + 0.5 * cu * cu - 1.5 * (ux * ux + uy * uy));
}

/* The padded block of this process: f[i][j][q] from one row and column before its first own cell. */
struct view {
  double* data;
  int rows, columns, ld; /* own cells; extent of the padded second axis */
  int first_row;
};

static struct view view_of(int g) {
  struct view v = {0};
  int lo[3], hi[3], dims[3], ld[2];
  NGA_Distribution(g, GA_Nodeid(), lo, hi);
  if (hi[0] < lo[0]) return v;
  NGA_Access_ghosts(g, dims, &v.data, ld);
  v.rows = hi[0] - lo[0] + 1, v.columns = hi[1] - lo[1] + 1, v.ld = ld[0], v.first_row = lo[0];
  return v;
}

static double* cell(struct view v, int i, int j) {
  return v.data + ((long)(i + 1) * v.ld + j + 1) * directions;
}

/* Each cell takes what its neighbours send, and relaxes. */
static void advance(struct view from, struct view to) {
  for (int i = 0; i < from.rows; ++i)
    for (int j = 0; j < from.columns; ++j) {
      double f[directions], rho = 0, ux = 0, uy = 0, *out = cell(to, i, j);
      for (int q = 0; q < directions; ++q) {
        f[q] = cell(from, i - cx[q], j - cy[q])[q];
        rho += f[q], ux += cx[q] * f[q], uy += cy[q] * f[q];
      }
      ux /= rho, uy /= rho;
      for (int q = 0; q < directions; ++q)
        out[q] = f[q] + (equilibrium(q, rho, ux, uy) - f[q]) / relaxation;
    }
}

/* The amplitude of the wave and the mass. */
static void measure(struct view v, int side, double* wave, double* mass) {
  double sums[2] = {0, 0};
  for (int i = 0; i < v.rows; ++i)
    for (int j = 0; j < v.columns; ++j) {
      double rho = 0, uy = 0, *f = cell(v, i, j);
      for (int q = 0; q < directions; ++q) rho += f[q], uy += cy[q] * f[q];
      sums[0] += 2.0 / side / side * uy / rho * sin(2 * M_PI * (v.first_row + i) / side);
      sums[1] += rho;
    }
  GA_Dgop(sums, 2, "+");
  *wave = sums[0], *mass = sums[1];
}

int main(int argc, char** argv) {
  int side = argc > 1 ? atoi(argv[1]) : 32, steps = argc > 2 ? atoi(argv[2]) : 200;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (side < 4 || steps < 1) GA_Error("usage: lattice_boltzmann [SIDE [STEPS]], SIDE from 4 on", 1);
  int dims[3] = {side, side, directions}, width[3] = {1, 1, 0}, chunk[3] = {-1, -1, directions};
  int now = NGA_Create_ghosts(C_DBL, 3, dims, width, "populations", chunk);
  int next = GA_Duplicate(now, "populations after");
  if (now == 0 || next == 0) GA_Error("no memory", 1);
  struct view v = view_of(now);
  for (int i = 0; i < v.rows; ++i)
    for (int j = 0; j < v.columns; ++j)
      for (int q = 0; q < directions; ++q)
        cell(v, i, j)[q] =
            equilibrium(q, 1.0, 0.0, amplitude * sin(2 * M_PI * (v.first_row + i) / side));
  double begin, end, mass, mass_after, k = 2 * M_PI / side;
  measure(v, side, &begin, &mass);
  for (int t = 0; t < steps; ++t) {
    GA_Update_ghosts(now);
    advance(view_of(now), view_of(next));
    int swap = now;
    now = next, next = swap;
  }
  measure(view_of(now), side, &end, &mass_after);
  double viscosity = (relaxation - 0.5) / 3, rate = -log(end / begin) / steps;
  double error = fabs(rate / (viscosity * k * k) - 1), lost = fabs(mass_after / mass - 1);
  if (GA_Nodeid() == 0)
    printf("%d x %d cells, %d steps: decay differs by %.2f %% from theory, mass by %.1e: %s\n", side,
           side, steps, 100 * error, lost, error < 0.02 && lost < 1e-12 ? "right" : "WRONG");
  GA_Destroy(now);
  GA_Destroy(next);
  GA_Terminate();
  MPI_Finalize();
  return error < 0.02 && lost < 1e-12 ? 0 : 1;
}
