// Paths 3 and 4 of an access (core/shadow/shadow_store.h): what an access makes of all that a granule remembers.
#include "core/shadow/atomic_step.h"
#include "core/shadow/shadow_store.h"

namespace norn {
namespace {

constexpr unsigned kPlaces = GranuleStep::kPlaces;
constexpr unsigned kNoPlace = GranuleStep::kNoPlace;
// A list of no more shadow words is one that a granule may soon do without.
constexpr unsigned kFewListed = 4;

LocksCode locks_at(uint32_t second, unsigned place) { return GranuleStep::locks_at(second, place); }

}  // namespace

bool GranuleStep::add_to(ShadowWord& word) {
  ShadowWord with = with_bytes(thread_, word, own_, mask_);
  if (with == kUnknown) {
    const uint64_t pair = pair_of(word, own_, mask_);
    const StackId mixed = context_.per_byte->mix(own_.stack(), mask_, word.stack(), word.bytes());
    thread_.known_per_byte.of(pair) = {
        pair, mixed == kNoStack ? KnownPerByteStacks::kNone : static_cast<uint32_t>(ShadowWord::bits_of_stack(mixed))};
    with = with_bytes(thread_, word, own_, mask_);
  }
  if (with == kApart) return false;
  word = with;
  return true;
}

bool GranuleStep::take(Granule& granule) {
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  // Oldest first; after the first place that is empty there is none. All in variables of their own: this is where
  // the time goes.
  auto word_at = [&](unsigned place) {
    return place == kNoPlace ? ShadowWord() : granule.words[place].load(std::memory_order_relaxed);
  };
  ShadowWord a = word_at(second & 3);
  ShadowWord b = word_at(second >> 2 & 3);
  ShadowWord c = word_at(second >> 4 & 3);
  LocksCode a_locks = locks_at(second, second & 3);
  LocksCode b_locks = locks_at(second, second >> 2 & 3);
  LocksCode c_locks = locks_at(second, second >> 4 & 3);
  if (!a.is_none() && !judge(a, a_locks)) return false;
  if (!b.is_none() && !judge(b, b_locks)) return false;
  if (!c.is_none() && !judge(c, c_locks)) return false;
  const unsigned adds = adds_ & continues_ & mask_;
  if (adds != 0 && adds != mask_) return false;

  if (a.is_none()) {
    a = b, a_locks = b_locks;
    b = c, b_locks = c_locks;
    c = {};
  }
  if (a.is_none()) {
    a = b, a_locks = b_locks;
    b = {};
  }
  if (b.is_none()) {
    b = c, b_locks = c_locks;
    c = {};
  }
  // The bytes may go to a shadow word that says the same of others; but the order of writes counts.
  const bool write = is_write(kind_);
  const bool after_b = write && !c.is_none() && is_write(c.kind());
  const bool after_a = after_b || (write && !b.is_none() && is_write(b.kind()));
  if (adds != 0 && (says_same(a, own_) || says_same(b, own_) || says_same(c, own_))) return false;
  if (adds != 0 || !(joins(c) || (!after_b && joins(b)) || (!after_a && joins(a)))) {
    const ShadowWord fresh = ShadowWord::of(own_.epoch(), kind_, mask_, own_.stack(), adds != 0);
    if (a.is_none()) {
      a = fresh, a_locks = thread_.words_locks;
    } else if (b.is_none()) {
      b = fresh, b_locks = thread_.words_locks;
    } else if (c.is_none()) {
      c = fresh, c_locks = thread_.words_locks;
    } else if (context_.options->superseded_cap < kPlaces) {
      // The oldest that is superseded goes.
      if (is_superseded(a)) {
        a = b, a_locks = b_locks;
        b = c, b_locks = c_locks;
      } else if (is_superseded(b)) {
        b = c, b_locks = c_locks;
      } else if (!is_superseded(c)) {
        return false;
      }
      c = fresh, c_locks = thread_.words_locks;
    } else {
      return false;
    }
  }
  put(granule, {a, a_locks}, {b, b_locks}, {c, c_locks});
  return true;
}

// Whether a read makes so much superfluous, of these shadow words of a granule and of its list, that the others and
// itself have room in the granule: then it is worth while to judge all, and to do without a list from there on.
bool ShadowStore::fits_without_list(const Thread& thread, const OverflowList& listed, const GranuleStep::Kept* kept,
                                    unsigned count, const PastAccess& now) {
  // (Only the thread's own earlier reads are looked at: whether others' go takes longer to find out.)
  auto stays = [&](const PastAccess& past) {
    if (!is_read(past.kind) || !is_own(thread, past.slot, past.time) || (past.mask & ~now.mask) != 0) return true;
    return related_to(thread, AnyKind{now.kind}, past).covered != Covered::kYes;
  };
  unsigned staying = 0;
  for (unsigned i = 0; i < count; ++i) {
    staying += stays(PastAccess::unpacked(segments_, kept[i].word, kept[i].locks)) ? 1 : 0;
  }
  for (unsigned i = 0; i < listed.room(); ++i) staying += !listed.is_room(i) && stays(listed.at(i)) ? 1 : 0;
  return staying < kPlaces;
}

// Data that many threads read, or one under many different locks, has a shadow word for each of them: a later read
// takes the place of an earlier one only if that is the thread's own and its locks protect no better. So that each does
// not cost as much as there are, the list is changed in place: the new shadow word goes to the granule, and if that is
// full, a read that was there goes into the list, where the thread's own earlier one makes room
// (core/shadow/overflow_list.h). False: it is another case, and nothing was done. Under the granule's lock; a list
// belongs to one granule, so it may be changed.
bool ShadowStore::read_beside_list(Thread& thread, Granule& granule, HistoryId list, const WordAccess& access) {
  OverflowList listed = list_at(list);
  if (!is_read(access.kind) || !thread.words_pack || listed.flags() != 0 || is_shared(list)) return false;
  const PastAccess now = {thread.slot,  access.mask, access.kind, thread.time,       thread.lockset,
                          access.where, 0,           true,        thread.words_locks};
  if (!now.fits()) return false;

  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  GranuleStep::Kept kept[kPlaces] = {};  // oldest first
  unsigned count = 0;
  unsigned leaving = kPlaces;  // of those, for the list: the read in the thread's place, if it is one
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned place = second >> 2 * i & 3;
    if (place == kNoPlace) break;
    const ShadowWord word = granule.words[place].load(std::memory_order_relaxed);
    if (word.is_none()) break;
    const PastAccess past = PastAccess::unpacked(segments_, word, locks_at(second, place));
    if (!HybridEngine::agrees(context_, thread, past, access)) return false;
    const bool read = is_read(past.kind);
    if (past.slot == thread.slot) {
      if (!is_own(thread, past.slot, past.time)) return false;
      if (past.time == now.time) return stands_for(past.kind, now.kind) && (now.mask & ~past.mask) == 0;
      if (past.kind == now.kind && past.lockset == now.lockset) {
        if (past.mask != now.mask) return false;
        continue;  // superfluous
      }
    }
    if (read && (leaving == kPlaces || place == (thread.slot & 1u))) leaving = count;
    kept[count++] = {word, locks_at(second, place)};
  }
  for (unsigned i = 0; i < listed.others(); ++i) {
    if (!HybridEngine::agrees(context_, thread, listed.at(i), access)) return false;
  }
  if (listed.room() <= kFewListed && fits_without_list(thread, listed, kept, count, now)) return false;
  const unsigned earlier = listed.find_read(now, [&](unsigned at) {
    const PastAccess past = listed.at(at);
    return past.kind == now.kind && past.mask == now.mask && past.lockset == now.lockset &&
           is_own(thread, past.slot, past.time);
  });
  const bool has_earlier = earlier != OverflowList::kNotFound;
  if (has_earlier && listed.at(earlier).time == now.time) {
    remember_list(thread, granule, list, access);
    return true;
  }
  const bool in_table = is_in_read_table(granule);  // then the granule has no room, and the read itself is for the list
  if (count == kPlaces || in_table) {
    if (leaving == kPlaces && !in_table) return false;
    const PastAccess last = in_table ? now : PastAccess::unpacked(segments_, kept[leaving].word, kept[leaving].locks);
    const bool full = !has_earlier && listed.others() + listed.reads() + 1 + kPlaces >= options_.history_cap;
    const unsigned room = listed.find_read(last, [&](unsigned at) {
      return full ? (listed.at(at).mask & last.mask) != 0 : at == earlier || listed.is_room(at);
    });
    if (room == OverflowList::kNotFound) {
      if (!has_earlier) return false;
      listed.put(earlier, now);
      remember_list(thread, granule, list, access);
      return true;
    }
    if (full) {
      // Those that are superfluous are to go first; but each time to look for them among all is too much.
      constexpr unsigned kLooks = 256;
      if (++thread.reads_forgotten % kLooks == 0) return false;
      context_.forgotten->fetch_add(1, std::memory_order_relaxed);
    }
    if (full || has_earlier) listed.remove(full ? room : earlier);
    listed.add(room, last);
    if (in_table) return true;
    for (--count; leaving < count; ++leaving) kept[leaving] = kept[leaving + 1];
  } else if (has_earlier) {
    listed.remove(earlier);
  } else if (listed.others() + listed.reads() + count >= options_.history_cap) {
    return false;
  }
  kept[count++] = {now.packed(), now.locks};
  for (unsigned i = count; i < kPlaces; ++i) kept[i] = {};
  GranuleStep::put(granule, kept[0], kept[1], kept[2]);
  return true;
}

