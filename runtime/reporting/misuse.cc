#include "runtime/reporting/misuse.h"

#include <errno.h>

#include "core/detector.h"
#include "report/race.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/process/modules.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/hazard_reporter.h"

namespace norn::rt {
namespace {

using report::HazardKind;

bool wants(uint32_t hazard) { return (start.settings.hazards & hazard) != 0; }

// The kinds of mutex that say nothing when they are misused: normal and adaptive ones, which are not robust.
bool is_silent(const pthread_mutex_t* mutex) {
  constexpr int kType = 3;
  constexpr int kRobust = 16;
  const int kind = mutex->__data.__kind;
  if (kind < 0 || (kind & kRobust) != 0) return false;
  return (kind & kType) == PTHREAD_MUTEX_TIMED_NP || (kind & kType) == PTHREAD_MUTEX_ADAPTIVE_NP;
}
// What pthread_mutex_destroy leaves.
bool is_destroyed(const pthread_mutex_t* mutex) { return mutex->__data.__kind == -1; }

// Bits of __readers in the C library's reader/writer locks: the second is a writer's, those from the fourth on count.
bool is_free(const pthread_rwlock_t* lock) { return (lock->__data.__readers & ~5u) == 0; }

// Who holds the lock. It is looked for in what other threads write at this moment: of that only the address is used,
// and whoever holds a lock while it is misused is seldom the one who changes.
ThreadId holder_of(Address lock) {
  for (const ThreadState* state = first_state(); state != nullptr; state = state->next) {
    if (!state->live.load(std::memory_order_relaxed) || state->core == nullptr) continue;
    if (state->core->find_held(lock) != nullptr) return state->id;
  }
  return kNoThread;
}

void report_misuse(const Inspection& here, HazardKind kind, const volatile void* about, const norn_site& site) {
  const Address lock = address_of(about);
  Misuse misuse{kind, lock, here->id, stack_id(*here, &site)};
  misuse.other = holder_of(lock);
  if (misuse.other != kNoThread) misuse.other_at = detector.taken_at(lock, misuse.other, &here.thread());
  report_misuse(misuse);
}

}  // namespace

void check_foreign_unlock(const pthread_mutex_t* mutex, const norn_site& site) {
  if (!wants(options::kHazardMisuse)) return;
  const Inspection here;
  if (!here || here.thread().find_held(address_of(mutex)) != nullptr || !is_silent(mutex)) return;
  if (mutex->__data.__lock == 0) return report_misuse(here, HazardKind::kUnlockUnlocked, mutex, site);
  const auto owner = static_cast<uint32_t>(mutex->__data.__owner);
  if (owner != 0 && owner != sys::tid()) report_misuse(here, HazardKind::kUnlockForeign, mutex, site);
}

void check_foreign_unlock(const pthread_rwlock_t* lock, const norn_site& site) {
  if (!wants(options::kHazardMisuse)) return;
  const Inspection here;
  if (!here || here.thread().find_held(address_of(lock)) != nullptr) return;
  if (is_free(lock)) return report_misuse(here, HazardKind::kUnlockUnlocked, lock, site);
  const auto writer = static_cast<uint32_t>(lock->__data.__cur_writer);
  if (writer != 0 && writer != sys::tid()) report_misuse(here, HazardKind::kUnlockForeign, lock, site);
}

// A spin lock has no owner in its memory: who holds it is what was seen.
void check_foreign_unlock(const pthread_spinlock_t* lock, const norn_site& site) {
  if (!wants(options::kHazardMisuse)) return;
  const Inspection here;
  if (!here || here.thread().find_held(address_of(lock)) != nullptr) return;
  if (*lock > 0) return report_misuse(here, HazardKind::kUnlockUnlocked, lock, site);
  if (holder_of(address_of(lock)) != kNoThread) report_misuse(here, HazardKind::kUnlockForeign, lock, site);
}

void check_wait(const pthread_mutex_t* mutex, const norn_site& site) {
  if (!wants(options::kHazardMisuse) || !is_silent(mutex)) return;
  const Inspection here;
  if (!here || here.thread().find_held(address_of(mutex)) == nullptr) return;
  if (static_cast<uint32_t>(mutex->__data.__owner) == sys::tid())
    report_misuse(here, HazardKind::kDoubleLock, mutex, site);
}

void check_wait(const pthread_spinlock_t* lock, const norn_site& site) {
  if (!wants(options::kHazardMisuse) || *lock > 0) return;
  const Inspection here;
  if (here && here.thread().find_held(address_of(lock)) != nullptr)
    report_misuse(here, HazardKind::kDoubleLock, lock, site);
}

void check_refused(const pthread_mutex_t* mutex, int result, const norn_site& site) {
  if (result != EINVAL || !is_destroyed(mutex) || !wants(options::kHazardMisuse)) return;
  if (const Inspection here; here) report_misuse(here, HazardKind::kUseDestroyed, mutex, site);
}

void check_destroy(const pthread_mutex_t* mutex, const norn_site& site) {
  if (!wants(options::kHazardMisuse)) return;
  if (is_destroyed(mutex)) {
    if (const Inspection here; here) report_misuse(here, HazardKind::kUseDestroyed, mutex, site);
    return;
  }
  if (mutex->__data.__lock == 0 || start.is_child) return;
  if (const Inspection here; here) report_misuse(here, HazardKind::kDestroyLocked, mutex, site);
}

void check_destroy(const pthread_rwlock_t* lock, const norn_site& site) {
  if (is_free(lock) || start.is_child || !wants(options::kHazardMisuse)) return;
  if (const Inspection here; here) report_misuse(here, HazardKind::kDestroyLocked, lock, site);
}

void check_destroy(const pthread_spinlock_t* lock, const norn_site& site) {
  if (*lock > 0 || start.is_child || !wants(options::kHazardMisuse)) return;
  const Inspection here;
  if (here && holder_of(address_of(lock)) != kNoThread) report_misuse(here, HazardKind::kDestroyLocked, lock, site);
}

void note_unsafe_call(const norn_site& site) {
  if (!wants(options::kHazardSignals)) return;
  const Inspection here;
  if (!here) return;
  Misuse misuse{HazardKind::kSignalUnsafe, 0, here->id, stack_id(*here, &site)};
  misuse.name = site.function;
  report_misuse(misuse);
}

void note_errno_changed(ThreadState& state, const norn_site* call) {
  if (!wants(options::kHazardSignals) || !enter(state)) return;
  Misuse misuse{HazardKind::kSignalErrno, 0, state.id, stack_id(state, call)};
  misuse.name = "a signal handler";
  report_misuse(misuse);
  leave(state);
}

// Libraries keep threads for as long as there is a program; that is their affair.
void note_thread_leak(ThreadId leaked) {
  const ThreadInfo* info = thread_info(leaked);
  if (info == nullptr || !wants(options::kHazardThreadLeak) || !is_programs_code(info->creator)) return;
  const Inspection here;
  if (!here) return;
  Misuse misuse{HazardKind::kThreadLeak, 0, info->parent, info->created_at};
  misuse.name = "a thread";
  report_misuse(misuse);
}

}  // namespace norn::rt
