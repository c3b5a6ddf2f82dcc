#include "core/shadow/owner_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/detector.h"
#include "core/testing/detector_probe.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kData = 0x10000;
constexpr Address kLock = 0x40000;

TEST(OwnerTable, TellsEachAccessWithItsBytesOldestFirst) {
  alignas(16) uint32_t room[OwnerTable::kWords + 1] = {};
  uint32_t* words = room + 1;
  OwnerTable table(words);
  AccessHistory none;
  none.count = 0;
  table.fill(words, none);
  EXPECT_TRUE(OwnerTable::is_one(words));
  const auto at = [](ClockValue clock, AccessKind kind, unsigned mask, StackId stack) {
    return ShadowWord::of(ShadowWord::epoch_of(3, clock), kind, mask, stack);
  };
  table.take<AccessKind::kRead>(at(7, AccessKind::kRead, 0x0f, 1), 0x0f);
  table.take<AccessKind::kWrite>(at(5, AccessKind::kWrite, 0xc0, 2), 0xc0);
  table.take<AccessKind::kRead>(at(8, AccessKind::kRead, 0x02, 3), 0x02);
  table.take<AccessKind::kRead>(at(8, AccessKind::kRead, 0x06, 4), 0x06);    // the first of an epoch stays
  table.take<AccessKind::kWrite>(at(9, AccessKind::kWrite, 0x01, 5), 0x01);  // covers the read
  table.take<AccessKind::kRead>(at(9, AccessKind::kRead, 0x01, 6), 0x01);    // is stood for
  std::vector<ShadowWord> found;
  table.for_each([&](ShadowWord word) { found.push_back(word); });
  EXPECT_EQ(found, (std::vector<ShadowWord>{at(5, AccessKind::kWrite, 0xc0, 2), at(7, AccessKind::kRead, 0x08, 1),
                                            at(8, AccessKind::kRead, 0x02, 3), at(8, AccessKind::kRead, 0x04, 4),
                                            at(9, AccessKind::kWrite, 0x01, 5)}));
}

class OwnedGranule : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(detector_->init({}, listener_into(pairs_)));
    main_ = detector_->add_root(0);
    one_ = detector_->fork(*main_, 1);
    other_ = detector_->fork(*main_, 2);
  }
  // Another epoch, which nobody else comes to know of.
  void pass_time(Thread& thread) {
    detector_->lock_acquire(thread, kLock, LockMode::kExclusive, 90);
    detector_->lock_release(thread, kLock, LockMode::kExclusive);
  }
  // Each byte at an epoch of its own.
  void own(Thread& thread) {
    for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
      detector_->read(thread, kData + byte, 1, 1 + byte);
      pass_time(thread);
    }
    ASSERT_EQ(shape(), Shape::kOwned);
  }
  Shape shape() { return DetectorProbe::shape(*detector_, DetectorProbe::made_granule(*detector_, kData)); }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_ = std::make_unique<Detector>();
  std::vector<RacingPair> pairs_;
  Thread* main_ = nullptr;
  Thread* one_ = nullptr;
  Thread* other_ = nullptr;
};

TEST_F(OwnedGranule, StaysSoWhateverItsOwnerDoesWithoutLocks) {
  own(*one_);
  for (unsigned i = 0; i < 100; ++i) {
    detector_->write(*one_, kData + i % 4 * 2, 2, 20);
    detector_->read(*one_, kData + i % 8, 1, 21);
    if (i % 3 == 0) pass_time(*one_);
  }
  EXPECT_EQ(shape(), Shape::kOwned);
  EXPECT_TRUE(pairs_.empty());
}

TEST_F(OwnedGranule, TellsWhoComesWhichStatementsItRacesWith) {
  own(*one_);
  detector_->write(*other_, kData + 2, 2, 30);
  EXPECT_NE(shape(), Shape::kOwned);
  ASSERT_EQ(pairs_.size(), 2u);
  EXPECT_EQ(pairs_[0].standing, Standing::kObserved);
  EXPECT_EQ(pairs_[0].earlier.where, 3u);
  EXPECT_EQ(pairs_[1].earlier.where, 4u);
}

TEST_F(OwnedGranule, KnowsWhatWhoComesIsOrderedAfter) {
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    detector_->read(*one_, kData + byte, 1, 1 + byte);
    pass_time(*one_);
    if (byte == 4) pass_time(*other_);  // after bytes 0 to 4
  }
  ASSERT_EQ(shape(), Shape::kOwned);
  detector_->write(*other_, kData + 4, 1, 30);
  EXPECT_TRUE(pairs_.empty() || pairs_[0].standing == Standing::kPredicted);
  pairs_.clear();
  detector_->write(*other_, kData + 5, 1, 31);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].standing, Standing::kObserved);
}

TEST_F(OwnedGranule, IsLeftAloneWhileSomebodyHasItsLock) {
  own(*one_);
  Granule& granule = DetectorProbe::made_granule(*detector_, kData);
  const WordAccess access = {AccessKind::kRead, 0x01, 50, kData, false};
  DetectorProbe::begin(*detector_, *one_);
  {
    const GranuleLock lock(granule);
    EXPECT_FALSE(DetectorProbe::path_1_owner<AccessKind::kRead>(*detector_, *one_, granule, access));
    EXPECT_NE(lock.list, kUntouched);
  }
  EXPECT_EQ(shape(), Shape::kOwned);
  EXPECT_TRUE(DetectorProbe::path_1_owner<AccessKind::kRead>(*detector_, *one_, granule, access));
}

TEST_F(OwnedGranule, SurvivesCollections) {
  own(*one_);
  for (unsigned i = 0; i < 3; ++i) {
    detector_->request_collection();
    pass_time(*other_);
  }
  EXPECT_EQ(shape(), Shape::kOwned);
  detector_->write(*other_, kData + 7, 1, 30);
  ASSERT_EQ(pairs_.size(), 1u);
  EXPECT_EQ(pairs_[0].earlier.where, 8u);
}

TEST_F(OwnedGranule, IsNotThatOfWhoeverBeginsAgainInTheSlot) {
  ReleaseClock beginning;
  detector_->clock_release(*main_, beginning);
  detector_->clock_acquire(*one_, beginning);
  own(*one_);
  detector_->begin_again(*one_, beginning);
  detector_->write(*one_, kData, 1, 40);
  EXPECT_EQ(pairs_.size(), 1u);
}

}  // namespace
}  // namespace norn