// A read that changes the words in the granule alone: what it covers of them goes, and its own word takes a place that
// is free then and where the thread's check looks, or its bytes go to a word of its epoch. The list is only looked at:
// reads in it stay, superfluous or not, as beside others' reads in general. False: it is another case, and nothing was
// done. The thread has begun its epoch and is inside.
bool ShadowStore::read_in_place(Thread& thread, Granule& granule, unsigned mask, bool increments, StackId where) {
  const uint64_t cells = GranuleLock::cells_of(granule);
  const auto list = static_cast<HistoryId>(cells);
  const auto second = static_cast<uint32_t>(cells >> 32);
  if (list == kUntouched || GranuleLock::is_locked(cells) || (second & (kInReadTable | GranuleLayout::kOwned)) != 0 ||
      !ShadowWord::stack_fits(where) || is_shared(list) || list_at(list).flags() != 0 ||
      !GranuleLock::try_lock_both(granule, cells)) {
    return false;
  }
  uint32_t layout = second;
  const bool done = read_in_words(thread, granule, list, layout, mask, options_.handover && !increments, where);
  GranuleLock::unlock_both(granule, uint64_t{layout} << 32 | list);
  return done;
}

// The same under the granule's lock; `second`: its second cell, before and after.
bool ShadowStore::read_in_words(Thread& thread, Granule& granule, HistoryId list, uint32_t& second, unsigned mask,
                                bool heeds, StackId where) {
  const bool lockless = is_lockless();
  const unsigned place = thread.slot & 1u;
  ShadowWord left[kPlaces];
  unsigned staying = 0;  // a bit for each place
  unsigned joins = kNoPlace;
  for (unsigned at = 0; at < kPlaces; ++at) {
    const ShadowWord word = left[at] = granule.words[at].load(std::memory_order_relaxed);
    if (word.is_none()) continue;
    staying |= 1u << at;
    const bool now = word.slot() == thread.slot && word.clock() == thread.time;
    if (!word.touches(mask)) {
      if (now && word.kind() == AccessKind::kRead && at != 1 - place) joins = at;
      continue;
    }
    if (now) return stands_for(word.kind(), AccessKind::kRead) && word.has_all(mask);
    if (is_of_life(word.kind())) return false;
    const Related related =
        relate(FixedKind<AccessKind::kRead>{}, word, KnownByNumber(thread, lockless, word, locks_at(second, at)));
    if (!related.agrees() || related.covered == Covered::kUnknown || (related.how == Relation::kExcluded && heeds)) {
      return false;
    }
    if (related.covered == Covered::kYes) left[at] = word.without(mask);
    if (left[at].is_none()) staying &= ~(1u << at);
  }
  const OverflowList listed = list_at(list);
  if (listed.flags() != 0) return false;
  for (unsigned i = 0; i < listed.others(); ++i) {
    const OverflowList::Brief s = listed.brief(i);
    if ((s.mask & mask) == 0) continue;
    if (s.slot == thread.slot && s.time == thread.time) return false;
    if (ordered_before(*thread.decides, thread, s.slot, s.time)) continue;
    const bool excluded = !lockless && !heeds && thread.words_exclude && !is_of_life(s.kind) &&
                          listed.at(i).lockset == thread.lockset && thread.clocks.full.get(s.slot) >= s.time;
    if (!excluded) return false;
  }

  unsigned to = kNoPlace;
  if (joins != kNoPlace) {
    GranuleStep step(context_, segments_, thread, AccessKind::kRead, mask, false, where);
    if (!step.joins(left[joins])) joins = kNoPlace;
  }
  if (joins == kNoPlace) {
    const bool second_look = mask != kWholeGranule && (staying >> 2 & 1) == 0;
    to = (staying >> place & 1) == 0 ? place : second_look ? 2 : kNoPlace;
    if (to == kNoPlace) return false;
    left[to] = ShadowWord::of_one_stack(ShadowWord::epoch_of(thread.slot, thread.time), AccessKind::kRead, mask, where);
  }
  // Those that stay as they were ordered, and the new one as the newest.
  uint32_t layout = 0;
  unsigned count = 0;
  unsigned ordered = 0;
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned at = second >> 2 * i & 3;
    if (at == kNoPlace) break;
    ordered |= 1u << at;
    if ((staying >> at & 1) == 0) continue;
    layout |= at << 2 * count++ | GranuleLayout::locks_in(at, locks_at(second, at));
  }
  if ((staying & ~ordered) != 0) return false;  // put there without the lock, at the same time as something else
  if (to != kNoPlace) layout |= to << 2 * count++ | GranuleLayout::locks_in(to, thread.words_locks);
  for (; count < kPlaces; ++count) layout |= kNoPlace << 2 * count;
  second = layout;
  for (unsigned at = 0; at < kPlaces; ++at) granule.words[at].store(left[at], std::memory_order_relaxed);
  return true;
}

