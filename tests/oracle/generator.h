// Random executions that a real program could have had.
//
// A plan is a list of moves: what some thread would like to do next. Playing it through a small model of threads,
// locks, condition variables, barriers, semaphores and heap blocks gives the script; a move that is not possible at its
// turn (an unlock of what is not held, a wait-leave while the mutex is taken) is left out. So every sub-list of a plan
// is a plan, and shrinking cannot make a script invalid.
//
// Valid means: never two exclusive holders of a lock, nor an exclusive with a shared one; only recursive locks are
// taken twice; a wait is entered with its mutex held and left with it free; a barrier is left only once its generation
// is complete; a semaphore wait has a post of its own; once-seen comes after once-done; nothing is done by a thread
// before its fork or after its exit, join follows exit; blocks are allocated when free and freed when allocated, and
// no object in them is in use then.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/script/script.h"

namespace norn::oracle {

enum class MoveKind : uint8_t {
  kFork,
  kExit,
  kJoin,
  kDetach,
  kRead,
  kWrite,
  kAllocate,
  kFree,
  kReallocate,
  kLoad,
  kStore,
  kRmw,
  kFence,
  kLock,
  kUnlock,
  kDestroyLock,
  kRefused,
  kSignal,
  kBroadcast,
  kWaitEnter,
  kWaitLeave,
  kWaitLoopLeave,
  kBarrierEnter,
  kBarrierLeave,
  kPost,
  kSemaphoreWait,
  kOnceDone,
  kOnceSeen,
  kDestroySemaphore,
  kSpinRead,
  kSpinLeave,
  kCut,
  kHappensBefore,
  kHappensAfter,
  kIgnoreBegin,
  kIgnoreEnd,
  kBenign,
  kDestroyCondition,
};

struct Move {
  MoveKind kind{};
  uint8_t thread = 0;
  uint8_t object = 0;   // which lock, location, semaphore, …
  uint8_t offset = 0;   // of an access
  uint8_t size = 0;     // of an access
  uint8_t variant = 0;  // memory order, lock mode and attempt, in-loop, timed-out, …
};

struct Plan {
  uint8_t threads = 2;
  uint8_t roots = 1;  // threads that need no fork
  uint8_t locks = 3;
  ConditionMode cv = ConditionMode::kOff;
  bool spin = true;
  bool lib = true;
  std::vector<Move> moves;
};

struct GeneratorOptions {
  uint8_t min_threads = 2;
  uint8_t max_threads = 4;
  uint8_t max_locks = 6;
  uint16_t max_moves = 90;
  ConditionMode cv = ConditionMode::kOff;
  bool spin = true;
  bool lib = true;
  bool conditions = true;     // waits, signals and wait loops
  bool spins = false;         // spinning reads, and writes to the words they read
  bool annotations = true;    // ignore and benign ranges
  bool publications = false;  // new memory that locks alone hand over
  bool readers = false;       // data that most threads read
};

[[nodiscard]] Plan make_plan(uint64_t seed, const GeneratorOptions& options);

[[nodiscard]] script::Script play(const Plan& plan);

// Plans with fewer or simpler moves, the boldest first.
[[nodiscard]] std::vector<Plan> simpler(const Plan& plan);

}  // namespace norn::oracle
