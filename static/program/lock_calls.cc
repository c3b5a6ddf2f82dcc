#include "static/program/lock_calls.h"

#include "llvm/ADT/StringSwitch.h"

namespace norn::statics {

LockCall lock_call(llvm::StringRef symbol) {
  using enum LockAction;
  const LockAction first =
      llvm::StringSwitch<LockAction>(symbol)
          .Cases("pthread_mutex_lock", "pthread_rwlock_wrlock", "pthread_spin_lock", "mtx_lock", kLock)
          .Case("pthread_rwlock_rdlock", kLockShared)
          .Cases("pthread_mutex_trylock", "pthread_rwlock_trywrlock", "pthread_spin_trylock", "mtx_trylock",
                 "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_rwlock_timedwrlock",
                 "pthread_rwlock_clockwrlock", "mtx_timedlock", kTry)
          .Cases("omp_test_lock", "omp_test_nest_lock", kTry)  // which say it the other way round
          .Cases("pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock", "pthread_rwlock_clockrdlock", kTryShared)
          .Cases("pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "mtx_unlock", kUnlock)
          .Cases("omp_set_lock", "omp_set_nest_lock", "__kmpc_ordered", kLock)
          .Cases("omp_unset_lock", "omp_unset_nest_lock", "__kmpc_end_ordered", kUnlock)
          .Case("__norn_once_begin", kOnceBegin)
          .Case("__norn_once_end", kOnceEnd)
          .Case("__cxa_guard_acquire", kGuardBegin)
          .Case("__cxa_guard_release", kGuardEnd)
          .Default(kNone);
  if (first != kNone) return {first, 0};
  if (symbol == "__kmpc_critical" || symbol == "__kmpc_critical_with_hint") return {kLock, 2};
  if (symbol == "__kmpc_end_critical") return {kUnlock, 2};
  if (symbol == "__kmpc_end_reduce" || symbol == "__kmpc_end_reduce_nowait") return {kUnlock, 2};
  return {};
}

bool gives_zero(llvm::StringRef symbol) { return !symbol.starts_with("omp_test_"); }

bool waits_by_result(llvm::StringRef symbol) {
  return symbol == "sem_trywait" || symbol == "sem_timedwait" || symbol == "sem_clockwait";
}

}  // namespace norn::statics