// The same where all is the thread's own, and it holds no lock: what it does now covers all that its kind covers.
// `before`: the bytes that an increment may write; 0 where nobody asks. `words`: what is to be put into the granule.
bool ShadowStore::renew_owned(Thread& thread, OverflowList& listed, GranuleStep::Kept (&words)[kPlaces], unsigned held,
                              const WordAccess& access, unsigned fresh, unsigned before) const {
  const bool write = is_write(access.kind);
  const unsigned room = listed.room();
  const unsigned others = listed.others();
  const auto stays = [&](AccessKind kind, unsigned mask)
                         __attribute__((always_inline)) { return covers(access.kind, kind) ? mask & ~fresh : mask; };
  unsigned free = 0;
  unsigned continues = 0;
  const auto hand_on = [&](AccessKind kind, unsigned mask, unsigned left, unsigned adds) {
    const unsigned handed_on = is_of_life(kind) ? 0u : left | (adds & continues);
    continues = (continues & ~mask) | (handed_on & mask);
  };
  for (unsigned i = 0; i < room; ++i) {
    const OverflowList::Brief s = listed.brief(i);
    const unsigned left = s.mask == 0 ? 0u : stays(s.kind, s.mask);
    free += left == 0 ? 1 : 0;
    if (before != 0 && i < others && is_write(s.kind)) hand_on(s.kind, s.mask, left, listed.at(i).adds);
  }
  unsigned kept = 0;
  for (unsigned i = 0; i < held; ++i) {
    const ShadowWord word = words[i].word;
    const unsigned left = stays(word.kind(), word.bytes());
    if (before != 0 && is_write(word.kind())) {
      hand_on(word.kind(), word.bytes(), left, word.is_rmw() ? word.bytes() : 0u);
    }
    if (left != 0) words[kept++] = {word.without(~left & ShadowWord::kAllBytes), words[i].locks};
  }
  const unsigned adds = before & continues & fresh;
  if (adds != 0 && adds != fresh) return false;
  GranuleStep step(context_, segments_, thread, access.kind, fresh, access.increments, access.where);
  bool joined = false;
  for (unsigned i = kept; i > 0 && adds == 0 && !joined; --i) {
    joined = step.joins(words[i - 1].word);
    if (write && is_write(words[i - 1].word.kind())) break;
  }
  const bool leaves = !joined && kept == kPlaces;
  if (leaves && free == 0) return false;

  // From here on it is done.
  unsigned writes = 0;
  unsigned reads = 0;
  for (unsigned i = 0; i < room; ++i) {
    const OverflowList::Brief s = listed.brief(i);
    if (s.mask == 0) continue;
    const unsigned left = stays(s.kind, s.mask);
    if (i >= others) {
      if (left != s.mask) listed.move(i, i, static_cast<uint8_t>(left));
      reads += left != 0 ? 1 : 0;
      continue;
    }
    if (left != 0) listed.move(i, writes, static_cast<uint8_t>(left));
    if (left == 0 || writes != i) listed.put(i, {});
    writes += left != 0 ? 1 : 0;
  }
  listed.set_counts(writes, reads);
  if (leaves) {
    listed.add_anywhere(PastAccess::unpacked(segments_, words[0].word, words[0].locks));
    for (unsigned i = 1; i < kPlaces; ++i) words[i - 1] = words[i];
    --kept;
  }
  if (!joined) {
    const uint32_t now = ShadowWord::epoch_of(thread.slot, thread.time);
    words[kept++] = {ShadowWord::of(now, access.kind, fresh, access.where, adds != 0), thread.words_locks};
  }
  for (unsigned i = kept; i < kPlaces; ++i) words[i] = {};
  return true;
}

