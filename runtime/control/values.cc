#include "runtime/control/values.h"

#include "runtime/control/decisions.h"
#include "runtime/control/turn.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/syscalls.h"

namespace norn::rt::control {
namespace {

using schedule::MetAccess;
using schedule::Step;

constexpr uint32_t kNobody = schedule::kNobody;
constinit uint32_t awaited = kNobody;     // the second one's thread, until it goes on
constinit uint32_t on_its_way = kNobody;  // whose values were noted last, until anybody comes to a point
constinit MetAccess* noted = nullptr;     // they
constinit uint64_t first_decision = 0;    // of the first one
constinit uint64_t first_address = 0;

// In a gathering nothing is written; whoever leaves it comes back for the turn first.
bool does_anyone_run_unseen() {
  for (uint32_t i = 0; i < high; ++i) {
    if (slots[i].status.load(std::memory_order_relaxed) == Status::kOutside && slots[i].gathering.number == 0)
      return true;
  }
  return false;
}

bool is_shared(uint64_t address) {
  bool shared = false;
  visit_mappings([&](const Mapping& mapping) {
    if (mapping.end <= address) return true;
    shared = mapping.shared && mapping.begin <= address;
    return false;
  });
  return shared;
}

void forget(MetAccess& met) { met.has_value = met.has_old_value = 0; }

void note(MetAccess& met, const Step& step) {
  const Slot::Values& values = slots[step.thread].values;
  if (!values.can_be_read || does_anyone_run_unseen() || is_shared(step.address)) return;
  met.type = values.type;
  met.has_value = values.has_value ? 1 : 0;
  met.value = values.value;
  met.has_old_value = sys::copy_memory(step.address, &met.old_value, step.size) ? 1 : 0;
  on_its_way = step.thread;
  noted = &met;
}

// Memory is as the first one left it.
bool is_as_left(const MetAccess& first, const MetAccess& second) {
  const bool leaves = first.writes != 0 ? first.has_value != 0 : first.has_old_value != 0;
  return !leaves || second.has_old_value == 0 ||
         second.old_value == (first.writes != 0 ? first.value : first.old_value);
}

}  // namespace

Slot::Values values_before(AccessKind kind, size_t size, const norn_site* site, const uint64_t* written) {
  // The library's functions may be done with what they were called for.
  const bool is_plain = kind == AccessKind::kRead || kind == AccessKind::kWrite;
  if (!is_plain || site == nullptr || site->size != size) return {};
  if (size != 1 && size != 2 && size != 4 && size != 8) return {};
  Slot::Values values;
  values.can_be_read = true;
  values.type = static_cast<uint8_t>(site->flags >> NORN_SITE_TYPE_AT & NORN_SITE_TYPE_MASK);
  values.has_value = written != nullptr && (site->flags & NORN_SITE_SAYS_VALUE) != 0;
  if (values.has_value) values.value = *written;
  return values;
}

void note_met(const Step& first, const Step& second) {
  const auto begin = [](MetAccess& met, const Step& step) {
    met = {};
    met.site = step.site;
    met.sites = step.sites;
    met.writes = step.writes ? 1 : 0;
    met.size = step.size;
  };
  begin(outcome->met[0], first);
  begin(outcome->met[1], second);
  note(outcome->met[0], first);
  first_decision = outcome->decisions;
  first_address = first.address;
  awaited = second.thread;
}

void note_goes_on(const Step& step) {
  on_its_way = kNobody;
  if (step.thread != awaited) return;
  awaited = kNobody;
  auto& [first, second] = outcome->met;
  note(second, step);
  // Nobody has come between the two, and yet memory is not as the first one left it: somebody writes unseen.
  const bool is_next = outcome->decisions == first_decision + 1;
  const bool is_same_place = first.size == second.size && first_address == step.address;
  if (is_next && is_same_place && !is_as_left(first, second)) forget(first), forget(second);
}

void forget_values(uint32_t thread) {
  if (thread != on_its_way) return;
  forget(*noted);
}

}  // namespace norn::rt::control
