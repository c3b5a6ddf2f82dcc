// Locks of the program, as events.
#pragma once

#include "runtime/hooks/stack_ids.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"

namespace norn::rt {

// The lock was taken. It is also a use of its memory: freeing or destroying it at the same time is a race.
inline void took(const volatile void* lock, LockMode mode, const norn_site& site,
                 LockAttempt attempt = LockAttempt::kBlocking) {
  const Inspection here;
  if (!here) return;
  // In unsampled code the stack id is wanted for the order of locks alone.
  const bool unseen = is_called_unseen();
  const bool needs_stack = !unseen || here.thread().held_count != 0;
  const StackId stack = needs_stack ? cached_stack_id(*here, &site) : kNoStack;
  emit.lock_acquire(here.thread(), address_of(lock), mode, attempt, stack, is_watching() && !unseen);
}

// The lock is about to be given up.
inline void giving(const volatile void* lock, LockMode mode = LockMode::kExclusive) {
  const Inspection here;
  if (!here) return;
  emit.lock_release(here.thread(), address_of(lock), mode);
}

// The lock could not be given up after all.
inline void kept(const volatile void* lock, LockMode mode, const norn_site& site) { took(lock, mode, site); }

inline void destroyed_lock(const volatile void* lock, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.write(here.thread(), address_of(lock), 1, stack_id(*here, &site));
  emit.lock_destroy(here.thread(), address_of(lock));
}

inline void made_lock(const volatile void* lock, const norn_site& site) {
  const Inspection here;
  if (!here) return;
  if (is_watching()) emit.write(here.thread(), address_of(lock), 1, stack_id(*here, &site));
  emit.lock_destroy(here.thread(), address_of(lock));
}

}  // namespace norn::rt
