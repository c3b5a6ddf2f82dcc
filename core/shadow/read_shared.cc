// Data that many threads read (core/shadow/read_table.h): how a granule comes to have its reads in rows, and what
// accesses that are no simple reads do with them.
#include "base/bytes.h"
#include "core/detector.h"

namespace norn {
namespace {

// Calls visit(stamp) for each of a row's reads of a granule.
template <class Visit>
void for_each_read(const SegmentLocks& segments, Slot slot, const ReadBlock::Row& row, unsigned index, Visit visit) {
  const ReadsInRow reads = ReadsInRow::of(row, index);
  for (const ShadowWord read : {reads.first, reads.second}) {
    if (!read.is_none()) visit(PastAccess::unpacked(segments, ReadInRow::word(read, slot), ReadInRow::locks(read)));
  }
}

// What a thread puts into its row while the granule is locked it takes back itself (core/shadow/read_step.h).
void clear_bytes(ReadBlock::Row& row, unsigned index, unsigned mask) {
  const ReadsInRow reads = ReadsInRow::of(row, index);
  ReadsInRow{reads.first.without(mask), reads.second.without(mask)}.write_to(row, index);
}

}  // namespace

bool Detector::make_shared_lists() {
  HistoryRoom room;
  auto make = [&](uint32_t flags) {
    const HistoryId made = histories_.reserve(room, OverflowList::words_for(0));
    if (made != kUntouched) list_at(made).fill(nullptr, 0, flags);
    return made;
  };
  empty_list_ = make(0);
  message_lists_[0] = make(kHasMessage);
  message_lists_[1] = make(GranuleFlags::of_word(1, kHasMessage));
  message_lists_[2] = make(kHasMessage | GranuleFlags::of_word(1, kHasMessage));
  return message_lists_[2] != kUntouched;
}

// The thread's own, in which it will find it again. Null if there is none to be had.
ReadBlock::Row* Detector::own_row(Thread& thread, Address address) {
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

// The same as read_in_row() for all bytes of many granules, each so many after the one before: how many of them were
// done, from the first on.
uint64_t Detector::read_together(const Thread& thread, Granule* granules, Address first, uint64_t count, uint64_t step,
                                 StackId where, bool copies) const {
  ReadStep::Together together;
  const ShadowWord read = read_of(thread, where);
  for (uint64_t i = 0; i < count && !together.is_full(); ++i) {
    Granule& granule = granules[i * step];
    const Address at = first + i * step * kGranuleBytes;
    ReadBlock::Row* row = row_alone(thread, granule, at);
    if (row == nullptr || !together.put(thread, is_lockless(), granule, *row, ReadBlock::index_of(at), read)) break;
  }
  return together.finish(thread, is_lockless(), empty_list_, copies);
}

// The same as read_in_row(), under the granule's lock, by a thread that may not have been here yet, and where there is
// more beside the reads.
bool Detector::read_in_own_row(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access) {
  if (!is_in_read_table(granule) || access.kind != AccessKind::kRead || !thread.stamps_pack ||
      !ShadowWord::stack_fits(access.where)) {
    return false;
  }
  const OverflowList listed = list_at(list);
  if (listed.flags() != 0) return false;
  for (unsigned i = 0; i < listed.others(); ++i) {
    if (!HybridEngine::agrees(context_, thread, listed.at(i), access)) return false;
  }
  const uint32_t order = granule.cells[1].load(std::memory_order_relaxed);
  if ((order & 3) != GranuleStep::kNoPlace) {
    const ShadowWord word = granule.words[ReadStep::kPlace].load(std::memory_order_relaxed);
    const PastAccess stamp = PastAccess::unpacked(segments_, word, GranuleStep::locks_at(order, ReadStep::kPlace));
    if (!HybridEngine::agrees(context_, thread, stamp, access)) return false;
  }
  ReadBlock::Row* row = own_row(thread, access.word);
  return row != nullptr && ReadStep::take(thread, is_lockless(), granule, *row, ReadBlock::index_of(access.word),
                                          read_of(thread, access.where), access.mask);
}

// Adds the thread's own reads in rows to the others that it is to be judged by.
void Detector::add_own_reads(const Thread& thread, const ReadBlock& block, Address address,
                             AccessHistory& stamps) const {
  const ReadBlock::Row* row = thread.slot < ShadowWord::kSlots ? block.existing_row(thread.slot) : nullptr;
  if (row == nullptr) return;
  for_each_read(segments_, thread.slot, *row, ReadBlock::index_of(address), [&](const PastAccess& stamp) {
    if (stamps.count < AccessHistory::kMax) {
      stamps.all[stamps.count++] = stamp;
    } else {
      context_.forgotten->fetch_add(1, std::memory_order_relaxed);
    }
  });
}

// All that is in rows, as far as there is room. Under the granule's lock.
void Detector::add_reads_in_table(ReadBlock& block, Address address, AccessHistory& stamps) const {
  const unsigned index = ReadBlock::index_of(address);
  if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);  // core/shadow/read_step.h
  block.for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
    for_each_read(segments_, slot, row, index, [&](const PastAccess& stamp) {
      if (stamps.count < AccessHistory::kMax) stamps.all[stamps.count++] = stamp;
    });
  });
}

