#include "hive/verdict.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace norn::hive {
namespace {

struct Edge {
  State from;
  Label label;
  State to;
};

// Every edge that leads elsewhere, by hand, from the words of §3.5; all others stay.
const std::vector<Edge> kEdges = {
    {State::kUnknown, Label::kNotAliasing, State::kNotAliasing},
    {State::kUnknown, Label::kSingleContext, State::kSingleContext},
    {State::kUnknown, Label::kContext, State::kContext},
    {State::kUnknown, Label::kHighestTimeout, State::kTimeout},
    {State::kUnknown, Label::kNoRace, State::kSynchronized},
    {State::kUnknown, Label::kPrimary, State::kPrimary},
    {State::kUnknown, Label::kAlternate, State::kAlternate},
    {State::kNotAliasing, Label::kSingleContext, State::kSingleContext},
    {State::kNotAliasing, Label::kContext, State::kContext},
    {State::kNotAliasing, Label::kHighestTimeout, State::kTimeout},
    {State::kNotAliasing, Label::kNoRace, State::kSynchronized},
    {State::kNotAliasing, Label::kPrimary, State::kPrimary},
    {State::kNotAliasing, Label::kAlternate, State::kAlternate},
    {State::kSingleContext, Label::kContext, State::kContext},
    {State::kSingleContext, Label::kHighestTimeout, State::kTimeout},
    {State::kSingleContext, Label::kNoRace, State::kSynchronized},
    {State::kSingleContext, Label::kPrimary, State::kPrimary},
    {State::kSingleContext, Label::kAlternate, State::kAlternate},
    {State::kContext, Label::kHighestTimeout, State::kTimeout},
    {State::kContext, Label::kNoRace, State::kSynchronized},
    {State::kContext, Label::kPrimary, State::kPrimary},
    {State::kContext, Label::kAlternate, State::kAlternate},
    {State::kTimeout, Label::kNoRace, State::kSynchronized},
    {State::kTimeout, Label::kPrimary, State::kPrimary},
    {State::kTimeout, Label::kAlternate, State::kAlternate},
    {State::kSynchronized, Label::kPrimary, State::kPrimary},
    {State::kSynchronized, Label::kAlternate, State::kAlternate},
    {State::kPrimary, Label::kAlternate, State::kBoth},
    {State::kPrimary, Label::kCrash, State::kCrash},
    {State::kPrimary, Label::kHang, State::kHang},
    {State::kPrimary, Label::kMisbehaved, State::kMisbehaved},
    {State::kAlternate, Label::kPrimary, State::kBoth},
    {State::kAlternate, Label::kCrash, State::kCrash},
    {State::kAlternate, Label::kHang, State::kHang},
    {State::kAlternate, Label::kMisbehaved, State::kMisbehaved},
    {State::kBoth, Label::kCrash, State::kCrash},
    {State::kBoth, Label::kHang, State::kHang},
    {State::kBoth, Label::kMisbehaved, State::kMisbehaved},
    {State::kHang, Label::kCrash, State::kCrash},
    {State::kMisbehaved, Label::kCrash, State::kCrash},
    {State::kMisbehaved, Label::kHang, State::kHang},
};

class EachEdge : public testing::TestWithParam<Edge> {};
TEST_P(EachEdge, LeadsWhereTheDocumentSays) { EXPECT_EQ(next(GetParam().from, GetParam().label), GetParam().to); }
INSTANTIATE_TEST_SUITE_P(Verdict, EachEdge, testing::ValuesIn(kEdges));

TEST(Verdict, AllOtherEdgesStay) {
  std::set<std::pair<State, Label>> named;
  for (const Edge& edge : kEdges) named.emplace(edge.from, edge.label);
  for (size_t state = 0; state < kStates; ++state)
    for (size_t label = 0; label < kLabels; ++label)
      if (!named.contains({static_cast<State>(state), static_cast<Label>(label)}))
        EXPECT_EQ(next(static_cast<State>(state), static_cast<Label>(label)), static_cast<State>(state))
            << reason_of(static_cast<State>(state)) << " " << label;
}

// A true race is never taken back by a result, and nothing but a race leads to one.
TEST(Verdict, OnlyARaceMakesATrueRaceAndNothingUnmakesIt) {
  for (size_t state = 0; state < kStates; ++state)
    for (size_t label = 0; label < kLabels; ++label) {
      const auto from = static_cast<State>(state);
      const State to = next(from, static_cast<Label>(label));
      const bool race = static_cast<Label>(label) == Label::kPrimary || static_cast<Label>(label) == Label::kAlternate;
      EXPECT_EQ(verdict_of(to) == Verdict::kTrueRace, verdict_of(from) == Verdict::kTrueRace || race);
    }
}

Evidence with(ResultKind kind, uint64_t count, uint64_t sites = 1) {
  Evidence evidence;
  evidence.of(kind) = {count, sites};
  evidence.sites = sites;
  return evidence;
}

TEST(Verdict, NobodyRanIt) {
  EXPECT_EQ(derive({}, 20), State::kUnknown);
  EXPECT_EQ(derive(with(ResultKind::kNotSeen, 1000), 20), State::kUnknown);
  EXPECT_EQ(derive(with(ResultKind::kNotProbed, 1000), 20), State::kUnknown);
}

TEST(Verdict, NotMeetingSaysSomethingAfterEnoughExecutions) {
  EXPECT_EQ(derive(with(ResultKind::kNotAliasing, 19), 20), State::kUnknown);
  EXPECT_EQ(derive(with(ResultKind::kNotAliasing, 20), 20), State::kNotAliasing);
  EXPECT_EQ(derive(with(ResultKind::kSingleContext, 20), 20), State::kSingleContext);
  Evidence both = with(ResultKind::kNotAliasing, 19);
  both.of(ResultKind::kSingleContext) = {1, 1};
  EXPECT_EQ(derive(both, 20), State::kSingleContext);
  both.of(ResultKind::kContext) = {1, 1};
  EXPECT_EQ(derive(both, 20), State::kContext);
}

TEST(Verdict, ATimeoutCountsAtTheHighestTau) {
  Evidence evidence = with(ResultKind::kTimeout, 4);
  EXPECT_EQ(verdict_of(derive(evidence, 20)), Verdict::kUnknown);
  evidence.highest_timeout = {1, 1};
  EXPECT_EQ(derive(evidence, 20), State::kTimeout);
}

TEST(Verdict, ACrashAloneIsNoRace) {
  Evidence evidence = with(ResultKind::kCrash, 5, 5);
  EXPECT_EQ(derive(evidence, 20), State::kUnknown);
  evidence.of(ResultKind::kRace) = {1, 1};
  evidence.primary = {1, 1};
  EXPECT_EQ(reason_of(derive(evidence, 20)), "crash");
}

TEST(Verdict, OneSiteDoesNotSettleIt) {
  Evidence evidence = with(ResultKind::kRace, 3, 1);
  evidence.alternate = {3, 1};
  const State state = derive(evidence, 20);
  EXPECT_EQ(verdict_of(state), Verdict::kTrueRace);
  EXPECT_FALSE(is_settled(state, evidence));
  evidence.of(ResultKind::kRace).sites = 2;
  EXPECT_TRUE(is_settled(state, evidence));
  EXPECT_EQ(sites_for(state, evidence), 2U);
}

TEST(Verdict, NamesAreReadAgain) {
  for (size_t kind = 0; kind < kResultKinds; ++kind)
    EXPECT_EQ(result_kind(name_of(static_cast<ResultKind>(kind))), static_cast<ResultKind>(kind));
  EXPECT_FALSE(result_kind("Race"));
  EXPECT_EQ(order_of("both"), Order::kBoth);
  EXPECT_FALSE(order_of(""));
}

}  // namespace
}  // namespace norn::hive
