// In which order the two accesses of a race are to be performed, and what became of it (two_orders.h).
#pragma once

#include <stdint.h>

namespace norn::schedule {

// What is asked for, as a number (the option `order`, and replay tokens).
struct Order {
  // Later schedules: one of the two goes as far as it can, then the others in turn; from kFirstRandom on: random ones.
  static constexpr uint32_t kGivenFar = 0;  // the one that would have gone first by the strategy itself
  static constexpr uint32_t kOtherFar = 1;
  static constexpr uint32_t kInTurns = 2;  // whoever gives a lock up goes behind all others
  static constexpr uint32_t kFirstRandom = 3;

  uint32_t meeting = 0;  // which one, counted from 1; 0: none, the strategy goes on as it is
  bool flipped = false;
  bool holds = false;  // whoever goes second is let go only when nobody else gets on
  uint32_t later = 0;
  uint32_t from = 0;  // a decision's number, from 1, as Enforced::arrival of a run without it says: the second form

  static constexpr uint64_t kMostMeetings = (1u << 14) - 1;
  static constexpr uint64_t kMostLater = (1u << 16) - 1;
  [[nodiscard]] constexpr uint64_t number() const {
    return (flipped ? 1u : 0u) | (holds ? 2u : 0u) | uint64_t{meeting} << 2 | uint64_t{later} << 16 |
           uint64_t{from} << 32;
  }
  static constexpr Order of(uint64_t number) {
    return {static_cast<uint32_t>(number >> 2 & kMostMeetings), (number & 1) != 0, (number & 2) != 0,
            static_cast<uint32_t>(number >> 16 & kMostLater), static_cast<uint32_t>(number >> 32)};
  }
};

// What became of it.
struct Enforced {
  static constexpr uint32_t kMet = 1;       // they met so often
  static constexpr uint32_t kBothDone = 2;  // and both have gone, in the order that was asked for
  static constexpr uint32_t kWaits = 4;     // the first one only came back, for as long as the other was held
  static constexpr uint32_t kFirstReads = 8;
  static constexpr uint32_t kSecondReads = 16;
  static constexpr uint32_t kFirstAtSecondSite = 32;  // it stood at the candidate's second statement
  static constexpr uint32_t kGivenCameFirst = 64;     // the one that would go first by the strategy stood there first
  static constexpr uint32_t kEarly = 128;             // of the second form: the access was performed, alone

  uint32_t what = 0;
  uint32_t arrival = 0;  // the decision, from 1, at which the first of the two stood before its access
};

}  // namespace norn::schedule
