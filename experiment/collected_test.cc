#include "experiment/collected.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "experiment/verdict_text.h"

namespace norn::experiment {
namespace {

TEST(Share, IsSaidAsKOfN) {
  std::string error;
  const auto third = share_of("3/8", error);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->index, 2u);
  EXPECT_EQ(third->count, 8u);
  for (const char* bad : {"", "3", "0/8", "9/8", "/", "1/0", "a/b", "-1/2", "1/2/3", "1/99999999999"})
    EXPECT_FALSE(share_of(bad, error)) << bad;
}

TEST(Share, IsFoundInTheEnvironment) {
  std::string error;
  EXPECT_FALSE(share_of("env", error));
  setenv("SLURM_ARRAY_TASK_ID", "5", 1);
  setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
  setenv("SLURM_ARRAY_TASK_MIN", "3", 1);
  const auto of_array = share_of("env", error);
  ASSERT_TRUE(of_array);
  EXPECT_EQ(of_array->index, 2u);
  EXPECT_EQ(of_array->count, 4u);
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_EQ(share_of("env", error)->count, 2u);
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
                           "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"})
    unsetenv(name);
}

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

Verdicts written_and_read(const std::vector<Verdict>& verdicts, const std::vector<std::string>& command) {
  std::string error;
  const auto read = read_verdicts(json_of(verdicts, command), error);
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
  for (const Verdict& share : {first, second, third}) ASSERT_TRUE(add(sum, written_and_read({share}, {"./p", "x"})));
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
  ASSERT_TRUE(add(sum, written_and_read({race(1, 0, {}), explored}, {"./p"})));
  ASSERT_TRUE(add(sum, written_and_read({explored}, {"./p"})));
  EXPECT_EQ(sum.all.size(), 2u);
  EXPECT_FALSE(add(sum, written_and_read({explored}, {"./q"})));
}

TEST(Collected, WhatIsNoVerdictIsRefused) {
  for (const char* bad : {"", "{}", "[]", "{\"command\": [], \"confirm\": [{}]}", "{\"command\": 3, \"confirm\": []}",
                          "{\"command\": [], \"confirm\": [{\"id\": 7}]}"}) {
    std::string error;
    EXPECT_FALSE(read_verdicts(bad, error)) << bad;
    EXPECT_FALSE(error.empty());
  }
}

}  // namespace
}  // namespace norn::experiment
