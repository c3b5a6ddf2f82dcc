// The hook of the trace profile: which regions of code are executed. Only who records wants to know.
#include "norn/abi.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/state.h"
#include "runtime/reporting/recording.h"
#include "trace/trace_format.h"

using namespace norn::rt;

static_assert(NORN_REGION_FUNCTION == static_cast<int>(norn::trace::RegionStep::kFunction) &&
              NORN_REGION_LEFT == static_cast<int>(norn::trace::RegionStep::kLeft) &&
              NORN_REGION_CAUGHT == static_cast<int>(norn::trace::RegionStep::kCaught));

NORN_EXPORT void __norn_region(uint32_t* region, int step) {
  if (!is_recording()) return;
  // Taken before the runtime's own frames may look at the stack.
  const norn_site* const* top = __norn_stack;
  const Inspection here;
  if (!here) return;
  const CallStack& calls = *here->running;
  const bool known = top >= calls.begin && top <= calls.end;
  record_region(region, static_cast<norn::trace::RegionStep>(step),
                known ? static_cast<uint64_t>(top - calls.begin) : 0);
}
