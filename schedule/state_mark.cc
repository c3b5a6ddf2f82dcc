#include "schedule/state_mark.h"

#include "base/hash.h"

namespace norn::schedule {

StateMark Looks::mark_of(const Enabled& enabled) const {
  uint64_t place = 0;
  uint64_t stale = 0;
  for (uint32_t i = 0; i < enabled.count; ++i) {
    const Step& step = enabled[i];
    const bool shared = is_shared(step);
    if (shared && !step.writes && !step.idle && step.op != Op::kYield) return {};
    if (shared) place += hash_well(uint64_t{step.site} << 8 | static_cast<uint64_t>(step.op));
    stale += is_stale(step) ? 1 : 0;
  }
  return {(place & ~StateMark::kMostStale) | uint64_t{1} << 63 |
          (stale < StateMark::kMostStale ? stale : StateMark::kMostStale)};
}

void Looks::note(const Step& step) {
  if (step.address == 0) return;
  const uint32_t index = index_of(step.address);
  uint32_t& user = users_[index];
  if (user != step.thread + 1) user = user == 0 ? step.thread + 1 : kSeveral;
  uint32_t& writes = writes_[index];
  writes += step.writes ? 1 : 0;
  Thread& thread = threads_[step.thread];
  for (Look& look : thread.looks)
    if (look.address == step.address) return void(look.writes = writes);
  thread.looks[thread.next++ % kRemembered] = {step.address, writes};
}

uint32_t Looks::index_of(uint64_t address) { return static_cast<uint32_t>(hash_word(address) >> (64 - kBits)); }

bool Looks::is_shared(const Step& step) const {
  if (step.address == 0) return false;
  const uint32_t user = users_[index_of(step.address)];
  return user != 0 && user != step.thread + 1;
}

bool Looks::is_stale(const Step& step) const {
  if (!step.writes || (step.op != Op::kAtomic && step.op != Op::kAccess)) return false;
  for (const Look& look : threads_[step.thread].looks)
    if (look.address == step.address) return step.address != 0 && look.writes != writes_[index_of(step.address)];
  return false;
}

}  // namespace norn::schedule
