/* SPDX-License-Identifier: Apache-2.0 */
/* Molecular dynamics of a Lennard-Jones fluid in reduced units. Coordinates, velocities and gradients are
   global arrays; pairs of blocks of particles are tasks that processes take from a shared counter, so that
   a slow process takes fewer.
   Usage: mpirun -n 4 lennard_jones [CELLS [STEPS]]      4 CELLS^3 particles, default 4 and 500 */
#include <ga.h>
#include <macdecls.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double density = 1.05, temperature = 2.0, step = 0.004;
enum { block = 64 };

struct system {
  int particles;
  double side;           /* of the periodic cube */
  int x, v, gradient;    /* arrays of 3 * particles elements: x y z of each */
  int counter;
  double *xi, *xj, *sum; /* coordinates of two blocks; gradient of all particles */
};

static int line(const char* name, int type, int length) {
  int g = NGA_Create(type, 1, &length, (char*)name, NULL);
  if (g == 0) GA_Error("no memory", 1);
  return g;
}

static void put_all(int g, double* values, int length) {
  int lo = 0, hi = length - 1, ld = 1;
  if (GA_Nodeid() == 0) NGA_Put(g, &lo, &hi, values, &ld);
  GA_Sync();
}

static double gaussian(void) {
  double sum = 0; /* of 12 uniform numbers: mean 6, variance 1 */
  for (int i = 0; i < 12; ++i) sum += rand() / (RAND_MAX + 1.0);
  return sum - 6.0;
}

