// Collections, and what happens when memory runs out.
//
// Histories, locksets and thread sets are interned and grow as the program runs. When a table has grown enough, one
// thread stops the others at the door of the core (those inside finish first; the program itself is not stopped),
// walks all cells, copies what they still refer to, and lets go of the rest. On the way it learns which slots and
// locks are still mentioned. If what lives is more than the limit allows, the oldest histories are forgotten first:
// that can miss a race, cannot make one, and is said.
#include "core/bytes.h"
#include "core/detector.h"

namespace norn {
namespace {

constexpr const char* kHistoryForgotten =
    "memory is short: the oldest history of accesses is forgotten, and races with it are missed";

}  // namespace

void Detector::note_once(std::atomic<bool>& said, const char* text) {
  if (!said.exchange(true, std::memory_order_relaxed) && listener_.note != nullptr) {
    listener_.note(listener_.context, text);
  }
}

void Detector::no_memory_for_shadow() {
  note_once(said_shadow_, "out of memory: some accesses are not checked from here on");
}

void Detector::no_memory_for_clocks() {
  blind_.store(true, std::memory_order_relaxed);
  note_once(said_clocks_, "out of memory: synchronization cannot be recorded, so no more races are reported");
}

void Detector::collect(Thread& thread) {
  Backoff backoff;
  for (;;) {
    thread.inside.store(false, std::memory_order_seq_cst);
    if (collection_wanted_.load(std::memory_order_relaxed) && collect_mutex_.try_lock()) {
      if (collection_wanted_.load(std::memory_order_relaxed)) {
        collecting_.store(true, std::memory_order_seq_cst);
        for (Thread* other = threads_.load(std::memory_order_acquire); other != nullptr; other = other->next) {
          while (other->inside.load(std::memory_order_seq_cst)) backoff.pause();
        }
        collect_alone();
        collection_wanted_.store(false, std::memory_order_relaxed);
        collecting_.store(false, std::memory_order_seq_cst);
      }
      collect_mutex_.unlock();
    }
    while (collecting_.load(std::memory_order_relaxed)) backoff.pause();
    thread.inside.store(true, std::memory_order_seq_cst);
    if (!collecting_.load(std::memory_order_seq_cst)) return;
  }
}

void Detector::rewrite_history(uint32_t* words, unsigned count) {
  if (!is_state_machine(options_.engine)) {
    for (unsigned i = HybridEngine::kHeaderWords; i < count; i += HybridEngine::kStampWords) {
      slots_.mark(static_cast<Slot>(words[i] & 0xffff));
      keep_lockset(words[i + 2]);
    }
    return;
  }
  auto keep_threads = [&](uint32_t& id) {
    if (!moving_threadsets_) return;
    id = threadsets_.keep(id, [&](uint32_t* set, unsigned n) {
      for (unsigned k = 0; k < n; k += 2) slots_.mark(static_cast<Slot>(set[k]));
    });
  };
  keep_threads(words[1]);
  for (unsigned i = MsmEngine::kHeaderWords; i < count; i += MsmEngine::kPartWords) {
    slots_.mark(static_cast<Slot>(words[i] >> 16));
    keep_lockset(words[i + 2]);
    keep_threads(words[i + 4]);
  }
}

void Detector::keep_lockset(LocksetId& id) {
  if (moving_locksets_) id = locksets_.table().keep(id, [](uint32_t*, unsigned) {});
}

void Detector::collect_alone() {
  ++collections_;
  ++age_;
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) changed(*t);
  if (histories_.failed() || slots_.scarce()) {
    note_once(said_history_, kHistoryForgotten);
    forget_older_than(static_cast<uint16_t>(age_ - 1));
  }
  // Each table needs room for a new half. Where there is none, all history goes (that needs no memory), and sets
  // stay as they are.
  if (!histories_.begin_collection(age_)) return forget_everything();
  moving_locksets_ = locksets_.table().begin_collection(age_);
  moving_threadsets_ = threadsets_.begin_collection(age_);
  slots_.begin_collection();

  shadow_.for_each_used([&](Cell& cell, HistoryId old) {
    const HistoryId fresh =
        histories_.keep(old, [&](uint32_t* words, unsigned count) { rewrite_history(words, count); });
    if (fresh == kUntouched) ++histories_forgotten_;
    cell.store(fresh, std::memory_order_release);
  });
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) keep_lockset(t->lockset);
  for (auto* c = const_cast<Candidate*>(candidates_.first()); c != nullptr; c = c->next.load()) {
    keep_lockset(c->first.earlier.lockset);
    keep_lockset(c->first.later.lockset);
  }
  sync_.collect([](SyncObject&) {});
  histories_.set_cost(shadow_.leaf_count() * Leaf::kCells / 4);  // it walks all cells
  histories_.end_collection();
  if (moving_threadsets_) threadsets_.end_collection();
  if (moving_locksets_) locksets_.table().end_collection();
  locksets_.forget_answers();
  // Thread sets that did not move were not looked at: their slots may still be mentioned.
  if (moving_threadsets_) slots_.end_collection();

  // Still more than half of what the limit gives histories: the older half goes next time round.
  if (options_.memory_limit != 0 && histories_.bytes() > options_.memory_limit / 8) {
    note_once(said_history_, kHistoryForgotten);
    // The age under which half of the living words are.
    uint64_t by_age[256];
    fill_zero(by_age, sizeof by_age);
    uint64_t total = 0;
    shadow_.for_each_used([&](Cell&, HistoryId id) {
      const unsigned back = static_cast<uint16_t>(age_ - histories_.age(id));
      ++by_age[back < 255 ? back : 255];
      ++total;
    });
    uint64_t older = 0;
    unsigned back = 255;
    while (back > 0 && (older += by_age[back]) * 2 < total) --back;
    forget_older_than(static_cast<uint16_t>(age_ - back + 1));
  }
}

// Words whose history was last changed before collection `age`.
void Detector::forget_older_than(uint16_t age) {
  shadow_.for_each_used([&](Cell& cell, HistoryId id) {
    if (static_cast<int16_t>(histories_.age(id) - age) >= 0) return;
    cell.store(kUntouched, std::memory_order_relaxed);
    ++histories_forgotten_;
  });
}

void Detector::forget_everything() {
  note_once(said_history_, kHistoryForgotten);
  shadow_.for_each_used([&](Cell& cell, HistoryId) {
    ++histories_forgotten_;
    cell.store(kUntouched, std::memory_order_relaxed);
  });
  histories_.reset();
}

MsmState Detector::msm_state(Address address) {
  const Cell* cell = shadow_.existing_cell(address);
  if (cell == nullptr) return MsmState::kNew;
  const HistoryId id = cell->load(std::memory_order_acquire);
  return MsmEngine::state(histories_, id, static_cast<unsigned>(address % kWordBytes));
}

unsigned Detector::stamps_at(Address address) {
  const Cell* cell = shadow_.existing_cell(address);
  return cell == nullptr ? 0 : HybridEngine::stamps(histories_, cell->load());
}

}  // namespace norn
