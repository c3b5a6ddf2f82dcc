// Who runs next: the one question of controlled execution, and who may answer it.
//
// One thread runs at a time. Before each operation that others can notice (a synchronization operation, an atomic, an
// access at a site of interest) the thread stops and says what it is about to do: its step. Then the strategy is asked
// which of the enabled threads goes on. A strategy is nothing but a function n → [0, n): it knows neither threads of
// the system nor memory, only steps, so that the tests drive it with threads that are a few lines of data.
//
// Freestanding: the runtime has it in the program under test.
#pragma once

#include <stdint.h>

#include "schedule/random_bits.h"

namespace norn::schedule {

// What a thread is about to do.
enum class Op : uint8_t {
  kBegin,    // a new thread's first step
  kAcquire,  // a lock of any kind, a semaphore, a barrier: what may have to wait
  kRelease,
  kWait,  // on a condition variable
  kSignal,
  kAtomic,
  kAccess,  // a plain access
  kCreate,
  kJoin,
  kYield,  // it offers the turn: sched_yield, or a loop that only looks
  kSleep,
  kReturn,  // back from a call that blocked in the kernel
  kEnd,
};
inline constexpr uint32_t kOps = static_cast<uint32_t>(Op::kEnd) + 1;
[[nodiscard]] const char* name_of(Op op);

struct Step {
  uint32_t thread = 0;  // its slot: small, and used again when the thread has ended
  Op op{};
  bool writes = false;
  // Bit i: it is site i of the candidate that is to be confirmed.
  uint8_t sites = 0;
  uint64_t address = 0;  // of the location or object; 0: none
  uint64_t size = 0;
  uint32_t site = 0;  // the statement: the low half of its identity; 0: none
  bool idle = false;  // its thread has long done nothing but yield
};

// Two steps on common bytes that may not be exchanged without notice.
[[nodiscard]] constexpr bool conflict(const Step& a, const Step& b) {
  return a.thread != b.thread && a.address != 0 && b.address != 0 && (a.writes || b.writes) &&
         a.address < b.address + b.size && b.address < a.address + a.size;
}

// The threads that can do their step, in the order of their slots.
struct Enabled {
  const Step* steps = nullptr;
  uint32_t count = 0;
  uint32_t running = ~uint32_t{0};  // the thread that asks

  const Step& operator[](uint32_t i) const { return steps[i]; }
  [[nodiscard]] constexpr uint32_t index_of(uint32_t thread) const {
    for (uint32_t i = 0; i < count; ++i)
      if (steps[i].thread == thread) return i;
    return ~uint32_t{0};
  }
};

inline constexpr uint32_t kNobody = ~uint32_t{0};
inline constexpr uint32_t kMaxThreads = 4096;  // at one time

// The two statements of the candidate stand together: both threads are about to execute theirs, on common bytes.
inline constexpr uint8_t kFirstSite = 1;
inline constexpr uint8_t kSecondSite = 2;
[[nodiscard]] constexpr bool meet(const Step& a, const Step& b) {
  const bool pair = ((a.sites & kFirstSite) != 0 && (b.sites & kSecondSite) != 0) ||
                    ((a.sites & kSecondSite) != 0 && (b.sites & kFirstSite) != 0);
  return pair && conflict(a, b);
}

// Whom the thread at `chosen`, which goes on, meets; kNobody if none. Whatever the strategy: a real race is one.
[[nodiscard]] constexpr uint32_t met_by(const Enabled& enabled, uint32_t chosen) {
  if (enabled[chosen].sites == 0) return kNobody;
  for (uint32_t i = 0; i < enabled.count; ++i)
    if (meet(enabled[chosen], enabled[i])) return i;
  return kNobody;
}

class Strategy {
 public:
  // An index into `enabled`, which is not empty. kNobody: of these, nobody should go on; someone else may become
  // enabled (a sleeper, because time passes), or the strategy is told to let one go.
  virtual uint32_t choose(const Enabled& enabled) { return random_.below(enabled.count); }
  // There is nobody else: one of those held back must go.
  virtual void let_go(const Enabled& /*enabled*/) {}
  // Other questions that the program's semantics leave open (whom a signal wakes), n → [0, n).
  virtual uint32_t pick(uint32_t n) { return random_.below(n); }
  // The thread gets nowhere without the others.
  virtual void yielded(uint32_t /*thread*/) {}
  virtual void ended(uint32_t /*thread*/) {}

 protected:
  explicit Strategy(uint64_t seed) : random_(seed) {}
  ~Strategy() = default;

  RandomBits random_;
};

}  // namespace norn::schedule
