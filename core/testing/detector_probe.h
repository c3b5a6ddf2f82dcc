// What tests look at in a detector that no embedding may: granules, what they remember, and the paths of an access one
// by one (core/shadow/shadow_store.h).
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <vector>

#include "core/detector.h"
#include "core/shadow/atomic_step.h"

namespace norn {

// A remembered access to one byte.
struct RememberedByte {
  unsigned byte = 0;
  Slot slot = 0;
  ClockValue clock = 0;
  AccessKind kind{};
  LocksetId lockset = kNoLocks;
  StackId stack = kNoStack;
  bool rmw = false;

  auto operator<=>(const RememberedByte&) const = default;
};

// All that a granule remembers.
struct Remembered {
  std::set<RememberedByte> all;
  std::map<unsigned, std::vector<RememberedByte>> writes;  // of each byte, oldest first: their order counts

  bool operator==(const Remembered&) const = default;
};

struct DetectorProbe {
  // Null where nothing was touched yet.
  [[nodiscard]] static Granule* granule(Detector& detector, Address address) {
    return detector.shadow_.existing_granule(address);
  }
  // Made if there is none.
  [[nodiscard]] static Granule& made_granule(Detector& detector, Address address) {
    (void)detector.shadow_.prepare(address);
    return *detector.shadow_.granule(address);
  }
  [[nodiscard]] static Shape shape(const Detector& detector, const Granule& granule) {
    return detector.shape_of(granule, GranuleLock::list_of(granule));
  }

  // --- what is remembered
  [[nodiscard]] static Remembered remembered(Detector& detector, const Granule& granule, Address address) {
    AccessHistory history;
    read_all(detector, granule, address, history);
    return bytes_of(detector, history);
  }

  struct Outcome {
    Remembered after;
    unsigned races = 0;
  };
  // What the slow path makes of an access: HybridEngine::next() on all that the granule remembers. Changes nothing.
  [[nodiscard]] static Outcome slow(Detector& detector, const Thread& thread, const Granule& granule,
                                    const WordAccess& access) {
    AccessHistory history;
    const uint32_t flags = read_all(detector, granule, access.word, history);
    FoundRaces races;
    const uint8_t accessed = Detector::accessed_in_segment(thread, history, access);
    (void)HybridEngine::next(detector.context_, thread, history, GranuleFlags::in_spin(flags), accessed, access, races);
    return {bytes_of(detector, history), races.count};
  }

