// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/events.h"

#include "valgrind/client.h"
#include "valgrind/symbols.h"
#include "valgrind/waiting.h"
#include "valgrind/where.h"

namespace norn::vg {
namespace {

// Whoever uses an object that another destroys races with it.
void used(ThreadState& self, Address object) {
  if (watching) detector.access(*self.core, AccessKind::kAtomicRead, object, 1, [&] { return place(self, 0); });
}

void overwritten(ThreadState& self, Address object) {
  if (watching) detector.write(*self.core, object, 1, place(self, 0));
}

void took_lock(ThreadState& self, Address lock, bool shared) {
  detector.lock_acquire(*self.core, lock, shared ? LockMode::kShared : LockMode::kExclusive, place(self, 0));
  used(self, lock);
}

// The C library calls its own functions, too: that is its own affair.
bool is_of_program(Address caller) {
  static constinit struct {
    Address code;
    UInt epoch;
    bool opaque;
  } known[256] = {};
  if (caller == 0) return true;
  auto& entry = known[(caller ^ caller >> 8) % 256];
  const UInt epoch = VG_(current_DiEpoch)().n;
  if (entry.code != caller || entry.epoch != epoch) entry = {caller, epoch, is_opaque(caller)};
  return !entry.opaque;
}

bool is_of_library(Address object) {
  static constinit struct {
    Address object;
    UInt epoch;
    bool opaque;
  } known[256] = {};
  auto& entry = known[(object >> 3 ^ object >> 11) % 256];
  const UInt epoch = VG_(current_DiEpoch)().n;
  if (entry.object != object || entry.epoch != epoch) entry = {object, epoch, is_opaque_data(object)};
  return entry.opaque;
}

void range(ThreadState& self, AccessKind kind, Address address, uint64_t size) {
  if (!watching || size == 0) return;
  if (!self.core->recording && size <= 16 && detector.knows(*self.core, kind, address, size)) return;
  access_range(self, kind, address, size, place(self, 0));
}

Address begin_thread(ThreadState& self, Address pthread, Address stack_begin, Address stack_end) {
  thread_has_handle(self, pthread);
  thread_has_stack(self, stack_begin, stack_end);
  // A dead thread's stack was at the same place: what happened there is not shared with this thread.
  if (stack_begin != 0) detector.allocate(*self.core, stack_begin, stack_end - stack_begin);
  return self.routine;
}

void guard_releasing(ThreadState& self, Address guard) {
  ++atomic_changes;
  detector.once_done(*self.core, guard);
  become_atomic(self, guard, 1);
  detector.atomic(*self.core, guard, 1, place(self, 0),
                  [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
}

}  // namespace

void become_atomic(ThreadState& self, Address address, uint64_t size) {
  if (!detector.holds_atomic(address)) detector.forget_accesses(*self.core, address, size);
}

Address on_event(Address code, Address a, Address b, Address c) {
  ThreadState& self = *current;
  Thread& thread = *self.core;
  switch (static_cast<NornEvent>(code)) {
    case kNornCreating:
      self.routine = a;
      self.argument = b;
      self.creates_detached = c != 0;
      self.created = nullptr;
      self.created_at = place(self, 0);
      break;
    case kNornCreated:
      self.routine = 0;
      self.creates_detached = false;
      self.created_at = kNowhere;
      if (a == 0 && self.created != nullptr) thread_has_handle(*self.created, b);
      self.created = nullptr;
      break;
    case kNornBegins:
      return begin_thread(self, a, b, c);
    case kNornArgument:
      return self.argument;
    case kNornHandle: {
      const ::norn::ThreadId id = thread_of_handle(a);
      return id == kNoThread ? 0 : Address{id} + 1;
    }
    case kNornJoined:
      if (b != 0) {
        detector.join(thread, static_cast<::norn::ThreadId>(b - 1));
        forget_handle(a, static_cast<::norn::ThreadId>(b - 1));
      }
      break;
    case kNornDetaching:
      if (const ::norn::ThreadId id = thread_of_handle(a); id != kNoThread) {
        detector.detach(thread, id);
        forget_handle(a, id);
      }
      break;
    case kNornName:
      if (const ::norn::ThreadId id = a == 0 ? self.id : thread_of_handle(a); id != kNoThread) {
        set_thread_name(id, reinterpret_cast<const char*>(b));
      }
      break;
    case kNornLockMade:
      if (is_of_library(a)) break;
      overwritten(self, a);
      detector.lock_destroy(thread, a);
      break;
    case kNornLockTook:
      if (is_of_library(a)) break;
      took_lock(self, a, b != 0);
      break;
    case kNornLockGiving:
      if (is_of_library(a)) break;
      detector.lock_release(thread, a, b != 0 ? LockMode::kShared : LockMode::kExclusive);
      break;
    case kNornConditionMade:
    case kNornObjectMade:
      overwritten(self, a);
      detector.sync_destroy(thread, a);
      break;
    case kNornSignalling:
      used(self, a);
      detector.signal(thread, a);
      break;
    case kNornWaitEnter:
      used(self, a);
      detector.wait_enter(thread, a, b, waits_in_loop(self, a));
      break;
    case kNornWaitLeave:
      detector.wait_leave(thread, a, b, c == 0, place(self, 0));
      break;
    case kNornBarrierMade:
      overwritten(self, a);
      detector.barrier_init(thread, a, static_cast<uint32_t>(b));
      break;
    case kNornBarrierEnter:
      used(self, a);
      detector.barrier_enter(thread, a);
      break;
    case kNornBarrierLeave:
      detector.barrier_leave(thread, a);
      break;
    case kNornPosting:
      used(self, a);
      detector.semaphore_post(thread, a);
      break;
    case kNornWaited:
      detector.semaphore_wait(thread, a);
      used(self, a);
      break;
    case kNornOnceCalls:
      self.once_control = a;
      self.once_routine = b;
      break;
    case kNornOnceBegins:
      *reinterpret_cast<Address*>(a) = self.once_control;
      detector.once_seen(thread, self.once_control);  // of tries that failed
      return self.once_routine;
    case kNornOnceDone:
      detector.once_done(thread, a);
      break;
    case kNornOnceSeen:
      detector.once_seen(thread, a);
      break;
    case kNornGuardReleasing:
      guard_releasing(self, a);
      break;
    case kNornReads:
      if (watching && is_of_program(c)) range(self, AccessKind::kRead, a, b);
      break;
    case kNornWrites:
      if (watching && is_of_program(c)) range(self, AccessKind::kWrite, a, b);
      break;
    case kNornCopies:
      range(self, AccessKind::kRead, b, c);
      range(self, AccessKind::kWrite, a, c);
      break;
    case kNornUnmaps:
      if (watching && is_of_program(c)) detector.free(thread, a, b < kFreedBytes ? b : kFreedBytes, place(self, 0));
      break;
    case kNornHappensBefore:
      detector.happens_before(thread, a);
      break;
    case kNornHappensAfter:
      detector.happens_after(thread, a);
      break;
    case kNornNewMemory:
      detector.allocate(thread, a, b);
      break;
    case kNornBenign:
      detector.benign_range(thread, a, b);
      break;
    case kNornIgnoreBegin:
      detector.ignore_begin(thread, static_cast<uint8_t>(a));
      break;
    case kNornIgnoreEnd:
      detector.ignore_end(thread, static_cast<uint8_t>(a));
      break;
    case kNornLockGone:
      detector.lock_destroy(thread, a);
      break;
    case kNornObjectGone:
      detector.sync_destroy(thread, a);
      break;
  }
  return 0;
}

}  // namespace norn::vg
