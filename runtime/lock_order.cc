#include "runtime/lock_order.h"

#include "runtime/hazards.h"
#include "runtime/settings.h"
#include "runtime/where.h"

namespace norn::rt {
namespace {

constexpr unsigned kMaxGates = 8;  // more locks held at once than that: the others are no gates
constexpr unsigned kMaxLength = 6;
constexpr unsigned kMaxInstances = 16;  // of one pair of locks, by thread and place
constexpr unsigned kBuckets = 4096;

// A thread took `to` while it held `from`.
struct Edge {
  LockId from;
  LockId to;
  LockMode from_mode;
  LockMode to_mode;
  ThreadId thread;
  Slot slot;  // and time: when, in the strong relation
  Time time;
  Where holds_at;
  Where wants_at;
  unsigned gate_count;
  LockId gates[kMaxGates];  // all it held, `from` too
  Address from_address;
  Address to_address;
  Edge* next;  // of the same first lock
};

constinit SpinMutex mutex;
constinit Edge* buckets[kBuckets] = {};

Edge*& bucket_of(LockId lock) { return buckets[lock * 0x9e3779b1u >> 20 & (kBuckets - 1)]; }

// What this thread did lately: most nested locks are taken the same way again and again.
struct Lately {
  LockId from;
  LockId to;
  Where wants_at;
  ThreadId thread;
};
constexpr unsigned kLately = 16;
NORN_TLS __thread Lately lately[kLately];

bool is_known(LockId from, LockId to, Where wants_at, ThreadId thread) {
  Lately& entry = lately[(from * 31 + to * 7 + wants_at) % kLately];
  const bool known = entry.from == from && entry.to == to && entry.wants_at == wants_at && entry.thread == thread;
  entry = {from, to, wants_at, thread};
  return known;
}

// Null: it is there already, or there are enough of its kind.
Edge* add_edge(const Thread& thread, const Held& outer, const Held& inner) {
  unsigned alike = 0;
  Edge*& first = bucket_of(outer.lock);
  for (const Edge* edge = first; edge != nullptr; edge = edge->next) {
    if (edge->from != outer.lock || edge->to != inner.lock) continue;
    if (edge->thread == thread.id && edge->wants_at == inner.taken_at && edge->holds_at == outer.taken_at)
      return nullptr;
    if (++alike >= kMaxInstances) return nullptr;
  }
  auto* edge = memory.create<Edge>();
  if (edge == nullptr) return nullptr;
  *edge = {outer.lock,     inner.lock,     outer.mode, inner.mode, thread.id,     thread.slot,   thread.time,
           outer.taken_at, inner.taken_at, 0,          {},         outer.address, inner.address, first};
  for (unsigned i = 0; i < thread.held_count && edge->gate_count < kMaxGates; ++i) {
    if (thread.held[i].lock != inner.lock) edge->gates[edge->gate_count++] = thread.held[i].lock;
  }
  first = edge;
  return edge;
}

bool share_gate(const Edge& a, const Edge& b) {
  for (unsigned i = 0; i < a.gate_count; ++i) {
    for (unsigned k = 0; k < b.gate_count; ++k) {
      if (a.gates[i] == b.gates[k]) return true;
    }
  }
  return false;
}

class Search {
 public:
  Search(const Thread& thread, const Edge& last) : thread_(thread) { path_[length_++] = &last; }

  // Cycles that the last edge closes.
  void run() { extend(); }

 private:
  bool fits(const Edge& edge) const {
    // What the caller's thread knows of has happened before; it is the only one whose clock may be read here.
    if (thread_.clocks.strong.get(edge.slot) >= edge.time) return false;
    const Edge& before = *path_[length_ - 1];
    if (before.to_mode == LockMode::kShared && edge.from_mode == LockMode::kShared) return false;
    for (unsigned i = 0; i < length_; ++i) {
      if (path_[i]->thread == edge.thread || share_gate(*path_[i], edge)) return false;
    }
    return true;
  }

  void extend() {
    const LockId at = path_[length_ - 1]->to;
    for (const Edge* edge = bucket_of(at); edge != nullptr; edge = edge->next) {
      if (edge->from != at || !fits(*edge)) continue;
      path_[length_++] = edge;
      if (edge->to == path_[0]->from) {
        const bool only_read = edge->to_mode == LockMode::kShared && path_[0]->from_mode == LockMode::kShared;
        if (!only_read) tell();
      } else if (length_ < kMaxLength) {
        extend();
      }
      --length_;
    }
  }

  void tell() {
    LockEdge edges[kMaxLength];
    for (unsigned i = 0; i < length_; ++i) {
      const Edge& edge = *path_[i];
      edges[i] = {edge.thread, edge.from_address, edge.to_address, edge.holds_at, edge.wants_at};
    }
    report_lock_order(edges, length_);
  }

  const Thread& thread_;
  const Edge* path_[kMaxLength] = {};
  unsigned length_ = 0;
};

}  // namespace

void note_lock_order(ThreadState& state, Address lock) {
  Thread& thread = *state.core;
  if (thread.held_count < 2 || !is_watching() || (start.settings.hazards & report::kHazardLockOrder) == 0) return;
  const Held* inner = nullptr;
  for (unsigned i = 0; i < thread.held_count; ++i) {
    if (thread.held[i].address == lock) inner = &thread.held[i];
  }
  if (inner == nullptr || inner->depth != 1) return;
  for (unsigned i = 0; i < thread.held_count; ++i) {
    const Held& outer = thread.held[i];
    if (&outer == inner || is_known(outer.lock, inner->lock, inner->taken_at, thread.id)) continue;
    const SpinLock guard(mutex);
    const Edge* edge = add_edge(thread, outer, *inner);
    if (edge == nullptr) continue;
    detector.use_time(thread);
    Search(thread, *edge).run();
  }
}

}  // namespace norn::rt
