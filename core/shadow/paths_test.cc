// Every path of an access leaves what the slow path would leave (core/shadow/shadow_store.h).
//
// Random events of several threads make granules of all shapes. Before each access all paths that accept it are tried,
// one by one, on what the granule is then, and what each leaves is compared with what HybridEngine::next() makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/detector.h"
#include "core/testing/detector_probe.h"
#include "core/testing/test_arena.h"
#include "core/testing/test_listener.h"
#include "core/testing/test_size.h"

namespace norn {
namespace {

constexpr Address kData = 0x10000;
constexpr Address kTag = 0x30000;
constexpr Address kLock = 0x40000;
constexpr Address kSpare = 0x50000;
constexpr Address kSpareLocks = 0x60000;
constexpr unsigned kGranules = 6;
constexpr unsigned kLocks = 4;
constexpr ThreadId kThreads = 6;
constexpr unsigned kSteps = 1000;

// How what a way leaves may differ from what the slow path leaves; expect_same() says why.
enum class Leaves : uint8_t { kTheSame, kMoreReads, kMoreAtomics, kNoList };

struct Way {
  unsigned path;  // its number
  const char* name;
  Leaves leaves;

  auto operator<=>(const Way&) const = default;
};

std::string text_of(const RememberedByte& one) {
  return "byte " + std::to_string(one.byte) + " slot " + std::to_string(one.slot) + " clock " +
         std::to_string(one.clock) + " kind " + std::to_string(static_cast<unsigned>(one.kind)) + " locks " +
         std::to_string(one.lockset) + " stack " + std::to_string(one.stack) + (one.rmw ? " rmw" : "");
}
std::string text_of(const std::set<RememberedByte>& all) {
  std::string text;
  for (const RememberedByte& one : all) text += "  " + text_of(one) + "\n";
  return text;
}

std::string text_of(const Thread& thread, const WordAccess& access) {
  return "slot " + std::to_string(thread.slot) + " clock " + std::to_string(thread.time) + " locks " +
         std::to_string(thread.lockset) + " kind " + std::to_string(static_cast<unsigned>(access.kind)) + " bytes " +
         std::to_string(access.mask) + (access.increments ? " rmw" : "");
}

class PathsTest : public testing::Test {
 protected:
  void TearDown() override { core_barrier = nullptr; }

  void start(const Options& options, unsigned seed) {
    // With a barrier, which one thread has no use for, words are stored without the granule's lock.
    core_barrier = seed % 3 == 0 ? nullptr : [] {};
    random_.seed(seed);
    active_ = 2 + seed % (kThreads - 1);
    detector_ = std::make_unique<Detector>();
    threads_.clear();
    pairs_.clear();
    held_ = {};
    ASSERT_TRUE(detector_->init(options, listener_into(pairs_)));
    main_ = detector_->add_root(0);
    if (seed % 4 == 1) use_up_numbers();
    for (ThreadId id = 1; id <= kThreads; ++id) threads_.push_back(detector_->fork(*main_, id));
  }

  // After it new locksets have no number: they are known by the epochs of their accesses (core/order/segment_locks.h).
  void use_up_numbers() {
    for (unsigned lock = 0; lock < SegmentLocks::kOfItsTime; ++lock) {
      detector_->lock_acquire(*main_, kSpareLocks + lock * 64, LockMode::kExclusive, 90);
      detector_->write(*main_, kSpare, 8, 91);
      detector_->lock_release(*main_, kSpareLocks + lock * 64, LockMode::kExclusive);
    }
  }

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  bool once_in(unsigned times) { return below(times) == 0; }

  // One random event.
  void step() {
    const unsigned who = below(active_);
    Thread& thread = *threads_[who];
    const unsigned what = below(20);
    if (what == 0) {
      detector_->happens_before(thread, kTag + below(3) * 64);
    } else if (what == 1) {
      detector_->happens_after(thread, kTag + below(3) * 64);
    } else if (what <= 4) {
      use_lock(who);
    } else if (what == 5) {
      order(thread, *threads_[below(active_)]);
    } else {
      access(who);
    }
  }

