#include "core/order/sync.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "core/testing/test_arena.h"

namespace norn {
namespace {

constexpr unsigned kSlots = 8;

// A release clock is known by the slots that its clocks have.
class SpinClocksTest : public testing::Test {
 protected:
  ~SpinClocksTest() override { clocks_.forget(arena_, SpinClocks::kAllBytes); }

  void assign(unsigned mask, unsigned slot) { change(mask, slot, &SpinClocks::assign); }
  void join(unsigned mask, unsigned slot) { change(mask, slot, &SpinClocks::join); }
  std::set<unsigned> found(unsigned mask) {
    VectorClocks clocks;
    EXPECT_TRUE(clocks_.collect(arena_, mask, clocks));
    std::set<unsigned> slots;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (clocks.full.get(static_cast<Slot>(slot)) != 0) slots.insert(slot);
    }
    clocks.clear(arena_);
    return slots;
  }

  TestingArena scope_;
  Arena arena_;
  SpinClocks clocks_;

 private:
  void change(unsigned mask, unsigned slot, bool (SpinClocks::*how)(Arena&, unsigned, const VectorClocks&)) {
    VectorClocks clocks;
    ASSERT_TRUE(clocks.raise(arena_, static_cast<Slot>(slot), 1));
    ASSERT_TRUE((clocks_.*how)(arena_, mask, clocks));
    clocks.clear(arena_);
  }
};

TEST_F(SpinClocksTest, BytesKeepWhatTheyHave) {
  assign(0xff, 1);
  join(0x0f, 2);
  assign(0x03, 3);
  EXPECT_EQ(found(0x01), std::set<unsigned>({3}));
  EXPECT_EQ(found(0x04), std::set<unsigned>({1, 2}));
  EXPECT_EQ(found(0x80), std::set<unsigned>({1}));
  clocks_.forget(arena_, 0xfc);
  EXPECT_EQ(found(0xfc), std::set<unsigned>());
  EXPECT_EQ(found(0xff), std::set<unsigned>({3}));
}

TEST_F(SpinClocksTest, BytesWithTheSameClockAreOne) {
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) assign(1u << byte, byte < 4 ? 1 : 2);
  EXPECT_EQ(clocks_.count(), kGranuleBytes);
  clocks_.unite(arena_);
  EXPECT_EQ(clocks_.count(), 2u);
  join(0xff, 3);
  EXPECT_EQ(clocks_.count(), 2u);
  join(0x0f, 2);
  join(0xf0, 1);
  EXPECT_EQ(clocks_.count(), 2u) << "each of them was changed alone";
  join(0xff, 3);
  EXPECT_EQ(clocks_.count(), 1u);
  EXPECT_EQ(found(0xff), std::set<unsigned>({1, 2, 3}));
}

TEST_F(SpinClocksTest, AnythingDoneToAnyBytes) {
  std::mt19937 random(7);
  std::set<unsigned> expected[kGranuleBytes];
  for (int step = 0; step < 20000; ++step) {
    const unsigned mask = 1 + static_cast<unsigned>(random() % SpinClocks::kAllBytes);
    const auto slot = static_cast<unsigned>(random() % kSlots);
    const auto what = random() % 4;
    if (what == 0) assign(mask, slot);
    if (what == 1) join(mask, slot);
    if (what == 2) clocks_.forget(arena_, mask);
    if (what == 3) clocks_.unite(arena_);
    for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
      if (what != 3 && (mask >> byte & 1) != 0) {
        if (what != 1) expected[byte].clear();
        if (what != 2) expected[byte].insert(slot);
      }
      ASSERT_EQ(found(1u << byte), expected[byte]) << "step " << step << ", byte " << byte;
    }
  }
}

