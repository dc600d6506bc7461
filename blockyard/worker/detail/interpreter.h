// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "blockyard/worker/checkpoint.h"
#include "blockyard/worker/detail/arithmetic.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/loops.h"
#include "blockyard/worker/detail/prefetcher.h"
#include "blockyard/worker/detail/printer.h"
#include "blockyard/worker/detail/profile.h"
#include "blockyard/worker/detail/supers.h"
#include "blockyard/worker/detail/transport.h"
#include "blockyard/worker/detail/worker_device.h"
#include "blockyard/worker/flow_names.h"
#include "blockyard/worker/worker.h"

namespace blockyard::worker::detail {

/// Steps one program on one worker. The verifier has proved that operands are in their tables and
/// that the stack holds what each opcode pops; what depends on numbers is checked here. One thread.
class Interpreter {
 public:
  Interpreter(const program::Program& program, const Tables& tables, Environment& environment,
              Kept& kept, Transport& transport, wire::Access& here, block::FramePool& frames,
              super::Table& supers, const Options& options,
              std::function<void(std::string_view)> print, std::size_t number,
              WorkerDevice& device);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Collective among workers. Runs to the end; from the state in a checkpoint, if one is given.
  /// Throws Error whose text begins with the place in the source.
  Outcome run(RecordSource* from = nullptr);

 private:
  void execute(std::int32_t pc);
  /// Expressions without blocks, and stores: true if the opcode was one.
  [[nodiscard]] bool evaluate(const program::Instruction& instruction);
  /// Executes an instruction on blocks or arrays.
  void act(const program::Instruction& instruction);
  /// The same, and notes what it took.
  void act_and_note(const program::Instruction& instruction);
  void get(std::int32_t selector);
  void copy_ahead();
  void attach(block::Residency* device);
  void look_for_device();
  void hint(bool begins);
  void end_pardo(std::int32_t pardo);
  [[nodiscard]] std::int32_t begin_iteration(std::int32_t pardo);
  void print(const program::Instruction& instruction);
  [[nodiscard]] bool where(std::int32_t pc);
  /// Runs one condition of it.
  [[nodiscard]] bool holds(const Condition& condition);
  [[nodiscard]] Number factor_of(std::int32_t flags);
  void store_scalar(const program::Instruction& instruction);

  // collectives.cpp
  void barrier();
  // program_state.cpp
  void save(RecordSink& sink) const;
  [[nodiscard]] std::int32_t load(RecordSource& source);
  // collectives.cpp
  void assert_same(std::int32_t scalar);
  void broadcast(std::int32_t array, std::int64_t worker);
  void delete_array(std::int32_t array);
  [[nodiscard]] std::unordered_set<std::uint64_t> blocks_on_servers(std::int32_t array);
  [[nodiscard]] bool exists(std::int32_t selector);
  void put(const program::Instruction& instruction);
  void run_special(const program::Instruction& instruction);
  void print_arguments(const program::Instruction& instruction);
  // persistence.cpp
  void restore_array(std::int32_t array, const std::string& label);
  void restore_scalar(std::int32_t scalar, const std::string& label);
  void take_predefined();
  void keep_marked();
  void end_program();
  [[nodiscard]] std::vector<std::vector<Extent>> extents_of(std::int32_t array) const;
  [[nodiscard]] DenseArray dense_copy(std::int32_t array);
  void load_static(std::int32_t array, DenseArray& from, std::string_view what);
  void restore_blocks(std::int32_t array, const std::string& label);
  void restore_part(std::int32_t array, const std::string& label,
                    const std::vector<std::vector<Extent>>& kept,
                    const std::vector<std::int64_t>& before);
  void hand_on(std::int32_t array, const DenseArray& values);
  [[nodiscard]] Outcome outcome();
  [[nodiscard]] Metrics metrics();
  /// Behind an error: values of the indexes of open loops, and the calls under way.
  [[nodiscard]] std::string circumstances() const;
  // interpreter_metrics.cpp
  void add_profile(Metrics& m) const;
  [[nodiscard]] Waits waits() const noexcept;
  void note_memory(double now) noexcept;
  void show_live() const noexcept;

  [[nodiscard]] std::int64_t pop_int() noexcept { return values_.pop_int(); }
  [[nodiscard]] Number pop_number() noexcept { return values_.pop_number(); }
  [[nodiscard]] bool pop_truth() noexcept { return values_.pop_truth(); }

  const program::Program& program_;
  const Tables& tables_;
  Environment& environment_;
  Kept& kept_;
  Transport& transport_;
  wire::Access& here_;  ///< where the program is
  block::FramePool& frames_;
  const Options& options_;
  Naming naming_;
  LoopNest nest_;
  Blocks blocks_;
  Arithmetic arithmetic_;
  WorkerDevice& worker_device_;
  block::Residency* device_ = nullptr;  ///< null: none yet
  std::uint16_t number_;                ///< of the program in the job
  Loops loops_;
  Printer printer_;
  Supers supers_;

  std::vector<std::int64_t> ints_;
  std::vector<Number> scalars_;
  Expressions values_;
  std::vector<std::int32_t> calls_;
  Prefetcher prefetcher_;
  Profile profile_;
  std::uint64_t instructions_ = 0;

  struct Mark {
    std::int32_t id;
    const std::string* label;
  };
  std::vector<Mark> marked_arrays_;
  std::vector<Mark> marked_scalars_;
  std::unordered_map<std::int32_t, std::unordered_set<std::uint64_t>> existing_;  ///< this epoch
  block::FramePool::Uses frames_before_;
  double begin_seconds_ = 0;
  double checkpoint_seconds_ = 0;
};

}  // namespace blockyard::worker::detail