  void order(Thread& first, Thread& second) {
    detector_->happens_before(first, kTag + 256);
    detector_->happens_after(second, kTag + 256);
    detector_->sync_destroy(*main_, kTag + 256);
  }

  void use_lock(unsigned who) {
    std::vector<unsigned>& held = held_[who];
    const unsigned lock = below(kLocks);
    const auto at = std::find(held.begin(), held.end(), lock);
    if (at != held.end()) {
      detector_->lock_release(*threads_[who], kLock + lock * 64, LockMode::kExclusive);
      held.erase(at);
      return;
    }
    for (const std::vector<unsigned>& others : held_) {
      if (std::find(others.begin(), others.end(), lock) != others.end()) return;
    }
    held.push_back(lock);
    detector_->lock_acquire(*threads_[who], kLock + lock * 64, LockMode::kExclusive, 90 + lock);
  }

  // Each granule has accesses that bring it to shapes of its own: the first is mostly read, the second has atomics, the
  // third is waited for, the last is nearly always one thread's; the others have all.
  void access(unsigned who) {
    const unsigned number = below(kGranules);
    if (number == kGranules - 1 && !once_in(40)) who = 0;
    Thread& thread = *threads_[who];
    const Address at = kData + number * 256;
    if (number == 2 && once_in(40)) return detector_->spin_read(thread, at, 4, 80, true);
    if (once_in(100)) return detector_->allocate(thread, at, 8);
    if (once_in(20)) try_birth(thread, at);
    if (once_in(100)) return detector_->bear(thread, at, 8, 81);
    AccessKind kind = once_in(2) ? AccessKind::kRead : AccessKind::kWrite;
    if (number == 0) kind = once_in(12) ? AccessKind::kWrite : AccessKind::kRead;
    if (number == 1 || once_in(8)) {
      kind = once_in(12) ? kind : once_in(2) ? AccessKind::kAtomicRead : AccessKind::kAtomicWrite;
    }
    if (once_in(40)) kind = AccessKind::kFree;
    const unsigned size = once_in(2) ? 8 : 1u << below(3);
    const unsigned offset = below(8 / size) * size;
    const bool increments = once_in(5) && kind != AccessKind::kFree && kind != AccessKind::kAtomicRead;
    const StackId where = 1 + below(6);
    const WordAccess access = {kind, static_cast<uint8_t>(bytes_in_granule(at + offset, size)), where, at, increments};
    try_all(thread, access, at + offset, size);
    switch (kind) {
      case AccessKind::kAtomicRead:
        return detector_->atomic_load(thread, at + offset, size, any_order(), where, [] {});
      case AccessKind::kAtomicWrite:
        return detector_->atomic(thread, at + offset, size, where, [&] {
          return Detector::AtomicOutcome{increments ? EventKind::kAtomicRmw : EventKind::kAtomicStore, any_order()};
        });
      case AccessKind::kFree:
        return detector_->free(thread, at + offset, size, where);
      default:
        return detector_->access(thread, kind, at + offset, size, where, increments);
    }
  }
  MemoryOrder any_order() { return once_in(3) ? MemoryOrder::kSeqCst : MemoryOrder::kRelaxed; }

  // A birth of what the thread alone had, beside that of any granule.
  void try_birth(Thread& thread, Address at) {
    DetectorProbe::begin(*detector_, thread);
    thread.epoch_used = true;
    if (!DetectorProbe::may_renew(thread)) return;
    Granule& granule = DetectorProbe::made_granule(*detector_, at);
    DetectorProbe::Snapshot snapshot(*detector_, thread, granule, at);
    if (!DetectorProbe::path_1_alone<AccessKind::kBirth>(*detector_, thread, granule,
                                                         {AccessKind::kBirth, kWholeGranule, 81, at})) {
      return snapshot.restore();
    }
    ++births_;
    const Remembered alone = DetectorProbe::remembered(*detector_, granule, at);
    snapshot.restore();
    DetectorProbe::bear(*detector_, thread, granule, at, 81);
    const Remembered any = DetectorProbe::remembered(*detector_, granule, at);
    EXPECT_TRUE(alone == any) << text_of(alone.all) << "beside\n" << text_of(any.all);
  }

