// Each strategy against threads of a few statements; RaceFuzzer's figures with what the document says of them.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "schedule/state_mark.h"
#include "schedule/strategies.h"
#include "schedule/testing/model_threads.h"

namespace norn::schedule {
namespace {

constexpr uint64_t kX = 8, kY = 16, kZ = 24, kL = 32, kM = 40;
constexpr int kRuns = 400;
constexpr int kEnd = 1000;

// The strategies are larger than a stack frame should be.
std::unique_ptr<AnyStrategy> make(Plan plan, Strategy*& strategy) {
  auto any = std::make_unique<AnyStrategy>();
  strategy = &any->make(plan);
  return any;
}

struct Figure1 {
  int x = 0, y = 0, z = 0;
  bool error1 = false, error2 = false;

  // `pair`: 0 is {1, 10} on x, 1 is {5, 7} on z.
  std::vector<ModelThread> threads(int pair) {
    const uint8_t x1 = pair == 0 ? kFirstSite : 0, x10 = pair == 0 ? kSecondSite : 0;
    const uint8_t z5 = pair == 1 ? kFirstSite : 0, z7 = pair == 1 ? kSecondSite : 0;
    return {{{{Op::kAccess, kX, true, x1, [this] { return x = 1, -1; }},
              {Op::kAcquire, kL, true},
              {Op::kAccess, kY, true, 0, [this] { return y = 1, -1; }},
              {Op::kRelease, kL, true},
              {Op::kAccess, kZ, false, z5, [this] { return error1 = z == 1, -1; }}}},
            {{{Op::kAccess, kZ, true, z7, [this] { return z = 1, -1; }},
              {Op::kAcquire, kL, true},
              {Op::kAccess, kY, false, 0, [this] { return y == 1 ? -1 : 4; }},
              {Op::kAccess, kX, false, x10, [this] { return error2 = x != 1, -1; }},
              {Op::kRelease, kL, true}}}};
  }
};

TEST(RaceDirected, Figure1ConfirmsTheRaceOnZAndReachesTheErrorInHalfOfTheRuns) {
  int confirmed = 0, errors = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Figure1 figure;
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    confirmed += run_model(figure.threads(1), *strategy).meetings > 0 ? 1 : 0;
    errors += figure.error1 ? 1 : 0;
    EXPECT_FALSE(figure.error2);
  }
  EXPECT_EQ(confirmed, kRuns);
  EXPECT_NEAR(errors, kRuns / 2.0, kRuns / 8.0);
}

TEST(RaceDirected, Figure1NeverConfirmsThePairOnX) {
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    Figure1 figure;
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    EXPECT_EQ(run_model(figure.threads(0), *strategy).meetings, 0u) << seed;
  }
}

// `before` statements stand before the racing one of the first thread.
std::vector<ModelThread> figure2(int before, int& x, bool& error) {
  ModelThread first, second;
  first.statements.push_back({Op::kAcquire, kL, true});
  for (int i = 0; i < before; ++i) first.statements.push_back({Op::kAtomic, kY, true});
  first.statements.push_back({Op::kRelease, kL, true});
  first.statements.push_back({Op::kAccess, kX, false, kFirstSite, [&] { return error = x == 0, -1; }});
  second.statements = {{Op::kAccess, kX, true, kSecondSite, [&] { return x = 1, -1; }},
                       {Op::kAcquire, kL, true},
                       {Op::kAtomic, kZ, true},
                       {Op::kRelease, kL, true}};
  return {first, second};
}

TEST(RaceDirected, Figure2IsConfirmedInEveryRunHoweverManyStatementsPrecede) {
  for (const int before : {1, 5, 100, 5000}) {
    const int runs = before < 1000 ? kRuns : 40;
    int confirmed = 0, errors = 0;
    for (int seed = 0; seed < runs; ++seed) {
      int x = 0;
      bool error = false;
      Strategy* strategy = nullptr;
      const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = static_cast<uint64_t>(seed)}, strategy);
      confirmed += run_model(figure2(before, x, error), *strategy).meetings > 0 ? 1 : 0;
      errors += error ? 1 : 0;
    }
    EXPECT_EQ(confirmed, runs) << before;
    EXPECT_NEAR(errors, runs / 2.0, runs / 4.0) << before;
  }
}

TEST(RandomWalk, Figure2IsRarelyMetWhenManyStatementsPrecede) {
  int met = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    int x = 0;
    bool error = false;
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRandom, .seed = seed}, strategy);
    met += run_model(figure2(100, x, error), *strategy).meetings > 0 ? 1 : 0;
  }
  EXPECT_LT(met, kRuns / 20);
}