  // --- the paths. Each says whether it took the access.
  // Path 0: the check of the compiler, as include/norn/abi.h has it, on the granule of the access.
  [[nodiscard]] static bool passes(const Thread& thread, const Granule& granule, AccessKind kind, Address address,
                                   unsigned size) {
    const FastCheck& fast = thread.fast;
    const bool write = kind == AccessKind::kWrite;
    const ShadowWord own = ShadowWord::from_bits((write ? fast.write : fast.read).load(std::memory_order_relaxed));
    const unsigned bytes = bytes_in_granule(address, size);
    const uint64_t others = ShadowWord::kBitsOfBytes & ~(uint64_t{bytes} << ShadowWord::kBytesAt);
    const uint64_t bits =
        (write ? ShadowWord::kBitsOfWrites : fast.read_bits.load(std::memory_order_relaxed)) & ~others;
    const auto stands = [&](unsigned position) {
      return granule.words[position].load(std::memory_order_relaxed).equals_in(own, bits);
    };
    return stands(thread.slot & 1u) || (size < kGranuleBytes && stands(2));
  }
  [[nodiscard]] static bool is_known(Detector& detector, const Thread& thread, const Granule& granule,
                                     const WordAccess& access) {
    return contains_same_access(thread, granule, access.kind, access.mask) ||
           (access.kind <= AccessKind::kAtomicRead && has_list(granule) &&
            detector.is_in_list(thread, granule, access.kind, access.mask));
  }
  [[nodiscard]] static bool may_renew(const Thread& thread) { return Detector::may_renew(thread); }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_1(Detector& detector, const Thread& thread, Granule& granule,
                                   const WordAccess& access) {
    return access.mask == kWholeGranule
               ? detector.renew<Kind, true>(thread, granule, access.word, access.mask, access.where)
               : detector.renew<Kind, false>(thread, granule, access.word, access.mask, access.where);
  }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_1_own(Thread& thread, Granule& granule, const WordAccess& access) {
    const uint64_t accesses = thread.accesses;
    const bool done = Detector::access_own<Kind>(thread, granule, access.mask, access.where);
    thread.accesses = accesses;
    return done;
  }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_1_owner(Detector& detector, const Thread& thread, Granule& granule,
                                         const WordAccess& access) {
    return detector.renew_owner<Kind>(thread, granule, access.mask, access.where);
  }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_1_strided(Detector& detector, const Thread& thread, Granule& granule,
                                           const WordAccess& access) {
    const GranuleStep::Strided<Kind> strided(thread, access.where);
    return strided.stands(granule) || strided.renew(granule) || detector.begin_row(strided, granule, access.word);
  }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_1_alone(Detector& detector, const Thread& thread, Granule& granule,
                                         const WordAccess& access) {
    return GranuleStep::Alone<Kind>(thread, access.where).renew(&granule, 1, [&](uint64_t) {
      return Kind != AccessKind::kBirth && detector.is_prepared(access.word);
    }) == 1;
  }
  static void bear(Detector& detector, Thread& thread, Granule& granule, Address address, StackId where) {
    detector.bear_granule(thread, granule, address, kWholeGranule, where);
  }
  [[nodiscard]] static bool path_1_atomic_read(Detector& detector, Thread& thread, Granule& granule,
                                               const WordAccess& access) {
    const HistoryId list = granule.cells[0].load(std::memory_order_relaxed);
    if (list != kUntouched && list != detector.clock_lists_[0] && list != detector.clock_lists_[1] &&
        list != detector.clock_lists_[2]) {
      return false;
    }
    return AtomicStep::renew<AccessKind::kAtomicRead>(thread, granule, list, access.mask, access.where, false, 0,
                                                      detector.may_heed_now(thread));
  }
  [[nodiscard]] static bool path_1_atomic_write(Detector& detector, Thread& thread, const WordAccess& access) {
    const auto first = static_cast<unsigned>(__builtin_ctz(access.mask));
    const auto size = static_cast<unsigned>(__builtin_popcount(access.mask));
    return detector.renew_atomic_write(thread, access.word + first, size, access.where, access.increments);
  }
  [[nodiscard]] static bool path_1_free(Detector& detector, Thread& thread, const WordAccess& access) {
    const auto first = static_cast<unsigned>(__builtin_ctz(access.mask));
    const Address begin = access.word + first;
    const Address end = begin + static_cast<unsigned>(__builtin_popcount(access.mask));
    return detector.leave_free(thread, *detector.shadow_.existing_leaf(begin), begin, end, access.where) >= end;
  }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_2(Detector& detector, Thread& thread, Granule& granule, const WordAccess& access) {
    return detector.renew_beside<Kind>(thread, granule, access.word, access.mask, access.increments,
                                       [&](StackId& found) {
                                         found = access.where;
                                         return true;
                                       });
  }
  template <AccessKind Kind>
  [[nodiscard]] static bool path_2_alike(Detector& detector, Thread& thread, Granule& granule,
                                         const WordAccess& access) {
    return detector.renew_alike<Kind>(thread, &granule, 1, access.word, access.increments, access.where) == 1;
  }
  [[nodiscard]] static bool path_2_at_once(Detector& detector, const Thread& thread, Granule& granule,
                                           const WordAccess& access) {
    return detector.read_together(thread, &granule, access.word, 1, 1, access.where, true) == 1;
  }
  [[nodiscard]] static bool path_2_listed(Detector& detector, Thread& thread, Granule& granule,
                                          const WordAccess& access) {
    return detector.read_in_place(thread, granule, access.mask, access.increments, access.where);
  }
  // Path 3, by the shape of the granule.
  [[nodiscard]] static bool path_3_plain(Detector& detector, Thread& thread, Granule& granule,
                                         const WordAccess& access) {
    return !has_list(granule) && detector.access_simply(thread, granule, access);
  }
  [[nodiscard]] static bool path_3_owner(Detector& detector, Thread& thread, Granule& granule,
                                         const WordAccess& access) {
    return is_owned(granule, GranuleLock::list_of(granule)) &&
           detector.renew_owner(thread, granule, GranuleLock::list_of(granule), access);
  }
  [[nodiscard]] static bool path_3_waited_for(Detector& detector, Thread& thread, Granule& granule,
                                              const WordAccess& access, uint32_t set_flags) {
    const HistoryId list = GranuleLock::list_of(granule);
    uint8_t accessed = 0;
    return detector.waited_for_in(granule) != 0 &&
           detector.renew_waited_for(thread, granule, list, access, set_flags, accessed);
  }
  [[nodiscard]] static bool path_3_atomic(Detector& detector, Thread& thread, Granule& granule,
                                          const WordAccess& access, uint32_t set_flags) {
    return has_true_list(granule) && detector.waited_for_in(granule) == 0 &&
           detector.renew_beside_release_clock(thread, granule, GranuleLock::list_of(granule), access, set_flags);
  }
  [[nodiscard]] static bool path_3_table(Detector& detector, Thread& thread, Granule& granule,
                                         const WordAccess& access) {
    return has_true_list(granule) && detector.waited_for_in(granule) == 0 &&
           detector.read_in_own_row(thread, granule, GranuleLock::list_of(granule), access);
  }
  [[nodiscard]] static bool path_3_list(Detector& detector, Thread& thread, Granule& granule,
                                        const WordAccess& access) {
    return has_true_list(granule) && detector.waited_for_in(granule) == 0 &&
           detector.read_beside_list(thread, granule, GranuleLock::list_of(granule), access);
  }
  [[nodiscard]] static bool path_3_short_list(Detector& detector, Thread& thread, Granule& granule,
                                              const WordAccess& access) {
    if (!has_true_list(granule) || detector.list_at(GranuleLock::list_of(granule)).flags() != 0) return false;
    GranuleLock lock(granule);
    return detector.renew_short_list(thread, granule, lock.list, access);
  }

