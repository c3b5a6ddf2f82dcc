// What events are called in dumps.
#pragma once

#include "base/text.h"
#include "trace/trace_format.h"

namespace norn::trace {

inline constexpr Text kEventNames[] = {
    "fork",
    "start",
    "exit",
    "join",
    "detach",
    "fork-after",
    "begin-again",
    "read",
    "write",
    "allocate",
    "free",
    "reallocate",
    "renew",
    "map",
    "unmap",
    "birth",
    "forget",
    "use",
    "atomic-load",
    "atomic-store",
    "atomic-rmw",
    "fence",
    "unsampled-before",
    "unsampled-after",
    "lock-acquire",
    "lock-release",
    "lock-destroy",
    "lock-refused",
    "signal",
    "broadcast",
    "wait-enter",
    "wait-leave",
    "wait-loop-leave",
    "barrier-init",
    "barrier-enter",
    "barrier-leave",
    "semaphore-post",
    "semaphore-wait",
    "once-done",
    "once-seen",
    "sync-destroy",
    "clock-release",
    "clock-acquire",
    "clock-clear",
    "spin-read",
    "spin-leave",
    "cut",
    "look",
    "leave-by-atomic",
    "come-after-all",
    "expect-spins",
    "expect-conditions",
    "observe-only",
    "use-epoch",
    "happens-before",
    "happens-after",
    "ignore-begin",
    "ignore-end",
    "benign-range",
};
static_assert(sizeof(kEventNames) / sizeof(kEventNames[0]) == kEventKinds);

[[nodiscard]] constexpr Text event_name(EventKind kind) { return kEventNames[static_cast<unsigned>(kind)]; }

inline constexpr Text kRegionStepNames[] = {
    "function", "function-always", "again-always", "again-sometimes", "again-never", "left", "return", "caught",
};
static_assert(sizeof(kRegionStepNames) / sizeof(kRegionStepNames[0]) == kRegionSteps);

[[nodiscard]] constexpr Text region_step_name(RegionStep step) { return kRegionStepNames[static_cast<unsigned>(step)]; }

}  // namespace norn::trace
