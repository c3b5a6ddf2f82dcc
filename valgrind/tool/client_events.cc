// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/client_events.h"

#include "core/emitter_inline.h"
#include "hazards/hazard_listener.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/client_openmp.h"
#include "valgrind/tool/guest_stacks.h"
#include "valgrind/tool/tool_reporter.h"
#include "valgrind/tool/waiting.h"

namespace norn::vg {
namespace {

// Whoever uses an object that another destroys races with it.
void used(ThreadState& self, Address object) {
  if (watching) emit.access(*self.core, AccessKind::kAtomicRead, object, 1, [&] { return place(self, 0); });
}

void overwritten(ThreadState& self, Address object) {
  if (watching) emit.write(*self.core, object, 1, place(self, 0));
}

void took_lock(ThreadState& self, Address lock, bool shared, LockAttempt attempt) {
  emit.lock_acquire(*self.core, lock, shared ? LockMode::kShared : LockMode::kExclusive, attempt, place(self, 0));
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

constinit bool has_openmp = false;

// --- OpenMP ------------------------------------------------------------------------------------------------------

Task* task_at(Address address) { return reinterpret_cast<Task*>(address); }

TaskTraits traits_of(Address set) {
  return {.at_once = (set & kNornTaskAtOnce) != 0,
          .is_final = (set & kNornTaskFinal) != 0,
          .only_waits = (set & kNornTaskOnlyWaits) != 0};
}

// OMPT's task_schedule (OpenMP 5.2, 19.5.2.10).
void switch_tasks(ThreadState& self, Task* prior, Address status, Task* next) {
  enum Status : Address { kComplete = 1, kCancel = 3, kDetach = 4, kEarlyFulfil = 5, kLateFulfil = 6, kWaited = 8 };
  if (prior != nullptr) {
    switch (status) {
      case kComplete:
      case kCancel:
        finish_task(prior);
        end_task(self, prior);
        break;
      case kDetach:  // its body is done, its event is not fulfilled
        finish_task(prior);
        break;
      case kEarlyFulfil:
        fulfil_task(self, prior);
        return;
      case kLateFulfil:
        fulfil_task(self, prior);
        end_task(self, prior);
        return;
      case kWaited:
        wait_for_dependences(self, prior);
        end_task(self, prior);
        return;
      default:  // it goes on later: now another runs on top of it, or, of an untied task, a part is over
        if (next != nullptr && is_below(*prior, next)) return end_part(self);
        if (next != nullptr && has_begun(*next)) return begin_task(self, next);
        break;
    }
  }
  if (next != nullptr && !has_begun(*next)) return begin_task(self, next);
  run_task(self, next);
}

Address openmp_event(ThreadState& self, NornEvent code, Address a, Address b, Address c) {
  has_openmp = true;
  switch (code) {
    case kNornTeamBegins:
      return reinterpret_cast<Address>(begin_team(self));
    case kNornTeamEnds:
      end_team(self, reinterpret_cast<Team*>(a));
      break;
    case kNornMemberBegins:
      return reinterpret_cast<Address>(begin_member(self, reinterpret_cast<Team*>(a)));
    case kNornMemberLeaves:
      leave_team(task_at(a));
      break;
    case kNornMemberEnds:
      end_member(self, task_at(a));
      break;
    case kNornTaskCreated:
      return reinterpret_cast<Address>(create_task(self, traits_of(a)));
    case kNornTaskDepends:
      add_dependence(task_at(a), b, static_cast<DependenceKind>(c));
      break;
    case kNornTaskBegins:
      begin_task(self, task_at(a));
      break;
    case kNornTaskSwitches:
      switch_tasks(self, task_at(a), b, task_at(c));
      break;
    case kNornTaskEnds:
      leave_task(self, task_at(a));
      break;
    case kNornTaskWaits:
      wait_for_dependences(self, task_at(a));
      end_task(self, task_at(a));
      break;
    case kNornTasksAtOnce:
      create_at_once(self, a != 0);
      break;
    case kNornTeamWaits:
      enter_team_barrier(self);
      break;
    case kNornTeamGoesOn:
      leave_team_barrier(self);
      break;
    case kNornChildrenDone:
      wait_for_children(self);
      break;
    case kNornGroupBegins:
      begin_taskgroup(self);
      break;
    case kNornGroupEnds:
      end_taskgroup(self);
      break;
    case kNornOrderedBegins:
      begin_ordered(self);
      break;
    case kNornOrderedEnds:
      end_ordered(self);
      break;
    case kNornAsksThread:
      ask_thread(self);
      break;
    case kNornStackIsNew:
      renew_stack(self);
      break;
    case kNornPartEnds:
      leave_part(self);
      break;
    case kNornTaskHasEvent:
      set_event(task_at(a), b);
      break;
    case kNornEventFulfilled:
      fulfil_event(self, a);
      break;
    case kNornStartWatching:
      return start_watching(self) ? 1 : 0;
    case kNornChecksItself:
      checks_itself = true;
      break;
    default:
      break;
  }
  return 0;
}

Address begin_thread(ThreadState& self, Address pthread, Address stack_begin, Address stack_end) {
  thread_has_handle(self, pthread);
  thread_has_stack(self, stack_begin, stack_end);
  // Above the frame that calls its routine lie its own variables.
  self.own_begin = VG_(get_SP)(self.host) + sizeof(Address);
  self.own_end = stack_end;
  // A dead thread's stack was at the same place: what happened there is not shared with this thread.
  if (stack_begin != 0) emit.allocate(*self.core, stack_begin, stack_end - stack_begin);
  return self.routine;
}

void guard_releasing(ThreadState& self, Address guard) {
  ++atomic_changes;
  emit.once_done(*self.core, guard);
  become_atomic(self, guard, 1);
  emit.atomic(*self.core, guard, 1, place(self, 0),
              [] { return Detector::AtomicOutcome{EventKind::kAtomicStore, MemoryOrder::kRelease}; });
}

}  // namespace

void become_atomic(ThreadState& self, Address address, uint64_t size) {
  if (!detector.holds_atomic(address)) emit.forget_accesses(*self.core, address, size);
}

namespace {

// The library has threads and has emitted nothing: it never will.
void note_silent_openmp(const ThreadState& self) {
  static constinit bool said = false;
  constexpr ptrdiff_t kCaller = 2;
  if (said || self.top - self.calls_begin < kCaller || !is_openmp(self.top[-kCaller].site)) return;
  said = true;
  add_note(
      "the OpenMP library does not tell what it does (OMP_TOOL=disabled, or a tool of the program's own), so the order "
      "of its regions and tasks is unknown");
}

}  // namespace

// The calls that are known, from the innermost on: those of the wrappers to each other, then the caller.
bool is_called_by_openmp(const ThreadState& self, unsigned inner) {
  static constinit struct {
    Address code;
    UInt epoch;
    bool openmp;
  } known[256] = {};
  if (!has_openmp || self.top - self.calls_begin <= static_cast<ptrdiff_t>(inner)) return false;
  const Address caller = self.top[-1 - static_cast<ptrdiff_t>(inner)].site;
  auto& entry = known[(caller ^ caller >> 8) % 256];
  const UInt epoch = VG_(current_DiEpoch)().n;
  // One wrapper in another: the library's function is another one's with more arguments.
  if (entry.code != caller || entry.epoch != epoch) entry = {caller, epoch, is_openmp(caller) || is_preload(caller)};
  return entry.openmp;
}

Address on_event(Address code, Address a, Address b, Address c) {
  ThreadState& self = *current;
  if (code >= kNornTeamBegins) return openmp_event(self, static_cast<NornEvent>(code), a, b, c);
  // How the library does it is its own affair; what it means is in the events above.
  if (code >= kNornLockMade && code <= kNornOnceSeen && is_called_by_openmp(self, 1)) return 0;
  Thread& thread = *self.core;
  switch (static_cast<NornEvent>(code)) {
    case kNornCreating:
      if (!has_openmp) note_silent_openmp(self);
      self.routine = a;
      self.argument = b;
      self.creates_detached = c != 0;
      self.created = nullptr;
      self.created_at = place(self, 0);
      break;
    case kNornCreated:
      self.routine = 0;
      self.creates_detached = false;
      self.created_at = kNoStack;
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
        emit.join(thread, static_cast<::norn::ThreadId>(b - 1));
        forget_handle(a, static_cast<::norn::ThreadId>(b - 1));
      }
      break;
    case kNornDetaching:
      if (const ::norn::ThreadId id = thread_of_handle(a); id != kNoThread) {
        emit.detach(thread, id);
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
      emit.lock_destroy(thread, a);
      break;
    case kNornLockTook:
      if (is_of_library(a)) break;
      took_lock(self, a, b != 0, static_cast<LockAttempt>(c));
      break;
    case kNornLockGiving:
      if (is_of_library(a)) break;
      emit.lock_release(thread, a, b != 0 ? LockMode::kShared : LockMode::kExclusive);
      break;
    case kNornConditionMade:
    case kNornObjectMade:
      overwritten(self, a);
      emit.sync_destroy(thread, a);
      break;
    case kNornSignalling:
      used(self, a);
      emit.signal(thread, a);
      break;
    case kNornBroadcasting:
      used(self, a);
      emit.broadcast(thread, a);
      break;
    case kNornWaitEnter:
      used(self, a);
      emit.wait_enter(thread, a, b, waits_in_loop(self, a));
      break;
    case kNornWaitLeave:
      emit.wait_leave(thread, a, b, c == 0, place(self, 0));
      break;
    case kNornBarrierMade:
      overwritten(self, a);
      emit.barrier_init(thread, a, static_cast<uint32_t>(b));
      break;
    case kNornBarrierEnter:
      used(self, a);
      emit.barrier_enter(thread, a);
      break;
    case kNornBarrierLeave:
      emit.barrier_leave(thread, a);
      break;
    case kNornPosting:
      used(self, a);
      emit.semaphore_post(thread, a);
      break;
    case kNornWaited:
      emit.semaphore_wait(thread, a);
      used(self, a);
      break;
    case kNornOnceCalls:
      self.once_control = a;
      self.once_routine = b;
      break;
    case kNornOnceBegins:
      *reinterpret_cast<Address*>(a) = self.once_control;
      emit.once_seen(thread, self.once_control);  // of tries that failed
      return self.once_routine;
    case kNornOnceDone:
      emit.once_done(thread, a);
      break;
    case kNornOnceSeen:
      emit.once_seen(thread, a);
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
      if (watching && is_of_program(c)) emit.free(thread, a, b < kFreedBytes ? b : kFreedBytes, place(self, 0));
      break;
    case kNornHappensBefore:
      emit.happens_before(thread, a);
      break;
    case kNornHappensAfter:
      emit.happens_after(thread, a);
      break;
    case kNornNewMemory:
      emit.allocate(thread, a, b);
      break;
    case kNornBenign:
      emit.benign_range(thread, a, b);
      break;
    case kNornIgnoreBegin:
      emit.ignore_begin(thread, static_cast<uint8_t>(a));
      break;
    case kNornIgnoreEnd:
      emit.ignore_end(thread, static_cast<uint8_t>(a));
      break;
    case kNornLockGone:
      emit.lock_destroy(thread, a);
      break;
    case kNornObjectGone:
      emit.sync_destroy(thread, a);
      break;
    case kNornLockRefused:
      note_refusal(self, a);
      break;
    default:
      break;
  }
  return 0;
}

}  // namespace norn::vg
