// From the core's words to the report's: what every front end says of a candidate in the same way. Freestanding.
#pragma once

#include "core/candidate.h"
#include "core/detector_options.h"
#include "core/engine/engines.h"
#include "core/statistics.h"
#include "options/run_settings.h"
#include "report/race.h"
#include "report/race_id.h"
#include "report/words/op_names.h"

namespace norn::report {

[[nodiscard]] constexpr Op op_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::kRead:
      return Op::kRead;
    case AccessKind::kWrite:
      return Op::kWrite;
    case AccessKind::kAtomicRead:
      return Op::kAtomicRead;
    case AccessKind::kAtomicWrite:
      return Op::kAtomicWrite;
    case AccessKind::kFree:
      return Op::kFree;
    case AccessKind::kBirth:
      return Op::kAllocation;
  }
  return Op::kRead;
}

[[nodiscard]] inline Detection detection_of(const Candidate& candidate) {
  return candidate.standing.load(std::memory_order_relaxed) == norn::Standing::kObserved ? Detection::kObserved
                                                                                         : Detection::kPredicted;
}

// Whether a finding makes a run fail. (Nothing is confirmed while it is being found.)
[[nodiscard]] inline bool fails(Detection detection, options::FailOn fail_on) {
  switch (fail_on) {
    case options::FailOn::kAny:
      return true;
    case options::FailOn::kObserved:
      return is_certain(standing_of(detection, {}));
    case options::FailOn::kConfirmed:
    case options::FailOn::kNone:
      return false;
  }
  return false;
}
[[nodiscard]] inline bool fails(const Candidate& candidate, options::FailOn fail_on) {
  return fails(detection_of(candidate), fail_on);
}

// What a forked child has from its parent is the parent's to report: counts start again.
class CountsSinceFork {
 public:
  // `counts` has a place for each candidate there is; null: there was no memory, and all is counted again.
  void begin(const Statistics& known, const Candidates& candidates, uint64_t* counts) {
    before_ = known;
    --before_.threads;  // the one that forked is a thread of the child's, too
    inherited_ = counts;
    size_ = counts == nullptr ? 0 : candidates.size();
    for (const Candidate* c = candidates.first(); c != nullptr; c = c->next.load(std::memory_order_acquire)) {
      if (c->number < size_) inherited_[c->number] = c->count.load(std::memory_order_relaxed);
    }
  }
  [[nodiscard]] uint64_t of(const Candidate& candidate) const {
    const uint64_t count = candidate.count.load(std::memory_order_relaxed);
    const uint64_t before = candidate.number < size_ ? inherited_[candidate.number] : 0;
    return count > before ? count - before : 0;
  }
  [[nodiscard]] Statistics of(Statistics known) const {
    known.accesses -= before_.accesses;
    known.sync_events -= before_.sync_events;
    known.threads -= before_.threads;
    return known;
  }

 private:
  Statistics before_;
  uint64_t* inherited_ = nullptr;
  uint32_t size_ = 0;
};

// The parts of a race and of a run that need no front end.
inline void describe(const Candidate& candidate, const CountsSinceFork& counts, Race& race) {
  race.id = race_id(candidate.site_a, candidate.site_b);
  race.detection = detection_of(candidate);
  race.count = counts.of(candidate);
}

// `sync` is kept in `run`.
inline void describe(const Statistics& known, EngineKind engine, NamedCount (&sync)[1], RunSummary& run) {
  run.engine = engine_name(engine);
  sync[0] = {"all", known.sync_events};
  run.stats.events = known.accesses + known.sync_events;
  run.stats.accesses = known.accesses;
  run.stats.sync = sync;
  run.stats.threads = known.threads;
}

// What the accesses of a race say only when its location is known: how often, and how much was freed or
// allocated.
inline void complete(Race& race) {
  for (Access& access : race.accesses) {
    access.count = race.count;
    if (is_of_block(access.op) && race.location.object_size != 0) access.size = race.location.object_size;
  }
}

// Memory that is a thread's: its stack, or a block that it allocated.
inline void belongs_to(Location& location, ThreadId owner, Text name) {
  location.has_owner = true;
  location.owner = owner;
  location.owner_name = name;
}

}  // namespace norn::report
