// The engines, one row each. The option `engine`, reports and scripts know them by their names, the core by what the
// row says. Freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn {

enum class EngineKind : uint8_t { kHybrid, kHb, kMsmShort, kMsmLong };

struct EngineRow {
  EngineKind kind;
  const char* name;
  bool by_order_alone = false;  // no locks, no predictions: only what is not ordered races
  bool state_machine = false;   // it remembers a state for each word (core/engine/msm.h), not accesses
};
inline constexpr EngineRow kEngines[] = {
    {.kind = EngineKind::kHybrid, .name = "hybrid"},
    {.kind = EngineKind::kHb, .name = "hb", .by_order_alone = true},
    {.kind = EngineKind::kMsmShort, .name = "msm-short", .state_machine = true},
    {.kind = EngineKind::kMsmLong, .name = "msm-long", .state_machine = true},
};

// A bit for each engine of which its row says so: asked on every access.
consteval unsigned engines_with(bool EngineRow::* what) {
  unsigned set = 0;
  for (const EngineRow& row : kEngines) set |= unsigned{row.*what} << static_cast<unsigned>(row.kind);
  return set;
}
[[nodiscard]] constexpr bool is_state_machine(EngineKind kind) {
  return (engines_with(&EngineRow::state_machine) >> static_cast<unsigned>(kind) & 1) != 0;
}
[[nodiscard]] constexpr bool is_by_order_alone(EngineKind kind) {
  return (engines_with(&EngineRow::by_order_alone) >> static_cast<unsigned>(kind) & 1) != 0;
}
// By order and by locks, and so also what another schedule would show.
[[nodiscard]] constexpr bool predicts(EngineKind kind) { return !is_state_machine(kind) && !is_by_order_alone(kind); }

[[nodiscard]] constexpr const char* engine_name(EngineKind kind) { return kEngines[static_cast<size_t>(kind)].name; }

// How condition variables order.
enum class ConditionMode : uint8_t { kOff, kLost, kWriteRead };

}  // namespace norn
