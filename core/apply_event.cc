// One event of the vocabulary to one call of the detector.
#include "base/hash.h"
#include "core/detector.h"

namespace norn {

// The release clock of a number. A front end keeps its clocks itself; here they are made when first named.
ReleaseClock* Detector::numbered_clock(Address number) {
  NumberedClock*& first = numbered_clocks_[hash_word(number) >> 58];
  for (NumberedClock* clock = first; clock != nullptr; clock = clock->next) {
    if (clock->number == number) return &clock->clock;
  }
  auto* made = arena_.create<NumberedClock>();
  if (made == nullptr) {
    no_memory_for_clocks();
    return nullptr;
  }
  made->number = number;
  made->next = first;
  first = made;
  return &made->clock;
}

// Events of release clocks.
void Detector::apply_clock(Thread& t, const Event& e) {
  ReleaseClock* clock = numbered_clock(e.address);
  if (clock == nullptr) return;
  switch (e.kind) {
    case EventKind::kForkAfter:
      (void)fork_after(t, *clock, static_cast<ThreadId>(e.other));
      break;
    case EventKind::kBeginAgain:
      begin_again(t, *clock);
      break;
    case EventKind::kClockRelease:
      clock_release(t, *clock);
      break;
    case EventKind::kClockAcquire:
      clock_acquire(t, *clock);
      break;
    default:
      clock_clear(*clock);
      break;
  }
}

// What holds for all threads, whoever said it, or nobody.
void Detector::apply_to_all(const Event& e) {
  switch (e.kind) {
    case EventKind::kClockClear:
      if (ReleaseClock* clock = numbered_clock(e.address); clock != nullptr) clock_clear(*clock);
      break;
    case EventKind::kExpectSpins:
      (void)honour_spins();
      break;
    case EventKind::kExpectConditions:
      expect_conditions();
      break;
    case EventKind::kObserveOnly:
      observe_only();
      break;
    default:
      break;  // there is no such event
  }
}

void Detector::apply(const Event& e) {
  if (e.thread == kNoThread) return apply_to_all(e);
  Thread* found = find(e.thread);
  if (found == nullptr) found = add_root(e.thread);
  if (found == nullptr) return;
  Thread& t = *found;
  switch (e.kind) {
    case EventKind::kThreadFork:
      (void)fork(t, static_cast<ThreadId>(e.other));
      break;
    case EventKind::kThreadStart:
      break;  // ordered by the fork
    case EventKind::kThreadExit:
      exit(t);
      break;
    case EventKind::kThreadJoin:
      join(t, static_cast<ThreadId>(e.other));
      break;
    case EventKind::kThreadDetach:
      detach(t, static_cast<ThreadId>(e.other));
      break;
    case EventKind::kForkAfter:
    case EventKind::kBeginAgain:
    case EventKind::kClockRelease:
    case EventKind::kClockAcquire:
    case EventKind::kClockClear:
      apply_clock(t, e);
      break;
    case EventKind::kRead:
      access(t, AccessKind::kRead, e.address, e.size, e.where, e.counts);
      break;
    case EventKind::kWrite:
      access(t, AccessKind::kWrite, e.address, e.size, e.where, e.counts);
      break;
    case EventKind::kAllocate:
      bear(t, e.address, e.size, e.where);
      break;
    case EventKind::kFree:
      free(t, e.address, e.size, e.where);
      break;
    case EventKind::kReallocate:
      reallocate(t, e.address, e.size, e.other, e.other_size, e.where);
      break;
    case EventKind::kRenew:
      allocate(t, e.address, e.size);
      break;
    case EventKind::kMap:
      map(t, e.address, e.size);
      break;
    case EventKind::kUnmap:
      unmap(t, e.address, e.size);
      break;
    case EventKind::kBirth:
      (void)birth(t);
      break;
    case EventKind::kForget:
      forget_accesses(t, e.address, e.size);
      break;
    case EventKind::kUse:
      use(t, e.address, e.where);
      break;
    case EventKind::kAtomicLoad:
      atomic_load(t, e.address, e.size, e.order, e.where, [] {});
      break;
    case EventKind::kAtomicStore:
    case EventKind::kAtomicRmw:
      atomic(t, e.address, e.size, e.where, [&] { return AtomicOutcome{e.kind, e.order}; });
      break;
    case EventKind::kFence:
      fence(t, e.order);
      break;
    case EventKind::kUnsampledBefore:
      before_unsampled(t, e.address, e.order);
      break;
    case EventKind::kUnsampledAfter:
      after_unsampled(t, e.address, e.order);
      break;
    case EventKind::kLockAcquire:
      lock_acquire(t, e.address, e.mode, e.where, e.uses);
      break;
    case EventKind::kLockRelease:
      lock_release(t, e.address, e.mode);
      break;
    case EventKind::kLockDestroy:
      lock_destroy(t, e.address);
      break;
    case EventKind::kLockRefused:
      (void)lock_refused(t, e.address);
      break;
    case EventKind::kSignal:
    case EventKind::kBroadcast:
      signal(t, e.address);
      break;
    case EventKind::kWaitEnter:
      wait_enter(t, e.address, e.other, e.in_loop);
      break;
    case EventKind::kWaitLeave:
      wait_leave(t, e.address, e.other, e.timed_out, e.where);
      break;
    case EventKind::kWaitLoopLeave:
      wait_loop_leave(t, e.address);
      break;
    case EventKind::kBarrierInit:
      barrier_init(t, e.address, static_cast<uint32_t>(e.other));
      break;
    case EventKind::kBarrierEnter:
      barrier_enter(t, e.address);
      break;
    case EventKind::kBarrierLeave:
      barrier_leave(t, e.address);
      break;
    case EventKind::kSemaphorePost:
      semaphore_post(t, e.address);
      break;
    case EventKind::kSemaphoreWait:
      semaphore_wait(t, e.address);
      break;
    case EventKind::kOnceDone:
      once_done(t, e.address);
      break;
    case EventKind::kOnceSeen:
      once_seen(t, e.address);
      break;
    case EventKind::kSyncDestroy:
      sync_destroy(t, e.address);
      break;
    case EventKind::kSpinRead:
      spin_read(t, e.address, e.size, e.where, e.in_loop);
      break;
    case EventKind::kSpinLeave:
      spin_leave(t);
      break;
    case EventKind::kCut:
      cut(t);
      break;
    case EventKind::kLook:
      look(t, e.address, e.size);
      break;
    case EventKind::kLeaveByAtomic:
      leave_by_atomic(t, e.address);
      break;
    case EventKind::kComeAfterAll:
      come_after_all(t);
      break;
    case EventKind::kExpectSpins:
    case EventKind::kExpectConditions:
    case EventKind::kObserveOnly:
      apply_to_all(e);
      break;
    case EventKind::kUseEpoch:
      use_epoch(t);
      break;
    case EventKind::kHappensBefore:
      happens_before(t, e.address);
      break;
    case EventKind::kHappensAfter:
      happens_after(t, e.address);
      break;
    case EventKind::kIgnoreBegin:
      ignore_begin(t, static_cast<uint8_t>(e.other));
      break;
    case EventKind::kIgnoreEnd:
      ignore_end(t, static_cast<uint8_t>(e.other));
      break;
    case EventKind::kBenignRange:
      benign_range(t, e.address, e.size);
      break;
  }
}

}  // namespace norn
