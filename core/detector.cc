// What needs more than one part of the detector.
#include "core/detector.h"

namespace norn {

bool Detector::init(const Options& options, const Listener& listener) {
  options_ = options;
  listener_ = listener;
  // A shadow word in a granule has so much room for its time.
  if (!is_state_machine(options_.engine) && options_.time_limit > ShadowWord::kClockLimit) {
    options_.time_limit = ShadowWord::kClockLimit;
  }
  if (!init_threads() || !init_relations(shadow_) || !init_filter() || !init_store()) return false;
  init_collector();
  return true;
}

void Detector::observe_only() {
  stop_predicting();
  shadow_.note_all_used();
}

void Detector::lock_acquire(Thread& thread, Address lock, LockMode mode, StackId where, bool uses) {
  const Inside inside(*this, thread);
  thread.brought_nothing = false;
  take_lock_inside(thread, lock, mode, where);
  if (uses) use_inside(thread, lock, where);
}

void Detector::end_atomic(Thread& thread, AtomicObject* object, Address address, uint64_t size, AtomicOutcome outcome,
                          StackId where) {
  const bool reads = outcome.kind != EventKind::kAtomicStore;
  const bool writes = outcome.kind != EventKind::kAtomicLoad;
  const bool begins = outcome.order != MemoryOrder::kRelaxed && writes;
  if (begins) end_segment(thread);
  if (object != nullptr && reads && counts(thread)) learn_release_clock(thread, *object, outcome.order);
  if (!writes) {
    if (object != nullptr) object->mutex.unlock();
    return read_atomically(thread, address, size, where);
  }
  write_atomically(thread, address, size, where, reads, object != nullptr, begins);
  // It may have published where new memory is. (Not in fewer bytes: most counts are smaller, and frequent.)
  if (size >= sizeof(Address) && outcome.order == MemoryOrder::kRelaxed && thread.gives_birth) tick(thread);
  if (object != nullptr) leave_release_clock(thread, *object, size, outcome);
}

void Detector::reallocate(Thread& thread, Address old, uint64_t old_size, Address fresh, uint64_t fresh_size,
                          StackId where) {
  // The allocator's own copying is not the program's: it says nothing of conditions, and decides nothing.
  const bool recording = thread.recording;
  thread.recording = false;
  const uint64_t moved = old_size < fresh_size ? old_size : fresh_size;
  if (old_size != 0) access(thread, AccessKind::kRead, old, old_size, where, true);
  if (old == fresh) {
    if (fresh_size > old_size) bear(thread, old + old_size, fresh_size - old_size, where);
    if (fresh_size < old_size) free(thread, old + fresh_size, old_size - fresh_size, where);
  } else {
    free(thread, old, old_size, where);
    bear(thread, fresh, fresh_size, where);
    if (moved != 0) write(thread, fresh, moved, where);
  }
  thread.recording = recording;
}

Statistics Detector::statistics() {
  Statistics result;
  add_statistics(result);
  return result;
}

}  // namespace norn