TEST(RaceDirected, ReadersThatMeetOneWriterAllGoBeforeIt) {
  // Two readers stand at their statement when the writer comes: the coin lets either the writer or both of them go.
  std::set<std::string> ends;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    std::string order;
    const auto note = [&](char c) { return [&order, c] { return order += c, -1; }; };
    std::vector<ModelThread> threads = {
        {{{Op::kAccess, kX, false, kFirstSite, note('r')}}},
        {{{Op::kAccess, kX, false, kFirstSite, note('r')}}},
        {{{Op::kAtomic, kY, true}, {Op::kAtomic, kY, true}, {Op::kAccess, kX, true, kSecondSite, note('W')}}}};
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    EXPECT_GT(run_model(threads, *strategy).meetings, 0u) << seed;
    ends.insert(order);
  }
  EXPECT_EQ(ends, (std::set<std::string>{"Wrr", "rWr", "rrW"}));
}

TEST(RaceDirected, WhatTheLoserDoesMayAllComeRightBehindTheWinnersStatement) {
  // A pointer is read; before it is used, the other thread replaces it and, many steps later, frees what it pointed to.
  int found = 0;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    bool read_old = false, replaced = false, freed = false, bug = false;
    ModelThread reader, writer;
    reader.statements = {{Op::kAccess, kX, false, kFirstSite, [&] { return read_old = !replaced, -1; }},
                         {Op::kAtomic, kY, true, 0, [&] { return bug = read_old && freed, -1; }}};
    writer.statements.push_back({Op::kAccess, kX, true, kSecondSite, [&] { return replaced = true, -1; }});
    for (int i = 0; i < 20; ++i) writer.statements.push_back({Op::kAtomic, kZ, true});
    writer.statements.push_back({Op::kAtomic, kY, true, 0, [&] { return freed = true, -1; }});
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    run_model({reader, writer}, *strategy);
    found += bug ? 1 : 0;
  }
  constexpr int kExpected = kRuns / 6, kDeviation = kRuns / 12;
  EXPECT_NEAR(found, kExpected, kDeviation);  // the reader wins, and stops
}

TEST(RaceDirected, DoesNotTakeTwoOfTheSameStatementForThePair) {
  // (a, a) is a race, but not the one that was asked for.
  for (uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<ModelThread> threads(2, ModelThread{{{Op::kAccess, kX, true, kFirstSite}}});
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    EXPECT_EQ(run_model(threads, *strategy).meetings, 0u);
  }
}

TEST(RaceDirected, DrivesALockOrderInversionIntoItsDeadlock) {
  const auto locks = [](uint64_t outer, uint64_t inner, uint8_t site) {
    return ModelThread{{{Op::kAcquire, outer, true},
                        {Op::kAcquire, inner, true, site},
                        {Op::kRelease, inner, true},
                        {Op::kRelease, outer, true}}};
  };
  int deadlocks = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    deadlocks += run_model({locks(kL, kM, kFirstSite), locks(kM, kL, kSecondSite)}, *strategy).deadlock ? 1 : 0;
  }
  EXPECT_GT(deadlocks, 180);
}

// Each waits by yielding until it is its turn.
TEST(RaceDirected, ThreadsThatWaitForEachOtherInTurnGetOn) {
  constexpr int kTurns = 100, kTooMany = 20'000;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    int turn = 0, steps = 0;
    const auto taking_turns = [&](int self) -> ModelThread {
      const auto wait = [&, self] { return ++steps > kTooMany ? kEnd : turn % 2 == self ? 1 : 0; };
      const auto take = [&] { return ++turn < kTurns ? 0 : kEnd; };
      return {{{Op::kYield, 0, false, 0, wait}, {Op::kAccess, kX, true, 0, take}}};
    };
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kRaceDirected, .seed = seed}, strategy);
    run_model({taking_turns(0), taking_turns(1)}, *strategy);
    EXPECT_LT(steps, 10 * kTurns) << seed;
  }
}

