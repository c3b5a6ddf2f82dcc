// The engines: one row each. The option `engine`, reports and scripts know them by these names.
#pragma once

#include "base/joined.h"

namespace norn {

enum class EngineKind : uint8_t { kHybrid, kHb, kMsmShort, kMsmLong };

struct EngineRow {
  EngineKind kind;
  Text name;
  bool is_state_machine;  // it remembers a state for each word (engine/msm.h), not accesses
};
inline constexpr EngineRow kEngines[] = {
    {EngineKind::kHybrid, "hybrid", false},
    {EngineKind::kHb, "hb", false},
    {EngineKind::kMsmShort, "msm-short", true},
    {EngineKind::kMsmLong, "msm-long", true},
};
static_assert(in_order(kEngines));

inline constexpr Text kEngineNames = Joined<kEngines>::kText;
[[nodiscard]] constexpr Text engine_name(EngineKind kind) { return kEngines[static_cast<size_t>(kind)].name; }
// Asked on every access: a set in a register, not a row in memory.
[[nodiscard]] constexpr bool is_state_machine(EngineKind kind) {
  constexpr unsigned kMachines = [] {
    unsigned set = 0;
    for (const EngineRow& row : kEngines) set |= (row.is_state_machine ? 1u : 0u) << static_cast<unsigned>(row.kind);
    return set;
  }();
  return (kMachines >> static_cast<unsigned>(kind) & 1) != 0;
}

}  // namespace norn
