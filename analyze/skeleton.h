// Which accesses of a trace every worker must apply, and which one alone.
//
// Memory is divided into lines of 256 bytes. What is done to a line concerns only that line, unless it decides what
// comes after what (docs/design/order.md): accesses under locks (what is handed over or taken out, conditions' writes
// and reads), what somebody waits for by reading, atomics; or unless one access touches several lines. Such lines and
// all that is no plain access are the *skeleton*: every worker applies them. The accesses of another line are applied
// by its owner alone. Races are reported by the owner of the line that they begin in, so that each is counted once.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "trace/trace_format.h"

namespace norn::analyze {

class Skeleton {
 public:
  // All items of the trace, in order, before the first question.
  void add(const trace::Item& item) {
    const Event& e = item.event;
    if (item.kind != trace::ItemKind::kEvent) return;
    int& held = held_[e.thread];
    switch (e.kind) {
      case EventKind::kLockAcquire:
      case EventKind::kWaitLeave:
        ++held;
        break;
      case EventKind::kLockRelease:
      case EventKind::kWaitEnter:
        if (held > 0) --held;
        break;
      case EventKind::kSpinRead:
      case EventKind::kLook:
      case EventKind::kAtomicLoad:
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
        mark(e.address, e.size);
        break;
      case EventKind::kRead:
      case EventKind::kWrite:
      case EventKind::kFree:
        if (held > 0 || line_of(e.address) != line_of(last_byte(e.address, e.size))) mark(e.address, e.size);
        break;
      default:
        break;
    }
  }

  // Whether the worker that has `part` of `parts` applies it.
  [[nodiscard]] bool is_applied(const Event& e, unsigned part, unsigned parts) const {
    if (e.kind != EventKind::kRead && e.kind != EventKind::kWrite) return true;
    return owner(e.address, parts) == part || marked_.contains(line_of(e.address));
  }
  [[nodiscard]] static unsigned owner(Address address, unsigned parts) {
    return static_cast<unsigned>((hash_word(line_of(address)) >> 32) % parts);
  }

 private:
  static constexpr unsigned kLineBits = 8;
  static uint64_t line_of(Address address) { return address >> kLineBits; }
  static Address last_byte(Address address, uint64_t size) { return size == 0 ? address : address + size - 1; }
  void mark(Address address, uint64_t size) {
    const uint64_t last = line_of(last_byte(address, size));
    for (uint64_t line = line_of(address); line <= last; ++line) marked_.insert(line);
  }

  std::unordered_map<ThreadId, int> held_;  // how many locks
  std::unordered_set<uint64_t> marked_;
};

}  // namespace norn::analyze
