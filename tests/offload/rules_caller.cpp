// SPDX-License-Identifier: Apache-2.0
/// A call computed elsewhere cannot be told from one computed here: what surrounds calls in real
/// programs. A program that knows nothing of Blockyard.
#include <fcntl.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

extern "C" {
void dgemm_(const char*, const char*, const int*, const int*, const int*, const double*,
            const double*, const int*, const double*, const int*, const double*, double*,
            const int*, std::size_t, std::size_t);
void dpotrf_(const char*, const int*, double*, const int*, int*, std::size_t);
void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*, double*,
            const int*, double*, const int*, double*, const int*, int*, std::size_t, std::size_t);
/// The program's own: libraries call it in place of theirs.
void xerbla_(const char* name, const int* argument, std::size_t length);
}

namespace {

std::atomic<int> refused_argument = 0, refusals = 0, signals = 0;
/// What the program's own xerbla does besides.
enum class Refusal { returns, throws, ends_thread };
std::atomic<Refusal> refusal = Refusal::returns;
int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("wrong: %s\n", what);
}

/// Not inline: so a signal handler calls from where calls came from before, and allocates nothing.
[[gnu::noinline]] void multiply(int n, const double* a, const double* b, double* c) {
  const double one = 1, zero = 0;
  dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &zero, c, &n, 1, 1);
}

/// Of matrices of ones every element of the product is n.
bool is_right(int n) {
  const auto count = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const std::vector<double> a(count, 1), b(count, 1);
  std::vector<double> c(count, std::numeric_limits<double>::quiet_NaN());
  multiply(n, a.data(), b.data(), c.data());
  for (const double value : c)
    if (value != n) return false;
  return true;
}

void check_refusals() {
  const int bad = -1, n = 3, small = 2;
  const double one = 1, a[9] = {}, b[9] = {};
  double c[9] = {};
  dgemm_("N", "N", &bad, &n, &n, &one, a, &n, b, &n, &one, c, &n, 1, 1);
  expect(refused_argument == 3, "a negative extent reaches the program's own xerbla");
  dgemm_("N", "N", &n, &n, &n, &one, a, &small, b, &n, &one, c, &n, 1, 1);
  expect(refused_argument == 8, "a leading extent that is too small does");
  dgemm_("Q", "N", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n, 1, 1);
  expect(refused_argument == 1, "an unknown letter does");
  int info = 0;
  refused_argument = 0;
  dpotrf_("X", &n, c, &n, &info, 1);
  expect(info == -1, "LAPACK says which argument it refuses");
  const int none = 0, length = 100;
  double values[6] = {}, work[100] = {};
  refusals = 0;
  dgeev_("N", "N", &n, c, &n, values, values + 3, nullptr, &none, nullptr, &n, work, &length, &info,
         1, 1);
  expect(info == -9 && refusals == 1, "and refuses it once");
}

/// As Octave's xerbla does.
void check_refusals_that_do_not_return() {
  const int n = 3, bad = -1;
  const double one = 1, a[9] = {};
  double c[9] = {};
  const auto multiply_wrongly = [&] {
    dgemm_("N", "N", &bad, &n, &n, &one, a, &n, a, &n, &one, c, &n, 1, 1);
  };
  int info = 0, thrown = 0;
  refusal = Refusal::throws;
  for (int k = 0; k < 2; ++k) try {
      k == 0 ? multiply_wrongly() : dpotrf_("X", &n, c, &n, &info, 1);
    } catch (const Refusal&) {
      ++thrown;
    }
  expect(thrown == 2, "the program's own xerbla may throw");
  refusal = Refusal::ends_thread;
  bool has_returned = false;
  std::thread([&] {
    multiply_wrongly();
    has_returned = true;
  }).join();
  expect(!has_returned, "it may end its thread");
  refusal = Refusal::returns;
  expect(is_right(30), "a product after that");
}

void check_numbers() {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinite = std::numeric_limits<double>::infinity();
  const std::vector<double> a = {infinite, 1, 1, 1}, b = {1, 1, 1, nan};
  std::vector<double> c(4);
  multiply(2, a.data(), b.data(), c.data());
  expect(std::isinf(c[0]) && c[1] == 2 && std::isnan(c[2]) && std::isnan(c[3]),
         "NaN and infinity pass");
}

void check_operands() {
  std::vector<double> a = {1, 0, 1, 1}, c(4);
  multiply(2, a.data(), a.data(), c.data());
  expect(c == std::vector<double>({1, 0, 2, 1}), "both operands may be one matrix");
  const int n = 120;  // OpenBLAS does read them in very small products
  const double zero = 0, two = 2;
  const std::vector<double> unread(n * n, std::numeric_limits<double>::quiet_NaN());
  c.assign(n * n, 3);
  dgemm_("N", "N", &n, &n, &n, &zero, unread.data(), &n, unread.data(), &n, &two, c.data(), &n, 1,
         1);
  expect(c == std::vector<double>(n * n, 6), "with alpha 0 no operand is read");
}

void check_threads() {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number)
    threads.emplace_back([&, number] {
      for (int round = 0; round < 10; ++round)
        if (!is_right(5 + number)) ++wrong;
    });
  for (std::thread& thread : threads) thread.join();
  expect(wrong == 0, "calls from several threads");
}

void check_signals() {
  std::signal(SIGALRM, [](int) { ++signals; });
  const itimerval often = {{0, 2000}, {0, 2000}}, never = {};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  for (int round = 0; round < 200 && (round < 20 || signals < 3); ++round)
    expect(is_right(40), "calls while signals come");
  ::setitimer(ITIMER_REAL, &never, nullptr);
}

