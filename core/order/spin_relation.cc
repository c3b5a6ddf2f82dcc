// Spinning reads (thesis ch. 7). A byte that somebody waits for in a loop is in state spin from the first such read on:
// writes to it then release into its object, and the loop's exit acquires what the reads found there. A write from
// before that time left only its shadow word; what its thread knew then is looked up among the slot's last versions.
#include "core/order/relations.h"

namespace norn {
namespace {

// The bytes of [begin, end) that lie in the word.
uint8_t word_mask(Address word, Address begin, Address end) {
  const unsigned from = begin > word ? static_cast<unsigned>(begin - word) : 0;
  const unsigned to = end < word + kWordBytes ? static_cast<unsigned>(end - word) : kWordBytes;
  return static_cast<uint8_t>(((1u << to) - 1) & ~((1u << from) - 1));
}

}  // namespace

void Relations::note_spin_word(Thread& thread, Address word, uint8_t mask) {
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
// segment goes on, and take its shadow word away.
void Relations::note_bytes(Thread& thread, Address address, uint64_t size) {
  for (Address word = address & ~(kWordBytes - 1); word < address + size; word += kWordBytes) {
    note_spin_word(thread, word, word_mask(word, address, address + size));
  }
}

uint8_t Relations::spin_bytes_read(const Thread& thread, Address word) {
  for (unsigned i = 0; i < thread.spin_word_count; ++i) {
    if (thread.spin_words[i].word == word) return thread.spin_words[i].mask;
  }
  return 0;
}

// Adds what a thread knew at `time`, or when that began. It is found among the slot's last versions; if it is too long
// ago, the oldest still there is taken: that orders more than it should, so it can hide a race but not make one.
void Relations::add_version(Slot slot, ClockValue time, bool at_beginning, VectorClocks& clocks) {
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
void Relations::add_counterpart(Slot slot, ClockValue time, VectorClocks& clocks) {
  add_version(slot, time, false, clocks);
  if (!clocks.raise(arena_, slot, time)) no_memory_for_clocks();
  if (Thread* writer = find(slots_.tenant(slot, time)); writer != nullptr) {
    ClockValue wanted = writer->tick_wanted.load(std::memory_order_relaxed);
    while (wanted < time && !writer->tick_wanted.compare_exchange_weak(wanted, time, std::memory_order_relaxed)) {
    }
    make_look_again(*writer);
  }
}

void Relations::spin_leave(Thread& thread) {
  if (!options_.spin) return;
  const Inside inside(*this, thread);
  begin_sync(thread);
  if ((thread.ignoring & kIgnoreSync) == 0) acquire(thread, thread.spun);
  thread.spun.clear(arena_);
}

// Adds what everybody else did so far.
void Relations::add_all(const Thread& thread, VectorClocks& found) {
  for (Thread* t = first_thread(); t != nullptr; t = t->next) {
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

void Relations::come_after_all(Thread& thread) {
  const Inside inside(*this, thread);
  begin_sync(thread);
  if ((thread.ignoring & kIgnoreSync) != 0) return;
  VectorClocks found;
  add_all(thread, found);
  acquire(thread, found);
  found.clear(arena_);
}

void Relations::cut(Thread& thread) {
  const Inside inside(*this, thread);
  if (thread.epoch_used) tick(thread);
}

void Relations::send(Thread& thread, SpinSignals& signals) {
  const Published published = publish_strongly(thread);
  VectorClocks now;
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
