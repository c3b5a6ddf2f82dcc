// Locks of the program, as events.
#pragma once

#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/reporting/atomicity.h"
#include "runtime/reporting/lock_order.h"

namespace norn::rt {

// The lock was taken. It is also a use of its memory: freeing or destroying it at the same time is a race.
// `waits`: it would have waited for the lock; a try does not.
inline void took(const volatile void* lock, LockMode mode, const norn_site& site, bool waits = true) {
  const Inspection here;
  if (!here) return;
  // Where nobody looks, the place is wanted for the order of locks alone.
  const bool unseen = is_called_unseen();
  const bool placed = !unseen || here.thread().held_count != 0;
  const Where where = placed ? place_again(*here, &site) : kNowhere;
  detector.lock_acquire(here.thread(), address_of(lock), mode, where, is_watching() && !unseen);
  if (waits && here.thread().held_count > 1) note_lock_order(*here, address_of(lock));
}

// The lock is about to be given up.
inline void giving(const volatile void* lock, LockMode mode = LockMode::kExclusive) {
  const Inspection here;
  if (!here) return;
  if (watches_atomicity) [[unlikely]]
    note_given_up(address_of(lock));
  detector.lock_release(here.thread(), address_of(lock), mode);
}

// The lock could not be given up after all.
inline void kept(const volatile void* lock, LockMode mode, const norn_site& site) { took(lock, mode, site); }

inline void destroyed_lock(const volatile void* lock, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) detector.write(here.thread(), address_of(lock), 1, place(*here, &site));
  detector.lock_destroy(here.thread(), address_of(lock));
}

inline void made_lock(const volatile void* lock, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) detector.write(here.thread(), address_of(lock), 1, place(*here, &site));
  detector.lock_destroy(here.thread(), address_of(lock));
}

}  // namespace norn::rt
