// SPDX-License-Identifier: Apache-2.0
// TCGMSG over MPI, for one width of Integer.
#include <fmt/format.h>
#include <mpi.h>
#include <tcgmsg.h>
#include <typesf2c.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "blockyard/base/error.h"
#include "blockyard/base/last_words.h"
#include "blockyard/base/read_file.h"

namespace {

/// The state of a process between calls.
struct Kept {
  MPI_Comm world = MPI_COMM_NULL;
  MPI_Win counter = MPI_WIN_NULL;
  std::vector<MPI_Request> sent, awaited;
  double started_seconds = 0;
};

Kept& kept() {
  static auto* const only = new Kept;
  return *only;
}

[[noreturn]] void stop(const std::string& text, long code) {
  blockyard::base::say_last_words(fmt::format("{}: {} {}\n", tcg_nodeid(), text, code));
  MPI_Abort(MPI_COMM_WORLD, code > 0 && code < 126 ? static_cast<int>(code) : 1);
  std::_Exit(1);
}

/// None if the file cannot be read.
std::optional<std::string> contents_of(const char* path) {
  try {
    return blockyard::base::read_file(path);
  } catch (const blockyard::base::Error&) {
    return std::nullopt;
  }
}

/// Messages of others do not meet those of the program's own.
MPI_Comm world() {
  if (kept().world == MPI_COMM_NULL) {
    int is_up = 0;
    MPI_Initialized(&is_up);
    if (is_up == 0) MPI_Init(nullptr, nullptr);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept().world);
    kept().started_seconds = MPI_Wtime();
  }
  return kept().world;
}

constexpr int most_bytes = 1 << 30;  ///< of a piece: counts of MPI end at 2^31

/// The bytes of one message, also of one that is longer than a count of MPI: then they are one
/// element, of whole pieces and what is left. MPI keeps the type as long as a message is under way.
class Letter {
 public:
  Letter(const char* call, long bytes) {
    if (bytes < 0) stop(fmt::format("{}: the length is {}", call, bytes), 1);
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    MPI_Datatype piece = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(most_bytes, MPI_BYTE, &piece);
    const int lengths[] = {static_cast<int>(bytes / most_bytes),
                           static_cast<int>(bytes % most_bytes)};
    const MPI_Aint begins[] = {0, bytes - lengths[1]};
    const MPI_Datatype types[] = {piece, MPI_BYTE};
    MPI_Type_create_struct(2, lengths, begins, types, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&piece);
  }
  Letter(const Letter&) = delete;
  Letter& operator=(const Letter&) = delete;
  ~Letter() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  [[nodiscard]] int count() const noexcept { return count_; }
  [[nodiscard]] MPI_Datatype type() const noexcept { return type_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 1;
};

/// How many bytes have arrived. Whatever the type of the letter: of some pieces of one Open MPI 4.1
/// says that their number is not defined.
long length_of(const MPI_Status& status) {
  MPI_Count bytes = 0;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return static_cast<long>(bytes);
}

/// Calls visit(first, count) for pieces of `n` elements of `width` bytes: a collective may be
/// longer than a count of MPI.
template <class Visit>
void for_each_piece(const char* call, long n, std::size_t width, const Visit& visit) {
  const long most = most_bytes / static_cast<long>(width);
  if (n < 0) stop(fmt::format("{}: the length is {}", call, n), 1);
  for (long first = 0; first == 0 || first < n; first += most)
    visit(first, static_cast<int>(std::min(most, n - first)));
}

void broadcast(const char* call, void* bytes, long length, long root) {
  for_each_piece(call, length, 1, [&](long first, int count) {
    MPI_Bcast(static_cast<char*>(bytes) + first, count, MPI_BYTE, static_cast<int>(root), world());
  });
}

/// The counter of nxtval, from 0 on. Collective.
void open_counter() {
  long* base = nullptr;
  if (kept().counter != MPI_WIN_NULL) MPI_Win_free(&kept().counter);
  int rank = 0;
  MPI_Comm_rank(world(), &rank);
  MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, world(), &base,
                   &kept().counter);
  if (rank == 0) *base = 0;
  MPI_Barrier(world());
}

MPI_Op operation(const char* op) {
  constexpr struct {
    const char* name;
    std::size_t length;
    int which;
  } all[] = {{"+", 1, 0}, {"*", 1, 1}, {"max", 3, 2}, {"min", 3, 3}, {"or", 2, 4}};
  const MPI_Op operations[] = {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_BOR};
  for (const auto& [name, length, which] : all)
    if (std::strncmp(op, name, length) == 0) return operations[which];
  return MPI_OP_NULL;
}

/// absmax and absmin are max and min of absolute values.
template <class T>
void reduce(const char* call, T* x, long n, const char* op, MPI_Datatype type) {
  if (std::strncmp(op, "abs", 3) == 0) {
    std::transform(x, x + n, x, [](T value) { return value < 0 ? -value : value; });
    op += 3;
  }
  const MPI_Op found = operation(op);
  if (found == MPI_OP_NULL) stop(fmt::format("op = \"{:.8}\" is not an operation", op), 1);
  for_each_piece(call, n, sizeof(T), [&](long first, int count) {
    MPI_Allreduce(MPI_IN_PLACE, x + first, count, type, found, world());
  });
}

void wait_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
}

int tag_of(long type) { return static_cast<int>(type & 32767); }
int source_of(long node) { return node < 0 ? MPI_ANY_SOURCE : static_cast<int>(node); }

}  // namespace