TEST(Strategies, ChooseAmongTheEnabledAndRepeatBySeed) {
  for (const auto kind : {StrategyKind::kRandom, StrategyKind::kRaceDirected, StrategyKind::kPct, StrategyKind::kPos,
                          StrategyKind::kRoundRobin}) {
    std::set<std::string> schedules;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      const std::vector<ModelThread> threads(3, ModelThread{std::vector<Statement>(8, {Op::kAtomic, kX, true})});
      Strategy* strategy = nullptr;
      const auto any = make({.kind = kind, .seed = seed, .length = 24}, strategy);
      const std::string once = run_model(threads, *strategy).schedule;
      const auto again = make({.kind = kind, .seed = seed, .length = 24}, strategy);
      EXPECT_EQ(run_model(threads, *strategy).schedule, once);
      EXPECT_EQ(once.size(), 24u);
      schedules.insert(once);
    }
    EXPECT_GT(schedules.size(), kind == StrategyKind::kRoundRobin ? 2u : 20u) << static_cast<int>(kind);
  }
}

TEST(Pct, FindsABugOfDepthTwoAboutAsOftenAsTheDocumentSays) {
  // The second thread's only step must come between the first one's two last, of 50: depth 2, n = 2, k = 51.
  int found = 0;
  constexpr int kMany = 4000;
  for (uint64_t seed = 0; seed < kMany; ++seed) {
    int x = 0;
    bool bug = false;
    ModelThread first, second;
    for (int i = 0; i < 48; ++i) first.statements.push_back({Op::kAtomic, kY, true});
    first.statements.push_back({Op::kAtomic, kX, true, 0, [&] { return x = 1, -1; }});
    first.statements.push_back({Op::kAtomic, kX, true, 0, [&] { return x = 2, -1; }});
    second.statements.push_back({Op::kAtomic, kX, false, 0, [&] { return bug = x == 1, -1; }});
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kPct, .seed = seed, .depth = 2, .length = 51}, strategy);
    run_model({first, second}, *strategy);
    found += bug ? 1 : 0;
  }
  EXPECT_GE(found, kMany / (2 * 51) * 7 / 10);
}

TEST(Pct, AThreadThatYieldsFallsBehind) {
  // The first waits in a loop for the second: without falling it would wait for ever.
  for (uint64_t seed = 0; seed < 50; ++seed) {
    bool ready = false;
    std::vector<ModelThread> threads = {{{{Op::kYield, 0, false, 0, [&] { return ready ? kEnd : 0; }}}},
                                        {{{Op::kAtomic, kX, true, 0, [&] { return ready = true, -1; }}}}};
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kPct, .seed = seed}, strategy);
    EXPECT_FALSE(run_model(threads, *strategy).deadlock);
  }
}

TEST(Pos, OrdersOfConflictingStepsAreAboutEquallyLikely) {
  // However many steps of its own the first thread takes before.
  int first = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::string order;
    ModelThread busy, quick;
    for (int i = 0; i < 30; ++i) busy.statements.push_back({Op::kAtomic, kY, true});
    busy.statements.push_back({Op::kAtomic, kX, true, 0, [&] { return order += 'a', -1; }});
    quick.statements.push_back({Op::kAtomic, kX, true, 0, [&] { return order += 'b', -1; }});
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kPos, .seed = seed}, strategy);
    run_model({busy, quick}, *strategy);
    first += order == "ab" ? 1 : 0;
  }
  // A random walk would have it in one of 2^31.
  EXPECT_GT(first, 10);
  EXPECT_LT(first, 990);
}

// A thread looks at x and writes it; the other one writes it three times. In how many runs all three come between.
int runs_with_three_between(StrategyKind kind, int busy_before) {
  int found = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    std::string order;
    ModelThread looks, writes;
    looks.statements.push_back({Op::kAtomic, kX, false, 0, [&] { return order += 'r', -1; }, 1});
    looks.statements.push_back({Op::kAtomic, kX, true, 0, [&] { return order += 'w', -1; }, 2});
    for (int i = 0; i < busy_before; ++i) writes.statements.push_back({Op::kAtomic, kY, true});
    for (int i = 0; i < 3; ++i)
      writes.statements.push_back({Op::kAtomic, kX, true, 0, [&] { return order += 'o', -1; }, 3});
    Strategy* strategy = nullptr;
    const auto any = make({.kind = kind, .seed = seed}, strategy);
    EXPECT_FALSE(run_model({looks, writes}, *strategy).deadlock);
    found += order == "rooow" ? 1 : 0;
  }
  return found;
}

TEST(Window, OthersWriteBetweenALookAndItsWrite) {
  const int by_chance = runs_with_three_between(StrategyKind::kRandom, 6);
  EXPECT_GT(runs_with_three_between(StrategyKind::kWindow, 6), 4 * (1 + by_chance));
}

