#include "core/engine/hybrid.h"

#include "core/shadow/relation.h"

namespace norn {
namespace {

// Adds the newest shadow word, or its bytes to one that says the same of others. The order of writes counts.
void append(AccessHistory& history, const PastAccess& past) {
  for (unsigned i = history.count; i > history.overwritten; --i) {
    PastAccess& s = history.all[i - 1];
    if (s.slot == past.slot && s.time == past.time && s.kind == past.kind && s.where == past.where) {
      s.mask |= past.mask;
      s.adds |= past.adds;
      return;
    }
    if (is_write(past.kind) && is_write(s.kind)) break;
  }
  history.all[history.count++] = past;
}

unsigned count_of(const AccessHistory& history, unsigned bytes) {
  unsigned count = 0;
  for (unsigned i = 0; i < history.count; ++i) count += (history.all[i].mask & bytes) != 0 ? 1 : 0;
  return count;
}

// If these bytes have as many shadow words as there may be, the oldest of them goes; if the granule has no room, the
// oldest of the word that has more of them: neighbours do not push each other out.
void make_room(const EngineContext& context, AccessHistory& history, unsigned bytes) {
  if (history.count < context.options->history_cap) return;
  if (count_of(history, bytes) < context.options->history_cap) {
    if (history.count < AccessHistory::kMax) return;
    constexpr unsigned kFirst = 0x0f, kSecond = 0xf0;
    bytes = count_of(history, kFirst) > count_of(history, kSecond) ? kFirst : kSecond;
  }
  unsigned oldest = 0;
  while ((history.all[oldest].mask & bytes) == 0) ++oldest;
  for (unsigned i = oldest + 1; i < history.count; ++i) history.all[i - 1] = history.all[i];
  --history.count;
  if (history.overwritten > oldest) --history.overwritten;
  context.forgotten->fetch_add(1, std::memory_order_relaxed);
}

// The oldest go first.
void drop_superseded(AccessHistory& history, unsigned many) {
  unsigned kept = 0;
  unsigned overwritten = history.overwritten;
  for (unsigned i = 0; i < history.count; ++i) {
    if (many > 0 && history.all[i].superseded) {
      --many;
      if (i < history.overwritten) --overwritten;
      continue;
    }
    if (kept != i) history.all[kept] = history.all[i];
    ++kept;
  }
  history.count = kept;
  history.overwritten = overwritten;
}

// Those whose slot the thread goes on in (begin_again()) are unordered with it, and with each other; but what is
// unordered with one of them is unordered with all that came after it. So the last that did the same stands for those
// before.
void keep_last_of_slot(const EngineContext& context, const Thread& thread, AccessHistory& history) {
  auto is_former = [&](const PastAccess& s) { return s.slot == thread.slot && s.time < thread.own_since; };
  unsigned kept = history.count;
  for (unsigned i = history.count; i-- > 0;) {
    PastAccess& s = history.all[i];
    if (is_former(s)) {
      // Reads of a list are in no order.
      for (unsigned k = 0; k < history.count; ++k) {
        const PastAccess& later = history.all[k];
        if (is_former(later) && (later.time > s.time || (later.time == s.time && k > i)) &&
            covers(later.kind, s.kind) && context.locksets->weaker_or_same(later.lockset, s.lockset)) {
          s.mask = static_cast<uint8_t>(s.mask & ~later.mask);
        }
      }
      s.adds &= s.mask;
    }
    if (s.mask == 0) --kept;
  }
  if (kept == history.count) return;
  unsigned overwritten = history.overwritten;
  kept = 0;
  for (unsigned i = 0; i < history.count; ++i) {
    if (history.all[i].mask != 0) {
      history.all[kept++] = history.all[i];
    } else if (i < history.overwritten) {
      --overwritten;
    }
  }
  history.count = kept;
  history.overwritten = overwritten;
}

// Those of the bytes that have the same place as their first.
unsigned bytes_of_one_place(const EngineContext& context, StackId where, unsigned bytes) {
  if ((where & PerByteStacks::kPerByte) == 0) return bytes;
  const StackId first = context.per_byte->at(where, static_cast<unsigned>(__builtin_ctz(bytes)));
  unsigned same = 0;
  for (unsigned left = bytes; left != 0; left &= left - 1) {
    const auto byte = static_cast<unsigned>(__builtin_ctz(left));
    if (context.per_byte->at(where, byte) == first) same |= 1u << byte;
  }
  return same;
}

// One pair for each run of bytes that has one place: 0b1011 is two.
void add_races(const EngineContext& context, const Thread& thread, const WordAccess& access, const PastAccess& s,
               unsigned bytes, Standing standing, FoundRaces& races) {
  for (unsigned left = bytes; left != 0;) {
    RacingPair* pair = races.add();
    if (pair == nullptr) break;
    pair->standing = standing;
    const unsigned same = bytes_of_one_place(context, s.where, left);
    const StackId where = context.per_byte->at(s.where, static_cast<unsigned>(__builtin_ctz(left)));
    describe_pair(context, *pair, thread, access, static_cast<uint8_t>(same), s.kind, s.slot, s.time, s.lockset, where);
    left &= ~(((1u << pair->size) - 1) << (pair->address - access.word));
  }
}

// Gives the bytes of a shadow word to a newer one, if it says the same but for the place.
bool take_over(const EngineContext& context, PastAccess& newer, const PastAccess& older) {
  if (older.slot != newer.slot || older.time != newer.time || older.kind != newer.kind || older.adds != 0 ||
      newer.adds != 0) {
    return false;
  }
  if (older.where != newer.where) {
    const StackId where = context.per_byte->mix(newer.where, newer.mask, older.where, older.mask);
    if (where == kNoStack) return false;
    newer.where = where;
  }
  newer.mask |= older.mask;
  return true;
}

}  // namespace

uint8_t HybridEngine::accessed_in_segment(const AccessHistory& history, const Thread& thread) {
  unsigned bytes = 0;
  for (unsigned i = 0; i < history.count; ++i) {
    const PastAccess& s = history.all[i];
    if (s.slot == thread.slot && s.time >= thread.segment_since) bytes |= s.mask;
  }
  return static_cast<uint8_t>(bytes);
}

bool HybridEngine::agrees(const EngineContext& context, const Thread& thread, const PastAccess& s,
                          const WordAccess& access) {
  if ((s.mask & access.mask) == 0) return true;
  const auto locks_then = [&] { return s.lockset; };
  return relate(AnyKind{access.kind}, PastKind{s.kind},
                KnownExactly(context, thread, s.slot, s.time, s.kind, locks_then))
      .agrees();
}

void HybridEngine::consolidate(const EngineContext& context, AccessHistory& history) {
  // Those before the newest few were compared with each other when they were the newest.
  constexpr unsigned kNewest = 4;
  const unsigned until = history.count > history.overwritten + kNewest ? history.count - kNewest : history.overwritten;
  for (unsigned i = history.count; i-- > until;) {
    for (unsigned k = i; k-- > history.overwritten;) {
      const PastAccess& older = history.all[k];
      if (take_over(context, history.all[i], older)) {
        for (unsigned next = k + 1; next < history.count; ++next) history.all[next - 1] = history.all[next];
        --history.count;
        --i;
      } else if (is_write(history.all[i].kind) && is_write(older.kind)) {
        break;
      }
    }
  }
}

// Where writes are followed, their order matters too: a write by another since then makes ours new again.
unsigned HybridEngine::fresh_bytes(const EngineContext& context, const Thread& thread, const AccessHistory& history,
                                   const WordAccess& access) {
  const bool follows = follows_writes(*context.options);
  unsigned fresh = access.mask;
  for (unsigned i = 0; i < history.count; ++i) {
    const PastAccess& s = history.all[i];
    if (s.slot != thread.slot) {
      if (follows && is_write(access.kind) && is_write(s.kind)) fresh |= access.mask & s.mask;
    } else if (s.time == thread.time && stands_for(s.kind, access.kind)) {
      fresh &= ~unsigned{s.mask};
    }
  }
  return fresh;
}

HybridEngine::Judged HybridEngine::judge(const EngineContext& context, const Thread& thread, const PastAccess& s,
                                         unsigned in_spin, unsigned fresh, const WordAccess& access,
                                         FoundRaces& races) {
  Judged judged;
  const unsigned common = s.mask & fresh;
  if (common == 0) return judged;
  const auto locks_then = [&] { return s.lockset; };
  const KnownExactly known(context, thread, s.slot, s.time, s.kind, locks_then);
  const Related related = relate(AnyKind{access.kind}, PastKind{s.kind}, known);
  judged.strong = known.is_strong();
  if (related.how == Relation::kRaces) {
    // A look at a byte that is waited for, by an atomic, is no race with the plain write that it looks for.
    const bool looks = (access.kind == AccessKind::kAtomicRead && s.kind == AccessKind::kWrite) ||
                       (access.kind == AccessKind::kWrite && s.kind == AccessKind::kAtomicRead);
    add_races(context, thread, access, s, looks ? common & ~in_spin : common,
              known.is_full() ? Standing::kPredicted : Standing::kObserved, races);
    judged.overwritten = !known.is_full() && is_write(access.kind);
  }
  if (related.covered == Covered::kYes) judged.superfluous = common;
  judged.full = known.is_full();
  return judged;
}

bool HybridEngine::next(const EngineContext& context, const Thread& thread, AccessHistory& history, unsigned in_spin,
                        unsigned accessed, const WordAccess& access, FoundRaces& races) {
  const unsigned fresh = fresh_bytes(context, thread, history, access);
  if (fresh == 0) return false;

  const unsigned adds = follows_writes(*context.options) && is_write(access.kind) ? accessed : 0u;
  // The bytes with a write before ours that an increment continues. One that is dropped now, being ordered before ours,
  // hands on what it continued itself.
  unsigned continues = 0;
  unsigned kept = 0;
  unsigned formers = 0;  // of the thread's own slot, and unordered with it
  unsigned superseded = 0;
  const unsigned count = history.count;
  for (unsigned i = 0; i < count; ++i) {
    PastAccess& s = history.all[i];
    const unsigned written = is_write(s.kind) ? s.mask : 0u;
    const Judged judged = judge(context, thread, s, in_spin, fresh, access, races);
    formers += !judged.strong && s.slot == thread.slot ? 1 : 0;
    s.mask = static_cast<uint8_t>(s.mask & ~judged.superfluous);
    const unsigned kept_bytes = is_of_life(s.kind) ? 0u : s.mask | (s.adds & continues);
    continues = (continues & ~written) | (kept_bytes & written);
    if (s.mask == 0) continue;
    s.adds &= s.mask;
    s.superseded = judged.full && supersedes(access.kind, fresh, adds, s.kind, s.mask, s.slot == thread.slot);
    superseded += s.superseded ? 1 : 0;
    if (kept != i) history.all[kept] = s;
    ++kept;
    if (judged.overwritten) history.overwritten = kept;
  }
  history.count = kept;
  if (superseded > context.options->superseded_cap && in_spin == 0) {
    drop_superseded(history, superseded - context.options->superseded_cap);
  }
  if (formers > 1) keep_last_of_slot(context, thread, history);
  make_room(context, history, fresh);
  append(history, {thread.slot, static_cast<uint8_t>(fresh), access.kind, thread.time, thread.lockset, access.where,
                   static_cast<uint8_t>(adds & continues & fresh), thread.words_pack, thread.words_locks});
  return true;
}

}  // namespace norn
