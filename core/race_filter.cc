#include "core/race_filter.h"

#include "core/engine/engine.h"

namespace norn {

bool RaceFilter::is_benign(const RacingPair& pair) const {
  const Bytes bytes = {pair.address, pair.address + pair.size};
  for (const BenignRange* r = benign_.load(std::memory_order_acquire); r != nullptr; r = r->next) {
    if (r->bytes.begin <= bytes.begin && bytes.end <= r->bytes.end) return true;
  }
  return false;
}

void RaceFilter::report_races(const Thread& thread, const FoundRaces& races) {
  if (is_blind()) return;
  for (unsigned i = 0; i < races.count; ++i) {
    RacingPair pair = races.pairs[i];
    if (pair.standing == Standing::kPredicted && options_.handover &&
        writes_forgotten_.load(std::memory_order_relaxed)) {
      continue;
    }
    if (pair.standing == Standing::kPredicted && is_taken_out(thread, pair)) continue;
    if (listener_.counts != nullptr && !listener_.counts(listener_.context, pair)) continue;
    if (pair.standing == Standing::kPredicted && listener_.fresh_until != nullptr &&
        !is_state_machine(options_.engine) && (listener_.pair != nullptr || !candidates_.knows(pair))) {
      report_grown(pair);
    } else {
      report_harmful(pair);
    }
  }
}

// A predicted pair, but for the bytes that were new when the earlier of the two came (order.md, New memory).
void RaceFilter::report_grown(RacingPair pair) {
  const Address end = pair.address + pair.size;
  auto grown_at = [&](Address byte) {
    while (byte < end) {
      const Address until = listener_.fresh_until(listener_.context, byte, pair.earlier_at);
      if (until == 0) break;
      byte = until;
    }
    return byte;
  };
  for (pair.address = grown_at(pair.address); pair.address < end;) {
    Address fresh = pair.address + 1;
    while (fresh < end && grown_at(fresh) == fresh) ++fresh;
    pair.size = static_cast<uint32_t>(fresh - pair.address);
    report_harmful(pair);
    pair.address = grown_at(fresh);
  }
}

// A benign range may cover some of the bytes only.
void RaceFilter::report_harmful(RacingPair pair) {
  if (benign_.load(std::memory_order_relaxed) == nullptr) return candidates_.found(pair);
  const Address end = pair.address + pair.size;
  pair.size = 1;
  for (; pair.address < end; ++pair.address) {
    if (!is_benign(pair)) candidates_.found(pair);
  }
}

void RaceFilter::benign_range(Thread& thread, Address address, uint64_t size) {
  const Inside inside(*this, thread);
  auto* range = arena_.create<BenignRange>();
  if (range == nullptr) return;
  range->bytes = {address, address + size};
  range->next = benign_.load(std::memory_order_relaxed);
  while (!benign_.compare_exchange_weak(range->next, range, std::memory_order_acq_rel)) {
  }
}

}  // namespace norn