TEST(Frontier, GoesBackAndThenOnByTheSeed) {
  const std::vector<ModelThread> threads(3, ModelThread{std::vector<Statement>(4, {Op::kAtomic, kX, true})});
  std::set<std::string> schedules;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Strategy* strategy = nullptr;
    const auto any = make({.kind = StrategyKind::kFrontier, .seed = seed, .way = "2.1-0.3-1.2"}, strategy);
    const std::string schedule = run_model(threads, *strategy).schedule;
    EXPECT_EQ(schedule.substr(0, 6), "200011");
    schedules.insert(schedule);
  }
  EXPECT_GT(schedules.size(), 5u);
}

TEST(Frontier, AWayThatDoesNotLeadThereIsLeft) {
  const std::vector<ModelThread> threads(2, ModelThread{std::vector<Statement>(2, {Op::kAtomic, kX, true})});
  Strategy* strategy = nullptr;
  const auto any = make({.kind = StrategyKind::kFrontier, .seed = 1, .way = "1.1-7.1-0.1"}, strategy);
  const ModelRun run = run_model(threads, *strategy);
  EXPECT_EQ(run.schedule[0], '1');
  EXPECT_EQ(run.schedule.size(), 4u);
}

TEST(Frontier, PicksAsBefore) {
  Frontier frontier(1, "p2-0.1-p1");
  EXPECT_EQ(frontier.pick(5), 2u);
  const Step step = {.thread = 0, .op = Op::kAtomic};
  EXPECT_EQ(frontier.choose({&step, 1}), 0u);
  EXPECT_EQ(frontier.pick(2), 1u);
}

// Two threads read x, and one writes it; the other is then about to write what it has not seen.
TEST(Looks, AWriteIsStaleIfOthersWroteSince) {
  static Looks looks;
  const auto step = [](uint32_t thread, bool writes) {
    return Step{.thread = thread, .op = Op::kAtomic, .writes = writes, .address = kX, .size = 4, .site = 1};
  };
  looks.note(step(0, false));
  looks.note(step(1, false));
  const Step both[] = {step(0, true), step(1, true)};
  EXPECT_EQ(looks.mark_of({both, 2}).stale(), 0u);
  looks.note(step(0, true));
  EXPECT_EQ(looks.mark_of({both, 2}).stale(), 1u);
  looks.note(step(1, true));
  EXPECT_EQ(looks.mark_of({both, 2}).stale(), 1u);
  EXPECT_EQ(looks.mark_of({both, 1}).place(), looks.mark_of({both + 1, 1}).place());
  EXPECT_NE(looks.mark_of({both, 1}).place(), looks.mark_of({both, 2}).place());
  // What one thread does by itself is no place.
  Step own = step(0, true);
  own.address = kY;
  looks.note(own);
  own.site = 7;
  const Step with_own[] = {step(1, true), own};
  EXPECT_EQ(looks.mark_of({with_own, 2}).place(), looks.mark_of({with_own, 1}).place());
  // Nor is it one where somebody is about to read what others were at.
  const Step with_reader[] = {step(0, true), step(1, false)};
  EXPECT_EQ(looks.mark_of({with_reader, 2}).bits, 0u);
}

TEST(Selected, WhatIsNotSelectedDoesNotMatter) { EXPECT_GT(runs_with_three_between(StrategyKind::kSelected, 20), 50); }

TEST(WindowAndSelected, AThreadThatWaitsForOneThatIsHeldIsNotWaitedFor) {
  for (const StrategyKind kind : {StrategyKind::kWindow, StrategyKind::kSelected}) {
    for (uint64_t seed = 0; seed < 50; ++seed) {
      bool ready = false;
      std::vector<ModelThread> threads = {
          {{{Op::kYield, 0, false, 0, [&] { return ready ? kEnd : 0; }}}},
          {{{Op::kAtomic, kX, false}, {Op::kAtomic, kX, true, 0, [&] { return ready = true, -1; }}}}};
      Strategy* strategy = nullptr;
      const auto any = make({.kind = kind, .seed = seed}, strategy);
      EXPECT_FALSE(run_model(threads, *strategy).deadlock);
    }
  }
}

TEST(RoundRobin, SeedZeroRunsEachThreadUntilItEnds) {
  const std::vector<ModelThread> threads(3, ModelThread{std::vector<Statement>(3, {Op::kAtomic, kX, true})});
  Strategy* strategy = nullptr;
  const auto any = make({.kind = StrategyKind::kRoundRobin}, strategy);
  EXPECT_EQ(run_model(threads, *strategy).schedule, "000111222");
}

