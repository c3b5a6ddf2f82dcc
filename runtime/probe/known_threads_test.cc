#include "runtime/probe/known_threads.h"

#include <gtest/gtest.h>

#include <memory>

namespace norn::probe {
namespace {

TEST(KnownThreads, NumbersAreNeverGivenTwice) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* first = threads->add();
  const uint32_t number = first->number;
  threads->remove(*first);
  KnownThread* second = threads->add();
  EXPECT_EQ(first, second);
  EXPECT_NE(number, second->number);
}

TEST(KnownThreads, AnEndedThreadIsFoundUntilItIsJoined) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* thread = threads->add();
  thread->handle = 77;
  threads->end(*thread);
  EXPECT_EQ(threads->live(), 0U);
  ASSERT_EQ(threads->find(77), thread);
  threads->remove(*thread);
  EXPECT_EQ(threads->find(77), nullptr);
}

// The C library gives the handle of a joined thread to the next, which may have begun before the first was forgotten.
TEST(KnownThreads, OfOneHandleTheOldestThatEndedWasJoined) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* first = threads->add();
  KnownThread* second = threads->add();
  first->handle = second->handle = 77;
  EXPECT_EQ(threads->find_ended(77), nullptr);
  threads->end(*second);
  EXPECT_EQ(threads->find_ended(77), second);
  threads->end(*first);
  EXPECT_EQ(threads->find_ended(77), first);
}

TEST(KnownThreads, NobodyJoinsADetachedThread) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* thread = threads->add();
  thread->handle = 77;
  thread->detached = true;
  threads->end(*thread);
  EXPECT_EQ(threads->find(77), nullptr);
}

TEST(KnownThreads, AllThatLiveMustComeAfter) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* a = threads->add();
  KnownThread* b = threads->add();
  a->after = 5;
  EXPECT_FALSE(threads->all_after(5));
  b->after = 4;  // of an older watch
  EXPECT_FALSE(threads->all_after(5));
  b->after = 5;
  EXPECT_TRUE(threads->all_after(5));
  KnownThread* c = threads->add();
  EXPECT_FALSE(threads->all_after(5));
  threads->end(*c);
  EXPECT_TRUE(threads->all_after(5));
}

TEST(KnownThreads, AChildHasTheForkingThreadAlone) {
  const auto threads = std::make_unique<KnownThreads>();
  (void)threads->add();
  KnownThread* forks = threads->add();
  threads->keep_only(forks);
  EXPECT_EQ(threads->live(), 1U);
  EXPECT_EQ(forks->life, Life::kLive);
}

TEST(KnownThreads, ThreadsThatNobodyJoinedMakeRoom) {
  const auto threads = std::make_unique<KnownThreads>();
  for (size_t i = 0; i < KnownThreads::kMost; ++i) ASSERT_NE(threads->add(), nullptr);
  EXPECT_EQ(threads->add(), nullptr);
  const auto other = std::make_unique<KnownThreads>();
  for (size_t i = 0; i < KnownThreads::kMost; ++i) other->end(*other->add());
  EXPECT_NE(other->add(), nullptr);
}

TEST(KnownThreads, WhoWaitsForAnEndComesAfterIt) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* main = threads->add();
  KnownThread* outer = threads->add();
  KnownThread* inner = threads->add();
  main->handle = 1;
  outer->handle = 2;
  inner->handle = 3;
  inner->after = 7;
  EXPECT_FALSE(threads->all_after(7));
  main->joins = 2;
  outer->joins = 3;
  EXPECT_TRUE(threads->all_after(7));
  EXPECT_FALSE(threads->all_after(8));
  // It has ended: who waited may go on before anybody learns of it.
  threads->end(*inner);
  EXPECT_FALSE(threads->all_after(7));
}

TEST(KnownThreads, ThreadsInARingComeAfterNothing) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* one = threads->add();
  KnownThread* two = threads->add();
  one->handle = 1;
  two->handle = 2;
  one->joins = 2;
  two->joins = 1;
  EXPECT_FALSE(threads->all_after(7));
}

TEST(KnownThreads, WhoWasNotSeenSinceTheArmingIsPassedOver) {
  const auto threads = std::make_unique<KnownThreads>();
  KnownThread* seen = threads->add();
  KnownThread* asleep = threads->add();
  KnownThread* waiting = threads->add();
  KnownThread* announced = threads->add();
  seen->handle = 1;
  asleep->handle = 2;
  waiting->handle = 3;
  seen->awake = 5;
  asleep->awake = 4;
  waiting->waits = true;
  EXPECT_TRUE(threads->pass_over(7, 5));
  EXPECT_EQ(seen->after, 0U);
  EXPECT_EQ(asleep->after, 7U);
  EXPECT_EQ(waiting->after, 0U);
  EXPECT_EQ(announced->after, 0U);
  EXPECT_FALSE(threads->pass_over(7, 5));
}

}  // namespace
}  // namespace norn::probe