// A short list is changed in place, with the words of the granule: it is HybridEngine::next() once more, as far as
// there is no race and what stays has room. The new shadow word goes to the granule; if that is full, its oldest goes
// to the list. False: it is another case, and nothing was done. Under the granule's lock; the list has no flags.
bool ShadowStore::renew_short_list(Thread& thread, Granule& granule, HistoryId& list, const WordAccess& access) {
  constexpr unsigned kFew = OverflowList::kWindow;  // then all of its reads are found from anywhere
  if ((access.kind != AccessKind::kRead && access.kind != AccessKind::kWrite) || !thread.words_pack ||
      !ShadowWord::stack_fits(access.where) || is_shared(list) || is_in_read_table(granule)) {
    return false;
  }
  OverflowList listed = list_at(list);
  const unsigned room = listed.room();
  const unsigned others = listed.others();
  if (room > kFew || room + kPlaces >= options_.history_cap) return false;
  const bool counts_writes = is_write(access.kind) && follows_writes(options_);

  GranuleStep::Kept words[kPlaces];  // oldest first
  unsigned held = 0;
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  unsigned ordered = 0;
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned place = second >> 2 * i & 3;
    if (place == kNoPlace) break;
    ordered |= 1u << place;
    const ShadowWord word = granule.words[place].load(std::memory_order_relaxed);
    if (!word.is_none()) words[held++] = {word, locks_at(second, place)};
  }
  for (unsigned place = 0; place < kPlaces; ++place) {
    if ((ordered >> place & 1) == 0 && !granule.words[place].load(std::memory_order_relaxed).is_none()) return false;
  }

  unsigned fresh = access.mask;
  unsigned before = access.increments ? access.mask : spin_bytes_of(thread, access);
  bool former = false;             // one is of another thread that had the slot
  bool owned = thread.words_bare;  // then what the thread did itself goes whatever its locks were
  const auto see = [&](Slot slot, ClockValue time, AccessKind kind, unsigned mask) __attribute__((always_inline)) {
    if (slot != thread.slot) {
      owned = false;
      if (counts_writes && is_write(kind)) fresh |= access.mask & mask;
      return;
    }
    former |= time < thread.own_since;
    if (time >= thread.segment_since) before |= mask;
    if (time == thread.time && stands_for(kind, access.kind)) fresh &= ~mask;
  };
  // Oldest first: a write by another makes what the thread wrote before it new again.
  unsigned free = 0;
  for (unsigned i = 0; i < room; ++i) {
    const OverflowList::Brief s = listed.brief(i);
    if (s.mask == 0) {
      ++free;
    } else {
      see(s.slot, s.time, s.kind, s.mask);
    }
  }
  for (unsigned i = 0; i < held; ++i) {
    see(words[i].word.slot(), words[i].word.clock(), words[i].word.kind(), words[i].word.bytes());
  }
  const bool empty = free == room;
  if (former) return false;
  if (fresh == 0) {
    remember_list(thread, granule, list, access);
    return true;
  }

  if (owned) {
    if (!renew_owned(thread, listed, words, held, access, fresh, counts_writes ? before : 0)) return false;
    if (empty && listed.others() + listed.reads() == 0) {
      if (histories_.is_old(list)) shadow_.note_change(access.word);
      list = kUntouched;
    }
    GranuleStep::put(granule, words[0], words[1], words[2]);
    return true;
  }

  // What stays of each, by its bytes.
  uint8_t left[kFew];
  unsigned continues = 0;
  unsigned superseded = 0;
  uint32_t are_superseded = 0;  // a bit each
  const auto judge = [&](unsigned number, Slot slot, AccessKind kind, unsigned mask, bool rmw, const auto& known,
                         unsigned& stays) __attribute__((always_inline)) {
    stays = mask;
    if ((mask & fresh) != 0) {
      const auto exactly = known();
      const Related related = relate(AnyKind{access.kind}, PastKind{kind}, exactly);
      if (!related.agrees()) return false;
      if (related.covered == Covered::kYes) {
        stays &= ~fresh;
      } else if (exactly.is_full() &&
                 supersedes(access.kind, fresh, counts_writes ? before : 0, kind, mask, slot == thread.slot)) {
        are_superseded |= 1u << number;
        ++superseded;
      }
    }
    if (counts_writes && is_write(kind)) {
      const unsigned handed_on = is_of_life(kind) ? 0u : stays | ((rmw ? mask : 0u) & continues);
      continues = (continues & ~mask) | (handed_on & mask);
    }
    return true;
  };
  for (unsigned i = 0; i < room; ++i) {
    const OverflowList::Brief s = listed.brief(i);
    left[i] = s.mask;
    if (s.mask == 0) continue;
    const uint8_t added = counts_writes ? listed.at(i).adds : uint8_t{0};
    if (added != 0 && added != s.mask) return false;
    const auto locks_then = [&] { return listed.at(i).lockset; };
    const auto known = [&] { return KnownExactly(context_, thread, s.slot, s.time, s.kind, locks_then); };
    unsigned stays = 0;
    if (!judge(i, s.slot, s.kind, s.mask, added != 0, known, stays)) return false;
    left[i] = static_cast<uint8_t>(stays);
    free += stays == 0 ? 1 : 0;
  }
  const auto drop_superseded = [&](unsigned number) __attribute__((always_inline)) {
    if (superseded <= options_.superseded_cap || (are_superseded >> number & 1) == 0) return false;
    --superseded;
    return true;
  };
  unsigned kept = 0;
  ShadowWord left_of_words[kPlaces];
  for (unsigned i = 0; i < held; ++i) {
    const ShadowWord word = words[i].word;
    const auto locks_then = [&] { return segments_.at(word.slot(), word.clock(), words[i].locks); };
    const auto known = [&] {
      return KnownExactly(context_, thread, word.slot(), word.clock(), word.kind(), locks_then);
    };
    unsigned stays = 0;
    if (!judge(room + i, word.slot(), word.kind(), word.bytes(), word.is_rmw(), known, stays)) return false;
    left_of_words[i] = word.without(word.bytes() & ~stays);
  }
  for (unsigned i = 0; i < room; ++i) {
    if (left[i] == 0 || !drop_superseded(i)) continue;
    left[i] = 0;
    ++free;
  }
  for (unsigned i = 0; i < held; ++i) {
    if (!left_of_words[i].is_none() && !drop_superseded(room + i)) words[kept++] = {left_of_words[i], words[i].locks};
  }
  const unsigned adds = before & continues & fresh & access.mask;
  if (adds != 0 && adds != fresh) return false;

  // The bytes may go to a word that says the same of others; but the order of writes counts.
  GranuleStep step(context_, segments_, thread, access.kind, fresh, access.increments, access.where);
  bool joined = false;
  for (unsigned i = kept; i > 0 && adds == 0 && !joined; --i) {
    joined = step.joins(words[i - 1].word);
    if (is_write(access.kind) && is_write(words[i - 1].word.kind())) break;
  }
  GranuleStep::Kept leaving = {};
  if (!joined) {
    if (kept == kPlaces) {
      if (free == 0) return false;
      leaving = words[0];
      for (unsigned i = 1; i < kPlaces; ++i) words[i - 1] = words[i];
      --kept;
    }
    words[kept++] = {
        ShadowWord::of(ShadowWord::epoch_of(thread.slot, thread.time), access.kind, fresh, access.where, adds != 0),
        thread.words_locks};
  }

  // From here on it is done.
  unsigned writes = 0;
  for (unsigned i = 0; i < others; ++i) {
    if (left[i] != 0) listed.move(i, writes++, left[i]);
  }
  for (unsigned i = writes; i < others; ++i) listed.put(i, {});
  unsigned reads = 0;
  for (unsigned i = others; i < room; ++i) {
    listed.move(i, i, left[i]);
    reads += left[i] != 0 ? 1 : 0;
  }
  listed.set_counts(writes, reads);
  if (!leaving.word.is_none()) {
    listed.add_anywhere(PastAccess::unpacked(segments_, leaving.word, leaving.locks));
  } else if (empty) {
    if (histories_.is_old(list)) shadow_.note_change(access.word);
    list = kUntouched;  // it was empty before, too
  }
  for (unsigned i = kept; i < kPlaces; ++i) words[i] = {};
  GranuleStep::put(granule, words[0], words[1], words[2]);
  return true;
}