  void try_all(Thread& thread, const WordAccess& access, Address address, unsigned size) {
    DetectorProbe::begin(*detector_, thread);
    Granule& granule = DetectorProbe::made_granule(*detector_, access.word);
    ++shapes_[DetectorProbe::shape(*detector_, granule)];
    const Remembered before = DetectorProbe::remembered(*detector_, granule, access.word);
    DetectorProbe::Snapshot snapshot(*detector_, thread, granule, access.word);

    // Path 0 is right if the thread's own accesses of its present epoch stand for this one.
    const bool plain = access.kind == AccessKind::kRead || access.kind == AccessKind::kWrite;
    const bool stands = stand_for(thread, before, access);
    const auto known = [&](const char* name, bool taken) {
      if (!taken) return;
      ++taken_[{0, name, Leaves::kTheSame}];
      EXPECT_TRUE(stands) << name << " passes what nothing stands for: " << text_of(thread, access) << "\n"
                          << text_of(before.all);
    };
    if (plain && thread.epoch_used) known("check", DetectorProbe::passes(thread, granule, access.kind, address, size));
    // (To an atomic read the thread's allocation is as good: what it did at that epoch is never predicted.)
    if (thread.epoch_used && !(access.kind == AccessKind::kAtomicRead && was_born_now(thread, before))) {
      known("is known", DetectorProbe::is_known(*detector_, thread, granule, access));
    }

    std::vector<std::pair<Way, Remembered>> left;
    const auto try_one = [&](const Way& way, const auto& path) {
      if (path()) left.emplace_back(way, DetectorProbe::remembered(*detector_, granule, access.word));
      snapshot.restore();
    };
    // In the hooks, and before anything is handed over.
    if (thread.epoch_used && DetectorProbe::may_renew(thread)) {
      without_number_ += thread.words_locks == SegmentLocks::kOfItsTime ? 1 : 0;
      with_kind(access.kind, [&]<AccessKind Kind>() {
        if (!access.increments || Kind == AccessKind::kAtomicRead) {
          try_one({1, "renew", Leaves::kTheSame},
                  [&] { return DetectorProbe::path_1<Kind>(*detector_, thread, granule, access); });
        }
        try_one({2, "renew_beside", Leaves::kMoreReads},
                [&] { return DetectorProbe::path_2<Kind>(*detector_, thread, granule, access); });
        if constexpr (Kind == AccessKind::kRead || Kind == AccessKind::kWrite) {
          if (thread.is_plain()) {
            const bool of_three = granule.cells[1].load() == thread.own_three;
            try_one({1, "own", Leaves::kTheSame}, [&] {
              const bool taken = DetectorProbe::path_1_own<Kind>(thread, granule, access);
              own_of_three_ += of_three && taken ? 1 : 0;
              return taken;
            });
          }
          try_one({1, "owner", Leaves::kTheSame},
                  [&] { return DetectorProbe::path_1_owner<Kind>(*detector_, thread, granule, access); });
          if (access.mask == kWholeGranule && !access.increments) {
            try_one({1, "strided", Leaves::kTheSame},
                    [&] { return DetectorProbe::path_1_strided<Kind>(*detector_, thread, granule, access); });
            try_one({1, "alike", Leaves::kMoreReads},
                    [&] { return DetectorProbe::path_2_alike<Kind>(*detector_, thread, granule, access); });
          }
        }
      });
      if (access.kind == AccessKind::kRead) {
        try_one({2, "in place", Leaves::kMoreReads},
                [&] { return DetectorProbe::path_2_listed(*detector_, thread, granule, access); });
      }
      if (access.kind == AccessKind::kRead && access.mask == kWholeGranule) {
        try_one({2, "at once", Leaves::kMoreReads},
                [&] { return DetectorProbe::path_2_at_once(*detector_, thread, granule, access); });
      }
      if (access.mask == kWholeGranule && !access.increments) {
        const auto alone = [&]<AccessKind Kind>() {
          try_one({1, "alone", Leaves::kTheSame},
                  [&] { return DetectorProbe::path_1_alone<Kind>(*detector_, thread, granule, access); });
        };
        if (access.kind == AccessKind::kWrite) alone.template operator()<AccessKind::kWrite>();
        if (access.kind == AccessKind::kFree) alone.template operator()<AccessKind::kFree>();
      }
      if (access.kind == AccessKind::kFree) {
        try_one({1, "freed", Leaves::kTheSame}, [&] { return DetectorProbe::path_1_free(*detector_, thread, access); });
      }
      if (access.kind == AccessKind::kAtomicRead) {
        try_one({1, "atomic read", Leaves::kTheSame},
                [&] { return DetectorProbe::path_1_atomic_read(*detector_, thread, granule, access); });
      }
      if (access.kind == AccessKind::kAtomicWrite) {
        try_one({1, "atomic write", Leaves::kTheSame},
                [&] { return DetectorProbe::path_1_atomic_write(*detector_, thread, access); });
      }
    }
    // Under the granule's lock.
    DetectorProbe::apply_handover(*detector_, thread, granule, access);
    const uint32_t set_flags = access.kind == AccessKind::kAtomicWrite ? GranuleFlags::release_clocks(access.mask) : 0;
    try_one({3, "waited for", Leaves::kTheSame},
            [&] { return DetectorProbe::path_3_waited_for(*detector_, thread, granule, access, set_flags); });
    try_one({3, "atomic", Leaves::kMoreAtomics},
            [&] { return DetectorProbe::path_3_atomic(*detector_, thread, granule, access, set_flags); });
    if (set_flags == 0) {
      try_one({3, "owner, locked", Leaves::kTheSame},
              [&] { return DetectorProbe::path_3_owner(*detector_, thread, granule, access); });
      try_one({3, "plain", Leaves::kNoList},
              [&] { return DetectorProbe::path_3_plain(*detector_, thread, granule, access); });
      try_one({3, "table", Leaves::kMoreReads},
              [&] { return DetectorProbe::path_3_table(*detector_, thread, granule, access); });
      try_one({3, "list", Leaves::kMoreReads},
              [&] { return DetectorProbe::path_3_list(*detector_, thread, granule, access); });
      try_one({3, "short list", Leaves::kTheSame},
              [&] { return DetectorProbe::path_3_short_list(*detector_, thread, granule, access); });
    }
    const DetectorProbe::Outcome slow = DetectorProbe::slow(*detector_, thread, granule, access);
    for (const auto& [way, after] : left) expect_same(way, access, thread, before, after, stands, slow);
  }

