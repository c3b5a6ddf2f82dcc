// The engines: one row each. The option `engine`, reports and scripts know them by these names.
#pragma once

#include "base/joined.h"
#include "core/engine/engine_kind.h"

namespace norn {

struct EngineRow {
  EngineKind kind;
  Text name;
};
inline constexpr EngineRow kEngines[] = {
    {EngineKind::kHybrid, "hybrid"},
    {EngineKind::kHb, "hb"},
    {EngineKind::kMsmShort, "msm-short"},
    {EngineKind::kMsmLong, "msm-long"},
};
static_assert(in_order(kEngines));

inline constexpr Text kEngineNames = Joined<kEngines>::kText;
[[nodiscard]] constexpr Text engine_name(EngineKind kind) { return kEngines[static_cast<size_t>(kind)].name; }

}  // namespace norn