TEST(Replay, FollowsALogAndSaysWhereItCannot) {
  const std::vector<ModelThread> threads(2, ModelThread{std::vector<Statement>(2, {Op::kAtomic, kX, true})});
  LogEntry log[] = {{.thread = 1}, {.thread = 0}, {.thread = 1}, {.thread = 0}};
  Replay good(log, 4);
  EXPECT_EQ(run_model(threads, good).schedule, "1010");
  EXPECT_EQ(good.lost_at(), ~uint64_t{0});
  log[2].thread = 7;
  Replay bad(log, 4);
  run_model(threads, bad);
  EXPECT_EQ(bad.lost_at(), 2u);
}

TEST(Meeting, NeedsBothSitesCommonBytesAWriteAndTwoThreads) {
  const Step a = {0, Op::kAccess, true, kFirstSite, 100, 4};
  const auto other = [&](auto change) {
    Step b = {1, Op::kAccess, false, kSecondSite, 102, 4};
    change(b);
    return meet(a, b) && meet(b, a);
  };
  EXPECT_TRUE(other([](Step&) {}));
  EXPECT_FALSE(other([](Step& b) { b.thread = 0; }));
  EXPECT_FALSE(other([](Step& b) { b.sites = kFirstSite; }));
  EXPECT_FALSE(other([](Step& b) { b.address = 104; }));
  Step reads = a;
  reads.writes = false;
  EXPECT_FALSE(meet(reads, {1, Op::kAccess, false, kSecondSite, 100, 4}));
}

// Two writers and a reader of x; each statement has others before it. The reader says whose value it got.
uint32_t read_from(Plan plan, uint32_t writers) {
  uint32_t value = 0, read = 0;
  std::vector<ModelThread> threads;
  const Statement busy = {Op::kAtomic, kY, true};
  for (uint32_t writer = 1; writer <= writers; ++writer)
    threads.push_back({{busy, busy, {Op::kAccess, kX, true, 0, [&, writer] { return value = writer, -1; }, writer}}});
  threads.push_back({{busy, {Op::kAccess, kX, false, 0, [&] { return read = value, -1; }, 9}}});
  Strategy* strategy = nullptr;
  const auto any = make(plan, strategy);
  run_model(threads, *strategy);
  return read;
}

TEST(ReadsFrom, AWantedPairIsMet) {
  for (uint32_t writer = 0; writer <= 3; ++writer) {
    const Constraint wanted = {{writer, 9}, true};
    for (uint64_t seed = 0; seed < kRuns; ++seed) {
      const Plan plan = {.kind = StrategyKind::kReadsFrom, .seed = seed, .constraints = &wanted, .constraint_count = 1};
      // The beginning wrote it, too; but it cannot be brought back once another has written.
      if (writer != 0) EXPECT_EQ(read_from(plan, 3), writer) << seed;
    }
  }
}

TEST(ReadsFrom, APairThatIsNotWantedIsAvoided) {
  const Constraint unwanted[] = {{{0, 9}, false}, {{2, 9}, false}};
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    const Plan plan = {.kind = StrategyKind::kReadsFrom, .seed = seed, .constraints = unwanted, .constraint_count = 2};
    seen.insert(read_from(plan, 3));
  }
  EXPECT_EQ(seen, (std::set<uint32_t>{1, 3}));
}

TEST(ReadsFrom, WithoutConstraintsEveryPairOccurs) {
  std::set<uint32_t> seen;
  for (uint64_t seed = 0; seed < kRuns; ++seed)
    seen.insert(read_from({.kind = StrategyKind::kReadsFrom, .seed = seed}, 2));
  EXPECT_EQ(seen, (std::set<uint32_t>{0, 1, 2}));
}

TEST(ReadsFrom, ConstraintsAreReadAsTheyAreWritten) {
  Constraint constraints[kMaxConstraints];
  ASSERT_EQ(read_constraints("a1>b2,!0>ffffffff", constraints), 2u);
  EXPECT_EQ(constraints[0].pair, (ReadsFromPair{0xa1, 0xb2}));
  EXPECT_TRUE(constraints[0].wanted);
  EXPECT_EQ(constraints[1].pair, (ReadsFromPair{0, 0xffffffff}));
  EXPECT_FALSE(constraints[1].wanted);
  for (const char* bad : {"", ">", "a1", "a1>", "a1>,", "!", "x>y"}) EXPECT_EQ(read_constraints(bad, constraints), 0u);
  EXPECT_EQ(read_constraints("1>2,rest", constraints), 1u);
}

}  // namespace
}  // namespace norn::schedule
