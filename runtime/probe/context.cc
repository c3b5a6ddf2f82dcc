#include "runtime/probe/context.h"

#include "base/hash.h"
#include "runtime/probe/wire.h"

namespace norn::probe {

size_t Context::place_of(uintptr_t granule) {
  constexpr unsigned kBits = 6;
  static_assert(size_t{1} << kBits == kEntries);
  return hash_word(granule) >> (64 - kBits);
}

void Context::clear() {
  facts_ = 0;
  for (Entries& site : sites_) site = {};
}

void Context::compare(const Entries& other, const Range& range, uint32_t thread) {
  if (other.first_thread == 0) return;
  if (other.several_threads || other.first_thread != thread) facts_ |= wire::kThreads;
  // An access that reaches into this one may begin before it.
  const uintptr_t before = other.largest == 0 ? 0 : other.largest - 1;
  const uintptr_t first = (range.begin - (range.begin < before ? range.begin : before)) / kGranule;
  const uintptr_t last = (range.begin + range.size - 1) / kGranule;
  for (uintptr_t granule = first; granule <= last && granule - first < 2 * kGranules; ++granule) {
    const size_t place = place_of(granule);
    if (other.threads[place] == 0) continue;
    if (!range.overlaps(unpacked(other.ranges[place]))) continue;
    facts_ |= wire::kAliasing;
    if (other.threads[place] != thread) facts_ |= wire::kShared;
  }
}

uint8_t Context::note(unsigned site, bool one_site, const Range& range, uint32_t thread) {
  facts_ |= site == 0 ? wire::kReachedA : wire::kReachedB;
  if (one_site) facts_ |= wire::kReachedA | wire::kReachedB;
  if (range.size == 0) return facts_;
  compare(sites_[one_site ? site : 1 - site], range, thread);
  Entries& own = sites_[site];
  if (own.first_thread == 0) own.first_thread = thread;
  own.several_threads |= own.first_thread != thread;
  const uintptr_t end = range.begin + range.size;
  uintptr_t at = range.begin;
  for (size_t i = 0; at < end && i < kGranules; ++i) {
    const Range part{at, end - at < kGranule ? end - at : kGranule};
    if (own.largest < part.size) own.largest = part.size;
    const size_t place = place_of(at / kGranule);
    own.ranges[place] = packed(part);
    own.threads[place] = thread;
    at += part.size;
  }
  return facts_;
}

}  // namespace norn::probe
