// Memory that comes from the system and goes back there takes its shadow along, where the embedding can do that.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <memory>
#include <vector>

#include "core/detector.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"

namespace norn {
namespace {

constexpr Address kBlock = 0x7f00'0010'0010;  // neither end is a leaf's
constexpr uint64_t kSize = (uint64_t{4} << 20) + 24;
// Of all the granules there could be, only those around the block are there.
constexpr Address kWindow = 0x7f00'0000'0000;
constexpr size_t kShadowPerByte = sizeof(Granule) / kGranuleBytes;
constexpr size_t kWindowBytes = (size_t{8} << 20) * kShadowPerByte;
constexpr Address kMiddle = kBlock + (uint64_t{2} << 20);
constexpr uint64_t kStep = 512;
constexpr Address kLeafBytes = Address{1} << Leaf::kBits;

size_t discarded;
bool refuses;

bool discard(void* granules, size_t bytes) {
  if (refuses) return false;
  discarded += bytes;
  return madvise(granules, bytes, MADV_DONTNEED) == 0;
}

class ShadowTest : public testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    window_ = mmap(nullptr, kWindowBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ASSERT_NE(window_, MAP_FAILED);
    discarded = 0;
    refuses = false;
    discard_shadow = &discard;
    Options options;
    options.engine = GetParam();
    options.shadow_at = reinterpret_cast<uintptr_t>(window_) - (kWindow & Shadow::kFlatMask) * kShadowPerByte;
    ASSERT_TRUE(detector_->init(options, listener_into(pairs_)));
    main_ = detector_->add_root(0);
    first_ = detector_->fork(*main_, 1);
    second_ = detector_->fork(*main_, 2);
  }
  void TearDown() override {
    discard_shadow = nullptr;
    detector_.reset();
    munmap(window_, kWindowBytes);
  }

  void touch(Thread& thread) {
    for (uint64_t i = 0; i < kSize; i += kStep) detector_->write(thread, kBlock + i, 8, 1);
    detector_->write(thread, kBlock + kSize - 8, 8, 1);
  }

  TestingArena memory_;
  void* window_ = nullptr;
  std::unique_ptr<Detector> detector_ = std::make_unique<Detector>();
  std::vector<RacingPair> pairs_;
  Thread* main_ = nullptr;
  Thread* first_ = nullptr;
  Thread* second_ = nullptr;
};

TEST_P(ShadowTest, WhatIsUnmappedIsForgottenAndGivenBack) {
  touch(*first_);
  detector_->unmap(*first_, kBlock, kSize);
  EXPECT_GE(discarded, (kSize - 2 * kLeafBytes) * kShadowPerByte);
  touch(*second_);
  EXPECT_TRUE(pairs_.empty());
}

TEST_P(ShadowTest, WhatIsMappedIsNew) {
  touch(*first_);
  detector_->map(*second_, kBlock, kSize);
  EXPECT_GT(discarded, 0u);
  touch(*second_);
  EXPECT_TRUE(pairs_.empty());
}

TEST_P(ShadowTest, WhatLiesAroundStays) {
  detector_->write(*first_, kBlock - 4, 4, 1);
  detector_->write(*first_, kBlock + kSize, 4, 1);
  detector_->unmap(*first_, kBlock, kSize);
  detector_->write(*second_, kBlock - 4, 4, 1);
  EXPECT_EQ(pairs_.size(), 1u);
  detector_->write(*second_, kBlock + kSize, 4, 1);
  EXPECT_EQ(pairs_.size(), 2u);
}

TEST_P(ShadowTest, WhatIsUsedAgainIsChecked) {
  touch(*first_);
  detector_->unmap(*first_, kBlock, kSize);
  detector_->map(*second_, kBlock, kSize);
  detector_->write(*second_, kMiddle, 4, 1);
  detector_->write(*first_, kMiddle, 4, 1);
  EXPECT_EQ(pairs_.size(), 1u);
}

TEST_P(ShadowTest, WhereTheSystemRefusesAllIsForgottenAllTheSame) {
  refuses = true;
  touch(*first_);
  detector_->map(*second_, kBlock, kSize);
  touch(*second_);
  EXPECT_TRUE(pairs_.empty());
}

TEST_P(ShadowTest, SmallBlocksKeepTheirs) {
  detector_->write(*first_, kBlock, 4, 1);
  detector_->unmap(*first_, kBlock, kLeafBytes);
  EXPECT_EQ(discarded, 0u);
  detector_->write(*second_, kBlock, 4, 1);
  EXPECT_EQ(pairs_.size(), 1u);
}

// Where nothing was remembered yet, no fast path remembers so that it would not be found when the memory is new.
TEST_P(ShadowTest, WhatAFastPathRemembersFirstIsForgottenToo) {
  if (is_state_machine(GetParam())) return;  // it has no shadow words
  const auto where = [](StackId& found) {
    found = 1;
    return true;
  };
  Address at = kMiddle;
  for (Thread* thread : {first_, second_}) {  // one in each of the two places
    Thread* other = thread == first_ ? second_ : first_;
    detector_->write(*thread, kBlock + kGranuleBytes * thread->slot, 8, 1);  // its time has begun
    for (const bool tried : {true, false}) {
      at += 2 * kLeafBytes;
      Granule& granule = static_cast<Granule*>(window_)[(at - kWindow) / kGranuleBytes];
      (void)(tried ? detector_->access_again<AccessKind::kWrite, true>(*thread, granule, at, 8, false, where)
                   : detector_->access_again<AccessKind::kWrite>(*thread, granule, at, 8, false, where));
      detector_->allocate(*other, at, 8);
      detector_->write(*other, at, 8, 2);
    }
  }
  EXPECT_TRUE(pairs_.empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, ShadowTest,
                         testing::Values(EngineKind::kHb, EngineKind::kHybrid, EngineKind::kMsmShort));

}  // namespace
}  // namespace norn
