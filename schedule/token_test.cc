#include "schedule/token.h"

#include <gtest/gtest.h>

#include "schedule/order.h"

namespace norn::schedule {
namespace {

Token decoded(const std::string& text) {
  std::string error;
  auto token = decode(text, error);
  EXPECT_TRUE(token) << error;
  return std::move(token).value_or(Token());
}

TEST(Token, ComesBackAsItWas) {
  const Token token = {.strategy = StrategyKind::kRaceDirected,
                       .seed = 77777,
                       .depth = 5,
                       .length = 123456,
                       .accesses = true,
                       .sites = "3f9c1a02,77aa1",
                       .program = 0xdeadbeef,
                       .hash = 0x12345678,
                       .decisions = 98765};
  const std::string text = encode(token);
  EXPECT_LT(text.size(), 48u);
  const Token back = decoded(text);
  EXPECT_EQ(back.strategy, token.strategy);
  EXPECT_EQ(back.seed, token.seed);
  EXPECT_EQ(back.depth, token.depth);
  EXPECT_EQ(back.length, token.length);
  EXPECT_EQ(back.accesses, token.accesses);
  EXPECT_EQ(back.sites, token.sites);
  EXPECT_EQ(back.program, token.program);
  EXPECT_EQ(back.hash, token.hash);
  EXPECT_EQ(back.decisions, token.decisions);
}

TEST(Token, ConstraintsComeBack) {
  const Token back = decoded(encode({.strategy = StrategyKind::kReadsFrom, .sites = "3f9c1a02", .guide = "1>2,!3>4"}));
  EXPECT_EQ(back.guide, "1>2,!3>4");
  EXPECT_EQ(back.sites, "3f9c1a02");
}

TEST(Token, AnOrderComesBack) {
  const Order order = {.meeting = 300, .flipped = true, .holds = false, .later = 7, .from = 70000};
  const Token back = decoded(encode({.sites = "3f9c1a02", .guide = "1>2", .order = order.number(), .memory = true}));
  EXPECT_TRUE(back.memory);
  EXPECT_EQ(back.order, order.number());
  EXPECT_EQ(back.guide, "1>2");
  EXPECT_EQ(back.sites, "3f9c1a02");
  const Order read = Order::of(back.order);
  EXPECT_EQ(read.meeting, 300u);
  EXPECT_TRUE(read.flipped);
  EXPECT_FALSE(read.holds);
  EXPECT_EQ(read.later, 7u);
  EXPECT_EQ(read.from, 70000u);
}

TEST(Token, APredicateAndWhatIsLeftOutComeBack) {
  const Token back = decoded(
      encode({.sites = "3f9c1a02", .order = 5, .predicate = "queue.taken <= queue.put", .what_if = "bank.cpp:14"}));
  EXPECT_EQ(back.predicate, "queue.taken <= queue.put");
  EXPECT_EQ(back.what_if, "bank.cpp:14");
  EXPECT_EQ(back.order, 5u);
  EXPECT_EQ(back.sites, "3f9c1a02");
}

TEST(Token, TheInputsThatItNamesComeBack) {
  for (const uint64_t inputs : {uint64_t{1}, uint64_t{0x0123'4567'89ab'cdef}, ~uint64_t{0}}) {
    const Token back = decoded(encode({.sites = "3f9c1a02", .what_if = "bank.cpp:14", .inputs = inputs}));
    EXPECT_EQ(back.inputs, inputs);
    EXPECT_EQ(back.what_if, "bank.cpp:14");
    EXPECT_EQ(back.sites, "3f9c1a02");
  }
  EXPECT_EQ(decoded(encode({.sites = "3f9c1a02"})).inputs, 0u);
}

TEST(Token, SitesByLineAreWrittenOut) {
  const Token back = decoded(encode({.sites = "bank.cc@14,bank.cc@19"}));
  EXPECT_EQ(back.sites, "bank.cc@14,bank.cc@19");
}

TEST(Token, EveryBeginningOfOneIsRefused) {
  const std::string text = encode({.seed = 12345, .sites = "3f9c1a02,77aa1"});
  for (size_t size = 0; size < text.size(); ++size) {
    std::string error;
    EXPECT_FALSE(decode(text.substr(0, size), error)) << size;
    EXPECT_FALSE(error.empty());
  }
}

TEST(Token, EveryTypingErrorIsRefused) {
  for (const char* sites : {"3f9c1a02,77aa1", "bank.cc@14,bank.cc@19"}) {
    const std::string text = encode({.seed = 12345, .sites = sites});
    for (size_t at = 0; at < text.size(); ++at) {
      std::string wrong = text, error;
      wrong[at] = wrong[at] == 'x' ? 'y' : 'x';
      EXPECT_FALSE(decode(wrong, error)) << at;
      if (at == 0 || text[at] == text[at - 1]) continue;
      wrong = text;
      std::swap(wrong[at], wrong[at - 1]);
      EXPECT_FALSE(decode(wrong, error)) << at;
    }
  }
}

TEST(Token, GarbageIsRefusedWithTheReason) {
  std::string error;
  EXPECT_FALSE(decode("hello", error));
  EXPECT_EQ(error, "\"hello\" is not a replay token: norn confirm prints them");
  error.clear();
  EXPECT_FALSE(decode("n9AAAA", error));
  EXPECT_EQ(error, "the token is of another version of norn");
  error.clear();
  EXPECT_FALSE(decode("n2%%%%", error));
  EXPECT_EQ(error, "the token was cut off or changed");
}

TEST(Token, StrategiesHaveTheNamesOfTheOption) {
  for (const auto* name :
       {"random", "race-directed", "pct", "pos", "rr", "replay", "reads-from", "window", "selected", "frontier"}) {
    const auto kind = strategy_named(name);
    EXPECT_TRUE(kind && name_of(*kind) == name) << name;
  }
  EXPECT_FALSE(strategy_named("off"));
}

}  // namespace
}  // namespace norn::schedule
