// Spinning reads (thesis ch. 7). A byte that somebody waits for in a loop is in state spin from the first such read on:
// writes to it then release into its object, and the loop's exit acquires what the reads found there. A write from
// before that time left only its stamp; what its thread knew then is looked up among the slot's last versions.
#include "core/detector.h"

namespace norn {
namespace {

// The bytes of [begin, end) that lie in the word.
uint8_t word_mask(Address word, Address begin, Address end) {
  const unsigned from = begin > word ? static_cast<unsigned>(begin - word) : 0;
  const unsigned to = end < word + kWordBytes ? static_cast<unsigned>(end - word) : kWordBytes;
  return static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
}

}  // namespace

void Detector::note_spin_word(Thread& thread, Address word, uint8_t mask) {
  for (unsigned i = 0; i < thread.spin_word_count; ++i) {
    if (thread.spin_words[i].word != word) continue;
    thread.spin_words[i].mask |= mask;
    return;
  }
  // More words than fit at once between two synchronization events: the last ones count.
  if (thread.spin_word_count == Thread::kSpinWords) {
    for (unsigned i = 1; i < Thread::kSpinWords; ++i) thread.spin_words[i - 1] = thread.spin_words[i];
    --thread.spin_word_count;
  }
  thread.spin_words[thread.spin_word_count++] = {word, mask};
}

// Of a spinning read; and of the atomic that begins a segment: who is ordered after that may write over it while the
// segment goes on, and take its stamp away.
void Detector::note_bytes(Thread& thread, Address address, uint64_t size) {
  for (Address word = address & ~(kWordBytes - 1); word < address + size; word += kWordBytes) {
    note_spin_word(thread, word, word_mask(word, address, address + size));
  }
}

uint8_t Detector::spin_bytes_read(const Thread& thread, Address word) {
  for (unsigned i = 0; i < thread.spin_word_count; ++i) {
    if (thread.spin_words[i].word == word) return thread.spin_words[i].mask;
  }
  return 0;
}

// Adds what a thread knew at `time`, or when that began. It is found among the slot's last versions; if it is too long
// ago, the oldest still there is taken: that orders more than it should, so it can hide a race but not make one.
void Detector::add_version(Slot slot, Time time, bool at_beginning, Clocks& clocks) {
  Versions* versions = __atomic_load_n(&versions_[slot], __ATOMIC_ACQUIRE);
  if (versions == nullptr) return;
  const SpinLock lock(versions->mutex);
  if (versions->count == 0) return;
  auto since = [&](unsigned i) { return versions->at(i).since; };
  unsigned i = versions->count - 1;
  while (i > 0 && since(i) > time) --i;
  while (at_beginning && i > 0 && since(i) == time && since(i - 1) == time) --i;
  if (!clocks.join(arena_, versions->at(i).clocks)) no_memory_for_clocks();
}

// Adds what a thread knew and did by the end of its segment at `time`. What the thread does next must not count any
// more: it is asked to begin a new time.
void Detector::add_counterpart(Slot slot, Time time, Clocks& clocks) {
  add_version(slot, time, false, clocks);
  if (!clocks.raise(arena_, slot, time)) no_memory_for_clocks();
  if (Thread* writer = find(slots_.tenant(slot, time)); writer != nullptr) {
    Time wanted = writer->tick_wanted.load(std::memory_order_relaxed);
    while (wanted < time && !writer->tick_wanted.compare_exchange_weak(wanted, time, std::memory_order_relaxed)) {
    }
    make_look_again(*writer);
  }
}

// The same as begin_spinning(), for the state machines; the history before tells what was done before.
unsigned Detector::begin_spinning_word(Thread& thread, Cell& cell, Address word, unsigned mask, HistoryId& before) {
  before = cell.load(std::memory_order_acquire);
  for (;;) {
    uint32_t words[Histories::kMaxWords];
    const unsigned count = before == kUntouched ? MsmEngine::kHeaderWords : histories_.count(before);
    for (unsigned i = 0; i < count; ++i) words[i] = before == kUntouched ? 0 : histories_.words(before)[i];
    const unsigned fresh = mask & ~words[0];
    if (fresh == 0) return 0;
    words[0] |= mask;
    const HistoryId after = histories_.make(thread.room, words, count);
    if (after == kUntouched) return 0;
    const HistoryId found = before;
    if (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) continue;
    note_change(word, found);
    return fresh;
  }
}

void Detector::spin_read_granule(Thread& thread, Address at, unsigned mask, bool in_loop) {
  Granule* granule = prepare(at) ? shadow_.granule(at) : nullptr;
  if (granule == nullptr) return no_memory_for_shadow();
  auto* object = object_of<SpinObject>(thread, at, SyncFamily::kSpin);
  if (object == nullptr) return no_memory_for_clocks();
  // Whoever sets a flag fills the object before anyone else can lock it: a writer that sees the flag comes after.
  const SpinLock lock(object->mutex);
  SpinMessages& messages = object->spin;
  const bool machine = is_state_machine(options_.engine);
  AccessHistory stamps;
  HistoryId before[kGranuleBytes / kWordBytes] = {};
  unsigned fresh = 0;
  if (machine) {
    for (unsigned word = 0; word < kGranuleBytes / kWordBytes; ++word) {
      const unsigned shift = word * kWordBytes;
      const unsigned bytes = mask >> shift & kInSpin;
      if (bytes == 0) continue;
      fresh |= begin_spinning_word(thread, granule->cells[word], at + shift, bytes, before[word]) << shift;
    }
  } else {
    fresh = begin_spinning(thread, *granule, at, mask, stamps);
  }
  for (unsigned byte = 0; byte < kGranuleBytes; ++byte) {
    if ((fresh >> byte & 1) == 0) continue;
    Clocks found;
    bool complete = false;
    if (machine) {
      MsmEngine::signal(histories_, threadsets_, before[byte / kWordBytes], byte % kWordBytes,
                        [&](Slot slot, Time time) {
                          add_counterpart(slot, time, found);
                          complete = true;
                        });
    } else {
      HybridEngine::signal(stamps, byte, [&](const PastAccess& s) {
        add_counterpart(s.slot, s.time, found);
        complete = (s.adds >> byte & 1) == 0;
        return true;
      });
    }
    if (!complete && writes_forgotten_.load(std::memory_order_relaxed)) add_all(thread, found);
    if (!messages.assign(arena_, 1u << byte, found)) no_memory_for_clocks();
    found.clear(arena_);
  }
  if (fresh != 0) messages.unite(arena_);
  if (!in_loop && !messages.collect(arena_, mask, thread.spun)) no_memory_for_clocks();
}

void Detector::spin_read(Thread& thread, Address address, uint64_t size, StackId where, bool in_loop) {
  if (!options_.spin) return read(thread, address, size, where);
  const Inside inside(*this, thread);
  ++thread.accesses;
  if (thread.recording) record(thread, AccessKind::kRead, address, size);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  // Of bytes that the thread has read at its present time nothing is to be heeded any more: the condition of a loop
  // around a wait was read as any other data a moment ago.
  if (may_heed_now(thread) && !is_known(thread, AccessKind::kRead, address, size)) heed_range(thread, address, size);
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    spin_read_granule(thread, at, mask_in(at, address, address + size), in_loop);
  }
  note_bytes(thread, address, size);
}