// Of the stamps of a thread, or of all, takes those that have room in rows. The newest first.
void Detector::give_reads_to_table(ReadBlock& block, Address address, AccessHistory& stamps, const Thread* of) {
  const unsigned index = ReadBlock::index_of(address);
  unsigned left = stamps.count;
  for (unsigned i = stamps.count; i-- > 0;) {
    PastAccess& stamp = stamps.all[i];
    if (stamp.kind != AccessKind::kRead || (of != nullptr && stamp.slot != of->slot)) continue;
    find_whether_it_packs(stamp);
    ReadBlock::Row* row = stamp.fits() ? read_table_.row(block, stamp.slot) : nullptr;
    if (row == nullptr) continue;
    ReadsInRow reads = ReadsInRow::of(*row, index);
    if (!reads.add(ReadInRow::from_word(stamp.packed(), stamp.locks))) continue;
    reads.write_to(*row, index);
    stamp.mask = 0;
    --left;
  }
  if (left == stamps.count) return;
  unsigned overwritten = 0;
  unsigned kept = 0;
  for (unsigned i = 0; i < stamps.count; ++i) {
    if (stamps.all[i].mask == 0) continue;
    if (i < stamps.overwritten) ++overwritten;
    stamps.all[kept++] = stamps.all[i];
  }
  stamps.count = kept;
  stamps.overwritten = overwritten;
}

// Whether it is worth while: several threads have read it, each but once. (What is read under different locks by each
// is better off in a list.)
bool Detector::is_for_read_table(const AccessHistory& stamps) {
  constexpr unsigned kFew = 3;
  uint64_t seen[ShadowWord::kSlots / 64] = {};
  unsigned readers = 0;
  for (unsigned i = 0; i < stamps.count; ++i) {
    const PastAccess& stamp = stamps.all[i];
    if (stamp.kind != AccessKind::kRead || stamp.slot >= ShadowWord::kSlots) continue;
    uint64_t& group = seen[stamp.slot / 64];
    const uint64_t bit = uint64_t{1} << stamp.slot % 64;
    if ((group & bit) != 0) return false;
    group |= bit;
    ++readers;
  }
  return readers >= kFew && stamps.count > GranuleStep::kPlaces;
}

// From here on the granule's reads are in rows. Null: there is no memory for it.
ReadBlock* Detector::open_read_table(Granule& granule, Address address) {
  ReadBlock* block = read_table_.get(address);
  if (block == nullptr) return nullptr;
  const unsigned index = ReadBlock::index_of(address);
  block->for_each(index, [&](Slot, ReadBlock::Row& row) { clear_bytes(row, index, 0xff); });
  granule.cells[1].store(granule.cells[1].load(std::memory_order_relaxed) | kInReadTable, std::memory_order_relaxed);
  return block;
}

// An access that is no plain read, beside what others have in rows.
void Detector::judge_read_table(const Thread& thread, ReadBlock& block, unsigned fresh, const WordAccess& access,
                                FoundRaces& races) {
  const unsigned index = ReadBlock::index_of(access.word);
  if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);  // core/shadow/read_step.h
  block.for_each(index, [&](Slot slot, ReadBlock::Row& row) {
    if (slot == thread.slot) return;  // judged with the others
    const ReadsInRow reads = ReadsInRow::of(row, index);
    const auto left_of = [&](ShadowWord read) {
      if (read.is_none()) return read;
      const PastAccess stamp = PastAccess::unpacked(segments_, ReadInRow::word(read, slot), ReadInRow::locks(read));
      return read.without(HybridEngine::judge(context_, thread, stamp, 0, fresh, access, races).superfluous);
    };
    const ReadsInRow left = {left_of(reads.first), left_of(reads.second)};
    if (left.first != reads.first || left.second != reads.second) left.write_to(row, index);
  });
}

