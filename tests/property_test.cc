// The engines against the oracle, on random scripts.
//
// A failure prints a script, shrunk, that can be saved in tests/scripts/ as it is. The seed is fixed; NORN_SEED=N
// varies it, NORN_SCRIPTS=PERCENT scales how many scripts each property plays.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <ostream>
#include <sstream>

#include "tests/oracle/generator.h"
#include "tests/oracle/interleavings.h"
#include "tests/oracle/oracle.h"
#include "tests/script/runner.h"
#include "tests/script/script.h"

namespace norn::oracle {

// How RapidCheck shows a counterexample.
void showValue(const Plan& plan, std::ostream& os) { os << "\n" << script::print(play(plan)); }

namespace {

using Standings = std::map<Address, Standing>;

uint64_t number_from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

rc::Gen<Plan> plans(const GeneratorOptions& options) {
  return [options](const rc::Random& random, int) {
    uint64_t seed = rc::Random(random).next();
    return rc::shrinkable::shrinkRecur(make_plan(seed, options),
                                       [](const Plan& plan) { return rc::seq::fromContainer(simpler(plan)); });
  };
}

void check_plans(int scripts, const GeneratorOptions& options, const std::function<void(const Plan&)>& property) {
  rc::detail::TestParams params;
  params.seed = number_from_environment("NORN_SEED", 1);
  params.maxSuccess = std::max(
      1, static_cast<int>(static_cast<uint64_t>(scripts) * number_from_environment("NORN_SCRIPTS", 100) / 100));
  rc::detail::TestMetadata metadata;
  metadata.description = testing::UnitTest::GetInstance()->current_test_info()->name();
  auto generator = plans(options);
  auto result = rc::detail::checkTestable([&] { property(*generator); }, metadata, params);
  if (result.is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ADD_FAILURE() << message.str();
}

Standings oracle_says(const script::Script& s) {
  Standings all;
  for (const auto& [byte, verdict] : judge(s.events, {s.cv, s.spin, s.handover, s.lib}).bytes)
    all[byte] = verdict.standing;
  return all;
}

// The most that may be told (oracle.h, judge()).
Standings oracle_allows(const script::Script& s) {
  Standings all;
  for (const auto& [byte, verdict] : judge(s.events, {s.cv, s.spin, s.handover, s.lib, false}).bytes)
    all[byte] = verdict.standing;
  return all;
}

// Whether each byte of `some` is among `all`, with at least the same standing.
bool are_among(const Standings& some, const Standings& all) {
  return std::all_of(some.begin(), some.end(), [&](const auto& one) {
    const auto known = all.find(one.first);
    return known != all.end() && known->second >= one.second;
  });
}

Standings only(const Standings& all, Standing wanted) {
  Standings some;
  for (const auto& [byte, standing] : all)
    if (standing == wanted) some.emplace(byte, standing);
  return some;
}

Standings engine_says(const script::Script& s, EngineKind engine) {
  return script::run_events(s.events, {engine, s.cv, s.spin, s.handover, s.lib}).bytes;
}

// "x0+3 observed, x1 predicted"
std::string text_of(const script::Script& s, const Standings& all) {
  std::string text;
  for (const auto& [byte, standing] : all)
    text += (text.empty() ? "" : ", ") + s.place(byte) + " " + std::string(script::name_of(standing));
  return text.empty() ? "none" : text;
}

void expect_same(const script::Script& s, EngineKind engine, const Standings& found, const Standings& wanted,
                 script::Door door = script::Door::kSingle) {
  if (found == wanted) return;
  if (engine == EngineKind::kHybrid && are_among(wanted, found) && are_among(found, oracle_allows(s))) return;
  RC_FAIL(std::string(script::name_of(engine)) + ", door " + script::name_of(door) + ", says: " + text_of(s, found) +
          "\noracle says: " + text_of(s, wanted));
}

// hb tells exactly what is observed, hybrid exactly the oracle's standings.
void engines_equal_oracle(const Plan& plan) {
  script::Script s = play(plan);
  Standings wanted = oracle_says(s);
  expect_same(s, EngineKind::kHb, engine_says(s, EngineKind::kHb), only(wanted, Standing::kObserved));
  expect_same(s, EngineKind::kHybrid, engine_says(s, EngineKind::kHybrid), wanted);
}

// The same, whatever door plain accesses come through.
void doors_equal_oracle(const Plan& plan) {
  script::Script s = play(plan);
  const Standings wanted = oracle_says(s);
  for (const script::Door door : script::kDoors) {
    for (const EngineKind engine : {EngineKind::kHb, EngineKind::kHybrid}) {
      script::EngineOptions options = {engine, s.cv, s.spin, s.handover, s.lib};
      options.door = door;
      expect_same(s, engine, script::run_events(s.events, options).bytes,
                  engine == EngineKind::kHb ? only(wanted, Standing::kObserved) : wanted, door);
    }
  }
}

TEST(Property, EveryDoor) {
  for (bool readers : {false, true}) {
    GeneratorOptions o;
    o.readers = readers;
    o.spins = true;
    o.publications = !readers;
    o.cv = readers ? ConditionMode::kOff : ConditionMode::kWriteRead;
    o.max_threads = readers ? 8 : 4;
    check_plans(1000, o, doors_equal_oracle);
  }
}

TEST(Property, UpToFourThreadsAndSixLocks) { check_plans(8000, {}, engines_equal_oracle); }

TEST(Property, LongerScripts) {
  GeneratorOptions o;
  o.max_moves = 250;
  check_plans(1500, o, engines_equal_oracle);
}

TEST(Property, LostSignals) {
  GeneratorOptions o;
  o.cv = ConditionMode::kLost;
  check_plans(3000, o, engines_equal_oracle);
}

TEST(Property, WriteReadRelation) {
  GeneratorOptions o;
  o.cv = ConditionMode::kWriteRead;
  check_plans(4000, o, engines_equal_oracle);
}

// Where nobody said that the program uses condition variables, the locked regions that began before the first use of
// one count as having written anything: nothing is told that should not be. With a first use before everything, all
// is as if it had been said.
TEST(Property, ConditionsNobodyToldOf) {
  GeneratorOptions o;
  o.cv = ConditionMode::kWriteRead;
  size_t races = 0;
  size_t missed = 0;
  check_plans(2000, o, [&](const Plan& plan) {
    script::Script s = play(plan);
    script::EngineOptions options = {EngineKind::kHybrid, s.cv, s.spin, s.handover, s.lib};
    options.conditions = false;
    const Standings wanted = oracle_says(s);
    const Standings found = script::run_events(s.events, options).bytes;
    for (const auto& [byte, standing] : found) {
      if (!are_among({{byte, standing}}, wanted) && !are_among({{byte, standing}}, oracle_allows(s)))
        RC_FAIL("surprised, hybrid tells of " + s.place(byte));
    }
    races += wanted.size();
    for (const auto& [byte, standing] : wanted) missed += found.contains(byte) ? 0 : 1;
    constexpr Address kUnused = 64;
    if (s.events.empty()) return;
    s.events.insert(s.events.begin(),
                    {.kind = EventKind::kSignal, .thread = s.events.front().thread, .address = kUnused});
    expect_same(s, options.engine, script::run_events(s.events, options).bytes, oracle_says(s));
  });
  EXPECT_LT(missed, races / 10);
  std::printf("condition variables nobody told of: %zu of %zu racing bytes missed\n", missed, races);
}

// A location that remembers only the newest of what is superseded: what is observed is the same, and nothing is told
// that should not be. How many predictions that loses is printed.
TEST(Property, ShortHistory) {
  size_t predicted = 0;
  size_t lost = 0;
  for (const bool spins : {false, true}) {
    GeneratorOptions o;
    o.spins = spins;
    o.max_moves = 250;
    check_plans(1500, o, [&](const Plan& plan) {
      const script::Script s = play(plan);
      script::EngineOptions options = {EngineKind::kHybrid, s.cv, s.spin, s.handover, s.lib};
      options.superseded_cap = 2;
      const Standings wanted = oracle_says(s);
      const Standings found = script::run_events(s.events, options).bytes;
      expect_same(s, options.engine, only(found, Standing::kObserved), only(wanted, Standing::kObserved));
      if (!are_among(found, wanted) && !are_among(found, oracle_allows(s))) {
        RC_FAIL("with a short history, hybrid says: " + text_of(s, found) + "\noracle says: " + text_of(s, wanted));
      }
      for (const auto& [byte, standing] : only(wanted, Standing::kPredicted)) {
        ++predicted;
        lost += found.contains(byte) ? 0 : 1;
      }
    });
  }
  EXPECT_LT(lost, predicted / 20);
  std::printf("short history: %zu of %zu predicted bytes lost\n", lost, predicted);
}

TEST(Property, Spins) {
  GeneratorOptions o;
  o.spins = true;
  check_plans(4000, o, engines_equal_oracle);
}

TEST(Property, SpinsAndConditions) {
  GeneratorOptions o;
  o.spins = true;
  o.cv = ConditionMode::kWriteRead;
  check_plans(1000, o, engines_equal_oracle);
}

TEST(Property, SpinsTurnedOff) {
  GeneratorOptions o;
  o.spins = true;
  o.spin = false;
  check_plans(500, o, engines_equal_oracle);
}

TEST(Property, WithoutTheLibrary) {
  GeneratorOptions o;
  o.spins = true;
  o.lib = false;
  check_plans(2000, o, engines_equal_oracle);
}

TEST(Property, NewMemory) {
  for (bool spins : {false, true}) {
    GeneratorOptions o;
    o.publications = true;
    o.spins = spins;
    check_plans(1500, o, engines_equal_oracle);
  }
}

// Reads that lie in rows.
TEST(Property, ManyReaders) {
  for (bool spins : {false, true}) {
    GeneratorOptions o;
    o.readers = true;
    o.min_threads = 4;
    o.max_threads = 8;
    o.max_moves = 160;
    o.spins = spins;
    check_plans(1500, o, engines_equal_oracle);
  }
}

TEST(Property, ManyReadersAndCollections) {
  GeneratorOptions o;
  o.readers = true;
  o.min_threads = 4;
  o.max_threads = 8;
  check_plans(400, o, [](const Plan& plan) {
    script::Script s = play(plan);
    s.handover = false;
    const Standings wanted = oracle_says(s);
    script::EngineOptions options = {EngineKind::kHybrid, s.cv, s.spin, s.handover, s.lib};
    options.time_limit = 6;
    options.collect_every = 5;
    expect_same(s, options.engine, script::run_events(s.events, options).bytes, wanted);
  });
}

// Threads that run out of time every few releases, and collections between any two events, change nothing.
TEST(Property, ShortTimesAndManyCollections) {
  GeneratorOptions o;
  o.spins = true;
  o.cv = ConditionMode::kWriteRead;
  check_plans(1000, o, [](const Plan& plan) {
    script::Script s = play(plan);
    for (uint32_t time_limit : {4u, ~0u}) {
      s.handover = time_limit != 4;  // a region in which its thread runs out of time is not handed over as one
      const Standings wanted = oracle_says(s);
      script::EngineOptions options = {EngineKind::kHybrid, s.cv, s.spin, s.handover, s.lib};
      options.time_limit = time_limit;
      options.collect_every = time_limit == 4 ? 7 : 2;
      expect_same(s, options.engine, script::run_events(s.events, options).bytes, wanted);
    }
  });
}

// With many threads and locks a location cannot remember every segment: what is observed stays exact, nothing is
// predicted that the oracle does not predict, and what is missed is counted.
TEST(Property, ManyThreadsAndLocks) {
  GeneratorOptions o;
  o.min_threads = 5;
  o.max_threads = 8;
  o.max_locks = 12;
  o.max_moves = 200;
  size_t predicted = 0;
  size_t missed = 0;
  check_plans(4000, o, [&](const Plan& plan) {
    script::Script s = play(plan);
    Standings wanted = oracle_says(s);
    Standings found = engine_says(s, EngineKind::kHybrid);
    Standings observed = only(wanted, Standing::kObserved);
    expect_same(s, EngineKind::kHb, engine_says(s, EngineKind::kHb), observed);
    expect_same(s, EngineKind::kHybrid, only(found, Standing::kObserved), observed);
    for (const auto& [byte, standing] : wanted) {
      if (standing != Standing::kPredicted) continue;
      ++predicted;
      missed += !found.contains(byte);
    }
    for (const auto& [byte, standing] : found)
      if (!wanted.contains(byte) && !oracle_allows(s).contains(byte))
        RC_FAIL("hybrid predicts " + s.place(byte) + ", the oracle does not");
  });
  std::printf("5 to 8 threads, up to 12 locks: %zu of %zu predicted bytes missed (%.3f %%)\n", missed, predicted,
              predicted == 0 ? 0.0 : 100.0 * static_cast<double>(missed) / static_cast<double>(predicted));
}

// The source documents' programs, in every interleaving and every mode.
TEST(Property, EveryInterleavingOfTheDocumentsPrograms) {
  struct Case {
    Program program;
    InterleavingOptions options;
  };
  for (const Case& c :
       {Case{figure_6_1(), {Switching::kAnywhere, 1}}, Case{figure_6_3(), {Switching::kOutsideLocks, 0}},
        Case{figure_6_7(), {}}, Case{figure_7_2(), {}}, Case{racefuzzer_fig_1(), {}}}) {
    for_each_interleaving(c.program, c.options, [](const Interleaving& i) {
      script::Script s = i.script;
      for (ConditionMode cv : {ConditionMode::kOff, ConditionMode::kLost, ConditionMode::kWriteRead}) {
        s.cv = cv;
        Standings wanted = oracle_says(s);
        ASSERT_EQ(engine_says(s, EngineKind::kHybrid), wanted)
            << script::print(s) << "oracle says: " << text_of(s, wanted);
        ASSERT_EQ(engine_says(s, EngineKind::kHb), only(wanted, Standing::kObserved)) << script::print(s);
      }
    });
  }
}

}  // namespace
}  // namespace norn::oracle
