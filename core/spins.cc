// Spinning reads (thesis ch. 7). A word that somebody waits for in a loop is in state spin from the first such read on:
// writes to it then release into its object, and the loop's exit acquires what the reads found there. A write from
// before that time left only its stamp; what its thread knew then is looked up among the slot's last versions.
#include "core/detector.h"

namespace norn {

void Detector::note_spin_word(Thread& thread, Address word) {
  if (has_read_spin_word(thread, word)) return;
  // More words than fit at once between two synchronization events: the last ones count.
  if (thread.spin_word_count == Thread::kSpinWords) {
    for (unsigned i = 1; i < Thread::kSpinWords; ++i) thread.spin_words[i - 1] = thread.spin_words[i];
    --thread.spin_word_count;
  }
  thread.spin_words[thread.spin_word_count++] = word;
}

bool Detector::has_read_spin_word(const Thread& thread, Address word) {
  for (unsigned i = 0; i < thread.spin_word_count; ++i) {
    if (thread.spin_words[i] == word) return true;
  }
  return false;
}

// Adds what a thread knew and did by the end of its segment at `time`. What it knew is found among the slot's last
// versions; if that is too long ago, the oldest still there is taken: that orders more than it should, so it can hide a
// race but not make one. What the thread does next must not count any more: it is asked to begin a new time.
void Detector::add_counterpart(Slot slot, Time time, Clocks& clocks) {
  Versions* versions = __atomic_load_n(&versions_[slot], __ATOMIC_ACQUIRE);
  bool complete = true;
  if (versions != nullptr) {
    const SpinLock lock(versions->mutex);
    for (unsigned i = versions->count; i > 0; --i) {
      const Version& version = versions->ring[(versions->first + i - 1) % Versions::kCount];
      if (version.since > time && i > 1) continue;
      complete = clocks.join(arena_, version.clocks);
      break;
    }
  }
  if (!clocks.raise(arena_, slot, time) || !complete) no_memory_for_clocks();
  if (Thread* writer = find(slots_.tenant(slot, time)); writer != nullptr) {
    writer->tick_wanted.store(true, std::memory_order_relaxed);
    writer->fast.generation.fetch_add(1, std::memory_order_relaxed);  // whatever it holds for known, it looks again
  }
}

void Detector::spin_read_word(Thread& thread, Address word, bool in_loop) {
  Cell* found = shadow_.prepare(word) ? shadow_.cell(word) : nullptr;
  if (found == nullptr) return no_memory_for_shadow();
  Cell& cell = *found;
  SyncObject* object = sync_.get(word, SyncFamily::kSpin);
  if (object == nullptr) return no_memory_for_clocks();
  // Whoever sets the flag fills the object before anyone else can lock it: a writer that sees the flag comes after.
  const SpinLock lock(object->mutex);
  const bool msm = is_state_machine(options_.engine);
  HistoryId before = cell.load(std::memory_order_acquire);
  for (;;) {
    uint32_t words[Histories::kMaxWords];
    const unsigned header = msm ? MsmEngine::kHeaderWords : HybridEngine::kHeaderWords;
    const unsigned count = before == kUntouched ? header : histories_.count(before);
    for (unsigned i = 0; i < count; ++i) words[i] = before == kUntouched ? 0 : histories_.words(before)[i];
    if ((words[0] & kInSpin) != 0) break;
    words[0] |= kInSpin;
    const HistoryId after = histories_.make(thread.room, words, count);
    if (after == kUntouched) return;
    if (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) continue;
    note_change(word, before);
    object->message.clear(arena_);
    auto add = [&](Slot slot, Time time) { add_counterpart(slot, time, object->message); };
    if (msm) {
      MsmEngine::signal(histories_, threadsets_, before, add);
    } else {
      HybridEngine::signal(histories_, before, add);
    }
    break;
  }
  if (!in_loop && !thread.spun.join(arena_, object->message)) no_memory_for_clocks();
  note_spin_word(thread, word);
}

void Detector::spin_read(Thread& thread, Address address, uint64_t size, Where where, bool in_loop) {
  if (!options_.spin) return read(thread, address, size, where);
  const Inside inside(*this, thread);
  ++thread.accesses;
  if (thread.recording) record(thread, AccessKind::kRead, address, size);
  if ((thread.ignoring & kIgnoreReads) != 0) return;
  for (Address word = address & ~(kWordBytes - 1); word < address + size; word += kWordBytes) {
    spin_read_word(thread, word, in_loop);
  }
}

void Detector::spin_leave(Thread& thread) {
  if (!options_.spin) return;
  const Inside inside(*this, thread);
  begin_sync(thread);
  if ((thread.ignoring & kIgnoreSync) == 0) acquire(thread, thread.spun);
  thread.spun.clear(arena_);
}

void Detector::send(Thread& thread, SpinSignals& signals) {
  const Published published = publish(thread);
  for (unsigned i = 0; i < signals.count; ++i) {
    SyncObject* object = sync_.get(signals.words[i].word, SyncFamily::kSpin);
    if (object == nullptr) return no_memory_for_clocks();
    const SpinLock lock(object->mutex);
    const bool complete = signals.words[i].adds ? object->message.join(arena_, thread.clocks)
                                                : object->message.assign(arena_, thread.clocks);
    if (!complete) no_memory_for_clocks();
    add_published(published, object->message);
  }
  signals.count = 0;
}

}  // namespace norn
