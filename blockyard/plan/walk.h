// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <map>
#include <random>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "blockyard/flow/bind.h"
#include "blockyard/flow/expressions.h"
#include "blockyard/flow/loop_nest.h"
#include "blockyard/flow/place.h"
#include "blockyard/job/job.h"
#include "blockyard/plan/costs.h"
#include "blockyard/plan/rank_model.h"
#include "blockyard/plan/server_model.h"
#include "blockyard/plan/trips.h"
#include "blockyard/plan/work.h"

namespace blockyard::plan {

/// The assumptions of a walk about decisions that depend on data.
struct WalkOptions {
  int iterations = 12;                                    ///< of a loop that ends on convergence
  std::map<std::string, int, std::less<>> iterations_of;  ///< the same for one program
  /// The most instructions to step through in one program: a longer one is sampled,
  /// with a fifth as many, more or less.
  double steps = 5e7;
};

/// Steps one program as the interpreter of a worker does, without data: index values, ints and
/// scalars that depend on no block are real; blocks are names and extents. Unknown conditions are
/// decided by rule: a way that ends the job is not taken; a way that leaves a loop is
/// taken in its last assumed iteration; any other is taken. What fails after such a decision is
/// left out, and is an assumption: a run may never get there. Work common to all workers is walked
/// once. One thread.
class Walk {
 public:
  Walk(const job::Job& job, const program::Program& program, const Machine& machine,
       const WalkOptions& options, RankModel& ranks, ServerModel& servers, FrameModel& frames);

  /// Throws Error{bad_input} with the place, as the run would, for what surely cannot be done.
  [[nodiscard]] ProgramPlan run();

 private:
  /// A value of the expression stack; unknown if it depends on data.
  struct Value {
    std::int64_t i = 0;
    double s = 0;
    bool b = false;
    bool is_known = true;
  };
  /// What the code of a branch leads to besides its end.
  enum class Way { on, out_of_loop, stop };
  /// Why the code of a loop body ended, and where to continue if the loop was left.
  struct Stop {
    program::Control why;
    std::int32_t pc;
  };
  /// A block or a part of it, as the interpreter finds it.
  struct Located : flow::Place {
    double block_bytes = 0;
  };
  /// The block a selector named last: the same index values name it again.
  struct LastLocated {
    bool is_valid = false;
    std::array<std::int64_t, array::max_order> values{};
    Located place;
  };
  /// A block that this worker made in a scope.
  struct Own {
    std::int32_t array;
    std::uint64_t number;
    double bytes;
  };

  // walk.cpp
  [[nodiscard]] Stop step(std::int32_t pc);
  void follow(const program::Instruction& instruction);
  void act(const program::Instruction& instruction);
  void act_on_array(const program::Instruction& instruction);
  void pop_all(const program::Instruction& instruction);
  double meet(double seconds);
  void barrier();
  [[nodiscard]] Way way_of(std::int32_t begin, std::int32_t end) const;
  [[nodiscard]] bool decide(std::int32_t pc, std::int32_t target);
  void assume(const std::string& what);
  void note_arrays(ProgramPlan& plan) const;
  [[nodiscard]] double cache_room() const;

  // walk_values.cpp
  [[nodiscard]] bool evaluate(const program::Instruction& instruction);
  void compute(const program::Instruction& instruction);
  void give(char letter, const Value& value);
  [[nodiscard]] Value taken(char letter);
  void store(const program::Instruction& instruction);
  [[nodiscard]] Value pop();
  void push(Value value) { stack_.push_back(value); }

  // walk_loops.cpp
  [[nodiscard]] std::int32_t do_loop(const program::Instruction& instruction, std::int32_t pc);
  [[nodiscard]] std::int32_t pardo(const program::Instruction& instruction);
  void deal(flow::Iterations& all, program::Policy policy);
  [[nodiscard]] std::vector<std::int64_t> candidates_of(flow::Iterations all, double allowed);
  void sample(flow::Iterations& all, std::span<const std::int64_t> candidates, std::int64_t count,
              program::Policy policy);
  [[nodiscard]] double least_sample(std::int32_t pc, bool is_filtered);
  void charge_where(double times);
  [[nodiscard]] bool where(std::int32_t pc);
  [[nodiscard]] bool iterate(std::int32_t body);
  [[nodiscard]] std::vector<std::int64_t> sample_of_do(std::int64_t count, std::int32_t pc);
  void end_sampled_loop();

