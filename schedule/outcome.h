// What a controlled run tells whoever started it, in a file that both have mapped: it is there however the program
// ends. Names and stacks are in the findings records (report/record.h); here is what can be counted.
#pragma once

#include <stdint.h>

#include <atomic>

#include "schedule/order.h"
#include "schedule/strategies/reads_from.h"

namespace norn::schedule {

// What one of the candidate's two did at the first meeting, as far as it is known: a plain access of the program's own
// code, read when its thread was let go and nothing else ran.
struct MetAccess {
  uint32_t site = 0;   // the low half of its statement's identity; 0: it did not go on
  uint8_t sites = 0;   // as of Step
  uint8_t writes = 0;  // as of Step
  uint8_t type = 0;    // what the bytes mean: report::ValueType
  uint8_t has_value = 0;
  uint8_t has_old_value = 0;
  uint64_t size = 0;
  uint64_t value = 0;
  uint64_t old_value = 0;

  [[nodiscard]] constexpr bool is_known() const { return has_value != 0 || has_old_value != 0; }
};

struct Outcome {
  static constexpr uint64_t kMagic = 0x3874'756f'6e72'6f6e;  // "nornout8"
  static constexpr uint64_t kNever = ~uint64_t{0};
  static constexpr uint32_t kFirstThenSecond = 1;
  static constexpr uint32_t kSecondThenFirst = 2;

  uint64_t magic = kMagic;
  // The process that is controlled: the first one that gets here. All others run free.
  std::atomic<uint32_t> pid{0};
  uint32_t ended = 0;  // by its own doing, not by a deadlock or a kill

  uint64_t decisions = 0;
  uint64_t hash = 0;
  uint64_t accesses = 0;
  uint64_t switches = 0;     // another thread went on than the one that asked
  uint64_t preemptions = 0;  // of these, the one that asked could have gone on
  uint32_t threads = 0;
  uint32_t most_threads = 0;  // at one time

  uint32_t meetings = 0;            // how often the candidate's statements stood together
  uint32_t orders = 0;              // kFirstThenSecond, kSecondThenFirst
  uint32_t sequences = 0;           // likewise: so they were executed on common bytes, whether or not they ever met
  Enforced enforced;                // what became of an order that was asked for
  uint64_t first_meeting = kNever;  // the decision's number
  MetAccess met[2];                 // there, in the order in which they went

  uint32_t deadlocked = 0;      // threads that wait for each other, or for nobody
  uint32_t let_go = 0;          // how often a postponed thread was let go because nothing else could run
  uint32_t starved = 0;         // of these, because the others only waited
  uint32_t kernel_returns = 0;  // calls that blocked in the kernel: when they returned is not part of the schedule
  uint32_t taken_away = 0;      // turns taken from threads that blocked or ran on unseen
  uint32_t pollers = 0;         // threads that only look, when nothing that they look at can change any more

  char memory_error[256] = {};  // of guarded memory: what was done wrong, in words
  char violated[512] = {};      // what must hold and does not, in words
  uint32_t predicates = 0;      // that are looked at
  uint32_t held = 0;            // of these, so many held once

  uint32_t left_out = 0;  // how often an operation was not performed (the option `what_if`)
  // With a function's name instead: where it takes locks.
  struct Taken {
    char file[120] = {};
    uint32_t line = 0;
    uint32_t count = 0;
  };
  static constexpr uint32_t kMostTaken = 32;
  uint32_t taken_count = 0;
  Taken taken[kMostTaken];

  // Of a run that replays inputs (schedule/input_log.h): how many there are that come at their time (not files), how
  // many came, and in words what the recorded run did not do.
  uint64_t inputs = 0;
  uint64_t inputs_came = 0;
  char inputs_differ[512] = {};

  uint64_t slept = 0;            // nanoseconds that passed on the virtual clock because nobody could run
  uint64_t differs_at = kNever;  // the first decision that is not as in the log to compare with

  ReadsFromPairs pairs;
};

}  // namespace norn::schedule
