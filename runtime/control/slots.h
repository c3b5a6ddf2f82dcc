// What controlled execution knows of each thread.
#pragma once

#include "runtime/control/control.h"

namespace norn::rt::control {

enum class Status : uint8_t {
  kFree,      // no thread
  kReserved,  // it is being created
  kReady,     // enabled: it could go on if it had the turn
  kRunning,   // it has the turn
  kWaiting,   // disabled: for something of the program
  kOutside,   // in a call that may block in the kernel
};

// Who yields so often waits for something that the others do not do: for time to pass, or for who is held back.
inline constexpr uint32_t kIdleYields = 100;

// All zeroes at first, so that the table of them takes no room in executables: reserve() gives a slot what a new thread
// has.
struct Slot {
  std::atomic<Status> status{Status::kFree};
  std::atomic<uint32_t> go{0};       // a futex: 1: the turn was given to it
  std::atomic<uint32_t> arrived{0};  // a futex: 1: a new thread stands at its beginning
  uint32_t number = 0;
  ThreadId id = 0;
  uint32_t tid = 0;  // the kernel's
  ThreadState* state = nullptr;

  schedule::Step step;              // what it is about to do
  const norn_site** top = nullptr;  // its __norn_stack, while it stands

  // Of its step, if that is an access whose values can be known (values.h).
  struct Values {
    bool can_be_read = false;
    bool has_value = false;
    uint8_t type = 0;
    uint64_t value = 0;  // that it writes
  };
  Values values;

  const norn_site* behind = nullptr;  // what it has done last, while predicates are watched

  Gathering gathering;  // where it waits, outside

  bool armed = false;  // it has been at the site that the first one needs

  Waiting waiting{};
  Woken woken{};
  uint64_t object = 0;
  Time until = 0;
  Time last_until = 0;            // of the last wait for a time
  bool wakes_early = false;       // a sleeper that may be chosen while others can run
  bool cancelled = false;         // its next wait is none
  const pollfd* files = nullptr;  // Waiting::kFile
  uint32_t file_count = 0;

  // Loops that wait.
  const norn_site* last_site = nullptr;
  uint64_t last_address = 0;
  uint32_t looks = 0;
  uint32_t accesses_in_a_row = 0;
  uint32_t steps = 0;
  uint32_t yields = 0;  // since it, or anything else, got on
  uint32_t clock_looks = 0;

  // Of a thread that may only look (standstill.h): how often it was in one state again, and a write of which is not
  // known yet whether it changes anything.
  struct Visits {
    uint64_t epoch = 0;
    uint64_t state = 0;
    uint32_t others = 0;
    uint32_t patience = 0;
    uint32_t again = 0;
  };
  Visits visits;
  struct Unsettled {
    uint64_t address = 0;
    uint64_t size = 0;  // 0: none
    uint64_t hash = 0;
  };
  Unsettled unsettled;
  // Standstill's epochs in which it changed its own stack, and in which another thread looked there.
  uint64_t stack_written = 0;
  uint64_t stack_seen = 0;

  [[nodiscard]] bool is_idle() const { return yields >= kIdleYields; }
  // Its next move is its own: by itself, or when time has passed.
  [[nodiscard]] bool can_go_on() const {
    const Status now = status.load(std::memory_order_relaxed);
    return now == Status::kReady || now == Status::kRunning || (now == Status::kWaiting && until != kForever);
  }
  // It waits for what other threads of the program do.
  [[nodiscard]] bool is_stuck() const {
    const Status now = status.load(std::memory_order_relaxed);
    return now == Status::kWaiting || (now == Status::kOutside && gathering.number != 0 && !gathering.parks);
  }
  [[nodiscard]] bool is_early_sleeper() const {
    return wakes_early && waiting == Waiting::kTime && status.load(std::memory_order_relaxed) == Status::kWaiting;
  }
};

}  // namespace norn::rt::control
