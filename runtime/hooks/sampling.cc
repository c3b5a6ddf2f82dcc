#include "runtime/hooks/sampling.h"

#include "core/order/sampler.h"
#include "norn/abi.h"
#include "runtime/control/control.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"

namespace {

// Of the first thread, and of those that the runtime does not know: what they count together is a little wrong.
constinit norn_region first_regions[NORN_REGIONS] = {};

}  // namespace

__attribute__((visibility("default"))) NORN_TLS __thread norn_region* __norn_regions = first_regions;

static_assert(sizeof(norn::Sampler) == sizeof(norn_region) &&
              offsetof(norn::Sampler, left) == offsetof(norn_region, left));

namespace norn::rt {
namespace {

constinit std::atomic<uint32_t> region_count{0};

// As many as may have been counted.
size_t used_bytes() {
  const uint32_t count = region_count.load(std::memory_order_relaxed) + 1;
  return (count < NORN_REGIONS ? count : NORN_REGIONS) * sizeof(norn_region);
}

void forget(norn_region* regions) { __builtin_memset(regions, 0, used_bytes()); }

}  // namespace

bool is_sampled() { return region_count.load(std::memory_order_relaxed) != 0 && !is_controlled(); }

void add_regions(const norn_module& tables) {
  if (tables.regions_begin == tables.regions_end) return;
  uint32_t count = region_count.load(std::memory_order_relaxed);
  for (uint32_t* number = tables.regions_begin; number != tables.regions_end; ++number) {
    *number = 1 + count++ % (NORN_REGIONS - 1);
  }
  region_count.store(count, std::memory_order_relaxed);
  if (is_controlled()) return;
  if (is_state_machine(start.settings.engine)) {
    refuse("msm-short and msm-long must see every access: build the program without -fnorn-profile=sampling");
  }
  start.settings.engine = EngineKind::kHb;
  if (start.settings.cv == ConditionMode::kWriteRead) start.settings.cv = ConditionMode::kLost;
  emit.observe_only();
}

void begin_sampling(ThreadState& state) {
  if (region_count.load(std::memory_order_relaxed) == 0) return;
  if (state.regions != nullptr) {
    forget(state.regions);
  } else {
    state.regions = static_cast<norn_region*>(sys::map(NORN_REGIONS * sizeof(norn_region)));
  }
  if (state.regions != nullptr) __norn_regions = state.regions;
}

void end_sampling() { __norn_regions = first_regions; }

void restart_sampling() { forget(first_regions); }

}  // namespace norn::rt

using namespace norn::rt;

// All registers are the caller's: nobody is called from here, who would use those for vectors.
NORN_EXPORT __attribute__((preserve_all)) int __norn_sample(uint32_t number) {
  auto& sampler = reinterpret_cast<norn::Sampler&>(__norn_regions[number]);
  // Until its module is registered a region has no number of its own.
  if (number == 0 || is_controlled()) {
    sampler.left = 0;
    return 1;
  }
  return sampler.ask() ? 1 : 0;
}
