// What accesses do where a granule has its reads in the table (core/shadow/read_table.h).
#include "core/shadow/shadow_store.h"

namespace norn {

// The same as read_in_row() for all bytes of many granules, each so many after the one before: how many of them were
// done, from the first on.
uint64_t ShadowStore::read_together(const Thread& thread, Granule* granules, Address first, uint64_t count,
                                    uint64_t step, StackId where, bool copies) const {
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
bool ShadowStore::read_in_own_row(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access) {
  if (!is_in_read_table(granule) || access.kind != AccessKind::kRead || !thread.words_pack ||
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
    const PastAccess past = PastAccess::unpacked(segments_, word, GranuleStep::locks_at(order, ReadStep::kPlace));
    if (!HybridEngine::agrees(context_, thread, past, access)) return false;
  }
  ReadBlock::Row* row = own_row(thread, access.word);
  return row != nullptr && ReadStep::take(thread, is_lockless(), granule, *row, ReadBlock::index_of(access.word),
                                          read_of(thread, access.where), access.mask);
}

// An access that is no plain read, beside what others have in rows.
void ShadowStore::judge_read_table(const Thread& thread, ReadBlock& block, unsigned fresh, const WordAccess& access,
                                   FoundRaces& races) {
  const unsigned index = ReadBlock::index_of(access.word);
  if constexpr (!kOneAtATime) std::atomic_thread_fence(std::memory_order_seq_cst);  // core/shadow/read_step.h
  block.for_each(index, [&](Slot slot, ReadBlock::Row& row) {
    if (slot == thread.slot) return;  // judged with the others
    const ReadsInRow reads = ReadsInRow::of(row, index);
    const auto left_of = [&](ShadowWord read) {
      if (read.is_none()) return read;
      const PastAccess past = PastAccess::unpacked(segments_, ReadInRow::word(read, slot), ReadInRow::locks(read));
      return read.without(HybridEngine::judge(context_, thread, past, 0, fresh, access, races).superfluous);
    };
    const ReadsInRow left = {left_of(reads.first), left_of(reads.second)};
    if (left.first != reads.first || left.second != reads.second) left.write_to(row, index);
  });
}

}  // namespace norn
