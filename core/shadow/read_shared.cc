// Data that many threads read (core/shadow/read_table.h): how a granule comes to have its reads in rows, and how they
// are read there and taken away again.
#include "core/shadow/granule_store.h"

namespace norn {
bool GranuleStore::make_shared_lists() {
  HistoryRoom room;
  auto make = [&](uint32_t flags) {
    const HistoryId made = histories_.reserve(room, OverflowList::words_for(0));
    if (made != kUntouched) list_at(made).fill(nullptr, 0, flags);
    return made;
  };
  empty_list_ = make(0);
  clock_lists_[0] = make(kHasReleaseClock);
  clock_lists_[1] = make(GranuleFlags::of_word(1, kHasReleaseClock));
  clock_lists_[2] = make(kHasReleaseClock | GranuleFlags::of_word(1, kHasReleaseClock));
  return clock_lists_[2] != kUntouched;
}

// The thread's own, in which it will find it again. Null if there is none to be had.
ReadBlock::Row* GranuleStore::own_row(Thread& thread, Address address) {
  if (thread.slot >= ShadowWord::kSlots) return nullptr;
  if (thread.known_rows == nullptr) thread.known_rows = arena_.create<KnownRows>();
  if (thread.known_rows == nullptr) return nullptr;
  KnownRows::Entry& known = thread.known_rows->of(address);
  const uint64_t key = KnownRows::key_of(address, thread.slot);
  if (known.key == key) return known.row;
  ReadBlock* block = read_table_.get(address);
  ReadBlock::Row* row = block == nullptr ? nullptr : read_table_.row(*block, thread.slot);
  if (row != nullptr) known = {key, row};
  return row;
}

// Adds the thread's own reads in rows to the others that it is to be judged by.
void GranuleStore::add_own_reads(const Thread& thread, const ReadBlock& block, Address address,
                                 AccessHistory& history) const {
  const ReadBlock::Row* row = thread.slot < ShadowWord::kSlots ? block.existing_row(thread.slot) : nullptr;
  if (row == nullptr) return;
  for_each_read(thread.slot, *row, ReadBlock::index_of(address), [&](const PastAccess& past) {
    if (history.count < AccessHistory::kMax) {
      history.all[history.count++] = past;
    } else {
      context_.forgotten->fetch_add(1, std::memory_order_relaxed);
    }
  });
}

// All that is in rows, as far as there is room. Under the granule's lock.
void GranuleStore::add_reads_in_table(ReadBlock& block, Address address, AccessHistory& history) const {
  const unsigned index = ReadBlock::index_of(address);
  if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);  // core/shadow/read_step.h
  block.for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
    for_each_read(slot, row, index, [&](const PastAccess& past) {
      if (history.count < AccessHistory::kMax) history.all[history.count++] = past;
    });
  });
}

// Of the shadow words of a thread, or of all, takes those that have room in rows. The newest first.
void GranuleStore::give_reads_to_table(ReadBlock& block, Address address, AccessHistory& history, const Thread* of) {
  const unsigned index = ReadBlock::index_of(address);
  unsigned left = history.count;
  for (unsigned i = history.count; i-- > 0;) {
    PastAccess& past = history.all[i];
    if (past.kind != AccessKind::kRead || (of != nullptr && past.slot != of->slot)) continue;
    find_whether_it_packs(past);
    ReadBlock::Row* row = past.fits() ? read_table_.row(block, past.slot) : nullptr;
    if (row == nullptr) continue;
    ReadsInRow reads = ReadsInRow::of(*row, index);
    if (!reads.add(ReadInRow::from_word(past.packed(), past.locks))) continue;
    reads.write_to(*row, index);
    past.mask = 0;
    --left;
  }
  if (left == history.count) return;
  unsigned overwritten = 0;
  unsigned kept = 0;
  for (unsigned i = 0; i < history.count; ++i) {
    if (history.all[i].mask == 0) continue;
    if (i < history.overwritten) ++overwritten;
    history.all[kept++] = history.all[i];
  }
  history.count = kept;
  history.overwritten = overwritten;
}

