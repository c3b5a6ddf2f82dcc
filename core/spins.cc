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

// The clocks that the slot's thread had when it stamped `time`. If that is too long ago, those of the oldest version
// still there: that orders more than it should, so it can hide a race but not make one.
void Detector::clocks_at(Slot slot, Time time, Clocks& clocks) {
  Versions* versions = __atomic_load_n(&versions_[slot], __ATOMIC_ACQUIRE);
  if (versions != nullptr) {
    const SpinLock lock(versions->mutex);
    for (unsigned i = versions->count; i > 0; --i) {
      const Version& version = versions->ring[(versions->first + i - 1) % Versions::kCount];
      if (version.since > time && i > 1) continue;
      if (!clocks.assign(arena_, version.clocks)) no_memory_for_clocks();
      break;
    }
  }
  if (!clocks.raise(arena_, slot, time)) no_memory_for_clocks();
}

void Detector::spin_read_word(Thread& thread, Address word) {
  Leaf* leaf = shadow_.leaf(word);
  if (leaf == nullptr) return no_memory_for_shadow();
  SyncObject* object = sync_.get(word, SyncFamily::kSpin);
  if (object == nullptr) return no_memory_for_clocks();
  Cell& cell = leaf->cells[word / kWordBytes % Leaf::kCells];
  // Whoever sets the flag fills the object before anyone else can lock it: a writer that sees the flag comes after.
  const SpinLock lock(object->mutex);
  const bool msm = options_.engine == EngineKind::kMsmShort || options_.engine == EngineKind::kMsmLong;
  HistoryId before = cell.load(std::memory_order_acquire);
  for (;;) {
    uint32_t words[InternTable::kMaxWords] = {};
    const unsigned header = msm ? MsmEngine::kHeaderWords : HybridEngine::kHeaderWords;
    const unsigned count = before == kUntouched ? header : histories_.count(before);
    for (unsigned i = 0; before != kUntouched && i < count; ++i) words[i] = histories_.words(before)[i];
    if ((words[0] & kInSpin) != 0) break;
    words[0] |= kInSpin;
    const HistoryId after = histories_.intern(words, count);
    if (after == kUntouched) return;
    if (!cell.compare_exchange_weak(before, after, std::memory_order_acq_rel)) continue;
    object->message.clear(arena_);
    Slot slot = 0;
    Time time = 0;
    const bool written = msm ? MsmEngine::last_write(histories_, before, slot, time)
                             : HybridEngine::last_write(histories_, before, slot, time);
    if (written) clocks_at(slot, time, object->message);
    break;
  }
  if (!thread.spun.join(arena_, object->message)) no_memory_for_clocks();
  note_spin_word(thread, word);
}

void Detector::spin_read(Thread& thread, Address address, uint64_t size, Where where) {
  if (!options_.spin) return read(thread, address, size, where);
  const Inside inside(*this, thread);
  ++thread.accesses;
  for (Address word = address & ~(kWordBytes - 1); word < address + size; word += kWordBytes) {
    spin_read_word(thread, word);
  }
}

void Detector::spin_leave(Thread& thread) {
  if (!options_.spin) return;
  const Inside inside(*this, thread);
  begin_sync(thread);
  acquire(thread, thread.spun);
  thread.spun.clear(arena_);
}

void Detector::spin_signal(Thread& thread, Address word, bool adds) {
  SyncObject* object = sync_.get(word, SyncFamily::kSpin);
  if (object == nullptr) return no_memory_for_clocks();
  const SpinLock lock(object->mutex);
  const Published published = publish(thread);
  const bool complete =
      adds ? object->message.join(arena_, thread.clocks) : object->message.assign(arena_, thread.clocks);
  if (!complete) no_memory_for_clocks();
  add_published(thread, published, object->message);
}

}  // namespace norn
