// SPDX-License-Identifier: Apache-2.0
/// A program that knows nothing of Blockyard: the same call again and again. Prints the seconds of
/// each call, and last what memory the process had at most.
///
/// Usage: offload_calls ROUTINE EXTENT CALLS [SECONDS [GROUP]]    SECONDS: it ends once it worked
/// so
///        long; GROUP: so many calls are timed together
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*, std::size_t, std::size_t);
void dsyrk_(const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, const double*, double*, const int*, std::size_t, std::size_t);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*,
            const double*, const double*, const int*, double*, const int*, std::size_t, std::size_t,
            std::size_t, std::size_t);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void dgetrs_(const char*, const int*, const int*, const double*, const int*, const int*, double*,
             const int*, int*, std::size_t);
void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
}

int main(int count, char** words) {
  if (count < 4) return 2;
  const std::string routine = words[1];
  const int n = std::atoi(words[2]), calls = std::atoi(words[3]);
  const double most_seconds = count > 4 ? std::atof(words[4]) : 1e9;
  const int group = count > 5 ? std::atoi(words[5]) : 1;
  if (n < 1 || group < 1) return 2;
  const auto elements = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  std::vector<double> a(elements), b(elements), c(elements);
  unsigned state = 1;
  const auto draw = [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<double>(state >> 16) / 65536 - 0.5;
  };
  // Far from singular and positive definite, also when a factor is factored again.
  const auto fill = [&] {
    for (std::size_t k = 0; k < elements; ++k) a[k] = draw(), b[k] = draw();
    for (std::size_t k = 0; k < elements; k += static_cast<std::size_t>(n) + 1) a[k] = 2 * n;
  };
  fill();
  std::vector<int> pivots(static_cast<std::size_t>(n));
  int info = 0;
  const double one = 1, zero = 0;
  const int one_column = 1;
  const std::map<std::string, std::function<void()>> all = {
      {"dgemm",
       [&] {
         dgemm_("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &one, c.data(), &n, 1, 1);
       }},
      {"dsyrk", [&] { dsyrk_("L", "N", &n, &n, &one, b.data(), &n, &zero, c.data(), &n, 1, 1); }},
      {"dtrsm",
       [&] { dtrsm_("L", "L", "N", "N", &n, &n, &one, a.data(), &n, b.data(), &n, 1, 1, 1, 1); }},
      {"dgetrs",  // one right-hand side; the matrix is its own factors, without exchanges
       [&] { dgetrs_("N", &n, &one_column, a.data(), &n, pivots.data(), b.data(), &n, &info, 1); }},
      {"dgetrf", [&] { dgetrf_(&n, &n, a.data(), &n, pivots.data(), &info); }},
      {"dpotrf", [&] { dpotrf_("L", &n, a.data(), &n, &info, 1); }}};
  const auto found = all.find(routine);
  if (found == all.end()) return 2;
  const bool is_overwritten = routine == "dgetrf" || routine == "dpotrf";
  for (int k = 0; k < n; ++k) pivots[static_cast<std::size_t>(k)] = k + 1;
  using Clock = std::chrono::steady_clock;
  double worked = 0;
  for (int k = 0; k < calls && worked < most_seconds; k += group) {
    const auto began = Clock::now();
    double filling = 0;
    for (int i = 0; i < group; ++i) {
      if (is_overwritten) {
        const auto before = Clock::now();
        fill();
        filling += std::chrono::duration<double>(Clock::now() - before).count();
      }
      found->second();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - began).count() - filling;
    worked += seconds;
    std::printf("%.9f\n", seconds / group);
  }
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  std::printf("%ld\n", used.ru_maxrss);
  return 0;
}
