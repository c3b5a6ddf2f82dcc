// A remembered access in 64 bits: TSan's Shadow.
//
//   bit  63     56 55        34 33    26 25  23  22    21      20         0
//       | slot 8  | clock 22   | bytes 8 | kind 3 | rmw | per-byte | stack id 21 |
//
// slot, clock: the epoch of the access, whose and when.
// bytes:       which of the granule's eight it touched, a bit each.
// kind:        AccessKind. The first bit is set for writes and allocations.
// rmw:         all its bytes were accessed by the same segment before it wrote them (x++).
// per-byte:    the stack id is the number of a per-byte stack (core/shadow/per_byte_stacks.h).
//
// All zeroes is no access. The locks that it was made under are not here: a granule has them in its second cell, a byte
// each (core/order/segment_locks.h), and the read-shared table has them in the place of the slot.
//
// The compiler puts a check before every access that compares such words (include/norn/abi.h, docs/design/fastpath.md):
// bits() is a contract with it.
#pragma once

#include <stdint.h>

#include "core/access_kind.h"
#include "core/event.h"
#include "core/order/clock.h"

namespace norn {

class ShadowWord {
 public:
  static constexpr unsigned kStackBits = 21;
  static constexpr unsigned kClockBits = 22;
  static constexpr unsigned kSlotBits = 8;
  static constexpr unsigned kPerByteAt = kStackBits;
  static constexpr unsigned kRmwAt = 22;
  static constexpr unsigned kKindAt = 23;
  static constexpr unsigned kBytesAt = 26;
  static constexpr unsigned kClockAt = 34;
  static constexpr unsigned kSlotAt = 56;

  static constexpr unsigned kSlots = 1u << kSlotBits;
  // Clock values that fit, but for the one of nobody().
  static constexpr ClockValue kClockLimit = (1u << kClockBits) - 1;
  static constexpr unsigned kAllBytes = 0xff;
  // A stack id with this bit is a per-byte one. No embedding has such.
  static constexpr StackId kPerByteStack = StackId{1} << 31;

  // The bits that two words must have in common so that one access stands for the other. A write stands for a read.
  static constexpr uint64_t kBitsOfWrites = ~uint64_t{0} << kKindAt;
  static constexpr uint64_t kBitsOfReads = kBitsOfWrites << 1;
  static constexpr uint64_t kBitsOfEpoch = ~uint64_t{0} << kClockAt;
  static constexpr uint64_t kBitsOfBytes = uint64_t{kAllBytes} << kBytesAt;
  static constexpr uint64_t kBitsOfStack = (uint64_t{1} << kRmwAt) - 1;  // with the bit that says per-byte

  constexpr ShadowWord() = default;
  [[nodiscard]] static constexpr ShadowWord from_bits(uint64_t bits) { return ShadowWord(bits); }
  // Of no thread, at no time.
  [[nodiscard]] static constexpr ShadowWord nobody() { return ShadowWord(~uint64_t{0}); }
  // `epoch` as epoch() has it. The stack has room (stack_fits()).
  [[nodiscard, gnu::always_inline]] static constexpr ShadowWord of(uint32_t epoch, AccessKind kind, unsigned bytes,
                                                                   StackId stack, bool rmw = false) {
    return ShadowWord(uint64_t{epoch} << kClockAt | uint64_t{bytes} << kBytesAt |
                      static_cast<uint64_t>(kind) << kKindAt | uint64_t{rmw} << kRmwAt | bits_of_stack(stack));
  }
  // The same of a stack that is not per byte.
  [[nodiscard, gnu::always_inline]] static constexpr ShadowWord of_one_stack(uint32_t epoch, AccessKind kind,
                                                                             unsigned bytes, StackId stack,
                                                                             bool rmw = false) {
    return ShadowWord(uint64_t{epoch} << kClockAt | uint64_t{bytes} << kBytesAt |
                      static_cast<uint64_t>(kind) << kKindAt | uint64_t{rmw} << kRmwAt | stack);
  }