void Detector::spin_leave(Thread& thread) {
  if (!options_.spin) return;
  const Inside inside(*this, thread);
  begin_sync(thread);
  if ((thread.ignoring & kIgnoreSync) == 0) acquire(thread, thread.spun);
  thread.spun.clear(arena_);
}

void Detector::find_unordered_writes(Thread& thread, AccessKind kind, Address address, uint64_t size, StackId where,
                                     void (*visit)(const RacingPair& pair)) {
  if (is_state_machine(options_.engine) || blind_.load(std::memory_order_relaxed)) return;
  const Inside inside(*this, thread);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  FoundRaces races;
  for (Address at = address & ~(kGranuleBytes - 1); at < address + size; at += kGranuleBytes) {
    Granule* granule = shadow_.existing_granule(at);
    if (granule == nullptr) continue;
    const WordAccess access = {kind, mask_in(at, address, address + size), where, at, false};
    AccessHistory stamps;
    {
      const GranuleLock lock(*granule);
      read_granule(*granule, lock.list, stamps);
    }
    for (unsigned i = 0; i < stamps.count; ++i) {
      const PastAccess& s = stamps.all[i];
      const auto common = static_cast<uint8_t>(s.mask & access.mask);
      if (common == 0 || s.kind == AccessKind::kFree || !conflicts(kind, s.kind)) continue;
      if (ordered_before(thread.clocks.full, thread, s.slot, s.time)) continue;
      RacingPair* pair = races.add();
      if (pair == nullptr) break;
      pair->standing = Standing::kObserved;
      const StackId written = context_.per_byte->at(s.where, static_cast<unsigned>(__builtin_ctz(common)));
      describe_pair(context_, *pair, thread, access, common, s.kind, s.slot, s.time, s.lockset, written);
    }
  }
  for (unsigned i = 0; i < races.count; ++i) {
    const RacingPair& pair = races.pairs[i];
    const bool counts = listener_.counts == nullptr || listener_.counts(listener_.context, pair);
    if (counts && !is_benign(pair)) visit(pair);
  }
}

