#include "experiment/search/corpus.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/string_sink.h"

namespace norn::experiment {
namespace {

using schedule::Constraint;
using schedule::ReadsFromPair;

std::vector<ReadsFromPair> constrained(const std::string& text) {
  Constraint constraints[schedule::kMaxConstraints];
  const uint32_t count = schedule::read_constraints(text_of(text), constraints);
  std::vector<ReadsFromPair> pairs;
  for (uint32_t i = 0; i < count; ++i) pairs.push_back(constraints[i].pair);
  return pairs;
}

TEST(Corpus, CountsWhatIsNew) {
  Corpus corpus(1);
  EXPECT_EQ(corpus.next(), "");  // nothing is known to ask for
  EXPECT_EQ(corpus.add("", {{1, 2}, {3, 4}}), 2u);
  EXPECT_EQ(corpus.add("", {{1, 2}}), 0u);
  EXPECT_EQ(corpus.add("", {{1, 4}, {1, 2}}), 1u);
  EXPECT_EQ(corpus.pairs(), 3u);
}

TEST(Corpus, AsksForPairsThatWereNotSeen) {
  Corpus corpus(1);
  // 1, 2 and 3 access one variable, 7 and 8 another: 3 may read from 1, but nothing of the one reads from the other.
  corpus.add("", {{1, 2}, {2, 3}, {7, 8}});
  bool asked = false;
  for (int i = 0; i < 1000; ++i) {
    for (const ReadsFromPair& pair : constrained(corpus.next())) {
      asked = asked || pair == ReadsFromPair{1, 3};
      EXPECT_EQ(pair.write >= 7, pair.read >= 7);
    }
  }
  EXPECT_TRUE(asked);
}

TEST(Corpus, IsKeptForTheSameProgramAlone) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "norn-corpus").string();
  {
    Corpus corpus(1);
    corpus.add("1>2,!3>4", {{1, 2}, {3, 4}});
    ASSERT_TRUE(corpus.save(path, 77));
  }
  Corpus same(1), other(1), broken(1);
  same.load(path, 77);
  EXPECT_EQ(same.pairs(), 2u);
  EXPECT_EQ(same.schedules(), 1u);
  EXPECT_EQ(same.add("", {{1, 2}}), 0u);
  other.load(path, 78);
  EXPECT_EQ(other.pairs(), 0u);
  std::ofstream(path) << "norn corpus 1 0000004d\np 1>\ns \nx\n\xff\xfe";
  broken.load(path, 77);
  EXPECT_EQ(broken.pairs(), 0u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace norn::experiment
