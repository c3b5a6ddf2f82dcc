// What the functions of the threading libraries mean to a loop, by their names: one table for every front end.
#pragma once

#include <stdint.h>

#include "loops/loop.h"

namespace norn::loops {

enum class CallKind : uint8_t {
  kPure,      // result follows from the arguments
  kHarmless,  // yields, sleeps, locks and unlocks: no part of the program's data changes
  kLock,
  kUnlock,
  kTryLock,
  kWait,        // on a condition variable
  kAccessor,    // only reads
  kUnresolved,  // known at run time only, or in another module
  kEffects,     // anything else
};

// What the result of a call is to a condition. `waits`: it leads to a wait, whatever else it does.
[[nodiscard]] constexpr Kind result_of(CallKind call, bool waits) {
  switch (call) {
    case CallKind::kPure:
      return Kind::kCompute;
    case CallKind::kTryLock:
      return Kind::kTryLock;
    case CallKind::kWait:
      return Kind::kWait;
    case CallKind::kAccessor:
      return Kind::kAccessor;
    case CallKind::kUnresolved:
      return Kind::kUnresolved;
    default:
      return waits ? Kind::kWait : Kind::kChange;
  }
}

struct KnownCall {
  const char* name;
  CallKind kind;
};

// The functions that the front ends know, and the standard library's that lead to them.
inline constexpr KnownCall kKnownCalls[] = {
    {"pthread_cond_wait", CallKind::kWait},
    {"pthread_cond_timedwait", CallKind::kWait},
    {"pthread_cond_clockwait", CallKind::kWait},
    {"cnd_wait", CallKind::kWait},
    {"cnd_timedwait", CallKind::kWait},
    {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", CallKind::kWait},
    {"_ZNSt3__118condition_variable4waitERNS_11unique_lockINS_5mutexEEE", CallKind::kWait},
    {"_ZNSt3__118condition_variable15__do_timed_waitERNS_11unique_lockINS_5mutexEEENS_6chrono10time_pointINS5_12system_"
     "clockENS5_8durationIxNS_5ratioILl1ELl1000000000EEEEEEE",
     CallKind::kWait},
    {"pthread_mutex_trylock", CallKind::kTryLock},
    {"pthread_spin_trylock", CallKind::kTryLock},
    {"pthread_rwlock_trywrlock", CallKind::kTryLock},
    {"mtx_trylock", CallKind::kTryLock},
    {"pthread_mutex_lock", CallKind::kLock},
    {"pthread_spin_lock", CallKind::kLock},
    {"pthread_rwlock_rdlock", CallKind::kLock},
    {"pthread_rwlock_wrlock", CallKind::kLock},
    {"mtx_lock", CallKind::kLock},
    {"_ZNSt3__15mutex4lockEv", CallKind::kLock},
    {"pthread_mutex_unlock", CallKind::kUnlock},
    {"pthread_spin_unlock", CallKind::kUnlock},
    {"pthread_rwlock_unlock", CallKind::kUnlock},
    {"mtx_unlock", CallKind::kUnlock},
    {"_ZNSt3__15mutex6unlockEv", CallKind::kUnlock},
    {"sched_yield", CallKind::kHarmless},
    {"thrd_yield", CallKind::kHarmless},
    {"pthread_yield", CallKind::kHarmless},
    {"sleep", CallKind::kHarmless},
    {"usleep", CallKind::kHarmless},
    {"nanosleep", CallKind::kHarmless},
    {"clock_nanosleep", CallKind::kHarmless},
    {"thrd_sleep", CallKind::kHarmless},
    {"poll", CallKind::kHarmless},
    {"select", CallKind::kHarmless},
    {"pthread_testcancel", CallKind::kHarmless},
    {"_ZSt20__throw_system_errori", CallKind::kHarmless},
    {"_ZSt21__throw_bad_weak_ptrv", CallKind::kHarmless},
    {"__clang_call_terminate", CallKind::kHarmless},
    {"_ZSt9terminatev", CallKind::kHarmless},
    // Whether the program has threads at all.
    {"__gthread_active_p", CallKind::kPure},
};

}  // namespace norn::loops
