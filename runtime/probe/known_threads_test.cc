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

}  // namespace
}  // namespace norn::probe
