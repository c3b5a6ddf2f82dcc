#include "hazards/lock_order.h"

#include "core/detector.h"
#include "hazards/thread_record.h"

namespace norn::hazards {

// What is known of a lock. Under mutex_.
struct LockOrder::Lock {
  // One that was held, or taken, right above it.
  struct Above {
    Lock* lock;
    Above* next;
  };

  LockId id;
  uint32_t reached;     // by this search (searches_)
  uint32_t wanted;      // the same: it is held by who searches
  Lock* next_to_visit;  // in this search
  Above* above;         // each once
  Nesting* outers;      // with this lock, and something above them
  Lock* next_in_bucket;
};

// What a thread holds, as a path in a tree: it has `lock`, and below it what its ancestors say. Each acquire that is
// not known yet costs one of them, however many locks are held; the edges are the pairs of an ancestor and a node that
// was `taken`.
struct LockOrder::Nesting {
  Lock* of;
  LockId lock;
  LockMode mode;
  ThreadId thread;
  StackId taken_at;
  Address address;
  bool taken;  // while the ancestors were held. False: it was held so, some of what was below it having been given up
  Slot slot;   // and time: when it was taken so first, in the strong relation
  ClockValue time;
  unsigned gate_count;
  LockId gates[kMaxGates];  // what was held besides
  Nesting* parent;          // null: nothing was
  Nesting* first_child;
  Nesting* next_child;      // of the same parent
  Nesting* next_outer;      // of the same lock
  Nesting* next_in_bucket;  // of those with the same lock under the same lock, among others

  [[nodiscard]] LockId outer() const { return parent == nullptr ? 0 : parent->lock; }
  [[nodiscard]] bool is(const Nesting* above, const Held& held, ThreadId id) const {
    return parent == above && lock == held.lock && thread == id && taken_at == held.taken_at && mode == held.mode;
  }
  // The next after this one below `root`, those above before those below.
  [[nodiscard]] const Nesting* next_below(const Nesting& root) const {
    if (first_child != nullptr) return first_child;
    const Nesting* at = this;
    while (at != &root && at->next_child == nullptr) at = at->parent;
    return at == &root ? nullptr : at->next_child;
  }
};

// What a thread did lately: most nested locks are taken the same way again and again.
struct LockOrder::Lately {
  Nesting* parent;
  LockId lock;
  StackId taken_at;
  ThreadId thread;
  LockMode mode;
  Nesting* found;

  [[nodiscard]] bool is(const Nesting* above, const Held& held, ThreadId id) const {
    return found != nullptr && parent == above && lock == held.lock && taken_at == held.taken_at && thread == id &&
           mode == held.mode;
  }
};

// Null: there is no memory for it.
LockOrder::Lately* LockOrder::lately_of(Thread& thread, const Nesting* parent, const Held& held) {
  ThreadRecord* record = record_of(thread, *arena_);
  if (record == nullptr) return nullptr;
  if (record->lately == nullptr) {
    record->lately = arena_->allocate_zeroed(ThreadRecord::kLately * sizeof(Lately));
    if (record->lately == nullptr) return nullptr;
  }
  const uint64_t mixed = (reinterpret_cast<uintptr_t>(parent) >> 4) + held.lock * 7u + held.taken_at * 31u;
  return static_cast<Lately*>(record->lately) + mixed % ThreadRecord::kLately;
}

// That of a lock which the thread holds as the `place`th, above `parent`. Null: there are enough of its kind.
LockOrder::Nesting* LockOrder::find_or_add(const Thread& thread, unsigned place, Nesting* parent) {
  const Held& held = thread.held[place];
  unsigned alike = 0;
  const LockId outer = parent == nullptr ? 0 : parent->lock;
  Nesting*& first = bucket_of(outer, held.lock);
  for (Nesting* nesting = first; nesting != nullptr; nesting = nesting->next_in_bucket) {
    if (nesting->lock != held.lock || nesting->outer() != outer) continue;
    if (nesting->is(parent, held, thread.id)) return nesting;
    if (++alike >= kMaxInstances) return nullptr;
  }
  Lock* lock = lock_of(held.lock);
  auto* made = lock == nullptr ? nullptr : arena_->create<Nesting>();
  if (made == nullptr) return nullptr;
  if (parent != nullptr && alike == 0) {
    auto* above = arena_->create<Lock::Above>();
    if (above == nullptr) return nullptr;
    *above = {lock, parent->of->above};
    parent->of->above = above;
  }
  *made = {lock, held.lock, held.mode, thread.id, held.taken_at, held.address, false,   0,
           0,    0,         {},        parent,    nullptr,       nullptr,      nullptr, first};
  for (unsigned i = 0; i < place && made->gate_count < kMaxGates; ++i) {
    made->gates[made->gate_count++] = thread.held[i].lock;
  }
  first = made;
  if (parent != nullptr) {
    if (parent->first_child == nullptr) {
      parent->next_outer = parent->of->outers;
      parent->of->outers = parent;
    }
    made->next_child = parent->first_child;
    parent->first_child = made;
  }
  return made;
}

// Null: there is no memory for it.
LockOrder::Lock* LockOrder::lock_of(LockId id) {
  Lock*& first = locks_[id & (kBuckets - 1)];
  for (Lock* lock = first; lock != nullptr; lock = lock->next_in_bucket) {
    if (lock->id == id) return lock;
  }
  auto* made = arena_->create<Lock>();
  if (made == nullptr) return nullptr;
  *made = {id, 0, 0, nullptr, nullptr, nullptr, first};
  return first = made;
}

// Whether what was taken above this lock, above that, and so on, comes to one that is held below it. (What lies above
// another with locks between them is found through these.)
bool LockOrder::leads_back(const Nesting& nesting) {
  if (nesting.of->above == nullptr) return false;
  const uint32_t search = ++searches_;
  for (const Nesting* held = nesting.parent; held != nullptr; held = held->parent) held->of->wanted = search;
  nesting.of->reached = search;
  nesting.of->next_to_visit = nullptr;
  for (Lock* next = nesting.of; next != nullptr;) {
    const Lock& at = *next;
    next = at.next_to_visit;
    for (const Lock::Above* above = at.above; above != nullptr; above = above->next) {
      if (above->lock->wanted == search) return true;
      if (above->lock->reached == search) continue;
      above->lock->reached = search;
      above->lock->next_to_visit = next;
      next = above->lock;
    }
  }
  return false;
}

class LockOrder::Search {
 public:
  Search(const LockOrder& order, const Thread& thread, const Nesting& last) : order_(order), thread_(thread) {
    path_[length_++] = {nullptr, &last};
  }

