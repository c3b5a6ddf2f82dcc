#include "core/collector.h"

#include "base/bytes.h"

namespace norn {
namespace {

constexpr const char* kHistoryForgotten =
    "memory is short: the oldest history of accesses is forgotten, and races with it are missed";
constexpr const char* kWritesForgotten =
    "memory is very short: even the last writes are forgotten, so no more races are predicted";

}  // namespace

void Collector::rewrite_history(uint32_t* words, unsigned count) {
  if (!is_state_machine(options_.engine)) {
    if (OwnerTable::is_one(words)) {
      OwnerTable(words).for_each([&](ShadowWord word) { slots_.mark(word.slot()); });
      return;
    }
    for (unsigned i = HybridEngine::kHeaderWords; i < count; i += HybridEngine::kPastWords) {
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

void Collector::keep_lockset(LocksetId& id) {
  if (moving_locksets_) id = locksets_.keep(id);
}

void Collector::add_statistics(Statistics& statistics) {
  ThreadTable::add_statistics(statistics);
  statistics.collections = collections();
  statistics.full_collections = full_collections_;
  statistics.accesses_forgotten = accesses_forgotten_.load(std::memory_order_relaxed);
  statistics.histories_forgotten = histories_forgotten_;
  statistics.arena_bytes = arena_.mapped();
}

void Collector::collect(bool requested) {
  histories_.set_bound(history_bound());
  const bool full = histories_.wants_full() || histories_.failed() || slots_.wants_collection() || slots_.scarce() ||
                    locksets_.table().wants_collection() || threadsets_.wants_collection() ||
                    (requested && collections() % 2 == 0);
  const bool failed = histories_.failed();
  forget_lookups();
  for (Thread* t = first_thread(); t != nullptr; t = t->next) t->room.give_up();
  if (!full) mark_histories(false);
  if (full || histories_.wants_full()) {
    if (slots_.scarce()) {
      note_once(said_history_, kHistoryForgotten);
      forget_ended();
    }
    mark_histories(true);
    if (requested) empty_areas(0, Forgotten::kNothing);
    make_room(failed);
  }
  collect_objects();
}

// As much as the shadow takes, or 256 MiB; or what the user allows. A full collection looks at the whole shadow, so
// even then a small part of that.
size_t Collector::history_bound() const {
  constexpr size_t kAlways = size_t{256} << 20;
  const size_t shadow = shadow_.bytes();
  const size_t least = options_.memory_limit == 0 ? kAlways : shadow / 16;
  const size_t wanted = options_.memory_limit == 0 ? shadow : options_.memory_limit / 2;
  return wanted > least ? wanted : least;
}

// After a full collection. If more than seven eighths of what there may be is in use still, then half of it is left
// afterwards, so that the next time is far away. `failed`: there is no more memory than is in use.
void Collector::make_room(bool failed) {
  const size_t left = (failed ? histories_.used() : histories_.bound()) / 2;
  auto is_crowded = [&] { return histories_.used() > left * 7 / 4; };
  // What lives may lie far apart.
  if (is_crowded() && histories_.live() <= left * 5 / 4) empty_areas(left * 3 / 4, Forgotten::kNothing);
  if (is_crowded()) {
    note_once(said_history_, kHistoryForgotten);
    empty_areas(left * 3 / 4, Forgotten::kButWrites);
  }
  if (!is_crowded()) return;
  writes_forgotten_.store(true, std::memory_order_relaxed);
  if (options_.handover) note_once(said_writes_, kWritesForgotten);
  empty_areas(left, Forgotten::kAll);
}

// Empties areas until so many are left.
void Collector::empty_areas(size_t staying, Forgotten what) {
  histories_.choose_leaving(staying, what != Forgotten::kNothing);
  const bool machine = is_state_machine(options_.engine);
  HistoryRoom room;
  for_each_cell([&](Granule& granule, Cell& cell) {
    const HistoryId id = cell.load(std::memory_order_relaxed);
    if (id == kUntouched || is_shared(id) || !histories_.is_leaving(id)) return;
    cell.store(machine ? history_anew(room, id, what) : list_anew(room, granule, id, what), std::memory_order_relaxed);
  });
  mark_histories(true);
}

// What a granule's list becomes; the same, if there is no room for another.
HistoryId Collector::list_anew(HistoryRoom& room, Granule& granule, HistoryId id, Forgotten what) {
  if (what == Forgotten::kNothing && is_owned(granule, id)) {
    const HistoryId made = histories_.make(room, histories_.words(id), OwnerTable::kWords);
    return made == kUntouched ? id : made;
  }
  AccessHistory history;
  const uint32_t flags = read_granule(granule, id, history);
  unsigned count = history.listed;
  if (what != Forgotten::kNothing) {
    count = flags == 0 && what == Forgotten::kAll ? 0 : keep_what_orders(history, flags);
    if (count != history.listed) ++histories_forgotten_;
  }
  if (count == 0 && flags == 0) {
    if (is_owned(granule, id)) GranuleWords::clear(granule);
    return is_in_read_table(granule) ? empty_list_ : kUntouched;
  }
  if (const HistoryId shared = clock_list(flags); count == 0 && shared != kUntouched) return shared;
  const HistoryId made = histories_.reserve(room, OverflowList::words_for(count));
  if (made == kUntouched) return id;
  if (is_owned(granule, id)) GranuleWords::clear(granule);
  list_at(made).fill(history.all, count, flags);
  return made;
}

// Of the shadow words in the list only those stay, in the same order, by which somebody may come to be ordered after
// others: the last write of each byte, and if that was an increment, those before. What a thread did in its present
// segment tells whether its next write is one. Gives how many.
unsigned Collector::keep_what_orders(AccessHistory& history, uint32_t flags) {
  bool counts = flags != 0;
  for (unsigned i = 0; i < history.count; ++i) counts |= history.all[i].adds != 0;
  unsigned known = 0;  // the bytes of which the last write was found
  bool stays[AccessHistory::kMax] = {};
  for (unsigned i = history.count; i > 0; --i) {
    const PastAccess& past = history.all[i - 1];
    const bool last = is_write(past.kind) && (past.mask & ~known) != 0;
    stays[i - 1] = last || (counts && is_present(past));
    if (last) known |= past.mask & ~unsigned{past.adds};
  }
  unsigned count = 0;
  for (unsigned i = 0; i < history.listed; ++i) {
    if (stays[i]) history.all[count++] = history.all[i];
  }
  return count;
}

bool Collector::is_present(const PastAccess& past) {
  const Thread* thread = find(slots_.tenant(past.slot, past.time));
  return thread != nullptr && thread->slot == past.slot && thread->time == past.time;
}

// The same for the state machines, where many cells may share one. Its first words are what orders.
HistoryId Collector::history_anew(HistoryRoom& room, HistoryId id, Forgotten what) {
  if (const HistoryId moved = histories_.moved_to(id); moved != kUntouched) {
    if (what != Forgotten::kNothing) ++histories_forgotten_;
    return moved;
  }
  const uint32_t* words = histories_.words(id);
  unsigned count = histories_.count(id);
  if (what != Forgotten::kNothing) {
    ++histories_forgotten_;
    count = MsmEngine::kHeaderWords;
    bool orders = words[0] != 0;
    for (unsigned i = 1; i < count && what == Forgotten::kButWrites; ++i) orders |= words[i] != 0;
    if (!orders) return kUntouched;
  }
  const HistoryId made = histories_.make(room, words, count);
  if (made == kUntouched) return id;
  histories_.set_moved(id, made);
  return made;
}

// How many of a granule's cells refer to histories.
unsigned Collector::history_cells() const { return is_state_machine(options_.engine) ? kGranuleBytes / kWordBytes : 1; }

// Calls visit(granule, cell) for each that may refer to a history.
template <class Visit>
void Collector::for_each_cell(Visit visit) {
  const unsigned cells = history_cells();
  shadow_.for_each([&](Granule& granule) {
    for (unsigned i = 0; i < cells; ++i) visit(granule, granule.cells[i]);
  });
}

// Calls visit(history) for those that the granule's cells refer to.
template <class Visit>
void Collector::for_each_history(const Granule& granule, Visit visit) const {
  const unsigned cells = history_cells();
  for (unsigned i = 0; i < cells; ++i) {
    const HistoryId id = granule.cells[i].load(std::memory_order_relaxed);
    if (id != kUntouched) visit(id);
  }
}

// Finds all histories that cells refer to; of a full collection also the sets and slots that those and shadow words
// refer to. Sets need room for a new half of their table; where there is none, they stay as they are.
void Collector::mark_histories(bool full) {
  auto keep_shared_lists = [&] {
    if (empty_list_ == kUntouched) return;
    for (const HistoryId list : {empty_list_, clock_lists_[0], clock_lists_[1], clock_lists_[2]}) {
      histories_.keep(list, [](uint32_t*, unsigned) {});
    }
  };
  if (!full) {
    keep_shared_lists();
    shadow_.for_each_changed([&](Granule& granule) {
      for_each_history(granule, [&](HistoryId id) { histories_.keep(id, [](uint32_t*, unsigned) {}); });
    });
    histories_.end(false, 0);
    return;
  }
  ++full_collections_;
  histories_.begin_full();
  keep_shared_lists();
  moving_locksets_ = locksets_.table().begin_collection(0);
  moving_threadsets_ = threadsets_.begin_collection(0);
  slots_.begin_collection();
  const bool machine = is_state_machine(options_.engine);
  shadow_.for_each([&](Granule& granule) {
    for_each_history(granule, [&](HistoryId id) {
      histories_.keep(id, [&](uint32_t* words, unsigned count) { rewrite_history(words, count); });
    });
    if (!machine) mark_words(granule);
  });
  if (!machine) mark_read_table();
  shadow_.for_each_changed([](Granule&) {});
  const auto keep = [&](LocksetId& locks) { keep_lockset(locks); };
  keep_locksets(keep);
  keep_candidates_locksets(keep);
  // It walks the whole shadow: as many bytes of new histories as a part of it should be worth it.
  histories_.end(true, shadow_.leaf_count() * Leaf::kGranules * sizeof(Granule) / 32 / 16);
  if (moving_threadsets_) threadsets_.end_collection();
  if (moving_locksets_) locksets_.table().end_collection();
  locksets_.forget_answers();
  // Thread sets that did not move were not looked at: their slots may still be mentioned.
  if (moving_threadsets_) slots_.end_collection();
}

// AccessHistory of threads that have ended; of the state machines what was made before the last full collection and
// orders nobody.
void Collector::forget_ended() {
  if (is_state_machine(options_.engine)) {
    for_each_cell([&](const Granule&, Cell& cell) {
      const HistoryId id = cell.load(std::memory_order_relaxed);
      if (id == kUntouched || histories_.collections_since(id) == 0 || histories_.words(id)[0] != 0) return;
      cell.store(kUntouched, std::memory_order_relaxed);
      ++histories_forgotten_;
    });
    return;
  }
  shadow_.for_each([&](Granule& granule) {
    forget_ended_in_list(granule);
    bool ended = false;
    for (unsigned place = is_in_read_table(granule) ? GranuleWords::kBesideTable : 0; place < GranuleWords::kPlaces;
         ++place) {
      const ShadowWord word = granule.words[place].load(std::memory_order_relaxed);
      ended |= !word.is_none() && slots_.has_ended(word.slot());
    }
    if (!ended) return;
    for (std::atomic<ShadowWord>& word : granule.words) word.store({}, std::memory_order_relaxed);
    ++histories_forgotten_;
  });
  forget_ended_in_table();
}

void Collector::forget_ended_in_list(Granule& granule) {
  const HistoryId id = granule.cells[0].load(std::memory_order_relaxed);
  if (id == kUntouched || is_shared(id)) return;
  AccessHistory history;
  const uint32_t flags = read_granule(granule, id, history);
  unsigned count = 0;
  for (unsigned i = 0; i < history.listed; ++i) {
    if (!slots_.has_ended(history.all[i].slot)) history.all[count++] = history.all[i];
  }
  if (count == history.listed) return;
  ++histories_forgotten_;
  if (is_owned(granule, id)) GranuleWords::clear(granule);  // all were one thread's
  if (count == 0 && flags == 0) {
    granule.cells[0].store(is_in_read_table(granule) ? empty_list_ : kUntouched, std::memory_order_relaxed);
  } else {
    list_at(id).fill(history.all, count, flags);
  }
}

// In a full collection.
void Collector::mark_words(const Granule& granule) {
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  for (unsigned place = (second & kInReadTable) != 0 ? GranuleWords::kBesideTable : 0; place < GranuleWords::kPlaces;
       ++place) {
    const ShadowWord word = granule.words[place].load(std::memory_order_relaxed);
    if (word.is_none()) continue;
    slots_.mark(word.slot());
    segments_.mark(word.slot(), word.clock(), GranuleWords::locks_at(second, place));
  }
}

// In a full collection: says which slots and locks are still mentioned in rows, closes those that have nothing, and
// gives back the room of what is not used.
void Collector::mark_read_table() {
  read_table_.for_each([&](Granule& granule, ReadBlock& block, unsigned index) {
    if (!is_in_read_table(granule)) return;
    bool used = false;
    block.for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
      used = true;
      slots_.mark(slot);
      const ReadsInRow reads = ReadsInRow::of(row, index);
      for (const ShadowWord read : {reads.first, reads.second}) {
        if (!read.is_none()) segments_.mark(slot, read.clock(), ReadInRow::locks(read));
      }
    });
    if (used || granule.cells[0].load(std::memory_order_relaxed) != empty_list_) return;
    close_read_table(granule);
    granule.cells[0].store(kUntouched, std::memory_order_relaxed);
  });
  for (Thread* t = first_thread(); t != nullptr; t = t->next) {
    if (t->known_rows != nullptr) fill_zero(t->known_rows, sizeof *t->known_rows);
  }
  read_table_.release_unused([](const Granule& granule) { return is_in_read_table(granule); });
}

// Reads of threads that have ended.
void Collector::forget_ended_in_table() {
  read_table_.for_each([&](const Granule& granule, ReadBlock& block, unsigned index) {
    if (!is_in_read_table(granule)) return;
    block.for_each(index, [&](Slot slot, ReadBlock::Row& row) {
      if (!slots_.has_ended(slot)) return;
      ReadsInRow::clear(row, index, 0xff);
      ++histories_forgotten_;
    });
  });
}

}  // namespace norn