  template <class Call>
  static void with_kind(AccessKind kind, const Call& call) {
    switch (kind) {
      case AccessKind::kRead:
        return call.template operator()<AccessKind::kRead>();
      case AccessKind::kWrite:
        return call.template operator()<AccessKind::kWrite>();
      case AccessKind::kAtomicRead:
        return call.template operator()<AccessKind::kAtomicRead>();
      case AccessKind::kFree:
        return call.template operator()<AccessKind::kFree>();
      default:
        return;  // of no such path
    }
  }

  static bool was_born_now(const Thread& thread, const Remembered& all) {
    return std::any_of(all.all.begin(), all.all.end(), [&](const RememberedByte& one) {
      return one.slot == thread.slot && one.clock == thread.time && one.kind == AccessKind::kBirth;
    });
  }
  static bool stand_for(const Thread& thread, const Remembered& all, const WordAccess& access) {
    unsigned bytes = 0;
    for (const RememberedByte& one : all.all) {
      if (one.slot == thread.slot && one.clock == thread.time && stands_for(one.kind, access.kind)) {
        bytes |= 1u << one.byte;
      }
    }
    return (access.mask & ~bytes) == 0;
  }

  // What a way may leave otherwise than the slow path, and why it may:
  //   - nothing is done, where the thread's own accesses of its epoch stand for the access: as path 0;
  //   - where some of them do, which of the two stacks a byte of the access keeps: both are of that epoch;
  //   - kMoreReads, of reads where there are others' reads (a list, the table): what is covered stays, if it is a read,
  //     which is in no race that the access is not in; the access itself stays, where another of its epoch stands for
  //     it; and if so, it takes away what it covers of its thread's own past, which the slow path does not look for;
  //   - kMoreAtomics, of atomics beside a release clock: what is covered stays, if it is an atomic; and whether the own
  //     write of the access is an rmw, if one that it would continue stays: who hears of one hears of both;
  //   - kNoList, with a short history: where three words have no room for a fourth, one that is superseded goes, so
  //     that no list begins;
  //   - path 1: whether a write is an rmw, where it comes after all that it would continue: who hears of it comes after
  //     those anyway.
  void expect_same(const Way& way, const WordAccess& access, const Thread& thread, Remembered before, Remembered after,
                   bool stands, DetectorProbe::Outcome slow) {
    ++taken_[way];
    if (stands && after == before) return;
    const auto is_now = [&](const RememberedByte& one) {
      return one.slot == thread.slot && one.clock == thread.time && (access.mask >> one.byte & 1) != 0;
    };
    const bool stood_for = std::any_of(before.all.begin(), before.all.end(), [&](const RememberedByte& one) {
      return is_now(one) && stands_for(one.kind, access.kind);
    });
    if (stood_for) {
      for (Remembered* all : {&before, &after, &slow.after}) forget_stacks(is_now, *all);
    }
    std::string wrong;
    if (slow.races != 0) wrong += "takes an access that is in a race\n";
    const auto writes_before_are_ordered = [&](unsigned byte) {
      const std::vector<RememberedByte>& writes = before.writes[byte];
      return std::all_of(writes.begin(), writes.end(), [&](const RememberedByte& write) {
        return ordered_before(thread.clocks.strong, thread, write.slot, write.clock);
      });
    };
    const auto differs_in_rmw = [&](RememberedByte one, const std::set<RememberedByte>& all) {
      const bool atomic = way.leaves == Leaves::kMoreAtomics && one.kind == AccessKind::kAtomicWrite;
      const bool alone = way.path == 1 && one.kind == AccessKind::kWrite && writes_before_are_ordered(one.byte);
      if ((!atomic && !alone) || !is_now(one)) return false;
      one.rmw = !one.rmw;
      return all.contains(one);
    };
    for (const RememberedByte& one : without(slow.after.all, after.all)) {
      const bool goes = way.leaves == Leaves::kMoreReads && stood_for && before.all.contains(one) &&
                        one.slot == thread.slot && one.clock < thread.time && (access.mask >> one.byte & 1) != 0 &&
                        covers(access.kind, one.kind) &&
                        (detector_->options().engine == EngineKind::kHb ||
                         detector_->locksets().weaker_or_same(thread.lockset, one.lockset));
      const bool superseded =
          way.leaves == Leaves::kNoList && leaves_for_want_of_room(one, access, thread, before, after);
      if (!goes && !superseded && !differs_in_rmw(one, after.all)) wrong += "does not leave " + text_of(one) + "\n";
    }
    for (const RememberedByte& one : without(after.all, slow.after.all)) {
      const bool stays = may_stay(way, one.kind) && before.all.contains(one) && (access.mask >> one.byte & 1) != 0 &&
                         is_superfluous(one, access, thread);
      const bool own = way.leaves == Leaves::kMoreReads && is_now(one) && one.kind == access.kind && stood_for;
      if (!stays && !own && !differs_in_rmw(one, slow.after.all)) wrong += "leaves " + text_of(one) + "\n";
    }
    if (in_common(after.writes, slow.after) != in_common(slow.after.writes, after)) {
      wrong += "leaves writes in another order\n";
    }
    if (wrong.empty()) return;
    ADD_FAILURE() << way.name << " (path " << way.path << ") " << wrong << text_of(thread, access) << "\nbefore:\n"
                  << text_of(before.all) << "missing:\n"
                  << text_of(without(slow.after.all, after.all)) << "too many:\n"
                  << text_of(without(after.all, slow.after.all));
  }
  static bool may_stay(const Way& way, AccessKind kind) {
    const bool atomic = kind == AccessKind::kAtomicRead || kind == AccessKind::kAtomicWrite;
    return (way.leaves == Leaves::kMoreReads && is_read(kind)) || (way.leaves == Leaves::kMoreAtomics && atomic);
  }
  // Whether it is of the one remembered access that goes for want of room: superseded, with a short history, and all of
  // it; what stays fills three words (which have a stack of each byte, if need be).
  [[nodiscard]] bool leaves_for_want_of_room(const RememberedByte& one, const WordAccess& access, const Thread& thread,
                                             const Remembered& before, const Remembered& after) const {
    const auto said = [](const RememberedByte& byte) {
      return std::tuple(byte.slot, byte.clock, byte.kind, byte.lockset, byte.stack, byte.rmw);
    };
    unsigned bytes = 0;
    for (const RememberedByte& byte : before.all) bytes |= said(byte) == said(one) ? 1u << byte.byte : 0u;
    std::set<decltype(said(one))> left;
    for (const RememberedByte& byte : after.all) left.insert(said(byte));
    return detector_->options().superseded_cap < 3 && !left.contains(said(one)) && left.size() >= 3 &&
           ordered_before(thread.clocks.full, thread, one.slot, one.clock) &&
           supersedes(access.kind, access.mask, access.increments ? access.mask : 0u, one.kind, bytes,
                      one.slot == thread.slot);
  }
  // Whether the access covers it: ordered, of a kind that conflicts with no more, and protected no worse. With a short
  // history whatever full order puts before need not be kept.
  bool is_superfluous(const RememberedByte& one, const WordAccess& access, const Thread& thread) {
    const bool lockless = detector_->options().engine == EngineKind::kHb;
    const bool full = lockless || detector_->options().superseded_cap != ~0u;
    return covers(access.kind, one.kind) &&
           ordered_before(full ? thread.clocks.full : thread.clocks.strong, thread, one.slot, one.clock) &&
           (full || detector_->locksets().weaker_or_same(thread.lockset, one.lockset));
  }
  // The writes of each byte that the other has, too.
  static std::map<unsigned, std::vector<RememberedByte>> in_common(
      const std::map<unsigned, std::vector<RememberedByte>>& writes, const Remembered& other) {
    std::map<unsigned, std::vector<RememberedByte>> common;
    for (const auto& [byte, all] : writes) {
      for (const RememberedByte& one : all) {
        if (other.all.contains(one)) common[byte].push_back(one);
      }
    }
    return common;
  }
  static std::set<RememberedByte> without(const std::set<RememberedByte>& all, const std::set<RememberedByte>& those) {
    std::set<RememberedByte> left;
    std::set_difference(all.begin(), all.end(), those.begin(), those.end(), std::inserter(left, left.end()));
    return left;
  }

