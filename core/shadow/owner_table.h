// What one thread did to a granule, as long as nobody else came and it held no lock: of each byte its last read and its
// last write, each a shadow word. However often it comes, at whatever epochs and from whatever statements, one access
// is a store or two, and nothing is judged: all that is there is its own, and so ordered before.
//
// The table is a history in the place of the granule's list:
//
//   uint32 kHeader · (uint64 read · uint64 write)[8]
//
// The bits of bytes in its words say nothing: a word belongs to the byte that it stands at. A write may be an
// allocation. The granule's layout says whose it is (GranuleLayout::owned_by()); its three words are copies for the
// thread's check alone, whose stacks say nothing.
//
// A granule gets one when the thread's own accesses have no room in it (GranuleStore::write_granule()). Whoever else
// comes, or the thread with a lock, or an atomic, takes the slow path, which finds all that the table has
// (GranuleStore::read_granule()) and leaves another shape.
#pragma once

#include "core/engine/hybrid.h"
#include "core/shadow/shadow.h"

namespace norn {

class OwnerTable {
 public:
  // No list begins so: its flags are none, and its counts more than there may be.
  static constexpr uint32_t kHeader = 0xffff0000;
  // Of the history.
  static constexpr unsigned kWords = 1 + 2 * kGranuleBytes * 2;

  // Behind the header the words are aligned: a history begins four bytes after a multiple of sixteen.
  explicit OwnerTable(const uint32_t* words) : bytes_(reinterpret_cast<Byte*>(const_cast<uint32_t*>(words) + 1)) {}

  // Whether a history is one.
  [[nodiscard]] static bool is_one(const uint32_t* words) { return words[0] == kHeader; }

  // Of accesses of one thread, oldest first, which may_hold() holds for.
  void fill(uint32_t* words, const AccessHistory& history) {
    words[0] = kHeader;
    for (unsigned byte = 0; byte < kGranuleBytes; ++byte) bytes_[byte] = {};
    for (unsigned i = 0; i < history.count; ++i) {
      const PastAccess& s = history.all[i];
      for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
        if ((s.mask >> byte & 1) != 0) (is_write(s.kind) ? bytes_[byte].write : bytes_[byte].read) = s.packed();
      }
    }
  }
  [[nodiscard]] static bool may_hold(const Thread& thread, const PastAccess& s) {
    return is_own(thread, s.slot, s.time) && s.lockset == kNoLocks && s.adds == 0 && s.fits() &&
           (s.kind == AccessKind::kRead || s.kind == AccessKind::kWrite || s.kind == AccessKind::kBirth);
  }

  // An access of the owner, who holds no lock. `fresh`: what its words say now.
  template <AccessKind Kind>
  [[gnu::always_inline]] void take(ShadowWord fresh, unsigned mask) {
    for (unsigned left = mask; left != 0; left &= left - 1) {
      Byte& byte = bytes_[__builtin_ctz(left)];
      // As everywhere, the first access of an epoch stands for those after it.
      if (byte.write.equals_in(fresh, ShadowWord::kBitsOfEpoch) && !byte.write.is_birth()) continue;
      if constexpr (Kind == AccessKind::kWrite) {
        byte = {{}, fresh};
      } else if (!byte.read.equals_in(fresh, ShadowWord::kBitsOfEpoch)) {
        byte.read = fresh;
      }
    }
  }

  // Calls visit(word) for each access, with its bytes, oldest first.
  template <class Visit>
  void for_each(const Visit& visit) const {
    ShadowWord all[2 * kGranuleBytes];
    unsigned count = 0;
    for (unsigned i = 0; i < 2 * kGranuleBytes; ++i) {
      const Byte& at_byte = bytes_[i % kGranuleBytes];
      const ShadowWord word = i < kGranuleBytes ? at_byte.read : at_byte.write;
      if (word.is_none()) continue;
      const ShadowWord bare = word.without_bytes();
      const unsigned byte = 1u << i % kGranuleBytes;
      unsigned at = 0;
      while (at < count && all[at].without_bytes() != bare) ++at;
      if (at == count) all[count++] = bare;
      all[at] = all[at].with(byte);
    }
    // By insertion: there are few. (An allocation comes before what its epoch did.)
    const auto is_before = [](ShadowWord a, ShadowWord b) {
      return a.clock() != b.clock() ? a.clock() < b.clock() : a.is_birth() && !b.is_birth();
    };
    for (unsigned i = 1; i < count; ++i) {
      for (unsigned k = i; k > 0 && is_before(all[k], all[k - 1]); --k) {
        const ShadowWord earlier = all[k];
        all[k] = all[k - 1];
        all[k - 1] = earlier;
      }
    }
    for (unsigned i = 0; i < count; ++i) visit(all[i]);
  }

 private:
  struct Byte {
    ShadowWord read, write;
  };
  Byte* bytes_;
};

}  // namespace norn
