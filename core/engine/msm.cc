#include "core/engine/msm.h"

#include "base/bytes.h"

namespace norn {
namespace {

using S = MsmState;

// What an edge looks at, after C_d (if the state has one) was intersected with L_t.
enum class When : uint8_t {
  kAlways,
  kOrdered,           // TS_d happens before TS_t
  kParallel,          // it does not
  kParallelLocked,    // it does not, and L_t is not empty
  kParallelUnlocked,  // it does not, and L_t is empty
  kLocked,            // C_d is not empty
  kUnlocked,          // C_d is empty
  kUnlockedOrdered,   // C_d is empty, and TS_d happens before TS_t
  kUnlockedParallel,  // C_d is empty, and it does not
  kOrderedOrLocked,   // TS_d happens before TS_t, or C_d is not empty
};
enum class Op : uint8_t { kRead, kWrite };

struct Edge {
  S from;
  Op op;
  When when;
  S to;
};

// Figure 5.4.
constexpr Edge kShort[] = {
    {S::kNew, Op::kRead, When::kAlways, S::kExclusiveRead},
    {S::kNew, Op::kWrite, When::kAlways, S::kExclusiveWrite},

    {S::kExclusiveWrite, Op::kRead, When::kOrdered, S::kExclusiveRead},
    {S::kExclusiveWrite, Op::kWrite, When::kOrdered, S::kExclusiveWrite},
    {S::kExclusiveWrite, Op::kRead, When::kParallelLocked, S::kSharedModified},
    {S::kExclusiveWrite, Op::kWrite, When::kParallelLocked, S::kSharedModified},
    {S::kExclusiveWrite, Op::kRead, When::kParallelUnlocked, S::kRace},
    {S::kExclusiveWrite, Op::kWrite, When::kParallelUnlocked, S::kRace},

    {S::kExclusiveRead, Op::kRead, When::kOrdered, S::kExclusiveRead},
    {S::kExclusiveRead, Op::kRead, When::kParallel, S::kSharedRead},
    {S::kExclusiveRead, Op::kWrite, When::kOrdered, S::kExclusiveWrite},
    {S::kExclusiveRead, Op::kWrite, When::kParallelLocked, S::kSharedModified},
    {S::kExclusiveRead, Op::kWrite, When::kParallelUnlocked, S::kRace},

    {S::kSharedRead, Op::kRead, When::kAlways, S::kSharedRead},
    {S::kSharedRead, Op::kWrite, When::kOrderedOrLocked, S::kSharedModified},
    {S::kSharedRead, Op::kWrite, When::kUnlockedParallel, S::kRace},

    {S::kSharedModified, Op::kRead, When::kLocked, S::kSharedModified},
    {S::kSharedModified, Op::kWrite, When::kLocked, S::kSharedModified},
    {S::kSharedModified, Op::kRead, When::kUnlockedOrdered, S::kExclusiveRead},
    {S::kSharedModified, Op::kWrite, When::kUnlockedOrdered, S::kExclusiveWrite},
    {S::kSharedModified, Op::kRead, When::kUnlockedParallel, S::kRace},
    {S::kSharedModified, Op::kWrite, When::kUnlockedParallel, S::kRace},

    {S::kRace, Op::kRead, When::kAlways, S::kRace},
    {S::kRace, Op::kWrite, When::kAlways, S::kRace},
};

// Figure 5.1.
constexpr Edge kLong[] = {
    {S::kNew, Op::kRead, When::kAlways, S::kExclusiveRead},
    {S::kNew, Op::kWrite, When::kAlways, S::kExclusiveWrite},

    {S::kExclusiveWrite, Op::kRead, When::kOrdered, S::kExclusiveRead},
    {S::kExclusiveWrite, Op::kWrite, When::kOrdered, S::kExclusiveWrite},
    {S::kExclusiveWrite, Op::kRead, When::kParallelLocked, S::kSharedModified1},
    {S::kExclusiveWrite, Op::kWrite, When::kParallelLocked, S::kSharedModified1},
    {S::kExclusiveWrite, Op::kRead, When::kParallelUnlocked, S::kRace},
    {S::kExclusiveWrite, Op::kWrite, When::kParallelUnlocked, S::kRace},

    {S::kExclusiveRead, Op::kRead, When::kOrdered, S::kExclusiveRead},
    {S::kExclusiveRead, Op::kRead, When::kParallel, S::kSharedRead},
    {S::kExclusiveRead, Op::kWrite, When::kOrdered, S::kExclusiveWrite},
    {S::kExclusiveRead, Op::kWrite, When::kParallelLocked, S::kSharedModified1},
    {S::kExclusiveRead, Op::kWrite, When::kParallelUnlocked, S::kRace},

    {S::kSharedRead, Op::kRead, When::kAlways, S::kSharedRead},
    {S::kSharedRead, Op::kWrite, When::kUnlocked, S::kExclusiveReadWrite},
    {S::kSharedRead, Op::kWrite, When::kLocked, S::kSharedModified1},

    {S::kSharedModified1, Op::kRead, When::kUnlocked, S::kExclusiveReadWrite},
    {S::kSharedModified1, Op::kWrite, When::kUnlocked, S::kExclusiveReadWrite},
    {S::kSharedModified1, Op::kRead, When::kLocked, S::kSharedModified1},
    {S::kSharedModified1, Op::kWrite, When::kLocked, S::kSharedModified1},

    {S::kExclusiveReadWrite, Op::kRead, When::kParallel, S::kSharedModified2},
    {S::kExclusiveReadWrite, Op::kRead, When::kOrdered, S::kSharedRead},
    {S::kExclusiveReadWrite, Op::kWrite, When::kOrdered, S::kExclusiveReadWrite},
    {S::kExclusiveReadWrite, Op::kWrite, When::kParallelLocked, S::kSharedModified2},
    {S::kExclusiveReadWrite, Op::kWrite, When::kParallelUnlocked, S::kRace},

    {S::kSharedModified2, Op::kRead, When::kLocked, S::kSharedModified2},
    {S::kSharedModified2, Op::kWrite, When::kLocked, S::kSharedModified2},
    {S::kSharedModified2, Op::kRead, When::kUnlockedOrdered, S::kExclusiveReadWrite},
    {S::kSharedModified2, Op::kWrite, When::kUnlockedOrdered, S::kExclusiveReadWrite},
    {S::kSharedModified2, Op::kRead, When::kUnlockedParallel, S::kRace},
    {S::kSharedModified2, Op::kWrite, When::kUnlockedParallel, S::kRace},

    {S::kRace, Op::kRead, When::kAlways, S::kRace},
    {S::kRace, Op::kWrite, When::kAlways, S::kRace},
};

struct Condition {
  bool ordered;     // TS_d happens before TS_t
  bool holds_lock;  // L_t, of those that count for this access, is not empty
  bool locked;      // C_d is not empty
};

bool holds(When when, const Condition& c) {
  switch (when) {
    case When::kAlways:
      return true;
    case When::kOrdered:
      return c.ordered;
    case When::kParallel:
      return !c.ordered;
    case When::kParallelLocked:
      return !c.ordered && c.holds_lock;
    case When::kParallelUnlocked:
      return !c.ordered && !c.holds_lock;
    case When::kLocked:
      return c.locked;
    case When::kUnlocked:
      return !c.locked;
    case When::kUnlockedOrdered:
      return !c.locked && c.ordered;
    case When::kUnlockedParallel:
      return !c.locked && !c.ordered;
    case When::kOrderedOrLocked:
      return c.ordered || c.locked;
  }
  return false;
}

bool is_shared(S state) {
  return state == S::kSharedRead || state == S::kSharedModified || state == S::kSharedModified1 ||
         state == S::kSharedModified2;
}

// Where a location goes when only one of its threads is left.
S exclusive_of(S state) {
  switch (state) {
    case S::kSharedRead:
      return S::kExclusiveRead;
    case S::kSharedModified:
      return S::kExclusiveWrite;
    case S::kSharedModified1:
    case S::kSharedModified2:
      return S::kExclusiveReadWrite;
    default:
      return state;
  }
}

// Bytes of a word in one state. Words: mask | state << 4 | slot << 16 | kind << 8, time, C_d, where, S_d.
struct Part {
  uint8_t mask = 0;
  S state = S::kNew;
  AccessKind kind{};  // of the last access
  Slot slot = 0;      // TS_d
  ClockValue time = 0;
  LocksetId candidates = kNoLocks;  // C_d
  StackId where = kNoStack;
  InternTable::Id threads = 0;  // S_d: (slot, time) of each thread's last access, ascending by slot