bool Detector::is_waited_for(Address at) const {
  if (is_state_machine(options_.engine)) return false;
  const Granule* granule = shadow_.existing_granule(at & ~(kGranuleBytes - 1));
  return granule != nullptr && waited_for_in(*granule) != 0;
}

// Adds what everybody else did so far.
void Detector::add_all(const Thread& thread, Clocks& found) {
  for (Thread* t = threads_.load(std::memory_order_acquire); t != nullptr; t = t->next) {
    if (t == &thread) continue;
    add_counterpart(__atomic_load_n(&t->slot, __ATOMIC_RELAXED), __atomic_load_n(&t->time, __ATOMIC_RELAXED), found);
  }
  // Of threads that ended nothing else may be left.
  for (unsigned i = 0; i < slots_.used(); ++i) {
    const auto slot = static_cast<Slot>(i);
    if (!slots_.has_ended(slot)) continue;
    add_version(slot, slots_.last(slot), false, found);
    if (!found.raise(arena_, slot, slots_.last(slot))) no_memory_for_clocks();
  }
}

void Detector::come_after_all(Thread& thread) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  if ((thread.ignoring & kIgnoreSync) != 0) return;
  Clocks found;
  add_all(thread, found);
  acquire(thread, found);
  found.clear(arena_);
}

void Detector::cut(Thread& thread) {
  const Inside inside(*this, thread);
  if (thread.stamped) tick(thread);
}

void Detector::send(Thread& thread, SpinSignals& signals) {
  const Published published = publish_strongly(thread);
  Clocks now;
  if (!now.assign(arena_, thread.clocks)) no_memory_for_clocks();
  add_published(published, now);
  for (unsigned i = 0; i < signals.count; ++i) {
    const SpinSignals::Signal& signal = signals.granules[i];
    auto* object = object_of<SpinObject>(thread, signal.granule, SyncFamily::kSpin);
    if (object == nullptr) {
      no_memory_for_clocks();
      break;
    }
    const SpinLock lock(object->mutex);
    const unsigned sets = signal.mask & ~unsigned{signal.adds};
    if ((sets != 0 && !object->spin.assign(arena_, sets, now)) ||
        (signal.adds != 0 && !object->spin.join(arena_, signal.adds, now))) {
      no_memory_for_clocks();
    }
  }
  now.clear(arena_);
  signals.count = 0;
}

}  // namespace norn
