#include "runtime/probe/ordered_objects.h"

#include <gtest/gtest.h>

#include <memory>

namespace norn::probe {
namespace {

TEST(OrderedObjects, HasWhatWasAdded) {
  const auto objects = std::make_unique<OrderedObjects>();
  objects->begin(1);
  EXPECT_FALSE(objects->contains(0x1000, Passes::kToAll));
  objects->add(0x1000, Passes::kToAll);
  EXPECT_TRUE(objects->contains(0x1000, Passes::kToAll));
  EXPECT_FALSE(objects->contains(0x1008, Passes::kToAll));
}

TEST(OrderedObjects, ReadersPassNothingToReaders) {
  const auto objects = std::make_unique<OrderedObjects>();
  objects->begin(1);
  objects->add(0x1000, Passes::kToWriters);
  EXPECT_FALSE(objects->contains(0x1000, Passes::kToAll));
  EXPECT_TRUE(objects->contains(0x1000, Passes::kToWriters));
}

TEST(OrderedObjects, AnotherWatchBeginsWithNothing) {
  const auto objects = std::make_unique<OrderedObjects>();
  objects->begin(1);
  objects->add(0x1000, Passes::kToAll);
  objects->begin(2);
  EXPECT_FALSE(objects->contains(0x1000, Passes::kToAll));
  EXPECT_EQ(objects->size(), 0U);
}

TEST(OrderedObjects, MoreThanThereIsRoomForIsEverything) {
  const auto objects = std::make_unique<OrderedObjects>();
  objects->begin(1);
  for (uintptr_t i = 1; i <= OrderedObjects::kMost; ++i) objects->add(i * 64, Passes::kToAll);
  for (uintptr_t i = 1; i <= OrderedObjects::kMost; ++i) ASSERT_TRUE(objects->contains(i * 64, Passes::kToAll));
  EXPECT_FALSE(objects->contains(8, Passes::kToAll));
  objects->add(8, Passes::kToAll);
  EXPECT_TRUE(objects->contains(16, Passes::kToAll));
  objects->begin(2);
  EXPECT_FALSE(objects->contains(16, Passes::kToAll));
}

}  // namespace
}  // namespace norn::probe