  template <class IsMeant>
  static void forget_stacks(const IsMeant& is_meant, Remembered& all) {
    const auto without_stack = [&](RememberedByte one) {
      if (is_meant(one)) one.stack = kNoStack;
      return one;
    };
    std::set<RememberedByte> kept;
    for (const RememberedByte& one : all.all) kept.insert(without_stack(one));
    all.all = kept;
    for (auto& [byte, writes] : all.writes) {
      for (RememberedByte& one : writes) one = without_stack(one);
    }
  }

  void run(const Options& options) {
    const unsigned rounds = is_full_size() ? 100 : 50;
    for (unsigned round = 0; round < rounds && !HasFailure(); ++round) {
      start(options, round);
      for (unsigned i = 0; i < kSteps && !HasFailure(); ++i) step();
      if (HasFailure()) std::fprintf(stderr, "seed %u\n", round);
    }
  }
  // That each way was taken often enough to have said something.
  void expect_taken(unsigned often) {
    constexpr Way kWays[] = {{0, "check", Leaves::kTheSame},         {0, "is known", Leaves::kTheSame},
                             {1, "renew", Leaves::kTheSame},         {1, "strided", Leaves::kTheSame},
                             {1, "freed", Leaves::kTheSame},         {1, "atomic read", Leaves::kTheSame},
                             {1, "atomic write", Leaves::kTheSame},  {2, "renew_beside", Leaves::kMoreReads},
                             {2, "at once", Leaves::kMoreReads},     {2, "in place", Leaves::kMoreReads},
                             {3, "waited for", Leaves::kTheSame},    {3, "atomic", Leaves::kMoreAtomics},
                             {3, "plain", Leaves::kNoList},          {3, "table", Leaves::kMoreReads},
                             {3, "list", Leaves::kMoreReads},        {3, "short list", Leaves::kTheSame},
                             {1, "owner", Leaves::kTheSame},         {1, "own", Leaves::kTheSame},
                             {3, "owner, locked", Leaves::kTheSame}, {1, "alone", Leaves::kTheSame},
                             {1, "alike", Leaves::kMoreReads}};
    std::map<std::string, unsigned> taken;
    for (const auto& [way, count] : taken_) taken[way.name] += count;
    for (const Way& way : kWays) EXPECT_GE(taken[way.name], often) << way.name;
    EXPECT_GE(without_number_, often);
    EXPECT_GE(own_of_three_, often);
    EXPECT_GE(births_, often);
    for (const Shape shape : {Shape::kEmpty, Shape::kPlain, Shape::kOverflow, Shape::kReadList, Shape::kReadShared,
                              Shape::kAtomic, Shape::kWaitedFor, Shape::kOwned}) {
      EXPECT_GE(shapes_[shape], often) << "shape " << static_cast<unsigned>(shape);
    }
  }

