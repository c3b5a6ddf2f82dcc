#include "tests/script/runner.h"

#include <memory>

#include "core/detector.h"
#include "core/testing/test_arena.h"

namespace norn::script {
namespace {

struct Collector {
  RunResult result;
  bool state_machine = false;
  std::map<Address, Moment> births;  // of bytes, the last ones
  struct Range {
    Address begin, end;
  };
  std::map<Address, Range> blocks;  // of bytes, likewise
};

Address newborn_until(void* context, Address byte, Moment moment) {
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
  const Moment now = detector.birth(*detector.find(event.thread));
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

}  // namespace

RunResult run_events(std::span<const Event> events, const EngineOptions& options, const AfterEvent& after) {
  const TestingArena arena;
  const auto detector = std::make_unique<Detector>();
  Collector collector;
  collector.state_machine = is_state_machine(options.engine);
  Listener listener;
  listener.context = &collector;
  listener.pair = &take_pair;
  listener.newborn_until = &newborn_until;
  listener.block = &find_block;
  Options core;
  core.engine = options.engine;
  core.condition = options.cv;
  core.conditions = options.conditions;
  core.spin = options.spin;
  core.handover = options.handover;
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
    detector->apply(events[i]);
    note_births(*detector, events[i], collector);
    if (after) after(i + 1, state_of);
  }
  return std::move(collector.result);
}

}  // namespace norn::script
