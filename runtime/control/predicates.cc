#include "runtime/control/predicates.h"

#include "base/sink.h"
#include "report/race.h"
#include "runtime/control/decisions.h"
#include "runtime/intercept/interpose.h"
#include "runtime/process/modules.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/reporter.h"
#include "schedule/predicate.h"

namespace norn::rt::control {

constinit bool watches_predicates = false;

namespace {

using schedule::PredicateHeader;
using schedule::PredicateInstruction;
using schedule::Truth;

struct Invariant {
  const norn_invariant* said = nullptr;
  bool held = false;
};
constexpr uint32_t kMostInvariants = 64;
constinit Invariant invariants[kMostInvariants];
constinit std::atomic<uint32_t> invariant_count{0};

constinit const PredicateInstruction* code = nullptr;
constinit uint64_t code_size = 0;
constinit uint64_t loaded_at = 0;
constinit bool predicate_held = false;

// An expression may follow a pointer that leads nowhere.
bool read_memory(uint64_t address, uint64_t size, uint64_t& value) {
  uint64_t bytes = 0;
  const bool is_there = size <= sizeof(value) && sys::copy_memory(address, &bytes, size);
  if (is_there) value = bytes;
  return is_there;
}

void put_place(Sink sink, const norn_site* site) {
  sink.put(report::base_name(site->file));
  sink.put(":");
  sink.put(Decimal(site->line).text());
}

bool has_place(const norn_site* site) { return site != nullptr && site->file != nullptr; }

[[noreturn]] void end_by_violation(Text what, Text expression, const Slot& self, const norn_site* behind,
                                   const norn_site* before) {
  Buffer words(outcome->violated, sizeof(outcome->violated) - 1);
  Sink sink = words.sink();
  if (!what.empty()) {
    sink.put(what);
    sink.put(": ");
  }
  sink.put(expression);
  sink.put(" does not hold any more: thread ");
  sink.put(Decimal(self.id).text());
  if (has_place(behind)) {
    sink.put(has_place(before) ? ", between " : ", after ");
    put_place(sink, behind);
  }
  if (has_place(before)) {
    sink.put(has_place(behind) ? " and " : ", before ");
    put_place(sink, before);
  }
  outcome->violated[words.text().size] = '\0';
  constexpr int kStatus = 1;
  finish_report(kStatus);
  sys::exit_process(kStatus);
}

}  // namespace

void start_predicates() {
  const Text path = rt::start.settings.predicate;
  if (!path.empty()) {
    size_t size = 0;
    const auto* header = static_cast<const PredicateHeader*>(map_file(path, size, false));
    const uint64_t room = size < sizeof(*header) ? 0 : (size - sizeof(*header)) / sizeof(PredicateInstruction);
    if (size < sizeof(*header) || header->magic != PredicateHeader::kMagic || header->count > room)
      refuse("not a predicate: ", path);
    code = reinterpret_cast<const PredicateInstruction*>(header + 1);
    code_size = header->count;
    loaded_at = program_bias();
  }
  outcome->predicates = (code != nullptr ? 1 : 0) + invariant_count.load(std::memory_order_relaxed);
  watches_predicates = outcome->predicates != 0;
}

void add_invariant(const norn_invariant& invariant) {
  const uint32_t number = invariant_count.load(std::memory_order_relaxed);
  if (number == kMostInvariants) return;
  invariants[number].said = &invariant;
  invariant_count.store(number + 1, std::memory_order_relaxed);
  if (!is_controlled()) return;
  ++outcome->predicates;
  watches_predicates = true;
}

void look_at_predicates(const Slot& self, const norn_site* behind, const norn_site* before) {
  const Inspection here;  // what invariants do is no event
  if (code != nullptr) {
    const Truth truth = schedule::evaluate(code, code_size, loaded_at, read_memory);
    if (truth == Truth::kFails && predicate_held)
      end_by_violation({}, rt::start.settings.predicate_text, self, behind, before);
    outcome->held += truth == Truth::kHolds && !predicate_held ? 1 : 0;
    predicate_held = predicate_held || truth == Truth::kHolds;
  }
  // A thread that ends can call nothing of the program any more.
  const uint32_t count = here ? invariant_count.load(std::memory_order_relaxed) : 0;
  for (uint32_t i = 0; i < count; ++i) {
    Invariant& invariant = invariants[i];
    const bool holds = invariant.said->holds() != 0;
    if (!holds && invariant.held)
      end_by_violation(invariant.said->name, invariant.said->expression, self, behind, before);
    outcome->held += holds && !invariant.held ? 1 : 0;
    invariant.held = invariant.held || holds;
  }
}

}  // namespace norn::rt::control
