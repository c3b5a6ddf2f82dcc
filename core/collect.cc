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
        if (core_barrier != nullptr) core_barrier();
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
  for (unsigned byte = 0; byte < MsmEngine::kSignals; ++byte) keep_threads(words[1 + byte]);
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
  const bool requested = collection_requested_.exchange(false, std::memory_order_relaxed);
  const bool full = histories_.wants_full() || histories_.failed() || slots_.wants_collection() || slots_.scarce() ||
                    locksets_.table().wants_collection() || threadsets_.wants_collection() ||
                    (requested && collections_ % 2 == 0);
  const bool failed = histories_.failed();
  ++collections_;
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    t->room.give_up();
    t->forget_recent();
    for (Thread::LocksetStep& step : t->lockset_steps) step = {};
  }
  if (!full) {
    mark_histories(false);
    forget_gone_conditions();
    sync_.collect();
    if (!histories_.wants_full()) return;
  }
  if (slots_.scarce()) {
    note_once(said_history_, kHistoryForgotten);
    forget_made_before(1);
    forget_ended();
  }
  mark_histories(true);
  // If more than half of what there may be lives, or as much as there is, the older half goes.
  const bool short_of_memory = options_.memory_limit != 0 && histories_.live_bytes() > options_.memory_limit / 8;
  if (short_of_memory || (failed && histories_.live_bytes() > histories_.bytes() / 2)) {
    note_once(said_history_, kHistoryForgotten);
    forget_older_half();
    mark_histories(true);
  }
  forget_gone_conditions();
  sync_.collect();
}

// Calls visit(history) for those that the granule's cells refer to.
template <class Visit>
void Detector::for_each_history(const Granule& granule, Visit visit) const {
  const unsigned cells = is_state_machine(options_.engine) ? kGranuleBytes / kWordBytes : 1;
  for (unsigned i = 0; i < cells; ++i) {
    const HistoryId id = granule.cells[i].load(std::memory_order_relaxed);
    if (id != kUntouched) visit(id);
  }
}

// Finds all histories that cells refer to; of a full collection also the sets and slots that those and stamps refer to.
// Sets need room for a new half of their table; where there is none, they stay as they are.
void Detector::mark_histories(bool full) {
  auto keep_empty_list = [&] {
    if (empty_list_ != kUntouched) histories_.keep(empty_list_, [](uint32_t*, unsigned) {});
  };
  if (!full) {
    keep_empty_list();
    shadow_.for_each_changed([&](Granule& granule) {
      for_each_history(granule, [&](HistoryId id) { histories_.keep(id, [](uint32_t*, unsigned) {}); });
    });
    histories_.end(false, 0);
    return;
  }
  histories_.begin_full();
  keep_empty_list();
  moving_locksets_ = locksets_.table().begin_collection(0);
  moving_threadsets_ = threadsets_.begin_collection(0);
  slots_.begin_collection();
  const bool machine = is_state_machine(options_.engine);
  shadow_.for_each([&](Granule& granule) {
    for_each_history(granule, [&](HistoryId id) {
      histories_.keep(id, [&](uint32_t* words, unsigned count) { rewrite_history(words, count); });
    });
    if (!machine) mark_stamps(granule);
  });
  if (!machine) mark_rows();
  shadow_.for_each_changed([](Granule&) {});
  // A time that has been stamped may be again.
  for (const Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    if (t->stamped && t->stamps_pack) segments_.mark(t->slot, t->time, t->stamps_locks);
  }
  segments_.end_collection([&](LocksetId& locks) { keep_lockset(locks); });
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    keep_lockset(t->lockset);
  }
  for (auto* c = const_cast<Candidate*>(candidates_.first()); c != nullptr; c = c->next.load()) {
    keep_lockset(c->first.earlier.lockset);
    keep_lockset(c->first.later.lockset);
  }
  // It walks the whole shadow: as many bytes of new histories as a part of it should be worth it.
  histories_.end(true, shadow_.leaf_count() * Leaf::kGranules * sizeof(Granule) / 32 / 16);
  if (moving_threadsets_) threadsets_.end_collection();
  if (moving_locksets_) locksets_.table().end_collection();
  locksets_.forget_answers();
  // Thread sets that did not move were not looked at: their slots may still be mentioned.
  if (moving_threadsets_) slots_.end_collection();
}

void Detector::forget_older_half() {
  // The age under which half of the living words are.
  uint64_t by_age[256];
  fill_zero(by_age, sizeof by_age);
  uint64_t total = 0;
  shadow_.for_each([&](Granule& granule) {
    for_each_history(granule, [&](HistoryId id) {
      if (id == empty_list_) return;
      const unsigned ago = histories_.collections_since(id);
      ++by_age[ago < 255 ? ago : 255];
      ++total;
    });
  });
  uint64_t older = 0;
  unsigned ago = 255;
  while (ago > 0 && (older += by_age[ago]) * 2 < total) --ago;
  forget_made_before(ago);
}

// Histories that were made at least so many full collections ago.
void Detector::forget_made_before(unsigned collections_ago) {
  const unsigned cells = is_state_machine(options_.engine) ? kGranuleBytes / kWordBytes : 1;
  shadow_.for_each([&](Granule& granule) {
    for (unsigned i = 0; i < cells; ++i) {
      const HistoryId id = granule.cells[i].load(std::memory_order_relaxed);
      if (id == kUntouched || id == empty_list_ || histories_.collections_since(id) < collections_ago) continue;
      const bool in_rows = empty_list_ != kUntouched && is_in_rows(granule);
      granule.cells[i].store(in_rows ? empty_list_ : kUntouched, std::memory_order_relaxed);
      ++histories_forgotten_;
    }
  });
}

// Stamps of threads that have ended.
void Detector::forget_ended() {
  if (is_state_machine(options_.engine)) return;
  shadow_.for_each([&](Granule& granule) {
    bool ended = false;
    for (unsigned place = is_in_rows(granule) ? ReadStep::kPlace : 0; place < GranuleStep::kPlaces; ++place) {
      const uint64_t bits = granule.stamps[place].load(std::memory_order_relaxed);
      ended |= bits != 0 && slots_.has_ended(Stamp::unpacked(segments_, bits, 0).slot);
    }
    if (!ended) return;
    for (std::atomic<uint64_t>& stamp : granule.stamps) stamp.store(0, std::memory_order_relaxed);
    ++histories_forgotten_;
  });
  forget_ended_in_rows();
}

MsmState Detector::msm_state(Address address) {
  const Granule* granule = shadow_.existing_granule(address);
  if (granule == nullptr) return MsmState::kNew;
  const HistoryId id = granule->cells[address % kGranuleBytes / kWordBytes].load(std::memory_order_acquire);
  return MsmEngine::state(histories_, id, static_cast<unsigned>(address % kWordBytes));
}

}  // namespace norn
