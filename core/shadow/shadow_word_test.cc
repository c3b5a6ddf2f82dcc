// The fields of a shadow word: each by itself, whatever the others are.
#include "core/shadow/shadow_word.h"

#include <gtest/gtest.h>

#include <bit>

#include "core/shadow/shadow.h"
#include "include/norn/abi.h"

namespace norn {
namespace {

constexpr AccessKind kKinds[] = {AccessKind::kRead,        AccessKind::kWrite, AccessKind::kAtomicRead,
                                 AccessKind::kAtomicWrite, AccessKind::kFree,  AccessKind::kBirth};
constexpr StackId kLastStack = (1u << ShadowWord::kStackBits) - 1;
constexpr ClockValue kLastClock = ShadowWord::kClockLimit - 1;
constexpr Slot kLastSlot = ShadowWord::kSlots - 1;

ShadowWord word_of(Slot slot, ClockValue clock, AccessKind kind, unsigned bytes, StackId stack, bool rmw = false) {
  return ShadowWord::of(ShadowWord::epoch_of(slot, clock), kind, bytes, stack, rmw);
}
const ShadowWord kFull =
    word_of(kLastSlot, kLastClock, AccessKind::kBirth, 0xff, kLastStack | ShadowWord::kPerByteStack, true);

TEST(ShadowWordTest, NoneIsAllZeroes) {
  EXPECT_TRUE(ShadowWord().is_none());
  EXPECT_EQ(ShadowWord().bits(), 0u);
  EXPECT_FALSE(kFull.is_none());
  EXPECT_FALSE(word_of(0, 1, AccessKind::kRead, 1, 0).is_none());
}

TEST(ShadowWordTest, Slot) {
  for (Slot slot = 0; slot < ShadowWord::kSlots; ++slot) {
    const ShadowWord word = word_of(slot, kLastClock, AccessKind::kBirth, 0xff, kLastStack, true);
    EXPECT_EQ(word.slot(), slot);
    EXPECT_EQ(word.position(), slot % 2u);
    EXPECT_EQ(ShadowWord::slot_of(word.epoch()), slot);
    EXPECT_EQ(word_of(slot, 1, AccessKind::kRead, 1, 0).slot(), slot);
    EXPECT_EQ(kFull.with_slot(slot).slot(), slot);
    EXPECT_EQ(kFull.with_slot(slot).with_slot(kLastSlot), kFull);
  }
  EXPECT_TRUE(ShadowWord::epoch_fits(kLastSlot, kLastClock));
  EXPECT_FALSE(ShadowWord::epoch_fits(ShadowWord::kSlots, 1));
}

TEST(ShadowWordTest, VectorClock) {
  for (unsigned bit = 0; bit < ShadowWord::kClockBits; ++bit) {
    const ClockValue clock = 1u << bit;
    EXPECT_EQ(word_of(kLastSlot, clock, AccessKind::kBirth, 0xff, kLastStack, true).clock(), clock);
    EXPECT_EQ(word_of(0, clock, AccessKind::kRead, 0, 0).clock(), clock);
    EXPECT_EQ(ShadowWord::clock_of(word_of(kLastSlot, clock, AccessKind::kRead, 0, 0).epoch()), clock);
  }
  EXPECT_FALSE(ShadowWord::epoch_fits(0, ShadowWord::kClockLimit));
  EXPECT_LT(ShadowWord::epoch_of(3, 7), ShadowWord::epoch_of(3, 8));
}

TEST(ShadowWordTest, Bytes) {
  for (unsigned bytes = 0; bytes < 256; ++bytes) {
    const ShadowWord word = word_of(kLastSlot, kLastClock, AccessKind::kBirth, bytes, kLastStack, true);
    EXPECT_EQ(word.bytes(), bytes);
    EXPECT_EQ(word_of(0, 1, AccessKind::kRead, bytes, 0).bytes(), bytes);
    EXPECT_EQ(word.touches(0x18), (bytes & 0x18) != 0);
    EXPECT_EQ(word.has_all(0x18), (bytes & 0x18) == 0x18);
    EXPECT_EQ(word.with(0x18).bytes(), bytes | 0x18);
    const ShadowWord left = word.without(0x0f);
    EXPECT_EQ(left.is_none(), (bytes & 0xf0) == 0);
    if (!left.is_none()) EXPECT_EQ(left.with(bytes), word);
  }
}

TEST(ShadowWordTest, Kind) {
  for (const AccessKind kind : kKinds) {
    EXPECT_EQ(word_of(kLastSlot, kLastClock, kind, 0xff, kLastStack, true).kind(), kind);
    const ShadowWord word = word_of(0, 1, kind, 0, 0);
    EXPECT_EQ(word.kind(), kind);
    EXPECT_EQ(word.is_free(), kind == AccessKind::kFree);
    EXPECT_EQ(word.is_birth(), kind == AccessKind::kBirth);
    EXPECT_EQ(word.is_store(), is_write(kind) && kind != AccessKind::kFree);
  }
}

// Every set that a path asks for, and those that need no shift, say what the table says.
template <AccessKind Now>
void expect_sets() {
  for (const AccessKind then : kKinds) {
    const ShadowWord word = word_of(kLastSlot, kLastClock, then, 0xff, kLastStack, true);
    EXPECT_EQ(word.is_one_of<conflicts_of(Now)>(), conflicts(Now, then));
    EXPECT_EQ(word.is_one_of<kinds_covered_by(Now)>(), covers(Now, then));
    EXPECT_EQ(word.is_one_of<kinds_standing_for(Now)>(), stands_for(then, Now));
  }
}
TEST(ShadowWordTest, SetsOfKinds) {
  expect_sets<AccessKind::kRead>();
  expect_sets<AccessKind::kWrite>();
  expect_sets<AccessKind::kAtomicRead>();
  expect_sets<AccessKind::kAtomicWrite>();
  expect_sets<AccessKind::kFree>();
  expect_sets<AccessKind::kBirth>();
}

TEST(ShadowWordTest, Rmw) {
  for (const bool rmw : {false, true}) {
    EXPECT_EQ(word_of(kLastSlot, kLastClock, AccessKind::kBirth, 0xff, kLastStack, rmw).is_rmw(), rmw);
    EXPECT_EQ(word_of(0, 1, AccessKind::kRead, 0, 0, rmw).is_rmw(), rmw);
  }
}

TEST(ShadowWordTest, Stack) {
  for (unsigned bit = 0; bit < ShadowWord::kStackBits; ++bit) {
    for (const StackId stack : {1u << bit, 1u << bit | ShadowWord::kPerByteStack}) {
      EXPECT_TRUE(ShadowWord::any_stack_fits(stack));
      const ShadowWord word = word_of(kLastSlot, kLastClock, AccessKind::kBirth, 0xff, stack, true);
      EXPECT_EQ(word.stack(), stack);
      EXPECT_EQ(word.is_per_byte(), (stack & ShadowWord::kPerByteStack) != 0);
      EXPECT_EQ(word.stack_bits(), ShadowWord::bits_of_stack(stack));
      EXPECT_EQ(kFull.with_stack_bits(word.stack_bits()), word);
    }
    EXPECT_TRUE(ShadowWord::stack_fits(1u << bit));
  }
  EXPECT_FALSE(ShadowWord::stack_fits(1u << ShadowWord::kStackBits));
  EXPECT_FALSE(ShadowWord::stack_fits(ShadowWord::kPerByteStack | 1));
  EXPECT_FALSE(ShadowWord::any_stack_fits(ShadowWord::kPerByteStack | 1u << ShadowWord::kStackBits));
}

// The fields are apart, and all 64 bits are some field's.
TEST(ShadowWordTest, FieldsShareNoBits) {
  const uint64_t fields[] = {
      word_of(kLastSlot, 0, AccessKind::kRead, 0, 0).bits(),
      word_of(0, (1u << ShadowWord::kClockBits) - 1, AccessKind::kRead, 0, 0).bits(),
      word_of(0, 0, AccessKind::kRead, 0xff, 0).bits(),
      ShadowWord::of(0, static_cast<AccessKind>(7), 0, 0).bits(),
      word_of(0, 0, AccessKind::kRead, 0, 0, true).bits(),
      word_of(0, 0, AccessKind::kRead, 0, ShadowWord::kPerByteStack).bits(),
      word_of(0, 0, AccessKind::kRead, 0, kLastStack).bits(),
  };
  uint64_t all = 0;
  int count = 0;
  for (const uint64_t field : fields) {
    all |= field;
    count += std::popcount(field);
  }
  EXPECT_EQ(all, ~uint64_t{0});
  EXPECT_EQ(count, 64);
}

// No access is as nobody's: not even the last that fits.
TEST(ShadowWordTest, NobodyIsNoThreads) { EXPECT_GE(ShadowWord::nobody().clock(), ShadowWord::kClockLimit); }

// What the compiler's check compares (include/norn/abi.h).
TEST(ShadowWordTest, TheCheckOfTheCompiler) {
  EXPECT_EQ(ShadowWord::kBitsOfWrites, NORN_FAST_WRITE_BITS);
  EXPECT_EQ(ShadowWord::kBytesAt, unsigned{NORN_FAST_BYTES_AT});
  EXPECT_EQ(sizeof(Granule), size_t{NORN_FAST_GRANULE});
  const ShadowWord write = word_of(7, 9, AccessKind::kWrite, 0xff, 5);
  const ShadowWord read = word_of(7, 9, AccessKind::kRead, 0xff, 6);
  EXPECT_TRUE(write.equals_in(read, ShadowWord::kBitsOfReads));
  EXPECT_FALSE(read.equals_in(write, ShadowWord::kBitsOfWrites));
  EXPECT_FALSE(write.equals_in(word_of(7, 10, AccessKind::kWrite, 0xff, 5), ShadowWord::kBitsOfReads));
  EXPECT_FALSE(write.equals_in(word_of(8, 9, AccessKind::kWrite, 0xff, 5), ShadowWord::kBitsOfReads));
  EXPECT_FALSE(write.equals_in(word_of(7, 9, AccessKind::kWrite, 0x7f, 5), ShadowWord::kBitsOfReads));
  EXPECT_FALSE(read.equals_in(word_of(7, 9, AccessKind::kAtomicRead, 0xff, 6), ShadowWord::kBitsOfReads));
}

}  // namespace
}  // namespace norn