/// A handler that calls BLAS itself: it must not wait for the call that it interrupts.
void check_calls_of_handlers() {
  constexpr int n = 10;
  static std::atomic<int> right = 0, wrong = 0;
  static std::atomic<bool> is_called = false;
  std::signal(SIGALRM, [](int) {
    if (!is_called) return;
    static double ones[n * n], product[n * n];
    for (double& value : ones) value = 1;
    for (double& value : product) value = -1;
    multiply(n, ones, ones, product);
    bool holds = true;
    for (const double value : product) holds = holds && value == n;
    ++(holds ? right : wrong);
  });
  const int size = 100;
  const std::vector<double> a(size * size, 1);
  std::vector<double> c(size * size);
  const itimerval often = {{0, 500}, {0, 500}}, never = {};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  while (right + wrong < 3) {
    is_called = true;
    multiply(size, a.data(), a.data(), c.data());
    is_called = false;
    expect(c == std::vector<double>(c.size(), size), "calls whose handler of a signal calls BLAS");
  }
  ::setitimer(ITIMER_REAL, &never, nullptr);
  expect(wrong == 0, "calls of a signal handler");
}

#ifdef __SANITIZE_THREAD__
constexpr bool may_fork = false;  // a child may not start threads
#else
constexpr bool may_fork = true;
#endif

/// A child that has closed its standard streams and opened files in their place.
void check_streams() {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    char name[] = "/tmp/blockyard_rules.XXXXXX";
    const int file = ::mkstemp(name);
    for (int stream = 0; stream < 3; ++stream) ::close(stream);
    for (int stream = 0; stream < 3; ++stream)
      if (::dup(file) != stream) ::_exit(2);
    const bool right = is_right(20);
    const bool is_untouched = ::lseek(file, 0, SEEK_END) == 0;
    ::unlink(name);
    ::_exit(right && is_untouched ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  expect(status == 0, "descriptors 0 to 2 that are files of the program");
}

/// Closed and never opened again: nothing of ours may take their numbers.
void check_no_streams() {
  const pid_t child = ::fork();
  if (child == 0) {
    for (int stream = 0; stream < 3; ++stream) ::close(stream);
    const bool right = is_right(20);
    bool is_free = true;
    for (int stream = 0; stream < 3; ++stream) is_free = is_free && ::fcntl(stream, F_GETFD) < 0;
    ::_exit(right && is_free ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  expect(status == 0, "descriptors 0 to 2 that are closed");
}

/// Whether a byte sent at one end of a pair arrives at the other, alone.
bool is_whole(const std::array<int, 2>& pair) {
  for (const int to : {0, 1}) {
    const int from = 1 - to;
    char byte = 0;
    if (::recv(pair[static_cast<std::size_t>(to)], &byte, 1, MSG_DONTWAIT) >= 0) return false;
    if (::send(pair[static_cast<std::size_t>(from)], "x", 1, MSG_NOSIGNAL) != 1) return false;
    if (::recv(pair[static_cast<std::size_t>(to)], &byte, 1, 0) != 1 || byte != 'x') return false;
  }
  return true;
}

/// A child that closes all that is open, as a daemon does, and opens sockets of its own.
void check_all_closed() {
  const pid_t child = ::fork();
  if (child == 0) {
    bool is_good = is_right(20);
    constexpr int most = 256;
    for (int number = 3; number < most; ++number) ::close(number);
    std::array<std::array<int, 2>, 8> pairs{};
    for (auto& pair : pairs)
      is_good = ::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) == 0 && is_good;
    for (int round = 0; round < 3; ++round) is_good = is_right(20 + round) && is_good;
    for (const auto& pair : pairs) is_good = is_whole(pair) && is_good;
    ::_exit(is_good ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  expect(status == 0, "a program that closes all descriptors and opens others");
}

/// Threads that are cancelled while they wait for a device.
void check_cancelled_threads() {
  for (int round = 0; round < 5; ++round) {
    std::atomic<int> complete = 0;
    pthread_t thread{};
    const auto work = [](void* count) -> void* {
      for (;;) {
        if (!is_right(30)) std::abort();
        ++*static_cast<std::atomic<int>*>(count);
        ::pthread_testcancel();
      }
    };
    ::pthread_create(&thread, nullptr, work, &complete);
    while (complete < 2) std::this_thread::yield();
    ::pthread_cancel(thread);
    void* result = nullptr;
    ::pthread_join(thread, &result);
    expect(result == PTHREAD_CANCELED, "a thread that is cancelled between calls");
    expect(is_right(30), "a product after that");
  }
}

/// Of what is open over an exec only the standard streams remain.
void check_exec() {
  expect(is_right(10), "a product before exec");
  const int kept =
      std::system("exec sh -c 'for f in /proc/self/fd/*; do test -S $f && exit 1; done; exit 0'");
  expect(kept == 0, "no socket stays open over exec");
}

void compute_late() {
  if (!is_right(10)) ::_exit(3);
}

}  // namespace

void xerbla_(const char*, const int* argument, std::size_t) {
  refused_argument = *argument;
  ++refusals;
  if (refusal == Refusal::throws) throw Refusal::throws;
  if (refusal == Refusal::ends_thread) ::pthread_exit(nullptr);
}

int main() {
  std::atexit(compute_late);
  expect(is_right(30), "a product");
  check_refusals();
  check_refusals_that_do_not_return();
  check_numbers();
  check_operands();
  check_threads();
  check_signals();
  check_calls_of_handlers();
  if (may_fork) {
    check_streams();
    check_no_streams();
    check_all_closed();
  }
  check_cancelled_threads();
  check_exec();
  expect(is_right(30), "a product after all that");
  std::printf("%d wrong\n", failures);
  return failures == 0 ? 0 : 1;
}
