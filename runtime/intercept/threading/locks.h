// Locks of the program, as events.
#pragma once

#include "core/event.h"
#include "runtime/intercept/interpose.h"

namespace norn::rt {

// The lock was taken. It is also a use of its memory: freeing or destroying it at the same time is a race.
void took(const volatile void* lock, LockMode mode, const norn_site& site,
          LockAttempt attempt = LockAttempt::kBlocking);
// The lock is about to be given up.
void giving(const volatile void* lock, LockMode mode = LockMode::kExclusive);
// The lock could not be given up after all.
inline void kept(const volatile void* lock, LockMode mode, const norn_site& site) { took(lock, mode, site); }
// It is new, or will be gone: a write to its memory, and its past does not count.
void destroyed_lock(const volatile void* lock, const norn_site& site);
inline void made_lock(const volatile void* lock, const norn_site& site) { destroyed_lock(lock, site); }

}  // namespace norn::rt