  TestingArena memory_;
  std::unique_ptr<Detector> detector_;
  std::vector<RacingPair> pairs_;
  Thread* main_ = nullptr;
  std::vector<Thread*> threads_;
  std::array<std::vector<unsigned>, kThreads> held_;
  unsigned active_ = kThreads;  // so many threads do something: with few of them granules stay simple
  std::mt19937 random_;
  std::map<Way, unsigned> taken_;
  std::map<Shape, unsigned> shapes_;
  unsigned without_number_ = 0;  // accesses under locks that have none
  unsigned births_ = 0;          // of granules that the thread alone had
  unsigned own_of_three_ = 0;    // accesses that "own" took where the granule had three words
};

TEST_F(PathsTest, HybridLeavesWhatTheSlowPathLeaves) {
  for (const bool handover : {true, false}) {
    Options options;
    options.handover = handover;
    run(options);
  }
  if (!HasFailure()) expect_taken(20);
}

TEST_F(PathsTest, HybridWithAShortHistoryLeavesWhatTheSlowPathLeaves) {
  Options options;
  options.superseded_cap = 2;
  run(options);
  if (!HasFailure()) expect_taken(20);
}

TEST_F(PathsTest, HbLeavesWhatTheSlowPathLeaves) {
  Options options;
  options.engine = EngineKind::kHb;
  run(options);
  if (!HasFailure()) expect_taken(20);
}

}  // namespace
}  // namespace norn
