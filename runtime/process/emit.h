// Where the runtime emits events: `emit.lock_acquire(…)`, once each, inside (state.h). Who hears them: core/emitter.h.
#pragma once

#include "core/emitter.h"
#include "runtime/process/state.h"

namespace norn::hazards {
class Hazards;
}

namespace norn::rt {

extern constinit hazards::Hazards hazard_listener;
extern constinit Emitter<detector, hazard_listener> emit;

}  // namespace norn::rt
