// What can be an event of a program, so that a detector may rely on it: a damaged trace may say anything.
#pragma once

#include "core/event.h"

namespace norn::analyze {

[[nodiscard]] inline bool is_plausible(const Event& event) {
  constexpr ThreadId kMostThreads = 1u << 26;
  constexpr uint64_t kAddresses = uint64_t{1} << 48;
  constexpr uint64_t kMostBytes = uint64_t{1} << 36;  // of an access
  const bool names_thread = event.kind == EventKind::kThreadFork || event.kind == EventKind::kThreadJoin ||
                            event.kind == EventKind::kThreadDetach || event.kind == EventKind::kForkAfter;
  const bool is_access = event.kind == EventKind::kRead || event.kind == EventKind::kWrite ||
                         event.kind == EventKind::kFree || event.kind == EventKind::kSpinRead ||
                         event.kind == EventKind::kLook;
  if (event.thread != kNoThread && event.thread >= kMostThreads) return false;
  if (names_thread && event.other >= kMostThreads) return false;
  if (is_access && event.size > kMostBytes) return false;
  if (event.size == 0) return true;  // it is no memory, but the name of an object
  return event.address < kAddresses && event.size <= kAddresses && event.address + event.size <= kAddresses;
}

}  // namespace norn::analyze