  // What comes before an access is judged (Detector::access_granule).
  static void begin(Detector& detector, Thread& thread) {
    detector.heed_tick_request(thread);
    if (!thread.epoch_used) detector.note_segment(thread);
  }
  static void apply_handover(Detector& detector, Thread& thread, const Granule& granule, const WordAccess& access) {
    if (access.may_decide() && detector.may_heed_now(thread)) {
      detector.heed_writes(thread, granule, GranuleLock::list_of(granule), access.mask);
    }
  }

  // All that a path may change, to be put back.
  class Snapshot {
   public:
    Snapshot(Detector& detector, Thread& thread, Granule& granule, Address address)
        : thread_(thread),
          granule_(granule),
          index_(ReadBlock::index_of(address)),
          epoch_used_(thread.epoch_used),
          forgotten_(thread.reads_forgotten),
          known_(thread.known == nullptr ? KnownLists::Entry{} : thread.known->of(&granule)) {
      for (unsigned i = 0; i < 3; ++i) words_[i] = granule.words[i].load();
      for (unsigned i = 0; i < 2; ++i) cells_[i] = granule.cells[i].load();
      if (cells_[0] != kUntouched) {
        list_ = const_cast<uint32_t*>(detector.histories_.words(cells_[0]));
        list_words_.assign(list_, list_ + detector.histories_.count(cells_[0]));
      }
      if (ReadBlock* block = detector.read_table_.find(address); block != nullptr) {
        for (unsigned slot = 0; slot < ShadowWord::kSlots; ++slot) {
          ReadBlock::Row* row = block->existing_row(static_cast<Slot>(slot));
          if (row != nullptr) rows_.push_back({row, row->first[index_].load(), row->second[index_].load()});
        }
      }
    }
    void restore() {
      for (unsigned i = 0; i < 3; ++i) granule_.words[i].store(words_[i]);
      for (unsigned i = 0; i < 2; ++i) granule_.cells[i].store(cells_[i]);
      std::copy(list_words_.begin(), list_words_.end(), list_);
      for (const auto& row : rows_) {
        row.at->first[index_].store(row.first);
        row.at->second[index_].store(row.second);
      }
      thread_.epoch_used = epoch_used_;
      thread_.reads_forgotten = forgotten_;
      if (thread_.known != nullptr) thread_.known->of(&granule_) = known_;
    }

   private:
    struct Row {
      ReadBlock::Row* at;
      ShadowWord first, second;
    };
    Thread& thread_;
    Granule& granule_;
    const unsigned index_;
    const bool epoch_used_;
    const unsigned forgotten_;
    const KnownLists::Entry known_;
    ShadowWord words_[3];
    uint32_t cells_[2];
    uint32_t* list_ = nullptr;
    std::vector<uint32_t> list_words_;
    std::vector<Row> rows_;
  };

 private:
  // One that is no owner table.
  static bool has_true_list(const Granule& granule) {
    return has_list(granule) && !is_owned(granule, GranuleLock::list_of(granule));
  }
  static uint32_t read_all(Detector& detector, const Granule& granule, Address address, AccessHistory& history) {
    const uint32_t flags = detector.read_granule(granule, GranuleLock::list_of(granule), history);
    ReadBlock* block = is_in_read_table(granule) ? detector.read_table_.find(address) : nullptr;
    if (block != nullptr) detector.add_reads_in_table(*block, address, history);
    return flags;
  }
  static Remembered bytes_of(const Detector& detector, const AccessHistory& history) {
    Remembered result;
    for (unsigned i = 0; i < history.count; ++i) {
      const PastAccess& s = history.all[i];
      for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
        if ((s.mask >> byte & 1) == 0) continue;
        const RememberedByte one = {byte,
                                    s.slot,
                                    s.time,
                                    s.kind,
                                    s.lockset,
                                    detector.per_byte_stacks_.at(s.where, byte),
                                    (s.adds >> byte & 1) != 0 && !is_of_life(s.kind)};  // of a free it says nothing
        result.all.insert(one);
        if (is_write(s.kind)) result.writes[byte].push_back(one);
      }
    }
    return result;
  }
};

}  // namespace norn
