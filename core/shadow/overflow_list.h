// The list of a granule: a history of the shadow words that have no room in the granule itself.
//
//   uint16 flags · uint8 others · uint8 reads · shadow words of HybridEngine::kPastWords each
//
// With flags (somebody waits for the granule, or an atomic lies there) the shadow words lie oldest first, and the two
// numbers are 0. Without, reads (plain or atomic) lie behind all others, of which there are so many, in no order but by
// thread and locks, as in a hash table: whoever reads what many threads read finds its earlier shadow word there, and
// room for another's, within a few places, and looks at no other read, since reads do not conflict. A shadow word of no
// bytes is room.
#pragma once

#include "core/shadow/granule.h"

namespace norn {

class OverflowList {
 public:
  // So many places from a read's own are looked at.
  static constexpr unsigned kWindow = 16;
  static constexpr unsigned kNotFound = ~0u;

  // `count`: of the words.
  OverflowList(const uint32_t* words, unsigned count)
      : words_(const_cast<uint32_t*>(words)), room_((count - HybridEngine::kHeaderWords) / HybridEngine::kPastWords) {}

  static constexpr unsigned words_for(unsigned accesses) {
    return HybridEngine::kHeaderWords + accesses * HybridEngine::kPastWords;
  }

  [[nodiscard]] uint32_t flags() const { return words_[0] & 0xffff; }
  [[nodiscard]] unsigned others() const { return words_[0] >> 16 & 0xff; }
  [[nodiscard]] unsigned reads() const { return words_[0] >> 24; }
  [[nodiscard]] unsigned room() const { return room_; }
  // From here on there is nothing but reads.
  [[nodiscard]] unsigned first_reads() const { return flags() != 0 ? room_ : others(); }

  [[nodiscard]] PastAccess at(unsigned i) const { return HybridEngine::load_past(words_, i); }
  // What most need of a shadow word.
  struct Brief {
    Slot slot;
    uint8_t mask;
    AccessKind kind;
    ClockValue time;
  };
  [[nodiscard, gnu::always_inline]] Brief brief(unsigned i) const {
    const uint32_t* w = words_ + HybridEngine::kHeaderWords + i * HybridEngine::kPastWords;
    return {static_cast<Slot>(w[0]), static_cast<uint8_t>(w[0] >> 16), static_cast<AccessKind>(w[0] >> 24), w[1]};
  }
  [[nodiscard]] bool is_room(unsigned i) const { return HybridEngine::read_mask(words_, i) == 0; }

  // Writes all that it has from here on: as many shadow words, oldest first, as it has room for, at most.
  void fill(const PastAccess* accesses, unsigned count, uint32_t flags) {
    words_[0] = flags;
    if (flags != 0) {
      for (unsigned i = 0; i < room_; ++i) HybridEngine::store_past(words_, i, i < count ? accesses[i] : PastAccess{});
      return;
    }
    unsigned others = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (!is_read(accesses[i].kind)) HybridEngine::store_past(words_, others++, accesses[i]);
    }
    set_counts(others, 0);
    for (unsigned i = others; i < room_; ++i) HybridEngine::store_past(words_, i, {});
    for (unsigned i = 0; i < count; ++i) {
      if (!is_read(accesses[i].kind)) continue;
      unsigned at = home(accesses[i]);
      while (!is_room(at)) at = next(at);
      add(at, accesses[i]);
    }
  }

  // With flags: one that differs in its bytes alone, which takes a place before it; and a new one.
  void move(unsigned from, unsigned to, uint8_t mask) const {
    if (from == to && HybridEngine::read_mask(words_, from) == mask) return;
    PastAccess past = at(from);
    past.mask = mask;
    past.adds &= mask;
    HybridEngine::store_past(words_, to, past);
  }
  void put(unsigned i, const PastAccess& past) const { HybridEngine::store_past(words_, i, past); }

  // The place of a read, in the window of those with this one's thread and locks, for which fits(place) is true.
  template <class Fits>
  [[nodiscard]] unsigned find_read(const PastAccess& like, Fits fits) const {
    if (others() >= room_) return kNotFound;
    const unsigned places = room_ - others();
    unsigned at = home(like);
    for (unsigned i = 0; i < places && i < kWindow; ++i, at = next(at)) {
      if (fits(at)) return at;
    }
    return kNotFound;
  }

  // A read, where there is room.
  void add(unsigned at, const PastAccess& past) {
    HybridEngine::store_past(words_, at, past);
    set_counts(others(), reads() + 1);
  }
  // The newest of all but reads, or a read, of a list that has room and no flags, and no more places than kWindow.
  void add_anywhere(const PastAccess& past) {
    unsigned at = others();
    while (!is_room(at)) ++at;
    if (is_read(past.kind)) return add(at, past);
    if (at != others()) HybridEngine::store_past(words_, at, this->at(others()));
    HybridEngine::store_past(words_, others(), past);
    set_counts(others() + 1, reads());
  }
  // Of one without flags.
  void set_counts(unsigned others, unsigned reads) { words_[0] = flags() | others << 16 | reads << 24; }
  void remove(unsigned at) {
    HybridEngine::store_past(words_, at, {});
    set_counts(others(), reads() - 1);
  }

 private:
  [[nodiscard]] unsigned home(const PastAccess& past) const {
    constexpr uint32_t kGolden = 0x9e3779b1;  // Knuth, The Art of Computer Programming 3, §6.4
    constexpr uint32_t kMurmur = 0x85ebca6b;  // Appleby's finalizer (MurmurHash3), of which one round is enough here
    const uint32_t locks = past.lockset * kGolden;
    const uint32_t mixed = ((locks ^ locks >> 15) + past.slot) * kMurmur;
    const unsigned places = room_ > others() ? room_ - others() : 1;
    return others() + static_cast<unsigned>(uint64_t{mixed} * places >> 32);
  }
  [[nodiscard]] unsigned next(unsigned at) const { return at + 1 < room_ ? at + 1 : others(); }

  uint32_t* words_;
  unsigned room_;
};

}  // namespace norn