// After an access has been judged: of the thread's own reads those that are left have their places, and so have all if
// the granule's reads are to be in rows from here on.
void Detector::put_reads(const Thread& thread, Granule& granule, ReadBlock* block, const WordAccess& access,
                         AccessHistory& stamps, uint32_t flags) {
  if (block != nullptr) {
    ReadBlock::Row* row = thread.slot < ShadowWord::kSlots ? block->existing_row(thread.slot) : nullptr;
    if (row != nullptr) clear_bytes(*row, ReadBlock::index_of(access.word), 0xff);
    HybridEngine::consolidate(context_, stamps);
    return give_reads_to_table(*block, access.word, stamps, &thread);
  }
  if (access.kind != AccessKind::kRead || flags != 0 || !is_for_read_table(stamps)) return;
  block = open_read_table(granule, access.word);
  if (block != nullptr) give_reads_to_table(*block, access.word, stamps, nullptr);
}

// These bytes are new: nothing was read of them. Gives those of the granule of which something was.
unsigned Detector::clear_read_table(const Granule& granule, Address address, unsigned mask) {
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  if (block == nullptr) return 0;
  const unsigned index = ReadBlock::index_of(address);
  unsigned were_read = 0;
  block->for_each(index, [&](Slot slot, ReadBlock::Row& row) {
    for_each_read(segments_, slot, row, index, [&](const PastAccess& stamp) { were_read |= stamp.mask; });
    clear_bytes(row, index, mask);
  });
  return were_read;
}

// The granule's reads are not in rows any more; those that are do not count. Under its lock, or in a collection.
void Detector::close_read_table(Granule& granule) {
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  if ((second & kInReadTable) == 0) return;
  const bool alone = (second & 3) == GranuleStep::kNoPlace;
  const ShadowWord word = alone ? ShadowWord() : granule.words[ReadStep::kPlace].load(std::memory_order_relaxed);
  GranuleStep::put(granule, {word, GranuleStep::locks_at(second, ReadStep::kPlace)}, {}, {});
}

// Somebody waits for the granule from here on. Beside what is in rows each access would be judged in general; so where
// there are few, they are stamps like others again, and these are they. Under its lock.
void Detector::take_from_read_table(Granule& granule, Address address, AccessHistory& stamps) {
  constexpr unsigned kFew = 8;
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  if (block == nullptr) return;
  const unsigned before = stamps.count;
  bool few = true;
  const unsigned index = ReadBlock::index_of(address);
  if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);  // core/shadow/read_step.h
  block->for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
    for_each_read(segments_, slot, row, index, [&](const PastAccess& stamp) {
      few = few && stamps.count < kFew;
      if (few) stamps.all[stamps.count++] = stamp;
    });
  });
  if (few) {
    close_read_table(granule);
  } else {
    stamps.count = before;
  }
}

// In a full collection: says which slots and locks are still mentioned in rows, closes those that have nothing, and
// gives back the room of what is not used.
void Detector::mark_read_table() {
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
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    if (t->known_rows != nullptr) fill_zero(t->known_rows, sizeof *t->known_rows);
  }
  read_table_.release_unused([](const Granule& granule) { return is_in_read_table(granule); });
}

// Reads of threads that have ended.
void Detector::forget_ended_in_table() {
  read_table_.for_each([&](const Granule& granule, ReadBlock& block, unsigned index) {
    if (!is_in_read_table(granule)) return;
    block.for_each(index, [&](Slot slot, ReadBlock::Row& row) {
      if (!slots_.has_ended(slot)) return;
      clear_bytes(row, index, 0xff);
      ++histories_forgotten_;
    });
  });
}

unsigned Detector::reads_in_table(const Granule& granule, Address address) {
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(address) : nullptr;
  unsigned count = 0;
  if (block == nullptr) return count;
  const unsigned index = ReadBlock::index_of(address);
  block->for_each(index, [&](Slot slot, const ReadBlock::Row& row) {
    for_each_read(segments_, slot, row, index, [&](const PastAccess&) { ++count; });
  });
  return count;
}

}  // namespace norn
