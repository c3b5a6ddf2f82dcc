// Which accesses of a trace every worker must apply, and which one alone.
//
// Memory is divided into lines of 256 bytes. What is done to a line concerns only that line, unless it decides what
// comes after what (docs/design/order.md): accesses under locks (what is handed over or taken out, conditions' writes
// and reads), what somebody waits for by reading, atomics; or unless one access touches several lines. Such lines and
// all that is no plain access are the *skeleton*: every worker applies them. The accesses of another line are applied
// by its owner alone. Races are reported by the owner of the line that they begin in, so that each is counted once.
//
// Accesses under locks decide something only where rules follow them: what is handed over does in hybrid alone, the
// write/read relation where there are condition variables. Where no rule does, memory under locks is divided, too.
#pragma once

#include <array>
#include <unordered_map>

#include "base/hash.h"
#include "trace/trace_format.h"

namespace norn::analyze {

// A set of lines that is asked for each access: a page of bits for each 32,768 neighbours.
class LineSet {
 public:
  void insert(uint64_t line) {
    Page& page = *page_of(line, true);
    page[line / 64 % kWords] |= uint64_t{1} << line % 64;
  }
  [[nodiscard]] bool contains(uint64_t line) const {
    const Page* page = const_cast<LineSet*>(this)->page_of(line, false);
    return page != nullptr && (page->at(line / 64 % kWords) >> line % 64 & 1) != 0;
  }
  void add(const LineSet& other) {
    for (const auto& [number, page] : other.pages_) {
      Page& own = pages_[number];
      for (size_t i = 0; i < kWords; ++i) own[i] |= page[i];
    }
  }

 private:
  static constexpr size_t kWords = 512;
  using Page = std::array<uint64_t, kWords>;
  Page* page_of(uint64_t line, bool is_made) {
    const uint64_t number = line / (kWords * 64);
    Known& known = known_[number % kKnown];
    if (known.page != nullptr && known.number == number) return known.page;
    const auto found = is_made ? pages_.try_emplace(number).first : pages_.find(number);
    if (found == pages_.end()) return nullptr;
    known = {number, &found->second};
    return known.page;
  }

  struct Known {
    uint64_t number = 0;
    Page* page = nullptr;
  };
  static constexpr size_t kKnown = 64;
  std::unordered_map<uint64_t, Page> pages_;
  std::array<Known, kKnown> known_{};  // those that were asked for last
};

class Skeleton {
 public:
  // All items of the trace, each stream's in order, before the first question.
  void add(uint32_t stream, const trace::Item& item) {
    const Event& e = item.event;
    if (item.kind != trace::ItemKind::kEvent) return;
    if (thread_ == nullptr || e.thread != id_) {
      id_ = e.thread;
      thread_ = &threads_.try_emplace(e.thread, ThreadState{0, stream}).first->second;
    }
    if (thread_->stream != stream) has_order_ = false;
    int& held = thread_->held;
    switch (e.kind) {
      case EventKind::kLockAcquire:
        ++held;
        break;
      case EventKind::kWaitLeave:
        ++held;
        has_conditions_ = true;
        break;
      case EventKind::kLockRelease:
      case EventKind::kWaitEnter:
        if (held > 0) --held;
        break;
      case EventKind::kSignal:
      case EventKind::kBroadcast:
      case EventKind::kExpectConditions:
        has_conditions_ = true;
        break;
      case EventKind::kSpinRead:
      case EventKind::kLook:
      case EventKind::kAtomicLoad:
      case EventKind::kAtomicStore:
      case EventKind::kAtomicRmw:
        mark(marked_, e.address, e.size);
        break;
      case EventKind::kRead:
      case EventKind::kWrite:
      case EventKind::kFree:
        if (line_of(e.address) != line_of(last_byte(e.address, e.size))) mark(marked_, e.address, e.size);
        if (held > 0) mark(under_locks_, e.address, e.size);
        break;
      default:
        break;
    }
  }

  // What was found in the trace of a process that this one was forked from, or in its own.
  void add(const Skeleton& other) {
    marked_.add(other.marked_);
    under_locks_.add(other.under_locks_);
    has_conditions_ |= other.has_conditions_;
  }
  // Whether each thread is in one stream, so that its items were added in order.
  [[nodiscard]] bool has_order() const { return has_order_; }
  [[nodiscard]] bool has_conditions() const { return has_conditions_; }
  // Accesses under locks decide something: to be said after the last item.
  void follow_accesses_under_locks() { marked_.add(under_locks_); }

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
  static void mark(LineSet& lines, Address address, uint64_t size) {
    const uint64_t last = line_of(last_byte(address, size));
    for (uint64_t line = line_of(address); line <= last; ++line) lines.insert(line);
  }

  struct ThreadState {
    int held;  // how many locks
    uint32_t stream;
  };
  std::unordered_map<ThreadId, ThreadState> threads_;
  ThreadId id_ = 0;                // of the latest item
  ThreadState* thread_ = nullptr;  // its state
  bool has_order_ = true;
  LineSet marked_;
  LineSet under_locks_;
  bool has_conditions_ = false;
};

}  // namespace norn::analyze
