// Where a run is, in a word: before which accesses of what they share its threads stand, and how many of them are about
// to write what others have written since they looked at it (a compare-and-swap that may succeed in another world).
// Runs that were in a state of the same mark need not be in the same state; but a mark that is new is a place where
// nobody was. Where somebody is about to read what others share there is none: what is read right before a write is a
// part of the way to it, and the fewer places there are, the more often each is gone on from.
#pragma once

#include <stdint.h>

#include "schedule/strategy.h"

namespace norn::schedule {

struct StateMark {
  uint64_t bits = 0;  // 0: none (or a decision that chose no thread)

  static constexpr uint64_t kMostStale = 15;
  [[nodiscard]] constexpr uint64_t place() const { return bits & ~kMostStale; }
  [[nodiscard]] constexpr unsigned stale() const { return static_cast<unsigned>(bits & kMostStale); }
};
static_assert(sizeof(StateMark) == 8);

// So many decisions of a run are marked, from its beginning.
inline constexpr uint32_t kMarkedDecisions = 4096;

// What each thread has seen of the locations that it accessed lately.
class Looks {
 public:
  [[nodiscard]] StateMark mark_of(const Enabled& enabled) const;
  void note(const Step& step);

 private:
  static constexpr uint32_t kRemembered = 4;
  static constexpr uint32_t kBits = 12;
  static constexpr uint32_t kSeveral = ~uint32_t{0};
  struct Look {
    uint64_t address = 0;
    uint32_t writes = 0;  // there, when the thread was there last
  };
  struct Thread {
    Look looks[kRemembered] = {};
    uint32_t next = 0;
  };

  static uint32_t index_of(uint64_t address);
  // Somebody else was there. What threads do by themselves would make a place of each of their steps.
  [[nodiscard]] bool is_shared(const Step& step) const;
  [[nodiscard]] bool is_stale(const Step& step) const;

  // By a hash of the address.
  uint32_t writes_[1u << kBits] = {};
  uint32_t users_[1u << kBits] = {};  // who was there: a thread's number and one; kSeveral; 0: nobody
  Thread threads_[kMaxThreads] = {};
};

}  // namespace norn::schedule
