// What an event of a trace is to who reorders the trace: a few operations, each with a rule that a reordering must
// keep. The engine (sync_preserving.h) and the checker of its witnesses (witness_checker.h) are two readings of these
// rules; docs/design/predictive.md says why each is sound.
//
//   kRead     of bytes: each has been written last by the operation that wrote it last in the trace, or by nobody
//   kWrite    of bytes
//   kRenew    the bytes begin a new life: a read of them, and a write of those that were written
//   kAcquire  of a lock: nobody has it in a mode that excludes this one; sections of one lock that exclude each other
//   kRelease  come in the order of the trace
//   kRefused  by a lock: who acquired it last in the trace has done so
//   kChain    on an object: who did something to it last in the trace has done so. Whatever else synchronizes
//   kFork     the thread `other` begins after it
//   kJoin     the thread `other` has done all that it had done
//   kAfterAll every thread has done all that it had done
//
// A thread's own operations come in their order, without gaps.
#pragma once

#include <algorithm>

#include "core/access_kind.h"
#include "core/event.h"

namespace norn::analyze {

enum class OperationKind : uint8_t {
  kRead,
  kWrite,
  kRenew,
  kAcquire,
  kRelease,
  kRefused,
  kChain,
  kFork,
  kJoin,
  kAfterAll,
};

struct Operation {
  OperationKind kind{};
  bool races = false;   // of a read or write: it is an access that a race is made of,
  AccessKind access{};  // of this kind
  LockMode mode{};
  Address address = 0;  // bytes, lock or object
  uint64_t size = 0;
  ThreadId other = 0;
};

// A large block that is freed is freed only as far as somebody touched it.
[[nodiscard]] constexpr bool touches_all(const Operation& o) {
  constexpr uint64_t kLarge = uint64_t{16} << 20;
  return o.access != AccessKind::kFree || o.size <= kLarge;
}

// Calls visit(operation) for what the event does, in this order.
template <class Visit>
void for_each_operation(const Event& e, Visit visit) {
  using Kind = OperationKind;
  constexpr uint64_t kClocks = uint64_t{1} << 63;  // numbers of release clocks are no addresses
  const auto access = [&](Kind kind, AccessKind what, Address address, uint64_t size) {
    if (size != 0) visit(Operation{.kind = kind, .races = true, .access = what, .address = address, .size = size});
  };
  const auto look = [&](Address address, uint64_t size) {
    if (size != 0) visit(Operation{.kind = Kind::kRead, .address = address, .size = size});
  };
  const auto renew = [&](Address address, uint64_t size) {
    if (size != 0) visit(Operation{.kind = Kind::kRenew, .address = address, .size = size});
  };
  const auto chain = [&](Address object) { visit(Operation{.kind = Kind::kChain, .address = object}); };
  const auto acquire = [&](Address lock, LockMode mode) {
    visit(Operation{.kind = Kind::kAcquire, .mode = mode, .address = lock});
  };
  const auto release = [&](Address lock, LockMode mode) {
    visit(Operation{.kind = Kind::kRelease, .mode = mode, .address = lock});
  };
  const auto other = static_cast<ThreadId>(e.other);

  switch (e.kind) {
    case EventKind::kRead:
      access(Kind::kRead, AccessKind::kRead, e.address, e.size);
      break;
    case EventKind::kWrite:
      if (e.counts) look(e.address, e.size);  // it stands for a read, too
      access(Kind::kWrite, AccessKind::kWrite, e.address, e.size);
      break;
    case EventKind::kFree:
      access(Kind::kWrite, AccessKind::kFree, e.address, e.size);
      break;
    case EventKind::kReallocate: {
      access(Kind::kRead, AccessKind::kRead, e.address, e.size);
      const uint64_t kept = std::min(e.size, e.other_size);
      if (e.other != e.address) {
        access(Kind::kWrite, AccessKind::kFree, e.address, e.size);
        renew(e.other, e.other_size);
        access(Kind::kWrite, AccessKind::kWrite, e.other, kept);
      } else if (e.size > kept) {
        access(Kind::kWrite, AccessKind::kFree, e.address + kept, e.size - kept);
      } else {
        renew(e.address + kept, e.other_size - kept);
      }
      break;
    }
    case EventKind::kAllocate:
    case EventKind::kRenew:
    case EventKind::kMap:
    case EventKind::kUnmap:
    case EventKind::kForget:
      renew(e.address, e.size);
      break;
    case EventKind::kUse:
      access(Kind::kRead, AccessKind::kAtomicRead, e.address, 1);
      break;

    // The operation itself was done in the order of the trace, so that a load reads the last store before it; memory
    // orders forbid reorderings, and here is none that the values do not allow.
    case EventKind::kAtomicLoad:
      access(Kind::kRead, AccessKind::kAtomicRead, e.address, e.size);
      break;
    case EventKind::kAtomicStore:
      access(Kind::kWrite, AccessKind::kAtomicWrite, e.address, e.size);
      break;
    case EventKind::kAtomicRmw:
      look(e.address, e.size);
      access(Kind::kWrite, AccessKind::kAtomicWrite, e.address, e.size);
      break;
    case EventKind::kSpinRead:
    case EventKind::kLook:
      look(e.address, e.size);
      break;

    case EventKind::kLockAcquire:
      if (e.uses) access(Kind::kRead, AccessKind::kAtomicRead, e.address, 1);
      acquire(e.address, e.mode);
      break;
    case EventKind::kLockRelease:
      release(e.address, e.mode);
      break;
    case EventKind::kLockDestroy:
      acquire(e.address, LockMode::kExclusive);
      release(e.address, LockMode::kExclusive);
      break;
    case EventKind::kLockRefused:
      visit(Operation{.kind = Kind::kRefused, .address = e.address});
      break;
    case EventKind::kWaitEnter:
      chain(e.address);
      if (e.other != 0) release(e.other, LockMode::kExclusive);
      break;
    case EventKind::kWaitLeave:
      if (e.other != 0) acquire(e.other, LockMode::kExclusive);
      chain(e.address);
      break;

    case EventKind::kThreadFork:
      visit(Operation{.kind = Kind::kFork, .other = other});
      break;
    case EventKind::kForkAfter:
      chain(e.address | kClocks);
      visit(Operation{.kind = Kind::kFork, .other = other});
      break;
    case EventKind::kThreadJoin:
      visit(Operation{.kind = Kind::kJoin, .other = other});
      break;
    case EventKind::kComeAfterAll:
      visit(Operation{.kind = Kind::kAfterAll});
      break;

    case EventKind::kSignal:
    case EventKind::kBroadcast:
    case EventKind::kWaitLoopLeave:
    case EventKind::kBarrierInit:
    case EventKind::kBarrierEnter:
    case EventKind::kBarrierLeave:
    case EventKind::kSemaphorePost:
    case EventKind::kSemaphoreWait:
    case EventKind::kOnceDone:
    case EventKind::kOnceSeen:
    case EventKind::kSyncDestroy:
    case EventKind::kHappensBefore:
    case EventKind::kHappensAfter:
    case EventKind::kUnsampledBefore:
    case EventKind::kUnsampledAfter:
      chain(e.address);
      break;
    case EventKind::kClockRelease:
    case EventKind::kClockAcquire:
    case EventKind::kClockClear:
    case EventKind::kBeginAgain:
      chain(e.address | kClocks);
      break;

    // What a thread does by itself, and what says how to look at the rest.
    case EventKind::kThreadStart:
    case EventKind::kThreadExit:
    case EventKind::kThreadDetach:
    case EventKind::kBirth:
    case EventKind::kFence:
    case EventKind::kSpinLeave:
    case EventKind::kCut:
    case EventKind::kLeaveByAtomic:
    case EventKind::kExpectSpins:
    case EventKind::kExpectConditions:
    case EventKind::kObserveOnly:
    case EventKind::kUseEpoch:
    case EventKind::kIgnoreBegin:
    case EventKind::kIgnoreEnd:
    case EventKind::kBenignRange:
      break;
  }
}

}  // namespace norn::analyze
