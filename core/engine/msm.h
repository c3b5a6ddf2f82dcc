// msm-short and msm-long: the memory state machines of Helgrind+ (thesis §5.2.3 and §5.2.6, figures 5.1 and 5.4).
//
// Each byte is in one state; bytes of a word in the same state are kept together. The happens-before of the documents
// is norn's strong relation: locks count through locksets alone. The edges are the tables in msm.cc. Deviations,
// each because the documents disagree with themselves or say nothing:
//   - TS_d is the segment of the last access in every state (in Exclusive-Read and the Shared-Modified states the
//     pseudo-code does not say; the prose says that segments are tracked there).
//   - Shared-Read, short: a write that is parallel to TS_d races only if the lockset is empty as well (the prose;
//     the pseudo-code leaves the lockset out).
//   - Shared-Read, long: an empty candidate set means "none known yet" and starts with the locks of the next access,
//     as in table 5.1 (the pseudo-code would intersect and stay empty).
//   - The reset at join is lazy: threads that were joined are taken out of S_d when d is accessed next.
//   - A write counts only exclusively held locks (Eraser's rule; the documents know no reader/writer locks there).
//   - Atomic accesses do not move the machine: they are synchronization, and the documents do not treat them.
#pragma once

#include "core/engine/engine.h"

namespace norn {

enum class MsmState : uint8_t {
  kNew,
  kExclusiveRead,
  kExclusiveWrite,
  kExclusiveReadWrite,  // long only
  kSharedRead,
  kSharedModified,   // short only
  kSharedModified1,  // long only
  kSharedModified2,  // long only
  kRace,
};
inline constexpr unsigned kMsmStates = 9;

[[nodiscard]] const char* msm_state_name(MsmState state);

class MsmEngine {
 public:
  // flags, then the signals (order.md, Spinning reads) of the word's bytes as thread sets
  static constexpr unsigned kSignals = 4;
  static constexpr unsigned kHeaderWords = 1 + kSignals;
  static constexpr unsigned kPartWords = 5;

  static HistoryId next(const EngineContext& context, Thread& thread, HistoryId before, const WordAccess& access,
                        uint32_t set_flags, uint32_t clear_flags, FoundRaces& races);
  template <class Found>
  static void signal(const Histories& table, const InternTable& threadsets, HistoryId history, unsigned byte,
                     Found found) {
    if (history == kUntouched) return;
    const InternTable::Id set = table.words(history)[1 + byte];
    for (unsigned i = 0; i < threadsets.count(set); i += 2) {
      found(static_cast<Slot>(threadsets.words(set)[i]), threadsets.words(set)[i + 1]);
    }
  }
  static uint8_t accessed_in_segment(const EngineContext& context, HistoryId history, const Thread& thread);
  static MsmState state(const Histories& table, HistoryId history, unsigned byte);

  // In a collection: the ids and slots a history's words hold.
  static unsigned parts(unsigned words) { return (words - kHeaderWords) / kPartWords; }
};

}  // namespace norn
