#include "tests/script/runner.h"

#include <memory>

#include "core/detector.h"
#include "core/testing/detector_probe.h"
#include "core/testing/test_arena.h"

namespace norn::script {
namespace {

struct Collector {
  RunResult result;
  bool state_machine = false;
  std::map<Address, Epoch> births;  // of bytes, the last ones
  struct Range {
    Address begin, end;
  };
  std::map<Address, Range> blocks;  // of bytes, likewise
};

Address fresh_until(void* context, Address byte, Epoch moment) {
  const auto& births = static_cast<Collector*>(context)->births;
  auto born = births.find(byte);
  return born != births.end() && born->second == moment ? byte + 1 : 0;
}

bool find_block(void* context, Address byte, Address& begin, Address& end) {
  const auto& blocks = static_cast<Collector*>(context)->blocks;
  auto found = blocks.find(byte);
  if (found == blocks.end()) return false;
  begin = found->second.begin;
  end = found->second.end;
  return true;
}

void note_births(Detector& detector, const Event& event, Collector& collector) {
  const bool resizes = event.kind == EventKind::kReallocate;
  if (!resizes && event.kind != EventKind::kAllocate) return;
  Address from = resizes ? event.other : event.address;
  const Address to = from + (resizes ? event.other_size : event.size);
  if (resizes && event.other == event.address) from += event.size;  // in place: what it gained
  if (from >= to) return;
  const Epoch now = detector.birth(*detector.find(event.thread));
  const Collector::Range block = {from, to};
  for (; from < to; ++from) {
    collector.births[from] = now;
    collector.blocks[from] = block;
  }
}

void take_pair(void* context, const RacingPair& pair) {
  auto& collector = *static_cast<Collector*>(context);
  const Standing standing = collector.state_machine ? Standing::kObserved : pair.standing;
  collector.result.pairs.push_back({pair.address, pair.size, standing, pair.earlier.where, pair.later.where,
                                    pair.earlier.thread, pair.later.thread});
  for (Address byte = pair.address; byte < pair.address + pair.size; ++byte) {
    auto [place, fresh] = collector.result.bytes.try_emplace(byte, standing);
    if (!fresh && place->second < standing) place->second = standing;
  }
}

// A plain access through one of the doors, as far as it takes it; the rest goes on as front ends do it.
template <AccessKind Kind>
class Through {
 public:
  Through(Detector& detector, Thread& thread, const Event& event)
      : detector_(detector),
        thread_(thread),
        event_(event),
        where_(event.where),
        increments_(Kind == AccessKind::kRead && event.counts) {}

  // What a thread records of an access is recorded once, whatever ways its parts go.
  void range() {
    const Address end = event_.address + event_.size;
    Address at = event_.address;
    if (is_plain() && !increments_) at = detector_.access_range<Kind>(thread_, at, end, where_);
    if (at < end && thread_.recording) at = event_.address;
    if (at < end) return whole(at, end);
    if (thread_.recording) detector_.record_again(thread_, Kind, event_.address, event_.size, increments_);
  }
  void strided(uint64_t at_once) {
    const Address end = event_.address + event_.size;
    const Address first = (event_.address + kGranuleBytes - 1) & ~(kGranuleBytes - 1);
    const Address last = end & ~(kGranuleBytes - 1);
    // An access that lies across granules is one of which all is handed over at once, and signals come after all of it.
    bool apart = first < last && !increments_ && !thread_.recording && thread_.held_count == 0;
    for (Address at = first; apart && at < last; at += kGranuleBytes) apart = !detector_.is_waited_for(at);
    if (!apart) return whole(event_.address, end);
    if (event_.address < first) whole(event_.address, first);
    for (Address at = first; at < last;) {
      const uint64_t left = (last - at) / kGranuleBytes;
      uint64_t done = 0;
      if (Granule* granules = granules_of(at, left); granules != nullptr && is_plain()) {
        done = detector_.access_row<Kind>(thread_, granules, at, left < at_once ? left : at_once, 1, where_);
      }
      if (done == 0) whole(at, at + kGranuleBytes);
      at += (done == 0 ? 1 : done) * kGranuleBytes;
    }
    if (last < end) whole(last, end);
  }
  void in_place() {
    const Address end = event_.address + event_.size;
    const bool fits = event_.address % kGranuleBytes + event_.size <= kGranuleBytes;
    Granule* granule = fits ? granules_of(event_.address, 1) : nullptr;
    if (granule == nullptr || thread_.ignoring != 0) return whole(event_.address, end);
    if (DetectorProbe::passes(thread_, *granule, Kind, event_.address, static_cast<unsigned>(event_.size))) return;
    // As the hooks, for the sizes that there are hooks for.
    bool done = false;
    if (is_plain() && !increments_) {
      switch (event_.size) {
        case 1:
          done = detector_.access_plainly<Kind, 1>(thread_, granule, event_.address, where_);
          break;
        case 2:
          done = detector_.access_plainly<Kind, 2>(thread_, granule, event_.address, where_);
          break;
        case 4:
          done = detector_.access_plainly<Kind, 4>(thread_, granule, event_.address, where_);
          break;
        case 8:
          done = detector_.access_plainly<Kind, 8>(thread_, granule, event_.address, where_);
          break;
        default:
          break;
      }
    }
    const auto known = [&](StackId& found) {
      found = where_;
      return true;
    };
    const auto size = static_cast<unsigned>(event_.size);
    done = done || (thread_.is_plain() &&
                    detector_.access_again<Kind, true>(thread_, *granule, event_.address, size, increments_, known));
    if (done) {
      if (thread_.recording) detector_.record_again(thread_, Kind, event_.address, event_.size, increments_);
      return;
    }
    detector_.access_within(thread_, *granule, Kind, event_.address, size, [&] { return where_; }, increments_);
  }