// Atomics have a release clock, and so a list; but most lie in the granule all the same, and this is their way where
// the list is short. Most accesses make a shadow word or two superfluous, the thread's own or those of whoever was
// ordered before it; what the list does not need any more stays as room there. False: it is another case, and nothing
// was done. Under the granule's lock; a list that has shadow words belongs to one granule, so it may be changed.
bool ShadowStore::renew_beside_release_clock(const Thread& thread, Granule& granule, HistoryId list,
                                             const WordAccess& access, uint32_t set_flags) {
  if (access.kind != AccessKind::kAtomicRead && access.kind != AccessKind::kAtomicWrite) return false;
  const OverflowList listed = list_at(list);
  const uint32_t flags = listed.flags();
  constexpr unsigned kFew = 6;
  if (listed.room() > kFew || kFew + kPlaces >= options_.history_cap || flags == 0 ||
      (flags & set_flags) != set_flags || GranuleFlags::in_spin(flags) != 0 || is_in_read_table(granule)) {
    return false;
  }
  if (thread.words_pack && ShadowWord::stack_fits(access.where)) {
    const unsigned spun = thread.spin_word_count == 0 ? 0 : spin_bytes_of(thread, access);
    if (AtomicStep(context_, segments_, thread, access, spun).take(granule, listed)) return true;
  }
  AccessHistory history;
  read_granule(granule, list, history);
  FoundRaces races;
  const uint8_t accessed = accessed_in_segment(thread, history, access);
  if (!HybridEngine::next(context_, thread, history, 0, accessed, access, races)) return true;
  const unsigned first = first_in_granule(thread, history, false, flags);
  if (races.count != 0 || first > listed.room()) return false;
  auto* words = const_cast<uint32_t*>(histories_.words(list));
  for (unsigned i = 0; i < listed.room(); ++i) {
    HybridEngine::store_past(words, i, i < first ? history.all[i] : PastAccess{});
  }
  put_in_granule(granule, history, first);
  return true;
}

