// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "blockyard/worker/checkpoint.h"
#include "blockyard/worker/detail/arithmetic.h"
#include "blockyard/worker/detail/blocks.h"
#include "blockyard/worker/detail/loops.h"
#include "blockyard/worker/detail/meter.h"
#include "blockyard/worker/detail/persistence.h"
#include "blockyard/worker/detail/printer.h"
#include "blockyard/worker/detail/program_device.h"
#include "blockyard/worker/detail/setting.h"
#include "blockyard/worker/detail/supers.h"
#include "blockyard/worker/detail/transfers.h"

namespace blockyard::worker::detail {

/// Steps one program on one worker. The verifier has proved that operands are in their tables and
/// that the stack holds what each opcode pops; what depends on numbers is checked here. One thread.
class Interpreter {
 public:
  /// `number`: of the program in the job.
  Interpreter(const Setting& setting, super::Table& supers,
              std::function<void(std::string_view)> print, std::size_t number,
              WorkerDevice& device);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  /// Collective among workers. Runs to the end; from the state in a checkpoint, if one is given.
  /// Throws Error whose text begins with the place in the source.
  Outcome run(RecordSource* from = nullptr);

 private:
  using Instruction = program::Instruction;
  void execute(std::int32_t pc);
  /// Executes an instruction on blocks or arrays.
  void act(const Instruction& instruction);
  void act_on_regions(const Instruction& instruction);
  void act_together(const Instruction& instruction);
  [[nodiscard]] std::int32_t begin_iteration(std::int32_t pardo);
  /// Runs the where code at a pc.
  [[nodiscard]] bool where(std::int32_t pc);
  /// Runs one condition of it.
  [[nodiscard]] bool holds(const Condition& condition);

  void barrier();
  void assert_same(std::int32_t scalar);
  void broadcast(std::int32_t array, std::int64_t worker);
  void save(RecordSink& sink) const;
  /// Returns the pc to go on from.
  [[nodiscard]] std::int32_t load(RecordSource& source);
  /// After an error: values of the indexes of open loops, and the calls under way.
  [[nodiscard]] std::string circumstances() const;
  [[nodiscard]] Outcome outcome();

  Setting setting_;
  LoopNest nest_;
  Variables variables_;
  Blocks blocks_;
  Arithmetic arithmetic_;
  Supers supers_;
  ProgramDevice device_;
  Loops loops_;
  Printer printer_;
  Transfers transfers_;
  Persistence persistence_;
  Meter meter_;
};

}  // namespace blockyard::worker::detail
