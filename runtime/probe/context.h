// Dynamic context inference (RaceMob, thesis §3.3.1): do the two sites of a candidate touch one address, and do
// different threads?
//
// Of each site it keeps addresses and the threads that were there: 12 bytes an entry, as the document has it.
// Deviation: there an instruction has one entry, its last; here it has kEntries, by address, because two threads that
// go through a structure one after the other seldom stand at the same place of it.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn::probe {

// Bytes that an access touches.
struct Range {
  uintptr_t begin = 0;
  size_t size = 0;
  [[nodiscard]] bool overlaps(const Range& other) const {
    return begin < other.begin + other.size && other.begin < begin + size;
  }
};

class Context final {
 public:
  static constexpr size_t kEntries = 64;

  // An access at a site, 0 or 1; of a candidate of one site at 0, which then is both. Gives all facts so far (Fact in
  // wire.h).
  uint8_t note(unsigned site, bool one_site, const Range& range, uint32_t thread);
  [[nodiscard]] uint8_t facts() const { return facts_; }
  void clear();

 private:
  struct Entries {
    uint64_t ranges[kEntries] = {};   // the address, and above it how many bytes, at most kGranule
    uint32_t threads[kEntries] = {};  // 0: nobody
    size_t largest = 0;               // of these ranges
    uint32_t first_thread = 0;
    bool several_threads = false;
  };
  static_assert(sizeof(Entries::ranges) + sizeof(Entries::threads) == 12 * kEntries);
  static constexpr size_t kGranule = 16;
  static constexpr size_t kGranules = 8;  // of one access that are looked at
  static constexpr unsigned kSizeAt = 56;

  [[nodiscard]] static uint64_t packed(const Range& range) { return range.begin | uint64_t{range.size} << kSizeAt; }
  [[nodiscard]] static Range unpacked(uint64_t range) {
    return {range & ((uint64_t{1} << kSizeAt) - 1), range >> kSizeAt};
  }
  [[nodiscard]] static size_t place_of(uintptr_t granule);
  void compare(const Entries& other, const Range& range, uint32_t thread);

  Entries sites_[2];
  uint8_t facts_ = 0;
};

}  // namespace norn::probe
