#include "experiment/search/collected.h"

#include <gtest/gtest.h>

#include "experiment/verdict_text.h"

namespace norn::experiment {
namespace {

Verdict race(unsigned runs, unsigned confirmed, std::vector<SeenConsequence> consequences) {
  Verdict verdict;
  verdict.candidate.id = "a1";
  verdict.candidate.sites = "1,2";
  verdict.candidate.title = "race on z";
  verdict.runs = runs;
  verdict.confirmed = confirmed;
  verdict.mean_events = runs;
  verdict.consequences = std::move(consequences);
  return verdict;
}

Verdicts written_and_read(const std::vector<Verdict>& verdicts, const std::vector<std::string>& command,
                          const options::Share& share = {}) {
  std::string error;
  const auto read = read_verdicts(json_of(verdicts, command, share), error);
  EXPECT_TRUE(read) << error;
  return read.value_or(Verdicts());
}

TEST(Collected, IsTheSumOfItsShares) {
  Verdict first = race(10, 0, {{{Harm::kNone, ""}, 10, {}, "n2none"}});
  Verdict second =
      race(30, 5, {{{Harm::kNone, ""}, 4, {}, "n2nothing"}, {{Harm::kCrash, "SIGSEGV"}, 1, {}, "n2crash"}});
  Verdict third = race(10, 2, {{{Harm::kCrash, "SIGSEGV"}, 2, {}, "n2other"}});
  second.first_then_second = third.second_then_first = true;
  Verdicts sum;
  for (const Verdict& share : {first, second, third}) ASSERT_EQ(add(sum, written_and_read({share}, {"./p", "x"})), "");
  ASSERT_EQ(sum.all.size(), 1u);
  const Verdict& all = sum.all[0];
  EXPECT_EQ(all.runs, 50u);
  EXPECT_EQ(all.confirmed, 7u);
  EXPECT_TRUE(all.first_then_second && all.second_then_first);
  EXPECT_DOUBLE_EQ(all.mean_events, (10 * 10 + 30 * 30 + 10 * 10) / 50.0);
  // What runs did that did not confirm it does not count once one has.
  ASSERT_EQ(all.consequences.size(), 2u);
  EXPECT_EQ(all.consequences[0].consequence.harm, Harm::kCrash);
  EXPECT_EQ(all.consequences[0].count, 3u);
  EXPECT_EQ(all.consequences[0].replay, "n2crash");
  EXPECT_EQ(sum.command, (std::vector<std::string>{"./p", "x"}));
}

TEST(Collected, KeepsCandidatesApartAndProgramsOut) {
  Verdict explored;
  Verdicts sum;
  ASSERT_EQ(add(sum, written_and_read({race(1, 0, {}), explored}, {"./p"})), "");
  ASSERT_EQ(add(sum, written_and_read({explored}, {"./p"})), "");
  EXPECT_EQ(sum.all.size(), 2u);
  EXPECT_NE(add(sum, written_and_read({explored}, {"./q"})), "");
}

TEST(Collected, SaysWhichSharesAreMissing) {
  const Verdict explored;
  Verdicts sum;
  ASSERT_EQ(add(sum, written_and_read({explored}, {"./p"}, {.index = 2, .count = 4})), "");
  EXPECT_EQ(sum.missing(), (std::vector<unsigned>{1, 2, 4}));
  EXPECT_NE(add(sum, written_and_read({explored}, {"./p"}, {.index = 2, .count = 4})), "") << "twice";
  EXPECT_NE(add(sum, written_and_read({explored}, {"./p"}, {.index = 0, .count = 3})), "") << "of another division";
  for (const unsigned index : {0u, 1u, 3u})
    ASSERT_EQ(add(sum, written_and_read({explored}, {"./p"}, {.index = index, .count = 4})), "");
  EXPECT_TRUE(sum.missing().empty());
  EXPECT_TRUE(written_and_read({explored}, {"./p"}).missing().empty());
}

TEST(Collected, WhatIsNoVerdictIsRefused) {
  for (const char* bad :
       {"", "{}", "[]", "{\"command\": [], \"confirm\": [{}]}", "{\"command\": 3, \"confirm\": []}",
        "{\"command\": [], \"confirm\": [{\"id\": 7}]}", "{\"command\": [], \"confirm\": [], \"share\": [3, 2]}",
        "{\"command\": [], \"confirm\": [], \"share\": [-1, 4000000000]}",
        "{\"command\": [], \"confirm\": [], \"share\": 2}"}) {
    std::string error;
    EXPECT_FALSE(read_verdicts(bad, error)) << bad;
    EXPECT_FALSE(error.empty());
  }
}

}  // namespace
}  // namespace norn::experiment