/* A face-centred cubic lattice and random velocities without total momentum. */
static void start(struct system* s, int cells) {
  static const double corner[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  int n = s->particles, at = 0;
  double *x = malloc(3 * n * sizeof *x), *v = malloc(3 * n * sizeof *v), mean[3] = {0}, energy = 0;
  for (int c = 0; c < cells * cells * cells; ++c)
    for (int k = 0; k < 4; ++k, at += 3) {
      int cell[3] = {c % cells, c / cells % cells, c / cells / cells};
      for (int d = 0; d < 3; ++d) {
        x[at + d] = (cell[d] + corner[k][d]) * s->side / cells;
        v[at + d] = gaussian();
        mean[d] += v[at + d] / n;
      }
    }
  for (int i = 0; i < 3 * n; ++i) {
    v[i] -= mean[i % 3];
    energy += 0.5 * v[i] * v[i];
  }
  for (int i = 0; i < 3 * n; ++i) v[i] *= sqrt(1.5 * n * temperature / energy);
  put_all(s->x, x, 3 * n);
  put_all(s->v, v, 3 * n);
  free(x);
  free(v);
}

/* Energy and gradient of the pairs of two blocks of particles; each pair once. */
static double pairs(struct system* s, int i0, int j0) {
  int n = s->particles, ni = i0 + block < n ? block : n - i0, nj = j0 + block < n ? block : n - j0;
  int lo = 3 * i0, hi = 3 * (i0 + ni) - 1, ld = 1;
  double energy = 0;
  NGA_Get(s->x, &lo, &hi, s->xi, &ld);
  lo = 3 * j0, hi = 3 * (j0 + nj) - 1;
  NGA_Get(s->x, &lo, &hi, s->xj, &ld);
  for (int i = 0; i < ni; ++i)
    for (int j = i0 == j0 ? i + 1 : 0; j < nj; ++j) {
      double d[3], r2 = 0;
      for (int k = 0; k < 3; ++k) {
        d[k] = s->xi[3 * i + k] - s->xj[3 * j + k];
        d[k] -= s->side * floor(d[k] / s->side + 0.5); /* the nearest image */
        r2 += d[k] * d[k];
      }
      double r6 = 1.0 / (r2 * r2 * r2), factor = -24.0 * r6 * (2.0 * r6 - 1.0) / r2;
      energy += 4.0 * r6 * (r6 - 1.0);
      for (int k = 0; k < 3; ++k) {
        s->sum[3 * (i0 + i) + k] += factor * d[k];
        s->sum[3 * (j0 + j) + k] -= factor * d[k];
      }
    }
  return energy;
}

/* The potential energy; fills the gradient. */
static double forces(struct system* s) {
  int blocks = (s->particles + block - 1) / block, zero = 0, task = GA_Nodeid(), number = 0;
  int length = 3 * s->particles, lo, hi, ld = 1;
  double energy = 0;
  for (int i = 0; i < length; ++i) s->sum[i] = 0;
  if (GA_Nodeid() == 0) {
    int first = GA_Nnodes();
    NGA_Put(s->counter, &zero, &zero, &first, &ld);
  }
  GA_Sync();
  for (int bi = 0; bi < blocks; ++bi)
    for (int bj = bi; bj < blocks; ++bj, ++number)
      if (number == task) {
        energy += pairs(s, bi * block, bj * block);
        task = (int)NGA_Read_inc(s->counter, &zero, 1);
      }
  GA_Dgop(s->sum, length, "+");
  GA_Dgop(&energy, 1, "+");
  NGA_Distribution(s->gradient, GA_Nodeid(), &lo, &hi);
  if (hi >= lo) NGA_Put(s->gradient, &lo, &hi, s->sum + lo, &ld);
  GA_Sync();
  return energy;
}

/* v -= dt/2 gradient; then, if `drift`, x += dt v. Each process its own part, in place. */
static void kick(struct system* s, int drift) {
  int lo, hi, ld;
  double *x, *v, *g;
  NGA_Distribution(s->v, GA_Nodeid(), &lo, &hi);
  if (hi >= lo) {
    NGA_Access(s->x, &lo, &hi, &x, &ld);
    NGA_Access(s->v, &lo, &hi, &v, &ld);
    NGA_Access(s->gradient, &lo, &hi, &g, &ld);
    for (int i = 0; i <= hi - lo; ++i) {
      v[i] -= 0.5 * step * g[i];
      if (drift) x[i] += step * v[i];
    }
    NGA_Release_update(s->x, &lo, &hi);
    NGA_Release_update(s->v, &lo, &hi);
    NGA_Release(s->gradient, &lo, &hi);
  }
  GA_Sync();
}

int main(int argc, char** argv) {
  int cells = argc > 1 ? atoi(argv[1]) : 4, steps = argc > 2 ? atoi(argv[2]) : 500;
  struct system s;
  MPI_Init(&argc, &argv);
  GA_Initialize();
  if (cells < 1 || steps < 1) GA_Error("usage: lennard_jones [CELLS [STEPS]]", 1);
  s.particles = 4 * cells * cells * cells;
  s.side = cbrt(s.particles / density);
  s.x = line("coordinates", C_DBL, 3 * s.particles);
  s.v = GA_Duplicate(s.x, "velocities");
  s.gradient = GA_Duplicate(s.x, "gradient");
  s.counter = line("task counter", C_INT, 1);
  s.xi = malloc(3 * block * sizeof(double));
  s.xj = malloc(3 * block * sizeof(double));
  s.sum = malloc(3 * s.particles * sizeof(double));
  start(&s, cells);

  double first = 0, energy = 0, worst = 0, potential = forces(&s);
  for (int i = 0; i < steps; ++i) {
    kick(&s, 1);
    potential = forces(&s);
    kick(&s, 0);
    double kinetic = 0.5 * GA_Ddot(s.v, s.v);
    energy = potential + kinetic;
    if (i == 0) first = energy;
    if (fabs(energy - first) > worst) worst = fabs(energy - first);
    if (GA_Nodeid() == 0 && (i + 1) % (steps / 5 > 0 ? steps / 5 : 1) == 0)
      printf("step %5d  potential %10.5f  temperature %8.5f  energy %12.7f\n", i + 1,
             potential / s.particles, kinetic / (1.5 * s.particles), energy / s.particles);
  }
  if (GA_Nodeid() == 0)
    printf("%d particles, %d steps: energy per particle drifts by at most %.2e\n", s.particles, steps,
           worst / s.particles);
  GA_Destroy(s.x);
  GA_Destroy(s.v);
  GA_Destroy(s.gradient);
  GA_Destroy(s.counter);
  GA_Terminate();
  MPI_Finalize();
  free(s.xi);
  free(s.xj);
  free(s.sum);
  return 0;
}
