#include "classify/judgement.h"

#include <gtest/gtest.h>
#include <signal.h>

namespace norn::classify {
namespace {

using experiment::Harm;
using experiment::Reference;

StagedRun wrote(const std::string& output, int status = 0) {
  StagedRun run;
  run.output = output;
  run.exit = status;
  return run;
}
StagedRun crashed() {
  StagedRun run;
  run.signal = SIGSEGV;
  return run;
}

OrderedPair pair(const StagedRun& given, const StagedRun& flipped, bool is_random = false) {
  return {{{}, given}, {{}, flipped}, is_random};
}

std::vector<Harm> suspected(const std::vector<OrderedPair>& pairs, const Reference& reference = {}) {
  std::vector<Harm> harms;
  for (const Suspicion& suspicion : suspicions_in(pairs, reference)) harms.push_back(suspicion.harm);
  return harms;
}
const std::vector<Harm> kNothing = {};
const std::vector<Harm> kDifference = {Harm::kNone};
const std::vector<Harm> kCrash = {Harm::kCrash};

Reference that_crashes() {
  Reference reference;
  reference.failures.push_back({{Harm::kCrash, "SIGSEGV"}, ""});
  return reference;
}

TEST(Judgement, AlikeIsNothing) { EXPECT_EQ(suspected({pair(wrote("a"), wrote("a"))}), kNothing); }

TEST(Judgement, AnUnusualStatusIsADifferenceAndNoHarm) {
  Reference reference;
  reference.statuses = {0};
  EXPECT_EQ(suspected({pair(wrote("a"), wrote("a", 1))}, reference), kDifference);
}

TEST(Judgement, HarmOfOneOrderCounts) {
  EXPECT_EQ(suspected({pair(wrote("a"), crashed())}), kCrash);
  EXPECT_EQ(suspected({pair(crashed(), wrote("a"))}), kCrash);
  EXPECT_EQ(suspected({pair(wrote("a"), crashed())}, that_crashes()), kCrash);
}

TEST(Judgement, HarmOfBothOrdersCountsUnlessTheProgramFailsSoAnyway) {
  EXPECT_EQ(suspected({pair(crashed(), crashed())}).size(), 2u);
  EXPECT_EQ(suspected({pair(crashed(), crashed())}, that_crashes()), kNothing);
}

TEST(Judgement, HarmOfALaterScheduleInBothOrdersIsNotTheRaces) {
  EXPECT_EQ(suspected({pair(crashed(), crashed()), pair(wrote("a"), wrote("a"))}), kNothing);
}

TEST(Judgement, HarmByChanceInBothOrdersIsNotTheRaces) {
  const OrderedPair one = pair(wrote("a"), crashed(), true), other = pair(crashed(), wrote("a"), true);
  EXPECT_EQ(suspected({one, other}), kNothing);
  EXPECT_EQ(suspected({one, pair(wrote("a"), wrote("a"), true)}), kCrash);
}

TEST(Judgement, ADifferenceInTheSameScheduleCounts) {
  EXPECT_EQ(suspected({pair(wrote("a"), wrote("b"))}), kDifference);
  // Though the other order shows it, too, in another schedule.
  EXPECT_EQ(suspected({pair(wrote("a"), wrote("b")), pair(wrote("b"), wrote("b"))}), kDifference);
}

TEST(Judgement, TheOrderOfLinesDoesNotIfItDependsOnTheScheduleAlone) {
  const OrderedPair differs = pair(wrote("a\nb\n"), wrote("b\na\n"));
  EXPECT_EQ(suspected({differs}), kDifference);
  EXPECT_EQ(suspected({differs, pair(wrote("b\na\n"), wrote("b\na\n"))}), kNothing);
}

TEST(Judgement, ByChanceOnlyWhatTheOtherOrderNeverShowsCounts) {
  const OrderedPair differs = pair(wrote("a"), wrote("b"), true);
  EXPECT_EQ(suspected({differs}), kDifference);
  EXPECT_EQ(suspected({differs, pair(wrote("b"), wrote("a"), true)}), kNothing);
  EXPECT_EQ(suspected({differs, pair(wrote("b"), wrote("b"), true)}), kDifference);
}

TEST(Judgement, TheMostHarmfulComesFirst) {
  const std::vector<Harm> both = {Harm::kCrash, Harm::kNone};
  EXPECT_EQ(suspected({pair(wrote("a"), wrote("b")), pair(wrote("a"), crashed())}), both);
}

}  // namespace
}  // namespace norn::classify
