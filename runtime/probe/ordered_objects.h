// Which synchronization objects pass on that something comes after the watched access.
//
// On-demand detection (RaceMob, thesis §3.3.2) asks one question: is what a thread does now ordered after one access
// that another made? In terms of vector clocks: has its clock, in the slot of that thread, the time of the access? So
// of each clock one bit is wanted. A release adds the object whose thread has the bit to a set, an acquire gives the
// bit to who takes an object that is in it. That is exactly the clocks of core/, as far as they can be asked for here
// (docs/design/production.md says why), and costs a word for each object that matters, instead of a clock for each.
//
// Objects are never taken out: what was released once stays so. That orders more than there is where a store replaces
// what an atomic passes on, so it can hide a race and make none.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "runtime/probe/known_threads.h"

namespace norn::probe {

// What is passed on at an address. Readers of a lock pass nothing to other readers.
enum class Passes : uint8_t { kToAll, kToWriters };

class OrderedObjects final {
 public:
  static constexpr size_t kRoom = 8192;
  static constexpr size_t kMost = kRoom / 4 * 3;

  // Nothing of an earlier watch counts any more. Under the lock.
  void begin(WatchNumber watch);
  // Under the lock.
  void add(uintptr_t object, Passes passes);
  // By anybody. True, too, when there was no room for all: then everything passes it on.
  [[nodiscard]] bool contains(uintptr_t object, Passes passes) const;

  [[nodiscard]] size_t size() const { return count_; }

 private:
  struct Entry {
    std::atomic<uint64_t> key{0};
    std::atomic<WatchNumber> watch{0};  // another watch's: nobody's
  };
  [[nodiscard]] static uint64_t key_of(uintptr_t object, Passes passes) {
    return uint64_t{object} << 1 | static_cast<uint64_t>(passes);
  }
  [[nodiscard]] static size_t home_of(uint64_t key);

  Entry entries_[kRoom];
  std::atomic<WatchNumber> watch_{0};
  std::atomic<bool> full_{false};
  size_t count_ = 0;
};

}  // namespace norn::probe
