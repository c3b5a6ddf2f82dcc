// Controlled execution seen from the program: where it begins, and the points at which threads stop.
#include "runtime/control/control.h"

#include "hazards/hazard_listener.h"
#include "runtime/control/decisions.h"
#include "runtime/control/interest.h"
#include "runtime/control/predicates.h"
#include "runtime/control/standstill.h"
#include "runtime/control/turn.h"
#include "runtime/control/values.h"
#include "runtime/control/written_files.h"
#include "runtime/inputs/inputs.h"
#include "runtime/memory/guard.h"
#include "runtime/process/emit.h"
#include "runtime/process/mode.h"
#include "runtime/process/settings.h"
#include "runtime/process/syscalls.h"
#include "schedule/strategies.h"
#include "schedule/strategies/two_orders.h"

namespace norn::rt {

constinit std::atomic<bool> controlled{false};
constinit bool only_scheduled = false;

namespace control {
namespace {

constinit schedule::AnyStrategy any_strategy;
alignas(schedule::TwoOrders) constinit unsigned char two_orders[sizeof(schedule::TwoOrders)] = {};
constinit schedule::Constraint constraints[schedule::kMaxConstraints];
constinit schedule::RandomBits numbers;  // for the program

// Counting stands for time.
//
// A thread that passes so many accesses without a point may be waiting for another one.
constexpr uint32_t kAccessesInARow = 20000;
// One that looks so often at the same place from the same statement is waiting.
constexpr uint32_t kLooksInARow = 100;
constexpr uint32_t kAtomicLooksInARow = 8;
// That shows it better than a yield for other reasons, and counts as several.
constexpr uint32_t kYieldsOfLooks = 5;
// One that takes so many steps and gets nowhere may be waiting by trying: it is idle. A prime: when it is found so, and
// when it is found so again, it is not at the same point of its loop, where it may have the lock that another one
// needs.
constexpr uint32_t kManySteps = 9973;

void step(Slot& self, Op op, const Matched& site, uint64_t address, uint64_t size, bool writes,
          const Slot::Values& values = {}) {
  if (watches_predicates) {
    look_at_predicates(self, self.behind, site.own);
    self.behind = site.own;
  }
  self.step = {self.number, op, writes, sites_for(self, site.mask), address, size, site.identity};
  self.values = values;
  self.accesses_in_a_row = 0;
  name_site(site);
  Choice choice(self);
  self.status.store(Status::kReady, std::memory_order_relaxed);
  if (op == Op::kYield) {
    ++self.yields;
    strategy->yielded(self.number);
  } else if (op == Op::kBegin || op == Op::kSignal || op == Op::kCreate || op == Op::kJoin) {
    self.yields = 0;
  } else if (++self.steps % kManySteps == 0) {
    self.yields += kIdleYields;
    strategy->yielded(self.number);
  }
  choice.take();
  if (standstill.is_watching()) Standstill::clear_stack_below();
}

// True: the thread has been looking at this for a while.
bool only_looks(Slot& self, const norn_site* site, uint64_t address, bool writes, uint32_t patience) {
  if (writes || self.last_site != site || self.last_address != address) {
    self.last_site = site;
    self.last_address = address;
    self.looks = 0;
    return false;
  }
  if (++self.looks < patience) return false;
  self.looks = 0;
  self.yields += kYieldsOfLooks - 1;  // and one for the yield that follows
  return true;
}

// Whether the thread stops at a statement of the candidate once more. A race that was met so often needs no more; one
// that was not, though threads stood there a great many times, is looked for ever more rarely.
bool is_worth_a_stop() {
  constexpr uint32_t kMeetingsEnough = 1000;
  constexpr uint64_t kStopsAtEachRate = 20'000;
  static constinit uint64_t stops = 0, passed = 0;
  if (outcome->meetings >= kMeetingsEnough) return false;
  const uint64_t halvings = stops / kStopsAtEachRate;
  if (++passed % (uint64_t{1} << (halvings < 32 ? halvings : 32)) != 0) return false;
  ++stops;
  return true;
}

bool is_own_stack(const ThreadState& state, uint64_t address) {
  return address >= state.stack_begin && address < state.stack_end;
}

}  // namespace

void start() {
  const options::Settings& settings = rt::start.settings;
  schedule::StrategyKind kind = settings.schedule;
  // Atomicity is collected on demand, and under control, where one thread at a time makes it cheap.
  const bool atomicity = (settings.hazards & options::kHazardAtomicity) != 0 && settings.outcome.empty();
  if (kind == schedule::StrategyKind::kOff && atomicity) kind = schedule::StrategyKind::kRoundRobin;
  if (kind == schedule::StrategyKind::kOff) return;
  if (!open_decisions()) return;
  open_capture();
  inputs::start_replaying();
  read_targets(settings.sites);
  schedule::Plan plan;
  plan.kind = kind;
  plan.seed = settings.seed;
  plan.depth = settings.depth;
  plan.length = settings.length;
  plan.constraints = constraints;
  plan.constraint_count = schedule::read_constraints(settings.guide, constraints);
  plan.way = settings.guide;
  add_expected(plan);
  start_predicates();
  strategy = &any_strategy.make(plan);
  if (settings.order != 0) {
    const schedule::Order order = schedule::Order::of(settings.order);
    strategy = ::new (two_orders) schedule::TwoOrders(*strategy, order, settings.seed, outcome->enforced);
  }
  numbers = schedule::RandomBits(settings.seed ^ 0x6e6f726e);
  const uint32_t number = reserve(current_state->id);
  Slot& self = slots[number];
  self.state = current_state;
  self.tid = sys::tid();
  self.status.store(Status::kRunning, std::memory_order_relaxed);
  current_slot = &self;
  holder = &self;
  only_scheduled = !settings.outcome.empty();
  guards_memory = settings.memory;
  hazard_listener.atomicity.watch(atomicity);
  emit.settle();
  controlled.store(true, std::memory_order_release);
}

void stop() {
  controlled.store(false, std::memory_order_relaxed);
  only_scheduled = false;
  watches_predicates = false;
  guards_memory = false;
  hazard_listener.atomicity.watch(false);
  emit.settle();
}

bool active() {
  if (!is_controlled() || current_ended) return false;
  ThreadState* state = current_state;
  if (state == nullptr) state = adopt_thread();
  if (state == nullptr || state->depth.load(std::memory_order_relaxed) != 0) return false;
  Slot* self = current_slot;
  if (self == nullptr) self = adopt(*state);
  if (self == nullptr) return false;
  if (self->status.load(std::memory_order_relaxed) != Status::kRunning) come_back(*self);
  return true;
}

void point(Op op, const volatile void* object, const norn_site* site) {
  if (!is_watching()) return;
  if (standstill.is_watching()) standstill.visit(*current_slot, op, address_of(object), this_frame());
  step(*current_slot, op, find_out(*current_state, site), address_of(object), 1, true);
}

void yield(const norn_site* site) {
  if (!is_watching()) return;
  if (standstill.is_watching()) standstill.visit(*current_slot, Op::kYield, 0, this_frame());
  step(*current_slot, Op::kYield, find_out(*current_state, site), 0, 0, false);
}

void access(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
            const uint64_t* written) {
  if (!active()) return;
  Slot& self = *current_slot;
  ++outcome->accesses;
  const bool writes = kind != AccessKind::kRead && kind != AccessKind::kAtomicRead;
  if (standstill.is_watching()) {
    standstill.visit(self, Op::kAccess, 0, this_frame());
    standstill.access(self, writes, address_of(address), size);
  }
  const bool matters = has_targets() || rt::start.settings.accesses;  // an order has targets
  const Matched found = matters ? find_out(*current_state, site) : Matched{};
  const bool stops = rt::start.settings.accesses || schedule::TwoOrders::stops_next(outcome->enforced, self.number);
  const bool everywhere = stops && !is_own_stack(*current_state, address_of(address));
  const bool looks = only_looks(self, site, address_of(address), writes, kLooksInARow);
  if (everywhere || (found.mask != 0 && is_worth_a_stop())) {
    step(self, looks && found.mask == 0 ? Op::kYield : Op::kAccess, found, address_of(address), size, writes,
         found.mask == 0 ? Slot::Values{} : values_before(kind, size, site, written));
  } else if (looks || ++self.accesses_in_a_row >= kAccessesInARow) {
    step(self, Op::kYield, found, 0, 0, false);
  }
  if (is_guarding() && kind != AccessKind::kFree) check_memory(writes, address_of(address), size, site);
}

void atomic(const volatile void* address, size_t size, bool writes, const norn_site* site) {
  if (!active()) return;
  Slot& self = *current_slot;
  if (standstill.is_watching()) standstill.visit(self, Op::kAtomic, 0, this_frame());
  const bool looks = only_looks(self, site, address_of(address), false, kAtomicLooksInARow);
  step(self, looks ? Op::kYield : Op::kAtomic, find_out(*current_state, site), address_of(address), size, writes);
  if (standstill.is_watching()) standstill.access(self, writes, address_of(address), size);
  if (is_guarding()) check_memory(writes, address_of(address), size, site);
}

void note_taken(const volatile void* lock, Waiting waiting) {
  if (!standstill.is_watching()) return;
  if (waiting == Waiting::kLock) return standstill.takes(address_of(lock));
  standstill.changed();
}

void note_tried(const volatile void* lock) {
  if (standstill.is_watching()) standstill.tries(*current_slot, address_of(lock));
}

void fill_random(void* bytes, size_t size) {
  if (standstill.is_watching()) standstill.changed();
  auto* out = static_cast<unsigned char*>(bytes);
  const Inspection here;
  const SpinLock lock(mutex);
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(numbers.next() >> 56);
}

}  // namespace control
}  // namespace norn::rt
