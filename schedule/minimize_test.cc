#include "schedule/minimize.h"

#include <gtest/gtest.h>

#include "schedule/strategies/random_walk.h"
#include "schedule/testing/model_threads.h"

namespace norn::schedule {
namespace {

constexpr uint64_t kX = 8;

// The second thread's write between the first one's two last steps.
std::vector<ModelThread> threads_with_a_bug(bool& bug, int& x, int others) {
  std::vector<ModelThread> threads(2 + static_cast<size_t>(others));
  for (int i = 0; i < 10; ++i) threads[0].statements.push_back({Op::kAtomic, kX});
  threads[0].statements.push_back({Op::kAtomic, kX, true, 0, [&] { return x = 1, -1; }});
  threads[0].statements.push_back({Op::kAtomic, kX, true, 0, [&] { return bug = x != 1, -1; }});
  threads[1].statements.push_back({Op::kAtomic, kX, true, 0, [&] { return x = 2, -1; }});
  for (size_t i = 2; i < threads.size(); ++i) threads[i].statements.assign(5, {Op::kAtomic, kX});
  return threads;
}

bool shows(const std::vector<LogEntry>& segments, std::string* schedule = nullptr) {
  bool bug = false;
  int x = 0;
  Segments strategy(segments.data(), segments.size());
  const ModelRun run = run_model(threads_with_a_bug(bug, x, 3), strategy);
  if (schedule != nullptr) *schedule = run.schedule;
  return bug;
}

TEST(Minimize, FindsTheOnePreemptionThatMatters) {
  // A random schedule that shows it, as a log.
  std::vector<LogEntry> log;
  for (uint64_t seed = 0; log.empty(); ++seed) {
    bool bug = false;
    int x = 0;
    RandomWalk random(seed);
    const ModelRun run = run_model(threads_with_a_bug(bug, x, 3), random);
    if (!bug) continue;
    for (const char c : run.schedule) log.push_back({.thread = static_cast<uint16_t>(c - '0')});
  }
  const std::vector<LogEntry> whole = segments_of(log);
  ASSERT_TRUE(shows(whole));
  ASSERT_GT(whole.size(), 10u);
  const std::vector<LogEntry> small = minimize(whole, 1000, [](const auto& segments) { return shows(segments); });
  std::string schedule;
  ASSERT_TRUE(shows(small, &schedule));
  EXPECT_LE(small.size(), 2u);
  // The first thread stops before its last step, the second runs.
  EXPECT_EQ(schedule.substr(0, 13), "0000000000010");
}

TEST(Minimize, KeepsToItsBudget) {
  unsigned calls = 0;
  const std::vector<LogEntry> segments(64, segment(0, 1));
  (void)minimize(segments, 7, [&](const auto&) { return ++calls, false; });
  EXPECT_EQ(calls, 7u);
}

TEST(Segments, PassesOverAThreadThatCannotGoOn) {
  const std::vector<ModelThread> threads(2, ModelThread{std::vector<Statement>(3, {Op::kAtomic, kX, true})});
  const LogEntry entries[] = {segment(1, 2), segment(7, 4), segment(0, 1), segment(1, kToTheEnd)};
  Segments strategy(entries, 4);
  EXPECT_EQ(run_model(threads, strategy).schedule, "110100");
}

}  // namespace
}  // namespace norn::schedule
