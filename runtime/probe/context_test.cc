#include "runtime/probe/context.h"

#include <gtest/gtest.h>

#include "runtime/probe/wire.h"

namespace norn::probe {
namespace {

using namespace wire;

constexpr uintptr_t kPlace = 0x7f00'0000'1000;

TEST(Context, OneThreadAtOneAddressIsNoContext) {
  Context context;
  EXPECT_EQ(context.note(0, false, {kPlace, 4}, 1), kReachedA);
  EXPECT_EQ(context.note(1, false, {kPlace, 4}, 1), kReachedA | kReachedB | kAliasing);
}

TEST(Context, TwoThreadsAtTwoAddressesAreNoContext) {
  Context context;
  (void)context.note(0, false, {kPlace, 4}, 1);
  EXPECT_EQ(context.note(1, false, {kPlace + 4, 4}, 2), kReachedA | kReachedB | kThreads);
}

TEST(Context, TwoThreadsAtOneAddressAreOne) {
  Context context;
  (void)context.note(0, false, {kPlace, 4}, 1);
  EXPECT_EQ(context.note(1, false, {kPlace, 4}, 2), kAllFacts);
}

TEST(Context, OneSiteIsBoth) {
  Context context;
  EXPECT_EQ(context.note(0, true, {kPlace, 4}, 1), kReachedA | kReachedB);
  EXPECT_EQ(context.note(0, true, {kPlace, 4}, 2), kAllFacts);
}

TEST(Context, BytesCountAndNotAddresses) {
  Context inside;
  (void)inside.note(0, false, {kPlace, 8}, 1);
  EXPECT_TRUE(inside.note(1, false, {kPlace + 7, 1}, 2) & kShared);
  Context reaches_in;  // from the granule before
  (void)reaches_in.note(0, false, {kPlace - 4, 8}, 1);
  EXPECT_TRUE(reaches_in.note(1, false, {kPlace + 2, 2}, 2) & kShared);
  Context behind;
  (void)behind.note(0, false, {kPlace, 12}, 1);
  EXPECT_FALSE(behind.note(1, false, {kPlace + 12, 4}, 2) & kShared);
}

TEST(Context, ThreadsThatGoThroughAStructureOneAfterTheOtherAreSeen) {
  Context context;
  for (unsigned i = 0; i < 16; ++i) (void)context.note(0, false, {kPlace + 16 * i, 8}, 1);
  EXPECT_TRUE(context.note(1, false, {kPlace, 8}, 2) & kShared);
}

TEST(Context, ARangeIsSeenInAllItsParts) {
  Context context;
  (void)context.note(0, false, {kPlace, 100}, 1);
  EXPECT_TRUE(context.note(1, false, {kPlace + 90, 1}, 2) & kShared);
}

TEST(Context, ClearedItKnowsNothing) {
  Context context;
  (void)context.note(0, false, {kPlace, 4}, 1);
  context.clear();
  EXPECT_EQ(context.facts(), 0);
  EXPECT_EQ(context.note(1, false, {kPlace, 4}, 2), kReachedB);
}

}  // namespace
}  // namespace norn::probe
