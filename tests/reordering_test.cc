// The engine that proves races by reordering, against all reorderings of small traces; and the checker of its
// witnesses, against the rules that it must notice.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "analyze/sync_preserving.h"
#include "analyze/witness_checker.h"
#include "tests/oracle/reorderings.h"
#include "trace/event_names.h"

namespace norn::analyze {
namespace {

using Pairs = std::set<std::pair<StackId, StackId>>;

struct Judgement {
  Pairs pairs;
  std::vector<Witness> witnesses;
};

Judgement judge(const std::vector<Event>& trace) {
  Judgement judgement;
  SyncPreserving engine({.identity = [](StackId where) { return uint64_t{where}; },
                         .counts = [](ThreadId, ThreadId, bool) { return true; },
                         .found =
                             [&](const SyncPreserving::Race& race) {
                               judgement.pairs.insert(std::minmax(race.earlier.where, race.later.where));
                               judgement.witnesses.push_back(race.witness);
                             }});
  for (size_t i = 0; i < trace.size(); ++i) engine.add(trace[i], i, false);
  engine.begin_second_pass();
  for (size_t i = 0; i < trace.size(); ++i) engine.add(trace[i], i, false);
  EXPECT_EQ(engine.refusal(), "");
  return judgement;
}

std::vector<std::string> check(const std::vector<Event>& trace, const std::vector<Witness>& witnesses) {
  WitnessChecker checker(witnesses);
  for (size_t i = 0; i < trace.size(); ++i) checker.add(trace[i], i);
  return checker.finish();
}

std::string text_of(const std::vector<Event>& trace) {
  std::string text;
  for (size_t i = 0; i < trace.size(); ++i) {
    const Event& e = trace[i];
    const Text name = trace::event_name(e.kind);
    text += std::to_string(i) + " t" + std::to_string(e.thread) + " " + std::string(name.data, name.size) + " " +
            std::to_string(e.address) + "+" + std::to_string(e.size) + " other " + std::to_string(e.other) +
            (e.mode == LockMode::kShared ? " shared" : "") + " where " + std::to_string(e.where) + "\n";
  }
  return text;
}

std::string text_of(const Pairs& pairs) {
  std::string text;
  for (const auto& [a, b] : pairs) text += "(" + std::to_string(a) + ", " + std::to_string(b) + ") ";
  return text;
}

uint64_t number_in(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(SyncPreserving, FindsTheRacesThatAllReorderingsHave) {
  const uint64_t seed = number_in("NORN_SEED", 1);
  const uint64_t traces = number_in("NORN_TRACES", 6000);
  size_t races = 0;
  size_t wrong_witnesses = 0;
  for (uint64_t i = 0; i < traces; ++i) {
    oracle::Dice dice(seed * 1000003 + i);
    const std::vector<Event> trace = oracle::random_trace(dice, 6 + dice.below(9));
    const Pairs wanted = oracle::races_by_reordering(trace);
    const Judgement found = judge(trace);
    ASSERT_EQ(text_of(found.pairs), text_of(wanted)) << "trace " << i << "\n" << text_of(trace);
    for (const std::string& wrong : check(trace, found.witnesses))
      ASSERT_EQ(wrong, "") << "trace " << i << "\n" << text_of(trace);
    races += wanted.size();

    // A thread that does more or less: where the checker agrees, the two accesses must race still.
    for (Witness witness : found.witnesses) {
      const ThreadId thread = static_cast<ThreadId>(1 + dice.below(3));
      witness.until[thread] = dice.below(trace.size());
      if (!check(trace, {witness})[0].empty()) {
        ++wrong_witnesses;
        continue;
      }
      const auto pair = std::minmax(trace[witness.earlier].where, trace[witness.later].where);
      ASSERT_TRUE(wanted.contains(pair)) << "trace " << i << "\n" << text_of(trace);
    }
  }
  // The test means something.
  EXPECT_GT(races, traces / 2);
  EXPECT_GT(wrong_witnesses, traces / 10);
}

// Any two accesses and any beginnings of threads: what the checker lets pass must be a race.
TEST(WitnessChecker, LetsNothingPassThatIsNoRace) {
  const uint64_t seed = number_in("NORN_SEED", 1);
  size_t passed = 0;
  for (uint64_t i = 0; i < 2000; ++i) {
    oracle::Dice dice(seed * 2000003 + i);
    const std::vector<Event> trace = oracle::random_trace(dice, 5 + dice.below(6));
    const Pairs races = oracle::races_by_reordering(trace);
    std::vector<Witness> witnesses;
    for (size_t a = 0; a < trace.size(); ++a) {
      for (size_t b = a + 1; b < trace.size(); ++b) {
        if (trace[a].size == 0 || trace[b].size == 0) continue;
        for (int attempt = 0; attempt < 3; ++attempt) {
          Witness witness;
          for (ThreadId thread = 1; thread <= 3; ++thread)
            if (dice.chance(80)) witness.until[thread] = dice.below(trace.size());
          if (a > 0) witness.until[trace[a].thread] = a - 1;
          if (b > 0) witness.until[trace[b].thread] = b - 1;
          witness.earlier = a;
          witness.later = b;
          witness.address = std::max(trace[a].address, trace[b].address);
          witnesses.push_back(witness);
        }
      }
    }
    const std::vector<std::string> answers = check(trace, witnesses);
    for (size_t k = 0; k < answers.size(); ++k) {
      if (!answers[k].empty()) continue;
      ++passed;
      const auto pair = std::minmax(trace[witnesses[k].earlier].where, trace[witnesses[k].later].where);
      ASSERT_TRUE(races.contains(pair)) << "trace " << i << "\n" << text_of(trace) << pair.first << " " << pair.second;
    }
  }
  EXPECT_GT(passed, 500U);
}

}  // namespace
}  // namespace norn::analyze
