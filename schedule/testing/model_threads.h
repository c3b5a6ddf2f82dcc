// Threads that are a few lines of data, for the tests of the strategies: each statement is a step, and may change what
// all see.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "schedule/strategy.h"

namespace norn::schedule {

struct Statement {
  Op op = Op::kAccess;
  uint64_t address = 0;  // of the variable or lock
  bool writes = false;
  uint8_t sites = 0;
  // What it does; the next statement's number is returned, or -1 for the one behind.
  std::function<int()> effect{};
  uint32_t site = 0;
};

struct ModelThread {
  std::vector<Statement> statements;
  unsigned idle_after = ~0u;  // so many yields
  size_t at = 0;
  unsigned yields = 0;
  [[nodiscard]] bool ended() const { return at >= statements.size(); }
};

struct ModelRun {
  std::string schedule;  // the thread of each step: "0011"
  uint32_t meetings = 0;
  bool deadlock = false;
};

// Runs them to the end. Locks are not recursive; acquiring one that is held disables.
inline ModelRun run_model(std::vector<ModelThread> threads, Strategy& strategy) {
  ModelRun run;
  std::map<uint64_t, bool> held;
  uint32_t running = kNobody;
  for (;;) {
    std::vector<Step> steps;
    for (uint32_t i = 0; i < threads.size(); ++i) {
      if (threads[i].ended()) continue;
      const Statement& next = threads[i].statements[threads[i].at];
      if (next.op == Op::kAcquire && held[next.address]) continue;
      steps.push_back({i, next.op, next.writes, next.sites, next.address, 1, next.site,
                       threads[i].yields >= threads[i].idle_after});
    }
    if (steps.empty()) break;
    const Enabled enabled = {steps.data(), static_cast<uint32_t>(steps.size()), running};
    const uint32_t chosen = strategy.choose(enabled);
    if (chosen == kNobody) {
      strategy.let_go(enabled);
      continue;
    }
    if (met_by(enabled, chosen) != kNobody) ++run.meetings;
    running = steps[chosen].thread;
    run.schedule += static_cast<char>('0' + running);
    ModelThread& thread = threads[running];
    const Statement& statement = thread.statements[thread.at];
    if (statement.op == Op::kAcquire) held[statement.address] = true;
    if (statement.op == Op::kRelease) held[statement.address] = false;
    if (statement.op == Op::kYield) {
      ++thread.yields;
      strategy.yielded(running);
    }
    const int next = statement.effect ? statement.effect() : -1;
    thread.at = next < 0 ? thread.at + 1 : static_cast<size_t>(next);
    if (thread.ended()) strategy.ended(running);
  }
  for (const ModelThread& thread : threads) run.deadlock = run.deadlock || !thread.ended();
  return run;
}

}  // namespace norn::schedule
