// The vocabulary of norn: what a front end can say of a running program.
//
// Every front end (native, Valgrind, trace, script) speaks in these events, and every engine listens to
// nothing else. What each event orders is defined in docs/design/order.md; the engines and the oracle that
// judges them are two independent readings of that page.
#pragma once

#include "core/ids.h"

namespace norn {

enum class EventKind : uint8_t {
  // Threads.                 thread          address        other
  kThreadFork,    // the parent      -              the child's number
  kThreadStart,   // the child       -              -
  kThreadExit,    // the one ending  -              -
  kThreadJoin,    // the joiner      -              the ended thread's number
  kThreadDetach,  // the caller      -              the detached thread's number
  kForkAfter,     // the caller      release clock  the child's number; the child begins after the clock alone
  kBeginAgain,    // the thread      release clock  -; as if it ended and another that began like it went on

  // Memory. `size` is any number of bytes; 1 to 16 is an access, more is a range.
  kRead,        // counts: its value goes into the write of the same bytes after it, and nowhere else
  kWrite,       // counts: it stands for a read of the same bytes before it, too
  kAllocate,    // the bytes are new: nothing that was done to them before counts
  kFree,        // a write to all bytes, reported as a free
  kReallocate,  // address/size: the old block; other/other_size: the new one. The contents moved.
  kRenew,       // as kAllocate, of memory that is not the heap's: stacks, objects that are made in place
  kMap,         // the same, of memory that comes from the system
  kUnmap,       // it goes back there
  kBirth,       // what the thread has just allocated is known to nobody else until its time passes
  kForget,      // accesses to the bytes do not count any more; synchronization objects in them stay
  kUse,         // of the memory of a synchronization object: who frees or overwrites it at the same time races

  // Atomics: `order` says how. A compare-exchange that fails is a load.
  kAtomicLoad,
  kAtomicStore,
  kAtomicRmw,
  kFence,
  kUnsampledBefore,  // around an atomic operation that is not sampled: what it may release
  kUnsampledAfter,   // and what it may acquire (docs/design/sampling.md)

  // Locks. `mode` says how; `attempt` says by which kind of call. A try that fails is an event only where a loop is
  // left because of it.
  kLockAcquire,  // uses: it is a kUse of the lock's memory, too
  kLockRelease,
  kLockDestroy,
  kLockRefused,  // a loop was left because somebody else had the lock

  // Condition variables. wait-enter releases the mutex `other`, wait-leave takes it again.
  kSignal,
  kBroadcast,
  kWaitEnter,      // in_loop: the wait stands in a loop whose leaving will be an event
  kWaitLeave,      // timed_out: nobody signalled
  kWaitLoopLeave,  // the loop around a wait on `address` was left, whether or not it waited

  // Other library synchronization.
  kBarrierInit,  // other: how many threads make a generation (0: unknown)
  kBarrierEnter,
  kBarrierLeave,
  kSemaphorePost,
  kSemaphoreWait,
  kOnceDone,  // the initialiser ran to its end
  kOnceSeen,  // a thread goes on because it has run
  kSyncDestroy,

  // Release clocks, which a front end keeps for constructs of its own (OpenMP's, exit handlers). `address` is the
  // clock's number. They order in both relations, whatever the option `library` says.
  kClockRelease,
  kClockAcquire,
  kClockClear,

  // Loops that wait by reading.
  kSpinRead,   // a read of a spinning loop's condition; in_loop: the loop goes on
  kSpinLeave,  // the loop was left
  kCut,        // what comes next must not be taken for what came before: a volatile write, a barrier for the compiler
  kLook,       // the bytes are read now and will be a spin-read: what was written under the locks held is handed over
  kLeaveByAtomic,  // a loop was left because an atomic operation succeeded
  kComeAfterAll,   // the thread saw what anybody may have written without an event: it comes after all there was

  // What the program turns out to need.
  kExpectSpins,       // spin-reads count from now on
  kExpectConditions,  // there may be condition variables from now on
  kObserveOnly,       // not every access is an event from now on: nothing is predicted
  kUseEpoch,          // a listener keeps the thread's present epoch: what it releases later comes after it

  // Annotations.
  kHappensBefore,
  kHappensAfter,
  kIgnoreBegin,  // `other`: a set of IgnoreWhat
  kIgnoreEnd,
  kBenignRange,
};
inline constexpr unsigned kEventKinds = static_cast<unsigned>(EventKind::kBenignRange) + 1;

enum class LockMode : uint8_t { kExclusive, kShared };
enum class LockAttempt : uint8_t { kBlocking, kTry, kTimed };

// The C++ memory orders; consume is acquire (P0371, and every compiler).
enum class MemoryOrder : uint8_t { kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst };

[[nodiscard]] constexpr bool acquires(MemoryOrder order) {
  return order == MemoryOrder::kAcquire || order == MemoryOrder::kAcqRel || order == MemoryOrder::kSeqCst;
}
[[nodiscard]] constexpr bool releases(MemoryOrder order) {
  return order == MemoryOrder::kRelease || order == MemoryOrder::kAcqRel || order == MemoryOrder::kSeqCst;
}

enum IgnoreWhat : uint8_t { kIgnoreReads = 1, kIgnoreWrites = 2, kIgnoreSync = 4 };

// What an atomic operation turned out to be.
struct AtomicOutcome {
  EventKind kind;
  MemoryOrder order;
};

struct Event {
  EventKind kind{};
  LockMode mode{};
  LockAttempt attempt{};
  MemoryOrder order{};
  bool in_loop = false;
  bool timed_out = false;
  bool counts = false;
  bool uses = false;
  ThreadId thread = 0;
  StackId where = kNoStack;
  Address address = 0;  // the memory or the synchronization object
  uint64_t size = 0;
  uint64_t other = 0;
  uint64_t other_size = 0;
};

// How a candidate stands after detection (design: the life of a race).
enum class Standing : uint8_t { kPredicted, kObserved };

}  // namespace norn
