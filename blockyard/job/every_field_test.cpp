// SPDX-License-Identifier: Apache-2.0
// A job with every field off its default, through every form that a job is written in. A new
// field must be named here: otherwise the structured bindings no longer compile.
#include <gtest/gtest.h>

#include <tuple>

#include "blockyard/input/job_file.h"
#include "blockyard/input/job_text.h"
#include "blockyard/job/job_bytes.h"

namespace blockyard::job {
namespace {

input::DeviceSpec device_with_every_field() {
  input::DeviceSpec device;
  auto& [kind, count, memory_bytes, options, plugins, learns_placement, respects_hints,
         honours_intents, locks_pages, keeps_memory, streams, feeds_network, after_seconds] =
      device;
  kind = "sim";
  count = 2;
  memory_bytes = 1 << 20;
  options = "delay=1";
  plugins = "/plugins";
  learns_placement = true;
  respects_hints = true;
  honours_intents = false;
  locks_pages = false;
  keeps_memory = false;
  streams = 2;
  feeds_network = true;
  after_seconds = 2.5;
  return device;
}

input::RunSpec run_with_every_field() {
  input::RunSpec run;
  auto& [workers, servers, memory_bytes, scratch, persistent, guess, save, checkpoint_folder,
         checkpoint_seconds, supers, pardo, prefetch, fabric_delay, report, has_trace, device,
         check, deterministic, seed] = run;
  workers = 3;
  servers = 2;
  memory_bytes = std::int64_t{1} << 31;
  scratch = "/scratch";
  persistent = "/kept.h5";
  guess = "/guess.h5";
  save = "/save.h5";
  checkpoint_folder = "/checkpoints";
  checkpoint_seconds = 90;
  pardo = program::Policy::dynamic;
  prefetch = {false, 5};
  fabric_delay = fabric::Delay{1e-4, 2.5e8};
  report = true;
  has_trace = true;
  device = device_with_every_field();
  check = true;
  deterministic = true;
  seed = 7;
  return run;
}

input::Spec spec_with_every_field() {
  input::Spec spec;
  auto& [title, molecule, basis, method, programs, ints, scalars, asked, arrays, int_arrays,
         configuration, segments, run] = spec;
  title = "a \"title\" with \\ and \t";
  molecule = input::MoleculeSpec{"H 0 0 0\nF 0 0 1.7\n", "", "bohr", -1, 2};
  basis = {{"cc-pvdz", "", ""},
           "sbkjc",
           {{"O1", {{"", "", "O S\n 0.5 1\n"}, ""}}, {"3", {{"6-31g", "", ""}, "none"}}},
           false,
           "cc-pvtz-rifit",
           ""};
  method = input::MethodSpec{"", 3, {{"cc_iterations", 7}}, {{"level_shift", 0.5}}};
  programs = {"/a.sial", "/b.sial"};
  ints = {{"norb", 4}};
  scalars = {{"x", 0.1}, {"whole", 3}};
  asked = {{"norb", "--set"}};
  arrays = {{"ca", {{1, 2}, {0.5, -1e-20}}}, {"nlp", {{2}, {3, -1}}}};
  int_arrays = {"nlp"};
  configuration = {{"a.siox", {{"no_servers", "f"}}}};
  segments = {{{array::IndexKind::mo, {3, 4}}}, 7, 8, 9, 2};
  run = run_with_every_field();
  run.supers = {"/one.so", "/two.so"};
  return spec;
}

TEST(EveryField, IsInTheTextOfAJob) {
  input::Spec spec = spec_with_every_field();
  // What the command line alone decides.
  spec.asked.clear();
  spec.run.report = spec.run.has_trace = false;
  spec.run.device.plugins = "";
  const input::DeviceSpec usual;
  spec.run.device.honours_intents = usual.honours_intents;
  spec.run.device.locks_pages = usual.locks_pages;
  spec.run.device.keeps_memory = usual.keeps_memory;
  spec.run.device.streams = usual.streams;
  EXPECT_EQ(input::parse_job(input::job_text(spec), "job.toml", ""), spec);
}

TEST(EveryField, OfARunIsInTheBytesOfAJob) {
  Job job;
  job.run = run_with_every_field();
  job.no_molecule = "a reason";
  job.workers = 6;
  job.servers = 4;
  job.processes = 3;
  job.processes_on_node = 2;
  job.cores = 5;
  job.serves_apart = true;
  job.guess_job.emplace_back().title = "in a small basis";
  const Job again = decode_job(encode(job));
  EXPECT_EQ(again.run, job.run);
  EXPECT_EQ(again.no_molecule, job.no_molecule);
  const auto ranks = [](const Job& of) {
    return std::tuple(of.workers, of.servers, of.processes, of.processes_on_node, of.cores,
                      of.serves_apart);
  };
  EXPECT_EQ(ranks(again), ranks(job));
  ASSERT_EQ(again.guess_job.size(), 1U);
  EXPECT_EQ(again.guess_job.front().title, "in a small basis");
}

}  // namespace
}  // namespace blockyard::job
