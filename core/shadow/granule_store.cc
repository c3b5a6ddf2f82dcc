// How what a granule remembers is read and written again.
#include "core/shadow/granule_store.h"

#include "base/bytes.h"

namespace norn {
namespace {

constexpr unsigned kPlaces = GranuleWords::kPlaces;
constexpr unsigned kNoPlace = GranuleWords::kNoPlace;

LocksCode locks_at(uint32_t second, unsigned place) { return GranuleWords::locks_at(second, place); }

// For how many shadow words a list of so many has room: some more, if it is not the first.
unsigned room_of_list(unsigned count) {
  constexpr unsigned kLeast = 5;
  const unsigned wanted = count < 2 ? count : count < kLeast - 1 ? kLeast : count + count / 2;
  const unsigned words = OverflowList::words_for(wanted < AccessHistory::kMax ? wanted : AccessHistory::kMax);
  return (Histories::room_of(words) - HybridEngine::kHeaderWords) / HybridEngine::kPastWords;
}

}  // namespace

bool GranuleStore::init_store() {
  const bool ready = shadow_.init(arena_, options_.shadow_at) && histories_.init(arena_, options_.log2_histories) &&
                     threadsets_.init(arena_, 10, 31);
  context_ = {&options_,  &segments_, &histories_,          &threadsets_,
              &locksets_, &slots_,    &accesses_forgotten_, &per_byte_stacks_};
  per_byte_stacks_.init(arena_);
  read_table_.init(arena_, shadow_, options_.memory_limit / 2);
  return ready && (is_state_machine(options_.engine) || make_shared_lists());
}

// Under its lock. Gives its flags.
uint32_t GranuleStore::read_granule(const Granule& granule, HistoryId list, AccessHistory& history) const {
  history.count = history.overwritten = 0;
  uint32_t flags = 0;
  if (is_owned(granule, list)) {
    owner_table_at(list).for_each(
        [&](ShadowWord word) { history.all[history.count++] = PastAccess::unpacked(segments_, word, LocksCode{0}); });
    history.listed = history.count;
    return flags;
  }
  if (list != kUntouched) {
    const OverflowList listed = list_at(list);
    flags = listed.flags();
    for (unsigned i = 0; i < listed.room(); ++i) {
      if (!listed.is_room(i)) history.all[history.count++] = listed.at(i);
    }
  }
  history.listed = history.count;
  const uint32_t second = granule.cells[1].load(std::memory_order_relaxed);
  const auto add = [&](unsigned place) {
    const ShadowWord word = granule.words[place].load(std::memory_order_relaxed);
    if (!word.is_none()) history.all[history.count++] = PastAccess::unpacked(segments_, word, locks_at(second, place));
  };
  unsigned ordered = 0;
  for (unsigned i = 0; i < kPlaces; ++i) {
    const unsigned place = second >> 2 * i & 3;
    if (place == kNoPlace) break;
    ordered |= 1u << place;
    add(place);
  }
  // What was put there without the lock, at the same time as something else.
  for (unsigned place = 0; place < kPlaces && (second & kInReadTable) == 0; ++place) {
    if ((ordered >> place & 1) == 0) add(place);
  }
  if (history.count > AccessHistory::kMax) [[unlikely]] {
    context_.forgotten->fetch_add(history.count - AccessHistory::kMax, std::memory_order_relaxed);
    history.forget_oldest(history.count - AccessHistory::kMax);
  }
  return flags;
}

// The list that the first so many shadow words and these flags make: the one that there was, if it has room for them.
// If there is no memory they are lost. One that has become empty or nearly so keeps its room until it is found to be
// so: what many threads have read, they often read again after it was written.
HistoryId GranuleStore::make_list(Thread& thread, HistoryId before, const AccessHistory& history, unsigned count,
                                  uint32_t flags) {
  constexpr unsigned kMany = 12;
  const unsigned room = room_of_list(count);
  const unsigned room_before = before == kUntouched ? 0 : list_at(before).room();
  const bool in_use = flags == 0 && room_before >= kMany && history.listed >= room_before / 4;
  if (count == 0 && flags == 0 && !in_use) return kUntouched;
  const HistoryId shared = clock_list(flags);
  if (count == 0 && shared != kUntouched) return shared;
  if ((in_use && room_before >= count) || histories_.resize(before, OverflowList::words_for(room))) {
    list_at(before).fill(history.all, count, flags);
    return before;
  }
  const HistoryId made = histories_.reserve(thread.room, OverflowList::words_for(room));
  if (histories_.wants_collection()) [[unlikely]]
    want_collection();
  if (made == kUntouched) {
    if (shared != kUntouched) return shared;
    // Who waits for the bytes would not hear of their writes.
    if (flags != 0 && (before == kUntouched || list_at(before).flags() != flags)) no_memory_for_clocks();
    return before;
  }
  list_at(made).fill(history.all, count, flags);
  return made;
}

// Of a granule with flags no check may let an access pass. Those of atomics do not stand for plain ones; and a plain
// one that is ordered before what the thread does now is of a time that has passed.
bool GranuleStore::may_lie_beside_release_clock(const Thread& thread, const PastAccess& past) {
  if (past.kind == AccessKind::kAtomicRead || past.kind == AccessKind::kAtomicWrite) return true;
  if (is_own(thread, past.slot, past.time)) return past.time != thread.time;
  return thread.clocks.full.get(past.slot) >= past.time;
}

// From which shadow word on they have room in the granule itself.
unsigned GranuleStore::first_in_granule(const Thread& thread, AccessHistory& history, bool in_table,
                                        uint32_t flags) const {
  const bool release_clocks = clock_list(flags) != kUntouched;
  const unsigned places = flags == 0 ? (in_table ? 1 : kPlaces) : release_clocks && !in_table ? kPlaces : 0;
  unsigned first = history.count;
  while (first > history.overwritten && history.count - first < places) {
    PastAccess& past = history.all[first - 1];
    find_whether_it_packs(past);
    if (!past.fits() || (release_clocks && !may_lie_beside_release_clock(thread, past))) break;
    --first;
  }
  return first;
}

// The last of the shadow words, which have room in the granule.
void GranuleStore::put_in_granule(Granule& granule, const AccessHistory& history, unsigned first) {
  GranuleWords::Kept kept[kPlaces] = {};
  for (unsigned i = first; i < history.count; ++i) kept[i - first] = {history.all[i].packed(), history.all[i].locks};
  if (is_in_read_table(granule)) {
    put_beside_table(granule, kept[0]);
  } else {
    GranuleWords::put(granule, kept[0], kept[1], kept[2]);
  }
}

// Where all is the thread's own, made without locks: an owner table. False: it is not, or there is no memory.
bool GranuleStore::make_owned(Thread& thread, Granule& granule, HistoryId& list, const AccessHistory& history) {
  if (thread.owned_layout == GranuleLayout::kOwnedByNobody) return false;
  for (unsigned i = 0; i < history.count; ++i) {
    if (!OwnerTable::may_hold(thread, history.all[i])) return false;
  }
  const HistoryId made = histories_.reserve(thread.room, OwnerTable::kWords);
  if (histories_.wants_collection()) [[unlikely]]
    want_collection();
  if (made == kUntouched) return false;
  auto* words = const_cast<uint32_t*>(histories_.words(made));
  OwnerTable(words).fill(words, history);
  GranuleWords::clear(granule);
  granule.cells[1].store(thread.owned_layout, std::memory_order_relaxed);
  list = made;
  return true;
}

// Under its lock, of which `list` is part.
void GranuleStore::write_granule(Thread& thread, Granule& granule, Address address, HistoryId& list,
                                 AccessHistory& history, uint32_t flags) {
  if (history.count > kPlaces) HybridEngine::consolidate(context_, history);
  const bool in_table = is_in_read_table(granule);
  const unsigned first = first_in_granule(thread, history, in_table, flags);
  const HistoryId before = list;
  if (first != 0 && flags == 0 && !in_table && make_owned(thread, granule, list, history)) {
    if (before == kUntouched || histories_.is_old(before)) shadow_.note_change(address);
    return;
  }
  if (before != kUntouched || first != 0 || flags != 0) {
    list = make_list(thread, is_shared(before) ? kUntouched : before, history, first, flags);
  }
  if (list == kUntouched && in_table) list = empty_list_;
  if (list != before && (before == kUntouched || histories_.is_old(before))) shadow_.note_change(address);

  put_in_granule(granule, history, first);
}

// The one shadow word that a granule has beside its reads in rows, if any. The copies of those go.
void GranuleStore::put_beside_table(Granule& granule, const GranuleWords::Kept& kept) {
  for (unsigned place = 0; place < kPlaces; ++place) {
    granule.words[place].store(place == GranuleWords::kBesideTable ? kept.word : ShadowWord(),
                               std::memory_order_relaxed);
  }
  const uint32_t order =
      kept.word.is_none() ? GranuleWords::kNoOrder : (GranuleWords::kNoOrder & ~3u) | GranuleWords::kBesideTable;
  granule.cells[1].store(order | kInReadTable | GranuleWords::locks_in(GranuleWords::kBesideTable, kept.locks),
                         std::memory_order_relaxed);
}

// Writes only where nobody waits for the bytes, since then each of them counts.
void GranuleStore::remember_list(Thread& thread, const Granule& granule, HistoryId list, const WordAccess& access) {
  const bool write = access.kind == AccessKind::kWrite;
  const bool atomic_read = access.kind == AccessKind::kAtomicRead;
  if (list == kUntouched || is_shared(list)) return;
  if (!atomic_read && (write ? list_at(list).flags() != 0 : access.kind != AccessKind::kRead)) return;
  if (thread.known == nullptr) thread.known = arena_.create<KnownLists>();
  if (thread.known == nullptr) return;
  if (const uint64_t now = collections(); thread.known->collections != now) {
    fill_zero(thread.known, sizeof *thread.known);
    thread.known->collections = now;
  }
  KnownLists::Entry& entry = thread.known->of(&granule);
  if (entry.granule != &granule || entry.list != list || entry.time != thread.time || entry.slot != thread.slot) {
    entry = {&granule, list, thread.time, thread.slot, 0, 0, 0};
  }
  if (atomic_read) {
    entry.atomic_reads |= access.mask;
    return;
  }
  entry.reads |= access.mask;
  if (write) entry.writes |= access.mask;
}

// What was done to these bytes of the granule does not count any more.
void GranuleStore::clear_granule(Thread& thread, Granule& granule, Address address, unsigned mask) {
  if (mask == 0xff && clear_simple_granule(granule)) return;
  if (granule.cells[0].load(std::memory_order_relaxed) == kUntouched && GranuleWords::is_empty(granule)) return;
  GranuleLock lock(granule);
  if (mask == 0xff) {
    close_read_table(granule);
    GranuleWords::clear(granule);
    lock.list = kUntouched;
    return;
  }
  clear_read_table(granule, address, mask);
  AccessHistory history;
  uint32_t flags = read_granule(granule, lock.list, history);
  disown(granule, lock.list);
  flags &= ~GranuleFlags::spinning(mask);
  unsigned kept = 0;
  for (unsigned i = 0; i < history.count; ++i) {
    PastAccess s = history.all[i];
    s.mask = static_cast<uint8_t>(s.mask & ~mask);
    s.adds &= s.mask;
    if (s.mask != 0) history.all[kept++] = s;
  }
  history.count = kept;
  lock.list = kUntouched;  // another list: what threads know of the old one ends
  write_granule(thread, granule, address, lock.list, history, flags);
}

// Somebody waits for these bytes from here on. Gives those for which nobody did, and what was remembered before.
unsigned GranuleStore::begin_spinning(Thread& thread, Granule& granule, Address address, unsigned mask,
                                      AccessHistory& history) {
  // Once it is known it stays so, as long as the memory is what it was.
  if ((mask & ~unsigned{waited_for_in(granule)}) == 0) return 0;
  GranuleLock lock(granule);
  const uint32_t flags = lock.list == kUntouched ? 0 : list_at(lock.list).flags();
  const unsigned fresh = mask & ~unsigned{GranuleFlags::in_spin(flags)};
  if (fresh == 0) return 0;
  // Who puts a word into the granule at this moment, without its lock, looks at that afterwards: it sees that it is
  // locked, or its word is seen here (GranuleStep::put_unlocked()).
  if (!kOneAtATime && core_barrier != nullptr) core_barrier();
  read_granule(granule, lock.list, history);
  disown(granule, lock.list);
  take_from_read_table(granule, address, history);
  write_granule(thread, granule, address, lock.list, history, flags | GranuleFlags::spinning(mask));
  return fresh;
}

unsigned GranuleStore::accesses_at(Address address) {
  Granule* granule = shadow_.existing_granule(address);
  if (granule == nullptr) return 0;
  const GranuleLock lock(*granule);
  AccessHistory history;
  read_granule(*granule, lock.list, history);
  return history.count + reads_in_table(*granule, address);
}

bool GranuleStore::is_waited_for(Address at) const {
  if (is_state_machine(options_.engine)) return false;
  const Granule* granule = shadow_.existing_granule(at & ~(kGranuleBytes - 1));
  return granule != nullptr && waited_for_in(*granule) != 0;
}

bool GranuleStore::holds_atomic(Address address) {
  const Granule* granule = shadow_.existing_granule(address);
  if (granule == nullptr) return false;
  const auto word = static_cast<unsigned>(address % kGranuleBytes / kWordBytes);
  const bool machine = is_state_machine(options_.engine);
  const HistoryId history =
      machine ? granule->cells[word].load(std::memory_order_acquire) : GranuleLock::list_of(*granule);
  if (history == kUntouched) return false;
  const uint32_t wanted = machine ? uint32_t{kHasReleaseClock} : GranuleFlags::of_word(word, kHasReleaseClock);
  return (histories_.words(history)[0] & wanted) != 0 && sync_.find(address, SyncFamily::kAtomic) != nullptr;
}

}  // namespace norn
