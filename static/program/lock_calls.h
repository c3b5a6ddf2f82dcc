// What functions of the threading libraries do to locks, by name.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace norn::statics {

enum class LockAction : uint8_t {
  kNone,
  kLock,
  kLockShared,
  kTry,  // returns 0: locked
  kTryShared,
  kUnlock,
  kOnceBegin,   // exclusive while it is done the first time
  kOnceEnd,     // whoever comes by here comes after it: shared, for ever
  kGuardBegin,  // of a static variable of a function
  kGuardEnd,
};

struct LockCall {
  LockAction action = LockAction::kNone;
  unsigned argument = 0;
};

[[nodiscard]] LockCall lock_call(llvm::StringRef symbol);

// Whether a function that tries says by 0 that it has the lock.
[[nodiscard]] bool gives_zero(llvm::StringRef symbol);

// Whether a function that waits for a semaphore has done so only if it returns 0.
[[nodiscard]] bool waits_by_result(llvm::StringRef symbol);

}  // namespace norn::statics
