#include "experiment/search/known_states.h"

#include <gtest/gtest.h>

#include <map>

#include "base/string_sink.h"
#include "schedule/strategies/frontier.h"

namespace norn::experiment {
namespace {

using schedule::LogEntry;
using schedule::StateMark;

StateMark mark(uint64_t place, unsigned stale = 0) { return {place << 8 | stale}; }

std::vector<LogEntry> log_of(std::initializer_list<uint16_t> threads) {
  std::vector<LogEntry> log;
  for (const uint16_t thread : threads) log.push_back({.thread = thread});
  return log;
}

TEST(KnownStates, TheWayBackIsTheShortestBeginningThatCameThere) {
  KnownStates states(1);
  EXPECT_EQ(states.next(false), "");
  EXPECT_EQ(states.add({mark(1), mark(2), mark(3)}, log_of({0, 0, 1}), false), 3u);
  EXPECT_EQ(states.add({mark(1), mark(4), mark(2)}, log_of({1, 1, 0}), false), 1u);
  std::map<std::string, unsigned> ways;
  for (int i = 0; i < 400; ++i) ++ways[states.next(false)];
  ASSERT_EQ(ways.size(), 4u);
  // Each as often, but for the beginning.
  for (const char* way : {"0.1", "0.2", "1.1"}) EXPECT_NEAR(ways[way], ways["0.1"], 1) << way;
  EXPECT_GT(ways[""], ways["0.1"] + 20);
}

TEST(KnownStates, PlacesWithSwitchesAtEachAccessAreOthers) {
  KnownStates states(1);
  states.add({mark(1), mark(2)}, log_of({0, 0}), true);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(states.next(false), "");
  states.add({mark(1), mark(2)}, log_of({1, 0}), false);
  EXPECT_EQ(states.states(), 4u);
  for (int i = 0; i < 20; ++i) {
    EXPECT_NE(states.next(true), "1.1");
    EXPECT_NE(states.next(false), "0.1");
  }
}

TEST(KnownStates, StaleThreadsComeFirst) {
  KnownStates states(1);
  states.add({mark(1), mark(2, 2), mark(3)}, log_of({0, 1, 0}), false);
  // Two stale threads: sixteenfold.
  for (int stale = 0; stale < 15;) {
    const std::string way = states.next(false);
    if (way == "") continue;  // from the beginning
    EXPECT_EQ(way, "0.1");
    ++stale;
  }
}

TEST(KnownStates, AWayHasItsPicks) {
  KnownStates states(1);
  std::vector<LogEntry> log = log_of({2, 2, 0, 2});
  log[2] = {.thread = 3, .op = LogEntry::kPick};
  states.add({mark(1), mark(1), {}, mark(9, 4)}, log, false);
  std::string chosen;
  while (chosen.empty()) chosen = states.next(false);
  EXPECT_EQ(chosen, "2.2-p3");
  const std::string way = "2.2-p3-14.1";
  schedule::WayBack back(text_of(way));
  std::string read;
  bool is_pick = false;
  for (uint32_t number = 0; back.next(is_pick, number);) read += (is_pick ? "p" : "t") + std::to_string(number);
  EXPECT_EQ(read, "t2t2p3t14");
}

TEST(KnownStates, AWayThatIsNoneEnds) {
  for (const char* bad : {"", "-", "1", "1.", ".2", "p", "x", "1.0", "1.2x", "99999999999.1"}) {
    schedule::WayBack back(bad);
    bool is_pick = false;
    uint32_t number = 0;
    unsigned steps = 0;
    while (back.next(is_pick, number)) ASSERT_LT(++steps, 10u) << bad;
  }
}

TEST(KnownStates, AWayThatIsTooLongForATokenIsNotKept) {
  KnownStates states(1);
  std::vector<LogEntry> log;
  std::vector<StateMark> marks;
  for (uint16_t i = 0; i < 1000; ++i) {
    log.push_back({.thread = static_cast<uint16_t>(i % 2)});
    marks.push_back(mark(i + 1));
  }
  EXPECT_LT(states.add(marks, log, false), 201u);
}

}  // namespace
}  // namespace norn::experiment