// The same for what somebody waits for in a loop, on the shadow words as they lie in the list: any access but a free,
// or a write over an atomic. Those who wait are to hear of a write; `accessed`: which of its bytes its thread accessed
// in the segment before. It is HybridEngine::next() once more, as far as there is no race and the list has room.
bool ShadowStore::renew_waited_for(Thread& thread, const Granule& granule, HistoryId list, const WordAccess& access,
                                   uint32_t set_flags, uint8_t& accessed) {
  const OverflowList listed = list_at(list);
  const uint32_t flags = listed.flags();
  const bool ends_release_clock =
      access.kind == AccessKind::kWrite && (flags & GranuleFlags::release_clocks(access.mask)) != 0;
  constexpr unsigned kFew = 12;
  const unsigned room = listed.room();
  if (access.kind == AccessKind::kFree || ends_release_clock || room > kFew || kFew >= options_.history_cap ||
      (flags & set_flags) != set_flags || !GranuleStep::is_empty(granule) || is_in_read_table(granule)) {
    return false;
  }
  const bool write = is_write(access.kind);
  const bool counts_writes = write && follows_writes(options_);
  unsigned fresh = access.mask;
  unsigned before = access.increments ? access.mask : spin_bytes_of(thread, access);
  unsigned count = 0;
  for (unsigned i = 0; i < room; ++i) {
    if (listed.is_room(i)) continue;
    count = i + 1;
    const PastAccess s = listed.at(i);
    if (s.slot != thread.slot) {
      if (counts_writes && is_write(s.kind)) fresh |= access.mask & s.mask;
      continue;
    }
    if (s.time >= thread.segment_since) before |= s.mask;
    if (s.time == thread.time && stands_for(s.kind, access.kind)) fresh &= ~unsigned{s.mask};
  }
  accessed = static_cast<uint8_t>(access.mask & before);
  if (fresh == 0) return true;

  bool heeds = access.may_decide() && may_heed_now(thread);
  uint8_t left[kFew];
  unsigned kept = 0;
  unsigned continues = 0;
  for (unsigned i = 0; i < count; ++i) {
    const PastAccess s = listed.at(i);
    unsigned mask = s.mask;
    if (const unsigned common = mask & fresh; common != 0) {
      const auto locks_then = [&] { return s.lockset; };
      const KnownExactly known(context_, thread, s.slot, s.time, s.kind, locks_then);
      if (!known.is_strong()) {
        if (s.slot == thread.slot) return false;  // of another thread that had it
        if (heeds && known.is_full() && is_write(s.kind)) {
          heed_writes(thread, granule, list, access.mask);
          heeds = false;
          i = ~0u, kept = continues = 0;
          continue;
        }
      }
      const Related related = relate(AnyKind{access.kind}, PastKind{s.kind}, known);
      if (!related.agrees()) return false;
      if (related.covered == Covered::kYes) {
        mask &= ~common;
      }
    }
    if (counts_writes && is_write(s.kind)) {
      const unsigned handed_on = is_of_life(s.kind) ? 0u : mask | (s.adds & continues);
      continues = (continues & ~unsigned{s.mask}) | (handed_on & s.mask);
    }
    left[i] = static_cast<uint8_t>(mask);
    kept += mask != 0 ? 1 : 0;
  }
  if (kept == room) return false;
  kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (left[i] != 0) listed.move(i, kept++, left[i]);
  }
  listed.put(kept, {thread.slot, static_cast<uint8_t>(fresh), access.kind, thread.time, thread.lockset, access.where,
                    static_cast<uint8_t>(counts_writes ? accessed & continues & fresh : 0), thread.words_pack,
                    thread.words_locks});
  for (unsigned i = kept + 1; i < count; ++i) listed.put(i, {});
  return true;
}

bool ShadowStore::access_simply(Thread& thread, Granule& granule, const WordAccess& access) {
  if (!thread.words_pack || !ShadowWord::stack_fits(access.where)) return false;
  const bool counts_writes = is_write(access.kind) && follows_writes(options_);
  const unsigned fresh = GranuleStep::fresh_bytes(thread, granule, access.kind, access.mask, counts_writes);
  if (fresh == 0) return true;
  GranuleStep step(context_, segments_, thread, access.kind, fresh, access.increments, access.where);
  if (!step.take(granule)) return false;
  thread.epoch_used = true;
  return true;
}

// Paths 3 and 4: one access to one granule. `set_flags` are set with it.
void ShadowStore::access_granule(Thread& thread, Granule& granule, const WordAccess& access, SpinSignals& signals,
                                 uint32_t set_flags) {
  if (!thread.epoch_used) note_segment(thread);
  GranuleLock lock(granule);
  if (access.kind == AccessKind::kWrite && access.mask == kWholeGranule && !access.increments && may_heed_now(thread)) {
    take_out(thread, granule, lock.list, access.word);
  }
  const Shape shape = shape_of(granule, lock.list);
  if (uint8_t accessed = 0;
      shape == Shape::kWaitedFor && renew_waited_for(thread, granule, lock.list, access, set_flags, accessed)) {
    thread.epoch_used = true;
    if (!is_write(access.kind)) return remember_list(thread, granule, lock.list, access);
    const uint32_t flags = list_at(lock.list).flags();
    lock.unlock();
    return note_signals(thread, access, flags, accessed, signals);
  }
  if (access.may_decide() && may_heed_now(thread)) {
    heed_writes(thread, granule, lock.list, access.mask);
  }
  bool done = false;
  switch (shape) {
    case Shape::kEmpty:
      if (!prepare(access.word)) return no_memory_for_shadow();
      [[fallthrough]];
    case Shape::kPlain:
      if (set_flags == 0 && access_simply(thread, granule, access)) return;
      break;
    case Shape::kOverflow:
    case Shape::kReadList:
      done = set_flags == 0 && (renew_short_list(thread, granule, lock.list, access) ||
                                read_beside_list(thread, granule, lock.list, access));
      break;
    case Shape::kReadShared:
      done = set_flags == 0 && (read_in_own_row(thread, granule, lock.list, access) ||
                                read_beside_list(thread, granule, lock.list, access));
      break;
    case Shape::kAtomic:
      done = renew_beside_release_clock(thread, granule, lock.list, access, set_flags);
      break;
    case Shape::kOwned:
      done = set_flags == 0 && renew_owner(thread, granule, lock.list, access);
      break;
    case Shape::kWaitedFor:
      break;
  }
  if (done) {
    thread.epoch_used = true;
    if (access.kind == AccessKind::kAtomicRead) remember_list(thread, granule, lock.list, access);
    return;
  }
  access_generally(thread, granule, lock, access, signals, set_flags);
}

void ShadowStore::access_known_granule(Thread& thread, Granule& granule, const WordAccess& access) {
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  SpinSignals signals;
  access_granule(thread, granule, access, signals, 0);
  if (signals.count != 0) send(thread, signals);
}

