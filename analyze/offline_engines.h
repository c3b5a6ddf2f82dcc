// The engines that judge traces and nothing else: one row each. `norn analyze --engine=NAME` knows them by these names,
// beside the core's (core/engine/engines.h), which judge programs as they run, too.
#pragma once

#include "base/text.h"

namespace norn::analyze {

enum class OfflineEngine : uint8_t { kNone, kSyncPreserving };

struct OfflineEngineRow {
  OfflineEngine kind;
  Text name;
  Text help;
};
inline constexpr OfflineEngineRow kOfflineEngines[] = {
    {OfflineEngine::kSyncPreserving, "sync-preserving", "what a reordering of the trace proves, with its witness"},
};

}  // namespace norn::analyze