// Whether it is worth while: several threads have read it, each but once. (What is read under different locks by each
// is better off in a list.)
bool GranuleStore::is_for_read_table(const AccessHistory& history) {
  constexpr unsigned kFew = 3;
  uint64_t seen[ShadowWord::kSlots / 64] = {};
  unsigned readers = 0;
  for (unsigned i = 0; i < history.count; ++i) {
    const PastAccess& past = history.all[i];
    if (past.kind != AccessKind::kRead || past.slot >= ShadowWord::kSlots) continue;
    uint64_t& group = seen[past.slot / 64];
    const uint64_t bit = uint64_t{1} << past.slot % 64;
    if ((group & bit) != 0) return false;
    group |= bit;
    ++readers;
  }
  return readers >= kFew && history.count > GranuleWords::kPlaces;
}

// From here on the granule's reads are in rows. Null: there is no memory for it.
ReadBlock* GranuleStore::open_read_table(Granule& granule, Address address) {
  ReadBlock* block = read_table_.get(address);
  if (block == nullptr) return nullptr;
  const unsigned index = ReadBlock::index_of(address);
  block->for_each(index, [&](Slot, ReadBlock::Row& row) { ReadsInRow::clear(row, index, 0xff); });
  granule.cells[1].store(granule.cells[1].load(std::memory_order_relaxed) | kInReadTable, std::memory_order_relaxed);
  return block;
}

// After an access has been judged: of the thread's own reads those that are left have their places, and so have all if
// the granule's reads are to be in rows from here on.
void GranuleStore::put_reads(const Thread& thread, Granule& granule, ReadBlock* block, const WordAccess& access,
                             AccessHistory& history, uint32_t flags) {
  if (block != nullptr) {
    ReadBlock::Row* row = thread.slot < ShadowWord::kSlots ? block->existing_row(thread.slot) : nullptr;
    if (row != nullptr) ReadsInRow::clear(*row, ReadBlock::index_of(access.word), 0xff);
    HybridEngine::consolidate(context_, history);
    return give_reads_to_table(*block, access.word, history, &thread);
  }
  if (access.kind != AccessKind::kRead || flags != 0 || !is_for_read_table(history)) return;
  block = open_read_table(granule, access.word);
  if (block != nullptr) give_reads_to_table(*block, access.word, history, nullptr);
}

// These bytes are new: nothing was read of them. Gives those of the granule of which something was.
unsigned GranuleStore::clear_read_table(const Granule& granule, Address address, unsigned mask) {
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  if (block == nullptr) return 0;
  const unsigned index = ReadBlock::index_of(address);
  unsigned were_read = 0;
  block->for_each(index, [&](Slot slot, ReadBlock::Row& row) {
    for_each_read(slot, row, index, [&](const PastAccess& past) { were_read |= past.mask; });
    ReadsInRow::clear(row, index, mask);
  });
  return were_read;
}

// The granule's reads are not in rows any more; those that are do not count. Under its lock, or in a collection.
void GranuleStore::close_read_table(Granule& granule) {
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  if ((second & kInReadTable) == 0) return;
  const bool alone = (second & 3) == GranuleWords::kNoPlace;
  const ShadowWord word =
      alone ? ShadowWord() : granule.words[GranuleWords::kBesideTable].load(std::memory_order_relaxed);
  GranuleWords::put(granule, {word, GranuleWords::locks_at(second, GranuleWords::kBesideTable)}, {}, {});
}

// Somebody waits for the granule from here on. Beside what is in rows each access would be judged in general; so where
// there are few, they are shadow words like others again, and these are they. Under its lock.
void GranuleStore::take_from_read_table(Granule& granule, Address address, AccessHistory& history) {
  constexpr unsigned kFew = 8;
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  if (block == nullptr) return;
  const unsigned before = history.count;
  bool few = true;
  const unsigned index = ReadBlock::index_of(address);
  if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);  // core/shadow/read_step.h
  block->for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
    for_each_read(slot, row, index, [&](const PastAccess& past) {
      few = few && history.count < kFew;
      if (few) history.all[history.count++] = past;
    });
  });
  if (few) {
    close_read_table(granule);
  } else {
    history.count = before;
  }
}

unsigned GranuleStore::reads_in_table(const Granule& granule, Address address) {
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  unsigned count = 0;
  if (block == nullptr) return count;
  const unsigned index = ReadBlock::index_of(address);
  block->for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
    for_each_read(slot, row, index, [&](const PastAccess&) { ++count; });
  });
  return count;
}

}  // namespace norn
