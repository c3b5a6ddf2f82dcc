#include "core/hybrid.h"

namespace norn {
namespace {

// For each kind the set of kinds it conflicts with, one bit each, in the order of AccessKind.
constexpr uint8_t kRead = 1, kWrite = 2, kAtomicRead = 4, kAtomicWrite = 8, kFree = 16;
constexpr uint8_t kConflicts[] = {
    /* read         */ kWrite | kAtomicWrite | kFree,
    /* write        */ kRead | kWrite | kAtomicRead | kAtomicWrite | kFree,
    /* atomic read  */ kWrite | kFree,
    /* atomic write */ kRead | kWrite | kFree,
    /* free         */ kRead | kWrite | kAtomicRead | kAtomicWrite | kFree,
};

uint8_t row(AccessKind kind) { return kConflicts[static_cast<unsigned>(kind)]; }

// A stamp's words: slot | mask << 16 | kind << 20 | adds << 24, time, lockset, where.
void put(uint32_t* words, const Stamp& stamp) {
  words[0] =
      stamp.slot | uint32_t{stamp.mask} << 16 | static_cast<uint32_t>(stamp.kind) << 20 | uint32_t{stamp.adds} << 24;
  words[1] = stamp.time;
  words[2] = stamp.lockset;
  words[3] = stamp.where;
}

}  // namespace

bool conflicts(AccessKind a, AccessKind b) { return (row(a) >> static_cast<unsigned>(b) & 1) != 0; }
bool covers(AccessKind a, AccessKind b) { return (row(b) & ~row(a)) == 0; }

Stamp HybridEngine::stamp(const uint32_t* words, unsigned i) {
  const uint32_t* w = words + kHeaderWords + i * kStampWords;
  return {static_cast<Slot>(w[0] & 0xffff),
          static_cast<uint8_t>(w[0] >> 16 & 0xf),
          static_cast<AccessKind>(w[0] >> 20 & 0xf),
          w[1],
          w[2],
          w[3],
          static_cast<uint8_t>(w[0] >> 24 & 0xf)};
}

unsigned HybridEngine::stamps(const Histories& table, HistoryId history) {
  return history == kUntouched ? 0 : (table.count(history) - kHeaderWords) / kStampWords;
}

bool HybridEngine::stamped_alike(const Histories& table, HistoryId history, const Thread& thread,
                                 const WordAccess& access) {
  for (unsigned i = 0; i < stamps(table, history); ++i) {
    const Stamp s = stamp(table.words(history), i);
    if (s.slot == thread.slot && s.time == thread.time && s.kind == access.kind && (access.mask & ~s.mask) == 0) {
      return true;
    }
  }
  return false;
}

uint8_t HybridEngine::accessed_in_segment(const Histories& table, HistoryId history, const Thread& thread) {
  unsigned bytes = 0;
  for (unsigned i = 0; i < stamps(table, history); ++i) {
    const Stamp s = stamp(table.words(history), i);
    if (s.slot == thread.slot && s.time >= thread.segment_since) bytes |= s.mask;
  }
  return static_cast<uint8_t>(bytes);
}

HistoryId HybridEngine::alone(Histories& table, Thread& thread, const WordAccess& access) {
  uint32_t words[kHeaderWords + kStampWords];
  words[0] = 0;
  put(words + kHeaderWords, {thread.slot, access.mask, access.kind, thread.time, thread.lockset, access.where, 0});
  return table.make(thread.room, words, kHeaderWords + kStampWords);
}

// Each answer is what next() comes to. One stamp and no flags means: no write before it that an increment continues.
HybridEngine::Outcome HybridEngine::after_one(const EngineContext& context, const Thread& thread, const uint32_t* words,
                                              const WordAccess& access) {
  const bool lockless = context.options->engine == EngineKind::kHb;
  const Stamp s = stamp(words, 0);
  const bool own = s.slot == thread.slot;
  if (own && s.time == thread.time && covers(s.kind, access.kind)) {
    const bool same = (access.mask & ~s.mask) == 0 &&
                      (access.kind != AccessKind::kFree || s.kind == AccessKind::kFree) &&
                      (lockless || context.locksets->weaker_or_same(s.lockset, thread.lockset));
    return same ? Outcome::kNothing : Outcome::kOther;
  }
  if ((s.mask & ~access.mask) != 0 || !covers(access.kind, s.kind)) return Outcome::kOther;
  if (!own && (lockless ? thread.clocks.full : thread.clocks.strong).get(s.slot) < s.time) return Outcome::kOther;
  return lockless || context.locksets->weaker_or_same(thread.lockset, s.lockset) ? Outcome::kAlone : Outcome::kOther;
}

HistoryId HybridEngine::next(const EngineContext& context, Thread& thread, HistoryId before, const WordAccess& access,
                             uint32_t set_flags, uint32_t clear_flags, FoundRaces& races) {
  const Histories& table = *context.histories;
  const bool lockless = context.options->engine == EngineKind::kHb;
  static constexpr uint32_t kNoStamps[kHeaderWords] = {};
  const uint32_t* old = before == kUntouched ? kNoStamps : table.words(before);
  const unsigned count = stamps(table, before);
  const uint32_t flags = (old[0] & ~clear_flags) | set_flags;

  // The bytes for which this very segment has not been stamped yet. Where spins are honoured, the order of writes
  // matters too: a write by another since then makes ours new again.
  unsigned fresh = access.mask;
  for (unsigned i = 0; i < count; ++i) {
    const Stamp s = stamp(old, i);
    if (s.slot != thread.slot) {
      if (context.options->spin && is_write(access.kind) && is_write(s.kind)) fresh |= access.mask & s.mask;
    } else if (s.time == thread.time && covers(s.kind, access.kind) &&
               (access.kind != AccessKind::kFree || s.kind == AccessKind::kFree) &&  // so that it is told as a free
               (lockless || context.locksets->weaker_or_same(s.lockset, thread.lockset))) {
      fresh &= ~unsigned{s.mask};
    }
  }
  if (fresh == 0 && old[0] == flags) return before;

  const unsigned adds = context.options->spin && is_write(access.kind)
                            ? access.increments ? access.mask : accessed_in_segment(table, before, thread)
                            : 0u;
  // The bytes with a write before ours that an increment continues. One that is dropped now, being ordered before ours,
  // hands on what it continued itself.
  unsigned continues = 0;
  uint32_t words[Histories::kMaxWords];
  words[0] = flags;
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    Stamp s = stamp(old, i);
    const auto common = static_cast<uint8_t>(s.mask & fresh);
    const unsigned written = is_write(s.kind) ? s.mask : 0u;
    if (common != 0) {
      const bool strong = ordered_before(thread.clocks.strong, thread, s.slot, s.time);
      const bool full = strong || ordered_before(thread.clocks.full, thread, s.slot, s.time);
      if (!strong && conflicts(access.kind, s.kind) &&
          (!full || (!lockless && !context.locksets->protects(thread.lockset, s.lockset)))) {
        // One pair for each run of bytes in common: 0b1011 is two places.
        // A look at a byte that is waited for, by an atomic, is no race with the plain write that it looks for.
        const bool looks = (access.kind == AccessKind::kAtomicRead && s.kind == AccessKind::kWrite) ||
                           (access.kind == AccessKind::kWrite && s.kind == AccessKind::kAtomicRead);
        for (unsigned left = looks ? common & ~(old[0] & kInSpin) : common; left != 0;) {
          RacingPair* pair = races.add();
          if (pair == nullptr) break;
          pair->standing = full ? Standing::kPredicted : Standing::kObserved;
          describe_pair(context, *pair, thread, access, static_cast<uint8_t>(left), s.kind, s.slot, s.time, s.lockset,
                        s.where);
          left &= ~(((1u << pair->size) - 1) << (pair->address - access.word));
        }
      }
      const bool superfluous =
          covers(access.kind, s.kind) &&
          (lockless ? full : strong && context.locksets->weaker_or_same(thread.lockset, s.lockset));
      if (superfluous) s.mask = static_cast<uint8_t>(s.mask & ~common);
    }
    const unsigned kept_bytes = s.kind == AccessKind::kFree ? 0u : s.mask | (s.adds & continues);
    continues = (continues & ~written) | (kept_bytes & written);
    if (s.mask != 0) put(words + kHeaderWords + kept++ * kStampWords, s);
  }
  const unsigned cap = context.options->history_cap;
  if (fresh != 0) {
    if (kept >= cap) {  // the oldest goes
      for (unsigned w = kHeaderWords; w < kHeaderWords + (kept - 1) * kStampWords; ++w)
        words[w] = words[w + kStampWords];
      --kept;
      context.forgotten->fetch_add(1, std::memory_order_relaxed);
    }
    put(words + kHeaderWords + kept++ * kStampWords,
        {thread.slot, static_cast<uint8_t>(fresh), access.kind, thread.time, thread.lockset, access.where,
         static_cast<uint8_t>(adds & continues & fresh)});
  }
  const HistoryId after = context.histories->make(thread.room, words, kHeaderWords + kept * kStampWords);
  return after == kUntouched ? before : after;
}

}  // namespace norn