  // Slot and clock as one number, which of one slot grows with the clock.
  [[nodiscard, gnu::always_inline]] static constexpr uint32_t epoch_of(Slot slot, ClockValue clock) {
    return uint32_t{slot} << kClockBits | clock;
  }
  [[nodiscard, gnu::always_inline]] static constexpr unsigned slot_of(uint32_t epoch) { return epoch >> kClockBits; }
  [[nodiscard, gnu::always_inline]] static constexpr ClockValue clock_of(uint32_t epoch) { return epoch & kClockLimit; }
  [[nodiscard]] static constexpr bool epoch_fits(Slot slot, ClockValue clock) {
    return slot < kSlots && clock < kClockLimit;
  }
  // Of a stack that is not per byte.
  [[nodiscard, gnu::always_inline]] static constexpr bool stack_fits(StackId stack) { return stack >> kStackBits == 0; }
  [[nodiscard]] static constexpr bool any_stack_fits(StackId stack) { return stack_fits(stack & ~kPerByteStack); }

  [[nodiscard, gnu::always_inline]] constexpr uint64_t bits() const { return bits_; }
  [[nodiscard, gnu::always_inline]] constexpr bool is_none() const { return bits_ == 0; }
  constexpr bool operator==(const ShadowWord&) const = default;

  [[nodiscard, gnu::always_inline]] constexpr Slot slot() const { return static_cast<Slot>(bits_ >> kSlotAt); }
  [[nodiscard, gnu::always_inline]] constexpr ClockValue clock() const {
    return static_cast<ClockValue>(bits_ >> kClockAt) & kClockLimit;
  }
  [[nodiscard, gnu::always_inline]] constexpr uint32_t epoch() const {
    return static_cast<uint32_t>(bits_ >> kClockAt);
  }
  [[nodiscard, gnu::always_inline]] constexpr unsigned bytes() const { return bits_ >> kBytesAt & kAllBytes; }
  [[nodiscard, gnu::always_inline]] constexpr AccessKind kind() const {
    return static_cast<AccessKind>(bits_ >> kKindAt & 7);
  }
  [[nodiscard, gnu::always_inline]] constexpr bool is_rmw() const { return (bits_ >> kRmwAt & 1) != 0; }
  [[nodiscard, gnu::always_inline]] constexpr bool is_per_byte() const { return (bits_ >> kPerByteAt & 1) != 0; }
  [[nodiscard, gnu::always_inline]] constexpr StackId stack() const {
    return static_cast<StackId>(bits_ & ((1u << kStackBits) - 1)) | (is_per_byte() ? kPerByteStack : 0);
  }
  // The stack as bits of the word.
  [[nodiscard, gnu::always_inline]] constexpr uint64_t stack_bits() const { return bits_ & kBitsOfStack; }
  [[nodiscard]] static constexpr uint64_t bits_of_stack(StackId stack) {
    return uint64_t{(stack & kPerByteStack) != 0} << kPerByteAt | (stack & ~kPerByteStack);
  }