 private:
  [[nodiscard]] bool is_plain() {
    if (!thread_.is_plain() && !thread_.epoch_used && thread_.ignoring == 0) detector_.begin_epoch(thread_);
    return thread_.is_plain();
  }
  void whole(Address begin, Address end) { detector_.access(thread_, Kind, begin, end - begin, where_, increments_); }
  // So many of them one after the other; null where the shadow has none yet.
  [[nodiscard]] Granule* granules_of(Address at, uint64_t count) {
    const Address last = at + (count - 1) * kGranuleBytes;
    return at >> Leaf::kBits == last >> Leaf::kBits ? DetectorProbe::granule(detector_, at) : nullptr;
  }

  Detector& detector_;
  Thread& thread_;
  const Event& event_;
  const StackId where_;
  const bool increments_;
};

template <AccessKind Kind>
void access_through(Door door, Detector& detector, Thread& thread, const Event& event) {
  Through<Kind> access(detector, thread, event);
  switch (door) {
    case Door::kSingle:
      break;
    case Door::kRange:
      return access.range();
    case Door::kStrided:
      return access.strided(1);
    case Door::kAtOnce:
      return access.strided(~uint64_t{0});
    case Door::kInPlace:
      return access.in_place();
  }
}

void apply_through(Door door, Detector& detector, const Event& event) {
  Thread* thread = detector.find(event.thread);
  const bool plain = event.kind == EventKind::kRead || event.kind == EventKind::kWrite;
  if (door == Door::kSingle || !plain || thread == nullptr) return detector.apply(event);
  if (event.kind == EventKind::kRead) return access_through<AccessKind::kRead>(door, detector, *thread, event);
  access_through<AccessKind::kWrite>(door, detector, *thread, event);
}

}  // namespace

RunResult run_events(std::span<const Event> events, const EngineOptions& options, const AfterEvent& after) {
  const TestingArena arena;
  const auto detector = std::make_unique<Detector>();
  Collector collector;
  collector.state_machine = is_state_machine(options.engine);
  Listener listener;
  listener.context = &collector;
  listener.pair = &take_pair;
  listener.fresh_until = &fresh_until;
  listener.block = &find_block;
  Options core;
  core.engine = options.engine;
  core.condition = options.cv;
  core.conditions = options.conditions;
  core.spin = options.spin;
  core.handover = options.handover;
  core.superseded_cap = options.superseded_cap;
  core.library = options.lib;
  core.log2_histories = 10;
  core.time_limit = options.time_limit;
  if (!detector->init(core, listener)) return {};
  const StateOf state_of = [&](Address address) {
    return collector.state_machine ? std::string(msm_state_name(detector->msm_state(address))) : std::string();
  };
  if (after) after(0, state_of);
  for (size_t i = 0; i < events.size(); ++i) {
    if (options.collect_every != 0 && i % options.collect_every == 0) detector->request_collection();
    apply_through(collector.state_machine ? Door::kSingle : options.door, *detector, events[i]);
    note_births(*detector, events[i], collector);
    if (after) after(i + 1, state_of);
  }
  return std::move(collector.result);
}

}  // namespace norn::script
