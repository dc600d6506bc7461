// SPDX-License-Identifier: Apache-2.0
#include "blockyard/job/traffic.h"

#include <gtest/gtest.h>

#include <numeric>

namespace blockyard::job {
namespace {

/// A job with a worker in each process that does not only serve, and what one of them moved: server
/// s, s + 1 bytes.
Job job_of(int processes, int servers, bool serves_apart) {
  Job job;
  job.processes = processes;
  job.servers = servers;
  job.serves_apart = serves_apart;
  job.workers = processes - (serves_apart ? servers : 0);
  return job;
}
worker::Metrics traffic_of(const Job& job) {
  worker::Metrics metrics;
  metrics.bytes_from_servers.resize(static_cast<std::size_t>(job.servers));
  std::iota(metrics.bytes_from_servers.begin(), metrics.bytes_from_servers.end(), 1U);
  metrics.bytes_to_servers.assign(static_cast<std::size_t>(job.servers), 1);
  return metrics;
}

TEST(Traffic, of_few_servers_is_kept_by_server) {
  for (const Job& job : {job_of(64, 64, false), job_of(1, 100, false), job_of(200, 64, true)}) {
    worker::Metrics metrics = traffic_of(job);
    group_traffic(job, metrics);
    EXPECT_FALSE(is_traffic_grouped(job));
    EXPECT_EQ(metrics.bytes_from_servers, traffic_of(job).bytes_from_servers);
  }
}

TEST(Traffic, of_many_servers_is_kept_by_groups_of_processes) {
  const Job job = job_of(130, 130, false);
  worker::Metrics metrics = traffic_of(job);
  group_traffic(job, metrics);
  EXPECT_TRUE(is_traffic_grouped(job));
  ASSERT_EQ(metrics.bytes_from_servers.size(), 44U) << "of three processes each";
  EXPECT_EQ(metrics.bytes_from_servers[0], 1U + 2 + 3);
  EXPECT_EQ(metrics.bytes_from_servers[43], 130U) << "the last has one";
  EXPECT_EQ(metrics.bytes_to_servers[1], 3U);
}

TEST(Traffic, of_servers_apart_lies_with_the_last_processes) {
  const Job job = job_of(300, 100, true);  // groups of five
  worker::Metrics metrics = traffic_of(job);
  group_traffic(job, metrics);
  ASSERT_EQ(metrics.bytes_to_servers.size(), 60U);
  EXPECT_EQ(metrics.bytes_to_servers[39], 0U);
  EXPECT_EQ(metrics.bytes_to_servers[40], 5U);
  EXPECT_EQ(metrics.bytes_from_servers[59], 96U + 97 + 98 + 99 + 100);
}

TEST(Traffic, of_many_processes_has_a_bound) {
  for (int processes = 65; processes < 5000; processes += 7) {
    const Job job = job_of(processes, processes, false);
    worker::Metrics metrics = traffic_of(job);
    group_traffic(job, metrics);
    EXPECT_LE(metrics.bytes_from_servers.size(), 64U);
    EXPECT_GT(metrics.bytes_from_servers.back(), 0U);
  }
}

}  // namespace
}  // namespace blockyard::job