  // Cycles that the last acquire closes.
  void run() { extend(); }

 private:
  struct Edge {
    const Nesting* outer;
    const Nesting* inner;
  };

  bool share_gate(const LockId* gates, unsigned count) const {
    for (unsigned edge = 0; edge < length_; ++edge) {
      const Nesting& inner = *path_[edge].inner;
      for (unsigned i = 0; i < inner.gate_count; ++i) {
        for (unsigned k = 0; k < count; ++k) {
          if (inner.gates[i] == gates[k]) return true;
        }
      }
    }
    return false;
  }

  // Whether an edge from this lock may be the next.
  bool may_begin(const Nesting& outer) const {
    if (path_[length_ - 1].inner->mode == LockMode::kShared && outer.mode == LockMode::kShared) return false;
    for (unsigned i = 0; i < length_; ++i) {
      if (path_[i].inner->thread == outer.thread) return false;
    }
    // All that is above it has its gates, too.
    return !share_gate(outer.gates, outer.gate_count) && (outer.gate_count == kMaxGates || !share_gate(&outer.lock, 1));
  }

  bool may_end(const Nesting& inner) const {
    // What the caller's thread knows of has happened before; it is the only one whose clock may be read here.
    return inner.taken && thread_.clocks.strong.get(inner.slot) < inner.time &&
           !share_gate(inner.gates, inner.gate_count);
  }

  void extend() {
    const Lock& at = *path_[length_ - 1].inner->of;
    for (const Nesting* outer = at.outers; outer != nullptr; outer = outer->next_outer) {
      if (!may_begin(*outer)) continue;
      for (const Nesting* inner = outer->first_child; inner != nullptr; inner = inner->next_below(*outer)) {
        if (!may_end(*inner)) continue;
        path_[length_++] = {outer, inner};
        if (!close() && length_ < kMaxLength) extend();
        --length_;
      }
    }
  }

  // Whether the path comes back to a lock that the caller holds.
  bool close() {
    const Nesting& last = *path_[length_ - 1].inner;
    for (const Nesting* held = path_[0].inner->parent; held != nullptr; held = held->parent) {
      if (held->lock != last.lock) continue;
      path_[0].outer = held;
      const bool only_read = last.mode == LockMode::kShared && held->mode == LockMode::kShared;
      if (!only_read) report();
      return true;
    }
    return false;
  }

  void report() {
    LockEdge edges[kMaxLength];
    for (unsigned i = 0; i < length_; ++i) {
      const auto& [outer, inner] = path_[i];
      edges[i] = {inner->thread, outer->address, inner->address, outer->taken_at, inner->taken_at};
    }
    order_.report_(edges, length_);
  }

  const LockOrder& order_;
  const Thread& thread_;
  Edge path_[kMaxLength] = {};
  unsigned length_ = 0;
};

// What the thread holds at this place, with all below it. What was taken while nobody looked, or by a try, is not known
// yet, nor is what lay above something that was given up.
LockOrder::Nesting* LockOrder::nesting_of(Thread& thread, unsigned place) {
  unsigned known = place + 1;
  while (known > 0 && thread.held[known - 1].nesting == nullptr) --known;
  auto* nesting = known == 0 ? nullptr : static_cast<Nesting*>(thread.held[known - 1].nesting);
  if (known > place) return nesting;
  const SpinLock guard(mutex_);
  for (; known <= place; ++known) {
    if (Nesting* found = find_or_add(thread, known, nesting); found != nullptr) nesting = found;
    thread.held[known].nesting = nesting;
  }
  return nesting;
}

void LockOrder::acquired(Thread& thread, Address lock) {
  if (!watching_.load(std::memory_order_relaxed)) return;
  // The newest, but for one that is taken again.
  const unsigned place = thread.held_count - 1;
  Held& inner = thread.held[place];
  if (inner.address != lock || inner.depth != 1) return;
  Nesting* parent = nesting_of(thread, place - 1);
  Lately* known = lately_of(thread, parent, inner);
  if (known != nullptr && known->is(parent, inner, thread.id)) {
    inner.nesting = known->found;
    return;
  }
  const SpinLock guard(mutex_);
  Nesting* nesting = find_or_add(thread, place, parent);
  inner.nesting = nesting == nullptr ? parent : nesting;
  if (nesting == nullptr) return;
  if (known != nullptr) *known = {parent, inner.lock, inner.taken_at, thread.id, inner.mode, nesting};
  if (nesting->taken) return;
  nesting->taken = true;
  nesting->slot = thread.slot;
  nesting->time = thread.time;
  detector_->end_epoch(thread);
  if (leads_back(*nesting)) Search(*this, thread, *nesting).run();
}

}  // namespace norn::hazards