  // walk_blocks.cpp
  /// Valid until the next block of the same selector.
  [[nodiscard]] const Located& locate(const program::Selector& selector);
  [[nodiscard]] tensor::Shape shape_of(std::int32_t selector);
  tensor::Shape write(std::int32_t selector);
  void forget_numbers(std::int32_t array);
  void fill(const program::Instruction& instruction);
  [[nodiscard]] Value element(std::int32_t selector);
  void make_own(std::int32_t array, const Located& block);
  void copy(const program::Instruction& instruction);
  void product(std::int32_t to, std::int32_t product);
  void execute(const program::Instruction& instruction);
  void allocate(std::int32_t selector, bool is_begin);
  void get(std::int32_t selector);
  void put(const program::Instruction& instruction);
  [[nodiscard]] double fetched(double bytes, double foreign_share, double count);
  void charge(const Cost& cost, double& category);
  void charge_disk();
  void open_scope() { scopes_.push_back(own_.size()); }
  void close_scope();

  const job::Job& job_;
  const program::Program& program_;
  const Machine& machine_;
  const WalkOptions& options_;
  RankModel& ranks_;
  ServerModel& servers_;
  FrameModel& frames_;
  flow::Tables tables_;
  Costs costs_;
  Trips trips_;

  flow::Naming naming_;
  flow::LoopNest nest_;
  flow::Expressions calculator_;  ///< for values that are known
  std::vector<Value> ints_;
  [[nodiscard]] double element_bytes(std::int32_t array) const {
    return static_cast<double>(
        array::bytes_of(program_.arrays[static_cast<std::size_t>(array)].type));
  }

  std::vector<Value> scalars_;  ///< complex ones are never known
  std::vector<Value> stack_;
  std::vector<std::int32_t> calls_;
  std::int32_t pc_ = 0;
  std::int64_t steps_ = 0;  ///< instructions since the last that was charged
  int ordinal_ = 0;         ///< which iteration of the innermost do loop this is, from 1
  double weight_ = 1;       ///< iterations that the one under way stands for
  double ratio_ = 1;        ///< share of the iterations of loops that are walked
  double precision_ =
      1;  ///< how far the least samples are kept: below 1 where few steps are allowed
  bool is_sampling_ = false;     ///< the loop under way, or one around it, is sampled
  double sampled_core_ = 0;      ///< seconds of the loop that is sampled
  double sampled_transfer_ = 0;  ///< of its puts, of all workers
  double longest_ = 0;           ///< of its iterations

  std::vector<Own> own_;
  std::vector<std::size_t> scopes_;
  std::unordered_map<std::uint64_t, double> locals_;        ///< blocks of local arrays: bytes
  std::map<std::int32_t, std::array<double, 2>> deferred_;  ///< sampled misses: count, bytes
  /// Known values of static arrays whose blocks are numbers, as programs use for tables.
  std::unordered_map<std::uint64_t, Value> numbers_;
  std::vector<std::pair<std::int32_t, std::string>> marked_;
  std::vector<LastLocated> located_;               ///< by selector
  std::unordered_map<std::int32_t, int> sampled_;  ///< how often a pardo was sampled, by its pc
  std::vector<CostOperand> operands_;
  std::vector<tensor::Shape> shapes_;

  Work work_;
  double static_bytes_ = 0;
  double disk_seconds_ = 0;  ///< charged so far
  double variance_ = 0;      ///< of the core seconds, from sampling
  bool is_sampled_ = false;
  bool has_decided_ = false;                        ///< by rule, so what follows may never run
  std::map<std::string, std::string> assumptions_;  ///< by place
  std::mt19937_64 random_{20260101};                // a plan is the same each time
};

}  // namespace blockyard::plan
