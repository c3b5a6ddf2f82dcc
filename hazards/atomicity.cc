#include "hazards/atomicity.h"

#include "base/hash.h"
#include "core/detector.h"
#include "hazards/thread_record.h"

namespace norn::hazards {

// A lock that is held, and since when.
struct Atomicity::Region {
  LockId lock;
  uint32_t given_up;  // how often before, by this thread
  StackId taken_at;
};

struct Atomicity::LockedAccess {
  ThreadId thread;
  Slot slot;  // and time: when, in the strong relation
  ClockValue time;
  StackId where;
  Address begin;
  Address end;
  bool reads;  // first
  bool writes;
  unsigned region_count;
  Region regions[kMaxLocks];

  [[nodiscard]] const Region* region_of(LockId lock) const {
    for (unsigned i = 0; i < region_count; ++i) {
      if (regions[i].lock == lock) return &regions[i];
    }
    return nullptr;
  }
  [[nodiscard]] bool overlaps(const LockedAccess& other) const { return begin < other.end && other.begin < end; }
  // Whether it is ordered before what the thread does now. Of the calling thread: no other's clocks may be read.
  [[nodiscard]] bool is_known_to(const Thread& caller) const { return caller.clocks.strong.get(slot) >= time; }
  // The lock that was given up and taken again before `later`; 0: none.
  [[nodiscard]] LockId lock_until(const LockedAccess& later) const {
    for (unsigned i = 0; i < later.region_count; ++i) {
      const Region* before = region_of(later.regions[i].lock);
      if (before != nullptr && before->given_up != later.regions[i].given_up) return before->lock;
    }
    return 0;
  }
};

struct Atomicity::Node {
  LockedAccess access;
  bool followed;  // by an access of another thread that is ordered after it
  Node* next;
};

// Two accesses of a thread in two regions of `lock`.
struct Atomicity::Pair {
  LockedAccess first;
  LockedAccess second;
  LockId lock;
  Pair* next;