  friend bool operator==(const Part&, const Part&) = default;
};

Part read_part(const uint32_t* words, unsigned i) {
  const uint32_t* w = words + MsmEngine::kHeaderWords + i * MsmEngine::kPartWords;
  Part part;
  part.mask = static_cast<uint8_t>(w[0] & 0xf);
  part.state = static_cast<S>(w[0] >> 4 & 0xf);
  part.kind = static_cast<AccessKind>(w[0] >> 8 & 0xf);
  part.slot = static_cast<Slot>(w[0] >> 16);
  part.time = w[1];
  part.candidates = w[2];
  part.where = w[3];
  part.threads = w[4];
  return part;
}

void write_part(uint32_t* words, unsigned i, const Part& part) {
  uint32_t* w = words + MsmEngine::kHeaderWords + i * MsmEngine::kPartWords;
  w[0] = part.mask | static_cast<uint32_t>(part.state) << 4 | static_cast<uint32_t>(part.kind) << 8 |
         uint32_t{part.slot} << 16;
  w[1] = part.time;
  w[2] = part.candidates;
  w[3] = part.where;
  w[4] = part.threads;
}

// S_d with (slot, time) in place of that slot's former entry.
InternTable::Id with_thread(InternTable& table, InternTable::Id set, Slot slot, ClockValue time) {
  uint32_t words[InternTable::kMaxWords];
  const unsigned count = table.count(set);
  if (count + 2 > InternTable::kMaxWords) return set;
  unsigned n = 0;
  bool placed = false;
  for (unsigned i = 0; i < count; i += 2) {
    const uint32_t other = table.words(set)[i];
    if (!placed && other >= slot) {
      words[n++] = slot;
      words[n++] = time;
      placed = true;
    }
    if (other == slot) continue;
    words[n++] = other;
    words[n++] = table.words(set)[i + 1];
  }
  if (!placed) {
    words[n++] = slot;
    words[n++] = time;
  }
  return table.intern(words, n);
}

// The reset at join (thesis §5.1.2), done when the location is next accessed: threads that were joined leave S_d, and
// a location with one thread left is that thread's.
void forget_joined(const EngineContext& context, Part& part) {
  if (!is_shared(part.state)) return;
  InternTable& table = *context.threadsets;
  uint32_t words[InternTable::kMaxWords];
  unsigned n = 0;
  const unsigned count = table.count(part.threads);
  for (unsigned i = 0; i < count; i += 2) {
    const uint32_t slot = table.words(part.threads)[i];
    const uint32_t time = table.words(part.threads)[i + 1];
    if (context.slots->is_joined(static_cast<Slot>(slot), time)) continue;
    words[n++] = slot;
    words[n++] = time;
  }
  if (n == count) return;
  part.threads = table.intern(words, n);
  if (n != 2) return;
  part.state = exclusive_of(part.state);
  part.slot = static_cast<Slot>(words[0]);
  part.time = words[1];
  part.candidates = kNoLocks;
}

// One step of the machine for the bytes of `part`. True if it entered Race.
bool step(const EngineContext& context, const Thread& thread, const WordAccess& access, Part& part) {
  const bool is_long = context.options->engine == EngineKind::kMsmLong;
  const bool write = is_write(access.kind);
  forget_joined(context, part);
  const LocksetId held = context.locksets->usable(thread.lockset, write);
  if (is_shared(part.state)) {
    const bool none_known = is_long && part.state == S::kSharedRead && part.candidates == kNoLocks;
    part.candidates = none_known ? held : context.locksets->intersect(part.candidates, thread.lockset, write);
  }
  const Condition condition = {ordered_before(thread.clocks.strong, thread, part.slot, part.time), held != kNoLocks,
                               part.candidates != kNoLocks};
  const Op op = write ? Op::kWrite : Op::kRead;
  S to = part.state;
  const Edge* edges = is_long ? kLong : kShort;
  const size_t edge_count = is_long ? sizeof kLong / sizeof *kLong : sizeof kShort / sizeof *kShort;
  for (size_t i = 0; i < edge_count; ++i) {
    if (edges[i].from == part.state && edges[i].op == op && holds(edges[i].when, condition)) {
      to = edges[i].to;
      break;
    }
  }
  if (to == S::kRace) {
    const bool entered = part.state != S::kRace;
    part.state = S::kRace;
    return entered;
  }
  if (is_shared(to)) {
    if (!is_shared(part.state)) {  // entering: C_d ← L_t, S_d ← {t, threadof(TS_d)}
      part.candidates = held;
      part.threads = with_thread(*context.threadsets, InternTable::kEmpty, part.slot, part.time);
    }
    part.threads = with_thread(*context.threadsets, part.threads, thread.slot, thread.time);
  } else {
    part.candidates = kNoLocks;
    part.threads = InternTable::kEmpty;
  }
  // "keep TS_d": where the chain of ordered reads broke, the segment of the last exclusive read stays.
  const bool keep_segment = to == S::kSharedRead && (part.state == S::kExclusiveRead || part.state == S::kSharedRead);
  if (!keep_segment) {
    part.slot = thread.slot;
    part.time = thread.time;
    part.where = access.where;
    part.kind = access.kind;
  }
  part.state = to;
  return false;
}

}  // namespace

const char* msm_state_name(MsmState state) {
  constexpr const char* kNames[] = {"New", "Excl-R", "Excl-W", "Excl-RW", "Sh-R", "Sh-M", "Sh-M1", "Sh-M2", "Race"};
  static_assert(sizeof kNames / sizeof *kNames == kMsmStates);
  return kNames[static_cast<unsigned>(state)];
}

MsmState MsmEngine::state(const Histories& table, HistoryId history, unsigned byte) {
  if (history == kUntouched) return S::kNew;
  for (unsigned i = 0; i < parts(table.count(history)); ++i) {
    const Part part = read_part(table.words(history), i);
    if ((part.mask >> byte & 1) != 0) return part.state;
  }
  return S::kNew;
}

uint8_t MsmEngine::accessed_in_segment(const EngineContext& context, HistoryId history, const Thread& thread) {
  if (history == kUntouched) return 0;
  const Histories& table = *context.histories;
  unsigned bytes = 0;
  auto look = [&](unsigned mask, Slot slot, ClockValue time) {
    if (slot == thread.slot && time >= thread.segment_since) bytes |= mask;
  };
  for (unsigned byte = 0; byte < kSignals; ++byte) {
    signal(table, *context.threadsets, history, byte,
           [&](Slot slot, ClockValue time) { look(1u << byte, slot, time); });
  }
  for (unsigned i = 0; i < parts(table.count(history)); ++i) {
    const Part part = read_part(table.words(history), i);
    look(part.mask, part.slot, part.time);
    for (unsigned k = 0; k < context.threadsets->count(part.threads); k += 2) {
      const uint32_t* members = context.threadsets->words(part.threads);
      look(part.mask, static_cast<Slot>(members[k]), members[k + 1]);
    }
  }
  return static_cast<uint8_t>(bytes);
}

HistoryId MsmEngine::next(const EngineContext& context, Thread& thread, HistoryId before, const WordAccess& access,
                          uint32_t set_flags, uint32_t clear_flags, FoundRaces& races) {
  const Histories& table = *context.histories;
  static constexpr uint32_t kNoParts[kHeaderWords] = {};
  const uint32_t* old = before == kUntouched ? kNoParts : table.words(before);
  const unsigned count = before == kUntouched ? 0 : parts(table.count(before));
  const bool atomic = access.kind == AccessKind::kAtomicRead || access.kind == AccessKind::kAtomicWrite;

  uint32_t words[Histories::kMaxWords];
  words[0] = (old[0] & ~clear_flags) | set_flags;
  for (unsigned byte = 0; byte < kSignals; ++byte) words[1 + byte] = old[1 + byte];
  if (context.options->spin && is_write(access.kind)) {
    const unsigned adds = access.increments ? access.mask : accessed_in_segment(context, before, thread);
    for (unsigned byte = 0; byte < kSignals; ++byte) {
      if ((access.mask >> byte & 1) == 0) continue;
      uint32_t& set = words[1 + byte];
      if ((adds >> byte & 1) == 0 || access.kind == AccessKind::kFree) set = InternTable::kEmpty;
      if (access.kind != AccessKind::kFree) set = with_thread(*context.threadsets, set, thread.slot, thread.time);
    }
  }

  Part done[8];
  unsigned n = 0;
  auto keep = [&](const Part& part) {
    for (unsigned i = 0; i < n; ++i) {
      Part same = done[i];
      same.mask = part.mask;
      if (same == part) {
        done[i].mask |= part.mask;
        return;
      }
    }
    done[n++] = part;
  };
  unsigned left = atomic ? 0 : access.mask;  // bytes of the access that no part has yet
  auto advance = [&](Part part) {
    const Part earlier = part;
    if (step(context, thread, access, part)) {
      if (RacingPair* pair = races.add(); pair != nullptr) {
        const bool full = ordered_before(thread.clocks.full, thread, earlier.slot, earlier.time);
        pair->standing = full ? Standing::kPredicted : Standing::kObserved;
        describe_pair(context, *pair, thread, access, part.mask, earlier.kind, earlier.slot, earlier.time,
                      earlier.candidates, earlier.where);
      }
    }
    keep(part);
  };
  for (unsigned i = 0; i < count; ++i) {
    Part part = read_part(old, i);
    const auto inside = static_cast<uint8_t>(part.mask & left);
    if (inside == 0) {
      keep(part);
      continue;
    }
    if (inside != part.mask) {
      Part outside = part;
      outside.mask = static_cast<uint8_t>(part.mask & ~inside);
      keep(outside);
    }
    left &= ~unsigned{inside};
    part.mask = inside;
    advance(part);
  }
  if (left != 0) {
    Part part;
    part.mask = static_cast<uint8_t>(left);
    advance(part);
  }
  for (unsigned i = 0; i < n; ++i) write_part(words, i, done[i]);
  const unsigned total = kHeaderWords + n * kPartWords;
  if (before != kUntouched && table.count(before) == total && same_words(old, words, total)) return before;
  const HistoryId after = context.histories->make(thread.room, words, total);
  return after == kUntouched ? before : after;
}

}  // namespace norn
