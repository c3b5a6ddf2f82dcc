#include "runtime/control/standstill.h"

#include "base/hash.h"
#include "runtime/control/turn.h"
#include "runtime/intercept/signals.h"
#include "runtime/process/proc_maps.h"
#include "runtime/process/settings.h"
#include "runtime/process/state.h"
#include "runtime/process/syscalls.h"
#include "runtime/reporting/findings_file.h"

namespace norn::rt::control {

constinit Standstill standstill;

namespace {

constexpr uint32_t kRounds = 20;         // so often each must have been in its state again
constexpr uint32_t kMostSteps = 20'000;  // of watching in vain
constexpr uint32_t kAskEvery = 64;       // steps
constexpr uint64_t kMostBytes = 256;     // of a write that is compared

uint64_t hash_of(const volatile void* from, uint64_t bytes) {
  const auto* words = static_cast<const volatile uint64_t*>(from);
  uint64_t hash = bytes;
  for (uint64_t i = 0; i < bytes / 8; ++i) hash = hash_next(hash, words[i]) ^ hash >> 29;
  const auto* rest = static_cast<const volatile unsigned char*>(from) + bytes / 8 * 8;
  for (uint64_t i = 0; i < bytes % 8; ++i) hash = hash_next(hash, rest[i]);
  return hash;
}

// From the registers that the caller of standstill pushed to the end of the stack. 0: it runs on another stack. The
// time until which it sleeps, or slept last, is left out: it is the scheduler's, in an interceptor's frame, and another
// one each time. (The program has it only if it reads a clock.)
uint64_t state_of(const ThreadInfo& thread, uint64_t frame, Time last_until) {
  constexpr uint64_t kPushed = 5 * 8;
  if (frame < thread.stack_begin || frame >= thread.stack_end) return 0;
  const uint64_t begin = frame - kPushed;
  const auto* words = reinterpret_cast<const volatile uint64_t*>(begin);
  uint64_t hash = begin;
  for (uint64_t i = 0; i < (thread.stack_end - begin) / 8; ++i) {
    const uint64_t word = words[i];
    hash = hash_next(hash, word == last_until ? 0 : word) ^ hash >> 29;
  }
  return hash | 1;
}

// Memory of libraries, and whether another process may change any.
struct Elsewhere {
  uint64_t hash = 1;
  bool shared = false;
};

Elsewhere look_elsewhere() {
  const options::Settings& settings = rt::start.settings;
  Elsewhere found;
  uint32_t unnamed = 0;
  visit_mappings([&](const Mapping& mapping) {
    if (!mapping.writable) return true;
    const Text path = mapping.path;
    if (mapping.shared) {
      const bool own = path == settings.outcome || path == settings.decisions || path == settings.findings ||
                       path == settings.states || path == settings.capture;
      const bool is_unnamed = path.starts_with("/dev/zero");
      unnamed += is_unnamed ? 1 : 0;
      found.shared = found.shared || !(own || is_unnamed);
    } else if (mapping.readable && path.starts_with("/") && !(path == rt::start.program)) {
      const uint64_t hash = hash_of(reinterpret_cast<const void*>(mapping.begin), mapping.end - mapping.begin);
      found.hash = hash_next(found.hash, hash);
    }
    return true;
  });
  if (unnamed > shared_spaces()) found.shared = true;
  return found;
}

// The thread in whose stack that is, if any.
Slot* owner_of(uint64_t address) {
  for (uint32_t i = 0; i < high; ++i) {
    if (slots[i].status.load(std::memory_order_relaxed) == Status::kFree) continue;
    const ThreadInfo* thread = thread_info(slots[i].id);
    if (thread != nullptr && address >= thread->stack_begin && address < thread->stack_end) return &slots[i];
  }
  return nullptr;
}

bool depends_on_kernel(const Slot& slot) {
  const Status status = slot.status.load(std::memory_order_relaxed);
  if (status == Status::kOutside || status == Status::kReserved) return true;
  return status == Status::kWaiting && (slot.waiting == Waiting::kFile || slot.waiting == Waiting::kOutsider);
}

}  // namespace

void Standstill::suspect() {
  if (watching_) return;
  if (until_next_ != 0) {
    --until_next_;
    return;
  }
  watching_ = true;
  steps_ = 0;
  changed();
}

void Standstill::settle(Slot& self) {
  Slot::Unsettled& write = self.unsettled;
  if (write.size == 0) return;
  const bool differs = write.hash != hash_of(reinterpret_cast<const void*>(write.address), write.size);
  const bool is_own = owner_of(write.address) == &self;
  write = {};
  if (!differs) return;
  // What a thread writes into its stack is a part of its state, and nothing to others who do not look there.
  if (!is_own || self.stack_seen == epoch_) return changed();
  self.stack_written = epoch_;
}

void Standstill::access(Slot& self, bool writes, uint64_t address, uint64_t size) {
  settle(self);
  if (Slot* owner = owner_of(address); owner != nullptr && owner != &self) {
    if (owner->stack_written == epoch_) changed();
    owner->stack_seen = epoch_;
  }
  if (!writes) return;
  constexpr uint64_t kMemoryEnd = uint64_t{1} << 47;  // beyond are descriptors (intercept/descriptors.cc)
  if (size > kMostBytes || address == 0 || address >= kMemoryEnd) return changed();
  self.unsettled = {address, size, hash_of(reinterpret_cast<const void*>(address), size)};
}

void Standstill::tries(Slot& self, uint64_t lock) {
  tried_ |= bit_of(lock);
  constexpr uint64_t kStateOfLock = 16;  // a mutex, a rwlock or a spin lock has it in its first bytes
  const uint64_t size = lock % kStateOfLock == 0 ? kStateOfLock : 4;
  access(self, true, lock, size);
}

void Standstill::visit(Slot& self, schedule::Op op, uint64_t object, uint64_t frame) {
  using schedule::Op;
  settle(self);
  const bool waits_or_looks = op == Op::kAcquire || op == Op::kAtomic || op == Op::kAccess || op == Op::kYield ||
                              op == Op::kSleep || (op == Op::kRelease && (taken_ & bit_of(object)) != 0);
  if (!waits_or_looks) changed();
  if (++steps_ == kMostSteps) {
    watching_ = false;
    until_next_ = ++suspicions_ < 16 ? 1u << suspicions_ : 1u << 16;
    return;
  }
  Slot::Visits& visits = self.visits;
  const ThreadInfo* thread = thread_info(self.id);
  const uint64_t state = thread == nullptr ? 0 : state_of(*thread, frame, self.last_until);
  if (visits.epoch != epoch_ || state == 0) {
    visits = {epoch_, state, 0, 1, 0};
  } else if (visits.again == kRounds) {
    return;  // what was shown stays so
  } else if (visits.state == state) {
    ++visits.again;
  } else if (++visits.others == visits.patience) {
    // Brent: the state to come back to is looked for ever later.
    visits = {epoch_, state, 0, visits.patience * 2, 0};
  }
}

void Standstill::clear_stack_below() {
  constexpr unsigned kWords = 256;
  volatile uint64_t words[kWords];
  for (volatile uint64_t& word : words) word = 0;
}

uint32_t Standstill::pollers() {
  if (!watching_ || ++asked_ % kAskEvery != 0 || (taken_ & tried_) != 0) return 0;
  uint32_t found = 0;
  for (uint32_t i = 0; i < high; ++i) {
    const Slot& slot = slots[i];
    if (depends_on_kernel(slot) || waits_for_taken(slot)) return 0;
    if (!slot.can_go_on()) continue;
    if (slot.visits.epoch != epoch_ || slot.visits.again != kRounds || slot.unsettled.size != 0) return 0;
    ++found;
  }
  if (found == 0) return 0;
  const Elsewhere elsewhere = look_elsewhere();
  if (elsewhere.shared || may_be_interrupted() || callbacks_may_come.load(std::memory_order_relaxed)) {
    watching_ = false;
    until_next_ = ~uint32_t{0};
    return 0;
  }
  if (libraries_ == elsewhere.hash) return found;
  // Once more, with what libraries have now.
  changed();
  libraries_ = elsewhere.hash;
  return 0;
}

}  // namespace norn::rt::control
