// Which engine judges accesses (their names are in core/engine/engines.h), and how condition variables order.
#pragma once

#include <stdint.h>

namespace norn {

enum class EngineKind : uint8_t { kHybrid, kHb, kMsmShort, kMsmLong };

// Whether it remembers a state for each word (core/engine/msm.h), not accesses. Asked on every access.
[[nodiscard]] constexpr bool is_state_machine(EngineKind kind) { return kind >= EngineKind::kMsmShort; }

enum class ConditionMode : uint8_t { kOff, kLost, kWriteRead };

}  // namespace norn