class SpinObjectTest : public testing::Test {
 protected:
  SpinObjectTest() {
    EXPECT_TRUE(shadow_.init(arena_, 0));
    EXPECT_TRUE(table_.init(arena_, shadow_, wants_collection_));
    object_ = table_.get<SpinObject>(kAt, SyncFamily::kSpin);
    VectorClocks clocks;
    EXPECT_TRUE(clocks.raise(arena_, 1, 1));
    EXPECT_TRUE(object_->spin.assign(arena_, SpinClocks::kAllBytes, clocks));
    clocks.clear(arena_);
  }
  bool has(unsigned byte) {
    VectorClocks clocks;
    EXPECT_TRUE(object_->spin.collect(arena_, 1u << byte, clocks));
    const bool any = !clocks.full.empty();
    clocks.clear(arena_);
    return any;
  }
  bool is_there() { return table_.find(kAt, SyncFamily::kSpin) != nullptr; }

  static constexpr Address kAt = 0x5000;
  TestingArena scope_;
  Arena arena_;
  Shadow shadow_{};
  std::atomic<bool> wants_collection_{false};
  SyncTable table_{};
  SpinObject* object_ = nullptr;
};

TEST_F(SpinObjectTest, GoesWithItsGranule) {
  table_.remove_range(kAt - 64, kAt);
  EXPECT_TRUE(is_there());
  table_.remove_range(kAt, kAt + kGranuleBytes);
  EXPECT_FALSE(is_there());
}

TEST_F(SpinObjectTest, ForgetsTheBytesThatGo) {
  table_.remove_range(kAt + 6, kAt + 64);
  ASSERT_TRUE(is_there());
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) EXPECT_EQ(has(byte), byte < 6);
  table_.remove_range(kAt - 64, kAt + kWordBytes);
  ASSERT_TRUE(is_there());
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) EXPECT_EQ(has(byte), byte == 4 || byte == 5);
  table_.remove_range(kAt + kWordBytes, kAt + kGranuleBytes);
  ASSERT_TRUE(is_there()) << "only a granule that goes at once takes it along";
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) EXPECT_FALSE(has(byte));
  table_.remove_range(kAt, kAt + kGranuleBytes);
  EXPECT_FALSE(is_there()) << "it was found although each of its words had gone before";
}

TEST_F(SpinObjectTest, AWordIsDestroyed) {
  table_.forget_spins(kAt + kWordBytes, kAt + kGranuleBytes);
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) EXPECT_EQ(has(byte), byte < kWordBytes);
  table_.forget_spins(kAt + 64, kAt + 64 + kWordBytes);
}

// What a record holds, as order.md says it: the last 64 accesses, none of whose bytes were recorded before.
TEST(AccessRecord, OfOneGrainOrTwo) {
  constexpr Address kEnds[] = {0x5000, 0x7fff * 8};  // the second and what follows it have the same place
  for (const Address at : kEnds) {
    AccessRecord record{};
    record.add({at, at + 16});
    record.add({at + 4, at + 12});
    EXPECT_EQ(record.size(), 1u);
    record.add({at + 16, at + 24});
    record.add({at + 12, at + 28});
    EXPECT_EQ(record.size(), 3u);
    EXPECT_TRUE(record.overlaps({at + 27, at + 30}));
    EXPECT_FALSE(record.overlaps({at + 28, at + 40}));
    record.clear();
    EXPECT_EQ(record.size(), 0u);
    EXPECT_FALSE(record.overlaps({at, at + 32}));
  }
}

TEST(AccessRecord, EmptiedWithFewOrMany) {
  AccessRecord record{};
  for (const unsigned count : {1u, 4u, 5u, 64u, 80u, 3u}) {
    for (unsigned i = 0; i < count; ++i) record.add({0x9000 + 32 * i, 0x9000 + 32 * i + 16});
    EXPECT_EQ(record.size(), count < AccessRecord::kSize ? count : AccessRecord::kSize);
    record.clear();
    EXPECT_EQ(record.size(), 0u);
    EXPECT_FALSE(record.overlaps({0x9000, 0x9000 + 32 * 80}));
    EXPECT_FALSE(record.overlaps({0x9008, 0x9010}));
  }
}

}  // namespace
}  // namespace norn
