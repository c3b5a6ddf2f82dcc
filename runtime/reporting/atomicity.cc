#include "runtime/reporting/atomicity.h"

#include "base/hash.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/reporting/hazards.h"

namespace norn::rt {

constinit bool watches_atomicity = false;

namespace {

constexpr unsigned kMaxLocks = 4;   // held at an access; more: the inner ones are not looked at
constexpr unsigned kMaxAlike = 32;  // pairs, and accesses, that are kept of one variable
constexpr unsigned kMaxVariables = 1u << 15;
constexpr unsigned kBuckets = 1u << 14;
constexpr unsigned kWordBits = 3;

// A lock that is held, and since when.
struct Region {
  LockId lock;
  uint32_t given_up;  // how often before, by this thread
  Where taken_at;
};

struct LockedAccess {
  ThreadId thread;
  Slot slot;  // and time: when, in the strong relation
  Time time;
  Where where;
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
};

struct Node {
  LockedAccess access;
  bool followed;  // by an access of another thread that is ordered after it
  Node* next;
};

// Two accesses of a thread in two regions of `lock`.
struct Pair {
  LockedAccess first;
  LockedAccess second;
  LockId lock;
  Pair* next;
};

struct Variable {
  Address word;
  Node* last;    // of each thread
  Node* others;  // each place of each thread, once
  Pair* pairs;
  unsigned other_count;
  unsigned pair_count;
  Variable* next;
};

// How often the thread gave a lock up. Locks that share a counter look given up too often: pairs that are none.
constexpr unsigned kCounters = 64;
NORN_TLS __thread uint32_t counters[kCounters];
uint32_t& times_given_up(Address lock) { return counters[(lock >> 4 ^ lock >> 10) % kCounters]; }

constinit SpinMutex mutex;
constinit Variable* buckets[kBuckets] = {};
constinit unsigned variable_count = 0;

Variable* find_variable(Address word) {
  Variable*& first = buckets[hash_word(word) >> 50 & (kBuckets - 1)];
  for (Variable* variable = first; variable != nullptr; variable = variable->next) {
    if (variable->word == word) return variable;
  }
  if (variable_count == kMaxVariables) return nullptr;
  auto* variable = memory.create<Variable>();
  if (variable == nullptr) return nullptr;
  ++variable_count;
  *variable = {word, nullptr, nullptr, nullptr, 0, 0, first};
  return first = variable;
}

// Of the calling thread's knowledge, the only one that may be read here.
bool knows(const Thread& thread, const LockedAccess& access) {
  return thread.clocks.strong.get(access.slot) >= access.time;
}

// No order of whole regions does what `between` does there.
bool is_unserializable(const LockedAccess& first, const LockedAccess& between, const LockedAccess& second) {
  if (first.writes && !second.reads) return between.reads;
  return between.writes;
}

bool share_outer_lock(const Pair& pair, const LockedAccess& between) {
  for (unsigned i = 0; i < pair.first.region_count; ++i) {
    const Region& region = pair.first.regions[i];
    const Region* still = pair.second.region_of(region.lock);
    if (still != nullptr && still->given_up == region.given_up && between.region_of(region.lock) != nullptr)
      return true;
  }
  return false;
}

void look_at(const Pair& pair, const LockedAccess& between) {
  const Region* region = between.region_of(pair.lock);
  if (between.thread == pair.first.thread || region == nullptr || !between.overlaps(pair.first) ||
      !between.overlaps(pair.second) || share_outer_lock(pair, between) ||
      !is_unserializable(pair.first, between, pair.second)) {
    return;
  }
  report_atomicity({pair.first.begin,
                    {pair.first.thread, pair.first.where, pair.first.writes},
                    {between.thread, between.where, between.writes},
                    {pair.second.thread, pair.second.where, !pair.second.reads},
                    pair.second.region_of(pair.lock)->taken_at,
                    region->taken_at});
}

void add_other(Variable& variable, const LockedAccess& access) {
  for (const Node* node = variable.others; node != nullptr; node = node->next) {
    if (node->access.thread == access.thread && node->access.where == access.where) return;
  }
  if (variable.other_count == kMaxAlike) return;
  auto* node = memory.create<Node>();
  if (node == nullptr) return;
  ++variable.other_count;
  *node = {access, false, variable.others};
  variable.others = node;
}

void add_pair(Variable& variable, const Thread& thread, const LockedAccess& first, const LockedAccess& second,
              LockId lock) {
  for (const Pair* pair = variable.pairs; pair != nullptr; pair = pair->next) {
    if (pair->first.thread == first.thread && pair->first.where == first.where && pair->second.where == second.where) {
      return;
    }
  }
  if (variable.pair_count == kMaxAlike) return;
  auto* pair = memory.create<Pair>();
  if (pair == nullptr) return;
  ++variable.pair_count;
  *pair = {first, second, lock, variable.pairs};
  variable.pairs = pair;
  for (const Node* node = variable.others; node != nullptr; node = node->next) {
    if (!knows(thread, node->access)) look_at(*pair, node->access);
  }
}

// The lock that was given up and taken again between the two; 0: none.
LockId lock_between(const LockedAccess& first, const LockedAccess& second) {
  for (unsigned i = 0; i < second.region_count; ++i) {
    const Region* before = first.region_of(second.regions[i].lock);
    if (before != nullptr && before->given_up != second.regions[i].given_up) return before->lock;
  }
  return 0;
}

void note(Variable& variable, const Thread& thread, const LockedAccess& access) {
  for (const Pair* pair = variable.pairs; pair != nullptr; pair = pair->next) {
    if (!knows(thread, pair->first)) look_at(*pair, access);
  }
  Node* own = nullptr;
  for (Node* node = variable.last; node != nullptr; node = node->next) {
    if (node->access.thread == access.thread) {
      own = node;
    } else if (knows(thread, node->access)) {
      node->followed = true;
    }
  }
  add_other(variable, access);
  if (own != nullptr) {
    const LockId lock = lock_between(own->access, access);
    if (lock != 0 && own->access.where != access.where && !own->followed) {
      add_pair(variable, thread, own->access, access, lock);
    }
    own->access = access;
    own->followed = false;
    return;
  }
  own = memory.create<Node>();
  if (own == nullptr) return;
  *own = {access, false, variable.last};
  variable.last = own;
}

}  // namespace

void note_given_up(Address lock) { ++times_given_up(lock); }

void note_locked_access(AccessKind kind, const volatile void* address, size_t size, const norn_site* site,
                        bool increments) {
  const Inspection here;
  if (!here || here.thread().held_count == 0 || size == 0) return;
  Thread& thread = here.thread();
  const Address begin = address_of(address);
  if (begin >= here->stack_begin && begin < here->stack_end) return;
  const bool writes = kind == AccessKind::kWrite;
  LockedAccess access = {
      thread.id, thread.slot, thread.time, place(*here, site), begin, begin + size, !writes || increments,
      writes,    0,           {}};
  for (unsigned i = 0; i < thread.held_count && access.region_count < kMaxLocks; ++i) {
    const Held& held = thread.held[i];
    access.regions[access.region_count++] = {held.lock, times_given_up(held.address), held.taken_at};
  }
  const SpinLock lock(mutex);
  detector.use_time(thread);
  if (Variable* variable = find_variable(begin >> kWordBits); variable != nullptr) note(*variable, thread, access);
}

}  // namespace norn::rt