  // Whether the kind is in a set, a bit for each kind. The sets of the hot paths need no shift.
  template <unsigned Set>
  [[nodiscard, gnu::always_inline]] constexpr bool is_one_of() const {
    constexpr unsigned kReads = 0b000101, kAll = 0b111111;
    constexpr unsigned kAtomics = 0b001100, kAllButBirth = 0b011111;
    constexpr uint64_t kTwoBits = uint64_t{0b101} << kKindAt;
    constexpr uint64_t kAtomicBits = uint64_t{0b110} << kKindAt, kIsAtomic = uint64_t{0b010} << kKindAt;
    if constexpr (Set == kAll) return true;
    if constexpr (Set == kReads) return (bits_ & kTwoBits) == 0;
    if constexpr (Set == (kAll ^ kReads)) return (bits_ & kTwoBits) != 0;
    if constexpr (Set == kAtomics) return (bits_ & kAtomicBits) == kIsAtomic;
    if constexpr (Set == (kAll ^ kAtomics)) return (bits_ & kAtomicBits) != kIsAtomic;
    if constexpr (Set == kAllButBirth) return !is_birth();
    return (Set >> static_cast<unsigned>(kind()) & 1) != 0;
  }
  [[nodiscard, gnu::always_inline]] constexpr bool is_free() const {
    return (bits_ & uint64_t{0b101} << kKindAt) == uint64_t{0b100} << kKindAt;
  }
  [[nodiscard, gnu::always_inline]] constexpr bool is_birth() const { return kind() == AccessKind::kBirth; }
  // A write of the program, plain or atomic (or an allocation).
  [[nodiscard, gnu::always_inline]] constexpr bool is_store() const { return (bits_ >> kKindAt & 1) != 0; }
  // The parity of the slot: the position in its granule where its thread's check looks first.
  [[nodiscard, gnu::always_inline]] constexpr unsigned position() const {
    return static_cast<unsigned>(bits_ >> kSlotAt & 1);
  }

  [[nodiscard, gnu::always_inline]] constexpr bool touches(unsigned bytes) const {
    return (bits_ & uint64_t{bytes} << kBytesAt) != 0;
  }
  [[nodiscard, gnu::always_inline]] constexpr bool has_all(unsigned bytes) const {
    return (~bits_ & uint64_t{bytes} << kBytesAt) == 0;
  }
  // None if no byte is left.
  [[nodiscard, gnu::always_inline]] constexpr ShadowWord without(unsigned bytes) const {
    const uint64_t left = bits_ & ~(uint64_t{bytes} << kBytesAt);
    return ShadowWord((left & kBitsOfBytes) == 0 ? 0 : left);
  }
  // What it says, of no byte.
  [[nodiscard, gnu::always_inline]] constexpr ShadowWord without_bytes() const {
    return ShadowWord(bits_ & ~kBitsOfBytes);
  }
  [[nodiscard, gnu::always_inline]] constexpr ShadowWord with(unsigned bytes) const {
    return ShadowWord(bits_ | uint64_t{bytes} << kBytesAt);
  }
  // The same with other bits of stack, as stack_bits() has them.
  [[nodiscard, gnu::always_inline]] constexpr ShadowWord with_stack_bits(uint64_t stack) const {
    return ShadowWord((bits_ & ~kBitsOfStack) | stack);
  }
  [[nodiscard, gnu::always_inline]] constexpr ShadowWord with_slot(Slot slot) const {
    return ShadowWord((bits_ & ~(~uint64_t{0} << kSlotAt)) | uint64_t{slot} << kSlotAt);
  }
  // Whether the two say the same but for some bits.
  [[nodiscard, gnu::always_inline]] constexpr bool equals_in(ShadowWord other, uint64_t bits) const {
    return ((bits_ ^ other.bits_) & bits) == 0;
  }

 private:
  explicit constexpr ShadowWord(uint64_t bits) : bits_(bits) {}

  uint64_t bits_ = 0;
};
static_assert(sizeof(ShadowWord) == 8 && alignof(ShadowWord) == 8);
static_assert(ShadowWord::kKindAt == ShadowWord::kRmwAt + 1 && ShadowWord::kBytesAt == ShadowWord::kKindAt + 3 &&
              ShadowWord::kClockAt == ShadowWord::kBytesAt + 8 &&
              ShadowWord::kSlotAt == ShadowWord::kClockAt + ShadowWord::kClockBits &&
              ShadowWord::kSlotAt + ShadowWord::kSlotBits == 64);
static_assert(ShadowWord::of(ShadowWord::epoch_of(4, 17), AccessKind::kRead, 0x0f, 0x20).bits() == 0x040000443c000020);

}  // namespace norn