// An access within one granule, by a thread whose check did not find it.
void ShadowStore::access_one(Thread& thread, AccessKind kind, Address begin, Address end, StackId where,
                             bool increments) {
  if (thread.ignoring != 0 || is_state_machine(options_.engine)) [[unlikely]]
    return access_from(thread, kind, begin, end, where, increments);
  const Inside inside(*this, thread);
  heed_tick_request(thread);
  const Address at = begin & ~(kGranuleBytes - 1);
  Granule* granule = shadow_.existing_granule(at);
  // Then no shadow word of it is renewed in passing.
  const bool waited_for = granule != nullptr && waited_for_in(*granule) != 0;
  if (!waited_for && renew_span(thread, kind, at, begin, end, where, increments) >= end) return;
  if (granule == nullptr) granule = shadow_.granule(at);
  if (granule == nullptr) return no_memory_for_shadow();
  SpinSignals signals;
  access_granule(thread, *granule, {kind, mask_in(at, begin, end), where, at, increments}, signals, 0);
  if (signals.count != 0) send(thread, signals);
}

void ShadowStore::use(Thread& thread, Address object, StackId where) {
  const Inside inside(*this, thread);
  use_inside(thread, object, where);
}

void ShadowStore::use_inside(Thread& thread, Address object, StackId where) {
  if (thread.ignoring != 0 || is_state_machine(options_.engine)) [[unlikely]] {
    step_outside(thread);
    access(thread, AccessKind::kAtomicRead, object, 1, where, true);
    return;
  }
  ++thread.accesses;
  heed_tick_request(thread);
  if (!thread.epoch_used) note_segment(thread);
  const Address at = object & ~(kGranuleBytes - 1);
  Granule* granule = shadow_.granule(at);
  if (granule == nullptr) return no_memory_for_shadow();
  const unsigned mask = bytes_in_granule(object, 1);
  auto place = [&](StackId& found) __attribute__((always_inline)) {
    found = where;
    return true;
  };
  if (thread.words_pack && (renew<AccessKind::kAtomicRead, false>(thread, *granule, at, mask, where) ||
                            renew_beside<AccessKind::kAtomicRead>(thread, *granule, at, mask, true, place))) {
    thread.epoch_used = true;
    return;
  }
  SpinSignals signals;
  access_granule(thread, *granule, {AccessKind::kAtomicRead, static_cast<uint8_t>(mask), where, at, true}, signals, 0);
}

// Paths 1 and 2 of all bytes of so many granules, as long as they have words and no list: how many, from the first on.
template <AccessKind Kind>
uint64_t ShadowStore::renew_alike(Thread& thread, Granule* granules, uint64_t count, Address at, bool increments,
                                  StackId where) {
  GranuleStep::Alike alike;
  const auto place = [&](StackId& found) __attribute__((always_inline)) {
    found = where;
    return true;
  };
  const auto take = [&](Granule& one) __attribute__((always_inline)) {
    return renew<Kind, true>(thread, one, at, kWholeGranule, where) ||
           contains_same_access(thread, one, Kind, kWholeGranule) ||
           renew_beside<Kind>(thread, one, at, kWholeGranule, increments, place);
  };
  uint64_t done = 0;
  while (done < count && alike.takes(granules[done], take) && alike.put(granules[done])) ++done;
  return done;
}

// Renews the shadow words of granules, from `at` on, as far as that goes; gives the first where it does not.
template <AccessKind Kind>
Address ShadowStore::renew_span(Thread& thread, Address at, Address begin, Address end, StackId where,
                                bool increments) {
  constexpr bool kPlain = Kind == AccessKind::kRead || Kind == AccessKind::kWrite;
  if (!ShadowWord::stack_fits(where)) return at;
  [[maybe_unused]] const GranuleStep::Strided<Kind> row(thread, where);
  [[maybe_unused]] const GranuleStep::Alone<Kind> alone(thread, where);
  const bool is_row = kPlain && end - begin >= 4 * kGranuleBytes;
  auto place = [&](StackId& found) __attribute__((always_inline)) {
    found = where;
    return true;
  };
  for (; at < end; at += kGranuleBytes) {
    Granule* granule = shadow_.existing_granule(at);
    const uint8_t mask = mask_in(at, begin, end);
    if (granule == nullptr) break;
    if constexpr (Kind == AccessKind::kWrite || Kind == AccessKind::kFree) {
      const auto prepare = [&](uint64_t i) { return is_prepared(at + i * kGranuleBytes); };
      if (const uint64_t done = mask == 0xff ? alone.renew(granule, whole_in_leaf(at, end), prepare) : 0; done != 0) {
        at += (done - 1) * kGranuleBytes;
        continue;
      }
    }
    if constexpr (kPlain) {
      if (owns(thread, *granule) &&
          (contains_same_access(thread, *granule, Kind, mask) || renew_owner<Kind>(thread, *granule, mask, where))) {
        continue;
      }
      if (mask == 0xff && (row.stands(*granule) || row.renew(*granule) || begin_row(row, *granule, at))) continue;
    }
    if (Kind == AccessKind::kRead && mask == 0xff && end - at >= 2 * kGranuleBytes && has_list(*granule)) {
      const uint64_t count = whole_in_leaf(at, end);
      if (const uint64_t together = read_together(thread, granule, at, count, 1, where, true); together != 0) {
        at += (together - 1) * kGranuleBytes;
        continue;
      }
    }
    if (is_row && mask == 0xff) {
      if (const uint64_t done = renew_alike<Kind>(thread, granule, whole_in_leaf(at, end), at, increments, where);
          done != 0) {
        at += (done - 1) * kGranuleBytes;
        continue;
      }
    }
    const bool renewed = mask == 0xff ? renew<Kind, true>(thread, *granule, at, mask, where)
                                      : renew<Kind, false>(thread, *granule, at, mask, where);
    if (!renewed && !contains_same_access(thread, *granule, Kind, mask) &&
        !renew_beside<Kind>(thread, *granule, at, mask, increments, place) &&
        !(kPlain && is_in_list(thread, *granule, Kind, mask)) &&
        !(Kind == AccessKind::kRead && read_in_place(thread, *granule, mask, increments, where))) {
      break;
    }
  }
  return at;
}