  // No order of whole regions does what `between` does there.
  [[nodiscard]] bool is_unserializable(const LockedAccess& between) const {
    if (first.writes && !second.reads) return between.reads;
    return between.writes;
  }
  [[nodiscard]] bool shares_outer_lock(const LockedAccess& between) const {
    for (unsigned i = 0; i < first.region_count; ++i) {
      const Region& region = first.regions[i];
      const Region* still = second.region_of(region.lock);
      if (still != nullptr && still->given_up == region.given_up && between.region_of(region.lock) != nullptr)
        return true;
    }
    return false;
  }
};

struct Atomicity::Variable {
  Address word;
  Node* last;    // of each thread
  Node* others;  // each place of each thread, once
  Pair* pairs;
  unsigned other_count;
  unsigned pair_count;
  Variable* next;
};

Atomicity::Variable* Atomicity::find_variable(Address word) {
  Variable*& first = buckets_[hash_word(word) >> 50 & (kBuckets - 1)];
  for (Variable* variable = first; variable != nullptr; variable = variable->next) {
    if (variable->word == word) return variable;
  }
  if (variable_count_ == kMaxVariables) return nullptr;
  auto* variable = arena_->create<Variable>();
  if (variable == nullptr) return nullptr;
  ++variable_count_;
  *variable = {word, nullptr, nullptr, nullptr, 0, 0, first};
  return first = variable;
}

void Atomicity::look_at(const Pair& pair, const LockedAccess& between) const {
  const Region* region = between.region_of(pair.lock);
  if (between.thread == pair.first.thread || region == nullptr || !between.overlaps(pair.first) ||
      !between.overlaps(pair.second) || pair.shares_outer_lock(between) || !pair.is_unserializable(between)) {
    return;
  }
  report_({pair.first.begin,
           {pair.first.thread, pair.first.where, pair.first.writes},
           {between.thread, between.where, between.writes},
           {pair.second.thread, pair.second.where, !pair.second.reads},
           pair.second.region_of(pair.lock)->taken_at,
           region->taken_at});
}

void Atomicity::add_other(Variable& variable, const LockedAccess& access) {
  for (const Node* node = variable.others; node != nullptr; node = node->next) {
    if (node->access.thread == access.thread && node->access.where == access.where) return;
  }
  if (variable.other_count == kMaxAlike) return;
  auto* node = arena_->create<Node>();
  if (node == nullptr) return;
  ++variable.other_count;
  *node = {access, false, variable.others};
  variable.others = node;
}

void Atomicity::add_pair(Variable& variable, const Thread& thread, const LockedAccess& first,
                         const LockedAccess& second, LockId lock) {
  for (const Pair* pair = variable.pairs; pair != nullptr; pair = pair->next) {
    if (pair->first.thread == first.thread && pair->first.where == first.where && pair->second.where == second.where) {
      return;
    }
  }
  if (variable.pair_count == kMaxAlike) return;
  auto* pair = arena_->create<Pair>();
  if (pair == nullptr) return;
  ++variable.pair_count;
  *pair = {first, second, lock, variable.pairs};
  variable.pairs = pair;
  for (const Node* node = variable.others; node != nullptr; node = node->next) {
    if (!node->access.is_known_to(thread)) look_at(*pair, node->access);
  }
}

void Atomicity::note(Variable& variable, const Thread& thread, const LockedAccess& access) {
  for (const Pair* pair = variable.pairs; pair != nullptr; pair = pair->next) {
    if (!pair->first.is_known_to(thread)) look_at(*pair, access);
  }
  Node* own = nullptr;
  for (Node* node = variable.last; node != nullptr; node = node->next) {
    if (node->access.thread == access.thread) {
      own = node;
    } else if (node->access.is_known_to(thread)) {
      node->followed = true;
    }
  }
  add_other(variable, access);
  if (own != nullptr) {
    const LockId lock = own->access.lock_until(access);
    if (lock != 0 && own->access.where != access.where && !own->followed) {
      add_pair(variable, thread, own->access, access, lock);
    }
    own->access = access;
    own->followed = false;
    return;
  }
  own = arena_->create<Node>();
  if (own == nullptr) return;
  *own = {access, false, variable.last};
  variable.last = own;
}

void Atomicity::on_event(Thread& thread, const Event& event) {
  if (!watching_) return;
  switch (event.kind) {
    case EventKind::kLockRelease:
      return released(thread, event.address);
    case EventKind::kWaitEnter:
      return released(thread, event.other);
    case EventKind::kRead:
    case EventKind::kWrite:
      return accessed(thread, event);
    default:
      return;
  }
}

void Atomicity::released(Thread& thread, Address lock) {
  if (ThreadRecord* record = record_of(thread, *arena_); record != nullptr) ++record->times_given_up(lock);
}

void Atomicity::accessed(Thread& thread, const Event& event) {
  if (thread.held_count == 0 || event.size == 0 || is_private_(thread, event.address)) return;
  ThreadRecord* record = record_of(thread, *arena_);
  if (record == nullptr) return;
  const bool writes = event.kind == EventKind::kWrite;
  LockedAccess access = {thread.id,
                         thread.slot,
                         thread.time,
                         event.where,
                         event.address,
                         event.address + event.size,
                         !writes || event.counts,
                         writes,
                         0,
                         {}};
  for (unsigned i = 0; i < thread.held_count && access.region_count < kMaxLocks; ++i) {
    const Held& held = thread.held[i];
    access.regions[access.region_count++] = {held.lock, record->times_given_up(held.address), held.taken_at};
  }
  const SpinLock lock(mutex_);
  detector_->use_epoch(thread);
  if (Variable* variable = find_variable(event.address >> kWordBits); variable != nullptr)
    note(*variable, thread, access);
}

}  // namespace norn::hazards