extern "C" {

// Later only some processes may come for a task, so that the counter is made here.
void tcg_pbeginf(void) {
  if (kept().counter == MPI_WIN_NULL) open_counter();
}
void tcg_pbginf(void) { tcg_pbeginf(); }
void tcg_pbegin(int /*argc*/, char** /*argv*/) { tcg_pbeginf(); }
void tcg_alt_pbegin(int* /*argc*/, char** /*argv*/[]) { tcg_pbeginf(); }
// As in TCGMSG over MPI: whoever began MPI, this ends it, and the process.
void tcg_pend(void) {
  if (kept().world != MPI_COMM_NULL) {
    wait_all(kept().sent);
    if (kept().counter != MPI_WIN_NULL) MPI_Win_free(&kept().counter);
    MPI_Comm_free(&kept().world);
  }
  int is_up = 0, is_down = 0;
  MPI_Initialized(&is_up);
  MPI_Finalized(&is_down);
  if (is_up != 0 && is_down == 0) MPI_Finalize();
  std::exit(0);
}
long tcg_ready(void) { return kept().world == MPI_COMM_NULL ? 0 : 1; }
long tcg_nodeid(void) {
  int rank = 0;
  MPI_Comm_rank(world(), &rank);
  return rank;
}
long tcg_nnodes(void) {
  int size = 1;
  MPI_Comm_size(world(), &size);
  return size;
}

void tcg_synch(long /*type*/) { MPI_Barrier(world()); }
void tcg_brdcst(long /*type*/, void* buf, long lenbuf, long originator) {
  broadcast("brdcst", buf, lenbuf, originator);
}
void tcg_dgop(long /*type*/, double* x, long n, char* op) { reduce("dgop", x, n, op, MPI_DOUBLE); }
void tcg_igop(long /*type*/, long* x, long n, char* op) { reduce("igop", x, n, op, MPI_LONG); }

void tcg_snd(long type, void* buf, long lenbuf, long node, long sync) {
  const Letter letter("snd", lenbuf);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(buf, letter.count(), letter.type(), static_cast<int>(node), tag_of(type), world(),
            &request);
  if (sync != 0)
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  else
    kept().sent.push_back(request);
}
void tcg_rcv(long type, void* buf, long lenbuf, long* lenmes, long nodeselect, long* nodefrom,
             long sync) {
  const Letter letter("rcv", lenbuf);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(buf, letter.count(), letter.type(), source_of(nodeselect), tag_of(type), world(),
            &request);
  *lenmes = lenbuf;
  *nodefrom = nodeselect;
  if (sync == 0) {
    kept().awaited.push_back(request);
    return;
  }
  MPI_Status status;
  MPI_Wait(&request, &status);
  *lenmes = length_of(status);
  *nodefrom = status.MPI_SOURCE;
}
void tcg_waitcom(long /*node*/) {
  wait_all(kept().sent);
  wait_all(kept().awaited);
}
long tcg_probe(long type, long node) {
  int is_there = 0;
  MPI_Iprobe(source_of(node), tag_of(type), world(), &is_there, MPI_STATUS_IGNORE);
  return is_there;
}

long tcg_nxtval(long mproc) {
  // All come here to begin again, or to begin where nobody called pbeginf.
  if (mproc < 0 || kept().counter == MPI_WIN_NULL) open_counter();
  if (mproc < 0) return 0;
  const long one = 1;
  long old = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, kept().counter);
  MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, kept().counter);
  MPI_Win_unlock(0, kept().counter);
  return old;
}

long tcg_mdtob(long n) { return n * static_cast<long>(sizeof(double)); }
long tcg_mdtoi(long n) { return n * static_cast<long>(sizeof(double) / sizeof(Integer)); }
long tcg_mitob(long n) { return n * static_cast<long>(sizeof(Integer)); }
long tcg_mitod(long n) { return (tcg_mitob(n) + 7) / 8; }
double tcg_time(void) {
  static_cast<void>(world());
  return MPI_Wtime() - kept().started_seconds;
}
long tcg_mtime(void) { return static_cast<long>(100 * tcg_time()); }
double tcg_drand48(void) { return drand48(); }
void tcg_srand48(long seed) { srand48(seed); }

void tcg_error(char* msg, long code) { stop(msg, code); }
void tcg_parerr(long code) { stop("an error in parallel", code); }
void tcg_llog(void) {}
void tcg_stats(void) {}
void tcg_setdbg(long /*value*/) {}
long tcg_niceftn(long ival) { return nice(static_cast<int>(ival)); }
void tcg_pfcopy(long /*type*/, long node0, char* fname) {
  std::string bytes;
  long length = -1;
  if (tcg_nodeid() == node0) {
    if (auto found = contents_of(fname)) {
      bytes = std::move(*found);
      length = static_cast<long>(bytes.size());
    }
  }
  MPI_Bcast(&length, 1, MPI_LONG, static_cast<int>(node0), world());
  if (length < 0) stop(fmt::format("\"{}\" cannot be read by process {}", fname, node0), 1);
  bytes.resize(static_cast<std::size_t>(length));
  broadcast("pfcopy", bytes.data(), length, node0);
  // Processes may see one file: that of node0 stays, and another one changes all at once.
  if (contents_of(fname) == bytes) return;
  const std::string made = fmt::format("{}.{}", fname, tcg_nodeid());
  std::FILE* file = std::fopen(made.c_str(), "wb");
  const bool is_written =
      file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  if (file == nullptr || std::fclose(file) != 0 || !is_written ||
      std::rename(made.c_str(), fname) != 0)
    stop(fmt::format("\"{}\" cannot be written", fname), 1);
}
}