template <AccessKind Kind>
Address ShadowStore::access_range(Thread& thread, Address begin, Address end, StackId where) {
  thread.inside.store(true, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Address at = begin & ~(kGranuleBytes - 1);
  if (is_door_open()) at = renew_span<Kind>(thread, at, begin, end, where, false);
  step_outside(thread);
  if (at >= end) ++thread.accesses;
  return at < begin ? begin : at < end ? at : end;
}

template uint64_t ShadowStore::renew_alike<AccessKind::kRead>(Thread&, Granule*, uint64_t, Address, bool, StackId);
template uint64_t ShadowStore::renew_alike<AccessKind::kWrite>(Thread&, Granule*, uint64_t, Address, bool, StackId);
template Address ShadowStore::access_range<AccessKind::kRead>(Thread&, Address, Address, StackId);
template Address ShadowStore::access_range<AccessKind::kWrite>(Thread&, Address, Address, StackId);

Address ShadowStore::renew_span(Thread& thread, AccessKind kind, Address at, Address begin, Address end, StackId where,
                                bool increments) {
  if (!may_renew(thread)) return at;
  switch (kind) {
    case AccessKind::kRead:
      return renew_span<AccessKind::kRead>(thread, at, begin, end, where, increments);
    case AccessKind::kWrite:
      return renew_span<AccessKind::kWrite>(thread, at, begin, end, where, increments);
    case AccessKind::kAtomicRead:
      return renew_span<AccessKind::kAtomicRead>(thread, at, begin, end, where, increments);
    case AccessKind::kFree:
      return renew_span<AccessKind::kFree>(thread, at, begin, end, where, increments);
    default:
      return at;
  }
}

// The same as the other one, under the granule's lock.
bool ShadowStore::renew_owner(const Thread& thread, Granule& granule, HistoryId list, const WordAccess& access) const {
  if (thread.owned_layout != granule.cells[1].load(std::memory_order_relaxed) ||
      !ShadowWord::stack_fits(access.where)) {
    return false;
  }
  if (access.kind == AccessKind::kRead) {
    put_in_owner_table<AccessKind::kRead>(thread, granule, list, access.mask, access.where);
  } else if (access.kind == AccessKind::kWrite) {
    put_in_owner_table<AccessKind::kWrite>(thread, granule, list, access.mask, access.where);
  } else {
    return false;
  }
  return true;
}

// Path 4.
void ShadowStore::access_generally(Thread& thread, Granule& granule, GranuleLock& lock, const WordAccess& access,
                                   SpinSignals& signals, uint32_t set_flags) {
  const bool plain_write = access.kind == AccessKind::kWrite || access.kind == AccessKind::kFree;
  FoundRaces races;
  AccessHistory history;
  const uint32_t flags = read_granule(granule, lock.list, history);
  ReadBlock* block = is_in_read_table(granule) ? read_table_.find(access.word) : nullptr;
  if (block != nullptr) add_own_reads(thread, *block, access.word, history);
  const uint8_t in_spin = GranuleFlags::in_spin(flags);
  const uint8_t accessed = accessed_in_segment(thread, history, access);
  if (block != nullptr && access.kind != AccessKind::kRead) {
    judge_read_table(thread, *block, HybridEngine::fresh_bytes(context_, thread, history, access), access, races);
  }
  const bool changed = HybridEngine::next(context_, thread, history, in_spin, accessed, access, races);
  uint32_t ended = plain_write ? GranuleFlags::release_clocks_within(access.mask) : 0;
  if (access.kind == AccessKind::kFree) ended |= GranuleFlags::spinning(access.mask);
  const uint32_t new_flags = (flags & ~ended) | set_flags;
  if (changed || new_flags != flags) {
    thread.epoch_used |= changed;
    disown(granule, lock.list);
    put_reads(thread, granule, block, access, history, new_flags);
    write_granule(thread, granule, access.word, lock.list, history, new_flags);
  }
  if (races.count == 0) remember_list(thread, granule, lock.list, access);
  lock.unlock();
  if (flags != 0) {
    if (plain_write && (flags & GranuleFlags::release_clocks(access.mask)) != 0) end_release_clocks_of(access);
    if (is_write(access.kind) && access.kind != AccessKind::kFree)
      note_signals(thread, access, flags, accessed, signals);
  }
  if (races.count != 0) report_races(thread, races);
}

unsigned ShadowStore::spin_bytes_of(const Thread& thread, const WordAccess& access) {
  return spin_bytes_read(thread, access.word) | unsigned{spin_bytes_read(thread, access.word + kWordBytes)}
                                                    << kWordBytes;
}

uint8_t ShadowStore::accessed_in_segment(const Thread& thread, const AccessHistory& history, const WordAccess& access) {
  if (access.increments) return access.mask;
  const unsigned accessed = HybridEngine::accessed_in_segment(history, thread) | spin_bytes_of(thread, access);
  return static_cast<uint8_t>(access.mask & accessed);
}

// Those who wait in a loop for bytes that were written are to hear of it.
void ShadowStore::note_signals(Thread& thread, const WordAccess& access, uint32_t flags, unsigned adds,
                               SpinSignals& signals) {
  const auto waited_for = static_cast<uint8_t>(GranuleFlags::in_spin(flags) & access.mask);
  if (waited_for == 0) return;
  add_signal(thread, signals, {access.word, waited_for, static_cast<uint8_t>(adds & waited_for)});
}

}  // namespace norn
