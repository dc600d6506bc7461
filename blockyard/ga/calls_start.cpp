// SPDX-License-Identifier: Apache-2.0
// Start, environment, processor groups, messages.
#include <fmt/format.h>
#include <ga_calls.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include "blockyard/base/error.h"
#include "blockyard/ga/edge.h"
#include "blockyard/garray/elementwise.h"
#include "blockyard/store/whole_file.h"

namespace blockyard::ga::calls {

namespace {

using fabric::Element;
using fabric::Reduction;
using garray::refuse;
using garray::Runtime;

double now_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// How long a process may be in one call before rank 0 reports which ranks are missing; none: it
/// never does.
std::optional<double> patience_seconds() {
  constexpr double usual = 30, most = 1e9;
  const char* text = std::getenv("BLOCKYARD_GA_PATIENCE");
  const std::string_view value = text == nullptr ? "" : text;
  if (value.empty()) return usual;
  double seconds = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (status != std::errc{} || end != value.data() + value.size() || !(seconds >= 0))
    refuse(
        fmt::format("BLOCKYARD_GA_PATIENCE is \"{}\"; it is a number of seconds, or 0 for no "
                    "report",
                    value));
  if (seconds == 0 || std::isinf(seconds)) return std::nullopt;
  return std::min(seconds, most);
}

bool is_checking() {
  const char* text = std::getenv("BLOCKYARD_GA_CHECK");
  const std::string_view value = text == nullptr ? "" : text;
  if (!value.empty() && value != "0" && value != "1")
    refuse(fmt::format("BLOCKYARD_GA_CHECK is \"{}\"; it is 0 or 1", value));
  return value == "1";
}

/// Where the report of the run goes, wherever the program goes meanwhile; empty: there is none.
/// Rank 0, which writes it, refuses one that cannot be written.
std::string report_path(const fabric::Memory& memory) {
  const char* path = std::getenv("BLOCKYARD_GA_REPORT");
  if (path == nullptr || *path == '\0') return "";
  try {
    if (memory.rank() == 0) store::check_writable(path);
  } catch (const base::Error& error) {
    refuse(fmt::format("BLOCKYARD_GA_REPORT: {}", error.what()));
  }
  return std::filesystem::absolute(path).string();
}

void start(Communicator communicator, std::optional<std::size_t> most_bytes) {
  if (edge().runtime) return;
  auto memory = open_memory(communicator);
  const std::optional<double> patience = patience_seconds();
  if (is_checking()) {
    if (!edge().checks) edge().checks = std::make_unique<Checks>();
    memory = checked_memory(std::move(memory), *edge().checks);
  }
  if (const std::string path = report_path(*memory); !path.empty()) {
    if (!edge().report) edge().report = std::make_unique<Report>(path);
    memory = measured_memory(std::move(memory), *edge().report);
  }
  edge().runtime = std::make_unique<Runtime>(std::move(memory));
  edge().runtime->is_checked = edge().checks != nullptr;
  edge().runtime->is_counted = edge().report != nullptr;
  edge().runtime->grid_solver = grid_solver();
  edge().watch = std::make_unique<Watch>(edge().runtime->memory(), patience);
  watch_this_thread(edge().watch->post());
  edge().started_seconds = now_seconds();
  if (most_bytes && *most_bytes != static_cast<std::size_t>(-1))
    edge().runtime->most_bytes = most_bytes;
  const auto& mirror = edge().runtime->team(garray::mirror_group);
  group_made(garray::mirror_group, mirror.ranks);
}

/// Programs give operations without an end (`char op = '+'`), so what they begin with counts.
Reduction reduction_of(const char* op) {
  constexpr std::pair<std::string_view, Reduction> all[] = {
      {"+", Reduction::sum},          {"*", Reduction::product},
      {"max", Reduction::max},        {"min", Reduction::min},
      {"absmax", Reduction::absmax},  {"absmin", Reduction::absmin},
      {"&&", Reduction::logical_and}, {"land", Reduction::logical_and},
      {"||", Reduction::logical_or},  {"lor", Reduction::logical_or},
      {"&", Reduction::bit_and},      {"band", Reduction::bit_and},
      {"|", Reduction::bit_or},       {"or", Reduction::bit_or},
      {"bor", Reduction::bit_or}};
  for (const auto& [text, reduction] : all)
    if (std::strncmp(op, text.data(), text.size()) == 0) return reduction;
  refuse(fmt::format("op = \"{:.8}\" is not one of + * max min absmax absmin && || & |", op));
}

/// Whether real and imaginary parts are compared each by themselves.
bool is_by_parts(Reduction reduction) noexcept {
  return reduction == Reduction::max || reduction == Reduction::min ||
         reduction == Reduction::absmax || reduction == Reduction::absmin;
}

void reduce_in(int group, Element element, void* values, int count, const char* op) {
  if (count < 0) refuse(fmt::format("n = {} is less than 0", count));
  runtime().use_mask();
  const Reduction reduction = reduction_of(op);
  auto numbers = static_cast<std::size_t>(count);
  if (is_by_parts(reduction) && (element == Element::c64 || element == Element::c128)) {
    element = element == Element::c64 ? Element::f32 : Element::f64;
    numbers *= 2;
  }
  runtime().memory().reduce(runtime().team(group).group, element, reduction, values, numbers);
}

void broadcast_in(int group, void* bytes, int count, int root) {
  const garray::Team& team = runtime().team(group);
  runtime().use_mask();
  if (root < 0 || root >= static_cast<int>(team.ranks.size()))
    refuse(fmt::format("root = {} is outside 0..{}", root, team.ranks.size() - 1));
  if (count < 0) refuse(fmt::format("lenbuf = {} is less than 0", count));
  runtime().memory().broadcast(
      team.group, {static_cast<std::byte*>(bytes), static_cast<std::size_t>(count)}, root);
}

int default_group() { return runtime().default_group(); }

/// Members may list the group in orders of their own: Global Arrays number it as the parent does.
int made_group(int parent, std::vector<int> members) {
  std::sort(members.begin(), members.end());
  const int group = runtime().make_group(parent, members);
  if (const garray::Team& made = runtime().roster(group); made.me >= 0)
    group_made(group, made.ranks);
  return group;
}

}  // namespace

void initialize() { start({}, std::nullopt); }
void initialize_args(int* argc, char*** argv) {
  start_mpi(argc, argv);
  start({}, std::nullopt);
}
void initialize_ltd(size_t limit) { start({}, limit); }
int initialize_comm(MPI_Comm comm) {
  start({&comm}, std::nullopt);
  return 0;
}
int initialized() { return edge().runtime ? 1 : 0; }

void terminate() {
  if (!edge().runtime) return;
  if (edge().disk) edge().disk->close_all();
  runtime().sync(garray::world_group);
  edge().disk.reset();
  watch_this_thread(nullptr);
  edge().watch->end();
  edge().watch.reset();
  if (edge().report) {
    for (const garray::Array* left : runtime().live_arrays())
      if (left->is_made && !left->is_guest) edge().report->end_array(*left);
    edge().report->write(runtime().memory());
  }
  if (edge().checks) edge().checks->end(runtime());
  close_communicators();
  edge().locks.reset();
  edge().sparse.clear();
  edge().pending.clear();
  edge().raw_memory.clear();
  edge().runtime.reset();
  // The report stays: this call is also measured.
}

void error(char* str, int code) { end_job(str, code); }
double wtime() { return now_seconds() - edge().started_seconds; }
double rand(int seed) {
  static std::mt19937_64 source(4711);
  if (seed != 0)
    source.seed(static_cast<std::uint64_t>(seed) * 977 +
                static_cast<std::uint64_t>(edge().runtime ? runtime().memory().rank() : 0));
  return std::uniform_real_distribution<double>(0, 1)(source);
}
void version(int* major, int* minor, int* patch) {
  *major = GA_VERSION_MAJOR, *minor = GA_VERSION_MINOR, *patch = GA_VERSION_PATCH;
}
void set_debug(int flag) { edge().is_debugging = flag != 0; }
int get_debug() { return edge().is_debugging ? 1 : 0; }
int uses_ma() { return 0; }
int uses_fapi() { return 0; }

void set_memory_limit(size_t limit) {
  runtime().most_bytes =
      limit == static_cast<std::size_t>(-1) ? std::nullopt : std::optional(limit);
}
int memory_limited() { return runtime().most_bytes ? 1 : 0; }
size_t memory_avail() {
  const auto& most = runtime().most_bytes;
  if (!most) return static_cast<std::size_t>(-1);
  return *most - std::min(*most, runtime().held_bytes());
}
size_t inquire_memory() { return runtime().held_bytes(); }
void register_stack_memory(ga_stack_alloc /*ext_alloc*/, ga_stack_free /*ext_free*/) {}

void* getmem(int type, int nelem, int grp_id) {
  const auto kind = runtime().kind(type, tongue().integer_bytes);
  if (!kind) refuse(fmt::format("type = {} is not a type", type));
  if (nelem < 0) refuse(fmt::format("nelem = {} is less than 0", nelem));
  const int group = grp_id == 0 ? garray::world_group : grp_id;
  const garray::Team& team = runtime().team(group);
  // At least one element: the pointer is what Freemem knows it by.
  const auto bytes = static_cast<std::size_t>(std::max(nelem, 1)) * kind->bytes;
  const auto made = runtime().memory().allocate(team.group, bytes);
  if (made.region < 0) return nullptr;
  void* mine = runtime().memory().reach(made.region, team.me);
  edge().raw_memory[mine] = {made.region, bytes, group};
  return mine;
}

void freemem(void* ptr) {
  const auto found = edge().raw_memory.find(ptr);
  if (found == edge().raw_memory.end()) refuse("the pointer is not one that GA_Getmem gave");
  runtime().memory().release(found->second.region);
  edge().raw_memory.erase(found);
}

int register_type(size_t bytes) { return runtime().register_kind(bytes); }
int deregister_type(int type) {
  runtime().deregister_kind(type);
  return 0;
}

int nodeid() { return pgroup_nodeid(default_group()); }
int nnodes() { return pgroup_nnodes(default_group()); }
void list_nodeid(int* list, int nprocs) {
  for (int i = 0; i < nprocs; ++i) list[i] = i;
}

int pgroup_create(int* list, int count) {
  return made_group(default_group(), {list, list + count});
}
int pgroup_destroy(int grp) {
  runtime().use_mask();
  runtime().end_group(grp);
  group_ended(grp);
  return 1;
}
int pgroup_duplicate(int grp) {
  const auto& team = runtime().roster(grp);
  return made_group(garray::world_group, team.ranks);
}
int pgroup_self() { return made_group(garray::world_group, {runtime().memory().rank()}); }

int pgroup_split(int grp_id, int num_group) {
  const garray::Team& team = runtime().team(grp_id);
  const int size = static_cast<int>(team.ranks.size());
  if (num_group < 0) refuse(fmt::format("num_group = {} is less than 0", num_group));
  if (num_group == 0) return grp_id;
  const int piece = (size + num_group - 1) / num_group, first = team.me / piece * piece;
  std::vector<int> members;
  for (int m = first; m < std::min(first + piece, size); ++m) members.push_back(m);
  return made_group(grp_id, members);
}

int pgroup_split_irreg(int grp_id, int color) {
  const garray::Team& team = runtime().team(grp_id);
  std::vector<std::int32_t> colors(team.ranks.size());
  colors[static_cast<std::size_t>(team.me)] = color;
  runtime().memory().reduce(team.group, Element::i32, Reduction::sum, colors.data(), colors.size());
  std::vector<int> members;
  for (std::size_t m = 0; m < colors.size(); ++m)
    if (colors[m] == color) members.push_back(static_cast<int>(m));
  return made_group(grp_id, members);
}

int pgroup_get_default() { return default_group(); }
void pgroup_set_default(int p_handle) {
  runtime().use_mask();
  runtime().set_default_group(p_handle);
}
int pgroup_get_world() { return garray::world_group; }
int pgroup_get_mirror() { return garray::mirror_group; }
int pgroup_nnodes(int grp_id) { return static_cast<int>(runtime().roster(grp_id).ranks.size()); }
int pgroup_nodeid(int grp_id) { return runtime().roster(grp_id).me; }
int get_pgroup_size(int grp_id) { return pgroup_nnodes(grp_id); }
int pgroup_absolute_id(int pgroup, int pid) {
  const auto& ranks = runtime().roster(pgroup).ranks;
  if (pid < 0 || pid >= static_cast<int>(ranks.size()))
    refuse(fmt::format("pid = {} is outside 0..{}", pid, ranks.size() - 1));
  return ranks[static_cast<std::size_t>(pid)];
}
void pgroup_sync(int grp_id) { runtime().sync(grp_id, {1, "a sync"}); }
void sync() { runtime().sync(default_group(), {1, "a sync"}); }
void mask_sync(int first, int last) { runtime().mask_sync(first != 0, last != 0); }
void init_fence() {}
void fence() { runtime().memory().fence(-1); }

void pgroup_brdcst(int grp, void* buf, int lenbuf, int root) {
  broadcast_in(grp, buf, lenbuf, root);
}
void brdcst(void* buf, int lenbuf, int root) { broadcast_in(default_group(), buf, lenbuf, root); }

void pgroup_igop(int grp, int* x, int n, char* op) { reduce_in(grp, Element::i32, x, n, op); }
void pgroup_lgop(int grp, long* x, int n, char* op) { reduce_in(grp, Element::i64, x, n, op); }
void pgroup_llgop(int grp, long long* x, int n, char* op) {
  reduce_in(grp, Element::i64, x, n, op);
}
void pgroup_fgop(int grp, float* x, int n, char* op) { reduce_in(grp, Element::f32, x, n, op); }
void pgroup_dgop(int grp, double* x, int n, char* op) { reduce_in(grp, Element::f64, x, n, op); }
void pgroup_cgop(int grp, SingleComplex* x, int n, char* op) {
  reduce_in(grp, Element::c64, x, n, op);
}
void pgroup_zgop(int grp, DoubleComplex* x, int n, char* op) {
  reduce_in(grp, Element::c128, x, n, op);
}
void pgroup_gop(int grp, int type, void* x, int n, char* op) {
  const auto kind = runtime().kind(type, tongue().integer_bytes);
  if (!kind || !kind->element) refuse(fmt::format("type = {} cannot be reduced", type));
  reduce_in(grp, *kind->element, x, n, op);
}
void igop(int* x, int n, char* op) { pgroup_igop(default_group(), x, n, op); }
void lgop(long* x, int n, char* op) { pgroup_lgop(default_group(), x, n, op); }
void llgop(long long* x, int n, char* op) { pgroup_llgop(default_group(), x, n, op); }
void fgop(float* x, int n, char* op) { pgroup_fgop(default_group(), x, n, op); }
void dgop(double* x, int n, char* op) { pgroup_dgop(default_group(), x, n, op); }
void cgop(SingleComplex* x, int n, char* op) { pgroup_cgop(default_group(), x, n, op); }
void zgop(DoubleComplex* x, int n, char* op) { pgroup_zgop(default_group(), x, n, op); }
void gop(int type, void* x, int n, char* op) { pgroup_gop(default_group(), type, x, n, op); }

namespace {

/// Ranks of the world on a node; a number below 0 is the caller's own.
std::vector<int> ranks_on(int node) {
  if (node < 0) node = cluster_nodeid();
  std::vector<int> ranks;
  const auto& memory = runtime().memory();
  for (int rank = 0; rank < memory.size(); ++rank)
    if (memory.node_of(rank) == node) ranks.push_back(rank);
  if (ranks.empty()) refuse(fmt::format("node {} does not exist", node));
  return ranks;
}

}  // namespace

int cluster_nnodes() {
  int most = 0;
  for (int rank = 0; rank < runtime().memory().size(); ++rank)
    most = std::max(most, runtime().memory().node_of(rank));
  return most + 1;
}
int cluster_nodeid() { return runtime().memory().node_of(runtime().memory().rank()); }
int cluster_nprocs(int x) { return static_cast<int>(ranks_on(x).size()); }
int cluster_procid(int x, int y) {
  const auto ranks = ranks_on(x);
  if (y < 0 || y >= static_cast<int>(ranks.size()))
    refuse(fmt::format("process {} is not on node {}, which has {}", y, x, ranks.size()));
  return ranks[static_cast<std::size_t>(y)];
}
int cluster_proc_nodeid(int proc) {
  if (proc < 0 || proc >= runtime().memory().size())
    refuse(fmt::format("proc = {} is outside 0..{}", proc, runtime().memory().size() - 1));
  return runtime().memory().node_of(proc);
}

}  // namespace blockyard::ga::calls
