// The sampling profile (docs/design/sampling.md): programs whose code stands there twice, and which of the two copies
// a thread executes.
#pragma once

#include "runtime/process/state.h"

struct norn_module;  // norn/abi.h

namespace norn::rt {

// A module's regions; none: it was built to be checked in full.
void add_regions(const norn_module& tables);

// Whether some code of the program is left unchecked now and then. Not under control: there every access is wanted.
[[nodiscard]] bool is_sampled();

// For the calling thread, which begins: it has executed nothing yet. And when it ends.
void begin_sampling(ThreadState& state);
void end_sampling();
// Accesses count from here on, and so do executions: for the first thread, which calls it.
void restart_sampling();

}  // namespace norn::rt
